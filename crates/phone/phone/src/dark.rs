//! Fields that took a secret stay dark: from before it is typed until they are seen empty, whatever
//! they show is dots, in every process. This is the one door that the trees and pictures of a phone
//! pass. What is stored are keyed hashes and what a field is called, never a text.

mod field;
mod look;

pub use field::FieldMark;
pub use look::{Private, Sameness};

use crate::memory::{MAX_FOLDERS, make_folder, phone_folder, read_text};
use crate::seal_key::SealKey;
use clawperator_private::{self as private, Concurrency};
use clawperator_redact::{DOTS, HashKey, Secrets, ValueHash, is_masked};
use clawperator_ui::{Attributes, Bounds, NodeId, Tree};
use field::DarkField;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// The file in the phone's folder.
const FILE: &str = "dark.json";
const MAX_BYTES: usize = 4 << 20;
/// The most fields that are remembered.
const MAX_FIELDS: usize = 64;
/// The most values. One whose field is dark is never forgotten for another.
const MAX_VALUES: usize = 128;
/// How long a value is remembered when its field is not dark any more.
const AFTERWARDS: Duration = Duration::from_secs(60 * 60);
/// How long a field is remembered that is not seen.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// After this time what was typed has arrived, or never will.
const ARRIVAL: Duration = Duration::from_secs(60);
/// How often it is stored that a field is still full.
const STORE_AGAIN: Duration = Duration::from_secs(60 * 60);
/// The most hashes of one look: one for each letter of a large screen.
const MAX_COMPARED: usize = 1_000_000;
/// How long a place is black where something dark was, if nothing is done.
const LATELY: Duration = Duration::from_secs(60);

/// What is dark on a phone.
#[derive(Debug, Default)]
pub struct Dark(Mutex<DarkState>);

#[derive(Debug, Default)]
struct DarkState {
    file: Option<PathBuf>,
    /// Whether the phone is ours, so that the file may be written.
    is_ours: bool,
    key: Option<HashKey>,
    /// The texts that must not be seen.
    secrets: Secrets,
    /// What is remembered without a file.
    stored: DarkFile,
    /// Where looks showed them lately, if nothing was done since.
    places: Vec<DarkArea>,
}

/// The file's content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct DarkFile {
    fields: Vec<DarkField>,
    /// Keyed hashes of what was typed, the latest last.
    values: Vec<DarkValue>,
    /// Where something dark was lately.
    #[serde(default)]
    places: Vec<DarkArea>,
}

/// When something dark was at a place, in seconds since 1970, and where: a layout
/// that moves may be back there when a picture is taken.
type DarkArea = (u64, Bounds);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct DarkValue {
    value: ValueHash,
    /// The field that took it; empty if that is unknown.
    #[serde(default)]
    field: String,
    /// Seconds since 1970 when it was typed, or a field became light.
    since_s: u64,
}

impl DarkFile {
    /// Adds the places of the last seconds to those of now, and remembers all.
    fn remember(&mut self, places: &mut Vec<DarkArea>, areas: &mut Vec<Bounds>) {
        let now = areas.clone();
        places.append(&mut self.places);
        places.retain(|place| is_recent(place) && !now.contains(&place.1));
        areas.extend(places.iter().map(|(_, place)| *place));
        places.splice(..0, now.iter().map(|area| (now_s(), *area)));
        places.truncate(MAX_FIELDS);
        if !self.fields.is_empty() {
            self.places.clone_from(places);
        }
    }

    /// Whether a field may show a value, so that its hash must be kept.
    fn needs(&self, kept: &DarkValue) -> bool {
        let took = |field: &DarkField| field.name == kept.field || field.name.is_empty();
        self.fields.iter().any(|field| kept.field.is_empty() || took(field))
    }

    /// Some fields may be light now. The values are remembered for a while.
    fn keep_fields(&mut self, keep: impl FnMut(&DarkField) -> bool) {
        let before = self.fields.len();
        self.fields.retain(keep);
        if self.fields.len() < before {
            self.values.iter_mut().for_each(|kept| kept.since_s = now_s());
        }
    }
}

/// What is dark, as any process has stored it.
struct DarkKnowledge {
    /// What was typed on this phone. Only this is ours to change.
    own: DarkFile,
    /// The fields of all other phones: one phone may have several serials.
    others: Vec<DarkField>,
    values: Vec<ValueHash>,
}

impl DarkKnowledge {
    fn fields(&self) -> impl Iterator<Item = &DarkField> {
        self.own.fields.iter().chain(&self.others)
    }

    fn is_empty(&self) -> bool {
        self.fields().next().is_none() && self.values.is_empty()
    }
}

impl Dark {
    /// What is dark is remembered in the folder of this phone from now on.
    pub(crate) fn remember_in(&self, phones: &Path, serial: &str) {
        let mut inner = self.lock();
        let file = phone_folder(Some(phones), serial).map(|folder| folder.join(FILE));
        if file.is_some() && inner.file != file {
            (inner.file, inner.key) = (file, None);
        }
    }

    /// Begins a time in which the phone is ours. Texts of before are forgotten.
    pub(crate) fn lease(&self) {
        let mut inner = self.lock();
        (inner.is_ours, inner.secrets, inner.places) = (true, Secrets::default(), Vec::new());
    }

    /// Hides a text from now on.
    pub(crate) fn keep_out(&self, text: &str) {
        self.lock().secrets.add(text);
    }

    /// Whether a text has something that must be kept out.
    pub fn keeps_out(&self, text: &str) -> bool {
        self.secrets().are_in(text)
    }

    /// The texts that are hidden.
    pub(crate) fn secrets(&self) -> Secrets {
        self.lock().secrets.clone()
    }

    /// What a screen showed may be gone: something is about to be done.
    pub(crate) fn stir(&self) {
        let mut inner = self.lock();
        inner.places.clear();
        let mut own = inner.load().own;
        if inner.is_ours && !own.places.is_empty() {
            own.places.clear();
            // If it cannot be stored, these places stay black for a moment.
            let _ = inner.store(own);
        }
    }

    /// Whether nothing must be hidden.
    pub(crate) fn is_empty(&self) -> bool {
        let inner = self.lock();
        inner.secrets.is_empty() && inner.load().is_empty()
    }

    /// Whether a screen may show something that must not be seen.
    pub(crate) fn has_any(&self) -> bool {
        !self.lock().load().is_empty()
    }

    /// Whether a field may be dark that a matcher's id names, or any.
    pub fn may_be_dark(&self, id: Option<&str>) -> bool {
        let known = self.lock().load();
        known.fields().any(|field| field.mark.may_have_id(id))
    }

    /// Makes a field dark, before this is typed into it.
    ///
    /// # Errors
    /// It cannot be stored; then nothing may be typed.
    pub fn note(&self, mark: FieldMark, text: &str) -> io::Result<()> {
        let mut inner = self.lock();
        inner.secrets.add(text);
        let key = inner.key()?;
        let mut own = inner.load().own;
        let name = mark.name(&key);
        let mut field = DarkField {
            mark: mark.hashed(&key, &inner.secrets),
            name: name.clone(),
            since_s: now_s(),
            ..DarkField::default()
        };
        own.fields.retain(|old| !field.mark.merge(&old.mark));
        own.fields.push(field);
        let extra = own.fields.len().saturating_sub(MAX_FIELDS);
        if extra > 0 {
            // Too many to tell apart: every field is dark from now on.
            own.fields.splice(..=extra, [DarkField::any()]);
        }
        // Every line and every named value may be shown without the rest.
        for value in inner.secrets.letters_in(text).filter_map(|it| key.value(&it)) {
            own.values.retain(|kept| kept.value != value || kept.field != name);
            own.values.push(DarkValue { value, field: name.clone(), since_s: now_s() });
        }
        while own.values.len() > MAX_VALUES {
            let old = own.values.iter().position(|kept| !own.needs(kept));
            let full = || io::Error::other("too many values are dark; empty the fields that took them first");
            own.values.remove(old.ok_or_else(full)?);
        }
        inner.places.clear();
        inner.store(own)
    }

    /// Puts dots for what must not be seen of a screen.
    pub(crate) fn darken(&self, tree: &mut Tree) -> Private {
        let mut inner = self.lock();
        let mut known = inner.load();
        if known.is_empty() && inner.secrets.is_empty() {
            return Private::default();
        }
        let key = if known.is_empty() { Ok(HashKey::default()) } else { inner.key() };
        let Ok(key) = key else {
            // Nothing can be told apart.
            let raw = raw(tree);
            tree.hide_texts(|_, text| dots(text));
            return Private::of(tree, raw, Vec::new());
        };
        let before = known.own.clone();
        // What a dark field shows now is a secret for the rest of the screen.
        let mut secrets = inner.secrets.clone();
        let mut dim: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut areas = Vec::new();
        let fields = known.own.fields.iter_mut().chain(&mut known.others);
        for (number, field) in fields.enumerate() {
            let at = field.mark.find(tree, &key);
            let like = if at.is_empty() { field.mark.find_changed(tree, &key) } else { at.clone() };
            let full = like.iter().filter(|id| field.is_full(tree, **id, &key));
            let full: Vec<NodeId> = full.copied().collect();
            field.remember_place(tree, &at);
            if !at.is_empty() {
                field.saw(tree, &full, &key);
            }
            for id in full {
                areas.push(tree.node(id).bounds);
                for id in std::iter::once(id).chain(tree.descendants(id)) {
                    let text = &tree.node(id).text;
                    if !is_masked(text) && !field.said_before(text, &key) {
                        secrets.add(text);
                    }
                    dim.insert(id, number);
                }
            }
        }
        let fields: Vec<_> = known.fields().collect();
        let mut left = MAX_COMPARED;
        let mut shown = |text: &str| both(&secrets.dots(text), &key.dots(&known.values, text, &mut left));
        let raw = raw(tree);
        tree.hide_ids(&mut shown);
        tree.hide_texts(|id, text| match dim.get(&id) {
            Some(field) if !fields[*field].said_before(text, &key) || secrets.are_in(text) => dots(text),
            _ => shown(text),
        });
        let mut private = Private::of(tree, raw, areas);
        known.own.keep_fields(|field| !field.is_over());
        known.own.remember(&mut inner.places, &mut private.areas);
        if inner.is_ours && known.own != before {
            // If it cannot be stored, the fields stay dark.
            let _ = inner.store(known.own);
        }
        private
    }

    /// Where something dark was lately.
    pub(crate) fn places(&self) -> Vec<Bounds> {
        let inner = self.lock();
        let recent = inner.places.iter().filter(|place| is_recent(place));
        recent.map(|(_, place)| *place).collect()
    }

    /// A dump that a phone printed, without what must not be seen: the text as it
    /// is if nothing is dark, and nothing if it cannot be read.
    pub fn darken_dump(&self, text: String) -> Option<String> {
        if self.is_empty() {
            return Some(text);
        }
        let raw = clawperator_ui::read(&text).ok()?;
        let mut tree = raw.clone();
        self.darken(&mut tree);
        Some(if tree == raw { text } else { clawperator_ui::write(&tree, Attributes::Extended) })
    }

    /// A text that a phone printed, without what must not be seen.
    pub fn hide(&self, text: &str) -> String {
        let mut inner = self.lock();
        let values = inner.load().values;
        if values.is_empty() {
            return inner.secrets.hide(text);
        }
        match inner.key() {
            Ok(key) => both(&inner.secrets.dots(text), &key.dots(&values, text, &mut { MAX_COMPARED })),
            Err(_) => dots(text),
        }
    }

    fn lock(&self) -> MutexGuard<'_, DarkState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DarkState {
    /// What is dark now. If something cannot be read, all fields are.
    fn load(&self) -> DarkKnowledge {
        let (mut others, mut values) = (Vec::new(), Vec::new());
        let own = self.file.as_deref().map_or_else(|| self.stored.clone(), read);
        let phones = self.file.iter().filter_map(|file| fs::read_dir(file.ancestors().nth(2)?).ok());
        for folder in phones.flatten().take(MAX_FOLDERS).flatten() {
            let file = folder.path().join(FILE);
            if self.file.as_ref() != Some(&file) {
                let other = read(&file);
                others.extend(other.fields);
                values.extend(other.values);
            }
        }
        values.extend(own.values.iter().cloned());
        let values = values.into_iter().map(|kept| kept.value).collect();
        DarkKnowledge { own, others, values }
    }

    fn store(&mut self, own: DarkFile) -> io::Result<()> {
        let Some(file) = &self.file else {
            self.stored = own;
            return Ok(());
        };
        if own == DarkFile::default() {
            return fs::remove_file(file);
        }
        if let Some(folder) = file.parent() {
            make_folder(folder)?;
        }
        let text = serde_json::to_string(&own)?;
        if text.len() > MAX_BYTES {
            return Err(io::Error::other("too much is dark; empty the fields that took secrets first"));
        }
        private::replace(file, text.as_bytes(), Concurrency::Processes)
    }

    /// The key of all phones; made where there is none.
    fn key(&mut self) -> io::Result<HashKey> {
        if self.key.is_none() {
            let state = self.file.as_ref().and_then(|file| file.ancestors().nth(3));
            let key = state.map_or_else(|| Ok(SealKey::random()), SealKey::of);
            self.key = Some(key?.hash_key("dark"));
        }
        self.key.clone().ok_or_else(|| io::Error::other("no key"))
    }
}

impl DarkField {
    /// Takes note of a look that shows the field, and where it holds something.
    fn saw(&mut self, tree: &Tree, full: &[NodeId], key: &HashKey) {
        if !full.is_empty() {
            if !self.was_full || self.age() > STORE_AGAIN {
                (self.was_full, self.since_s) = (true, now_s());
            }
        } else if (self.was_full || self.age() > ARRIVAL) && self.mark.is_on(tree, key) {
            // It is empty again, and no other field that is called as it is.
            self.since_s = 0;
        }
    }

    /// Any field, for what cannot be told.
    fn any() -> Self {
        Self { since_s: now_s(), ..Self::default() }
    }

    fn is_over(&self) -> bool {
        self.since_s == 0
    }

    fn age(&self) -> Duration {
        Duration::from_secs(now_s().saturating_sub(self.since_s))
    }
}

/// What is in a file and not too old.
fn read(file: &Path) -> DarkFile {
    let read = match read_text(file, MAX_BYTES as u64 + 1) {
        Ok(text) => serde_json::from_str(&text).ok(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(DarkFile::default()),
        Err(_) => None,
    };
    let mut stored =
        read.unwrap_or_else(|| DarkFile { fields: vec![DarkField::any()], ..DarkFile::default() });
    stored.fields.retain(|field| field.age() <= MAX_AGE);
    let is_new = |kept: &DarkValue| now_s().saturating_sub(kept.since_s) <= AFTERWARDS.as_secs();
    let mut values = std::mem::take(&mut stored.values);
    values.retain(|kept| is_new(kept) || stored.needs(kept));
    stored.values = values;
    stored
}

fn is_recent(place: &DarkArea) -> bool {
    place.0 + LATELY.as_secs() >= now_s()
}

fn now_s() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

fn dots(text: &str) -> String {
    text.chars().map(|_| DOTS[0]).collect()
}

/// A text with the dots of two that are as long.
fn both(one: &str, other: &str) -> String {
    let letters = one.chars().zip(other.chars());
    let darker = letters.map(|(one, other)| if other == DOTS[0] { other } else { one });
    darker.collect()
}

fn raw(tree: &Tree) -> Vec<(NodeId, String)> {
    tree.nodes().map(|(id, node)| (id, node.text.clone())).collect()
}
