//! Fields that took a secret stay dark: from before it is typed until they are
//! seen empty, whatever they show is dots, in every process. This is the one door
//! that the trees and pictures of a phone pass. What is stored are keyed hashes
//! and what a field is called, never a text.

mod field;

pub(crate) use field::FieldMark;

use crate::memory::make_folder;
use clawperator_journal::private::{self, Concurrency};
use clawperator_redact::{DOTS, HashKey, Secrets, is_masked};
use clawperator_ui::{Attributes, Bounds, NodeId, Tree};
use field::DarkField;
use rand::RngCore as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// The file in the phone's folder, and the one with the key beside all folders.
const FILE: &str = "dark.json";
const KEY_FILE: &str = "dark.key";
const KEY_BYTES: usize = 32;
/// The most bytes that are read.
const MAX_BYTES: u64 = 1 << 20;
/// The most fields that are remembered.
const MAX_FIELDS: usize = 64;
/// How long a field is remembered that is not seen.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// After this time what was typed has arrived, or never will.
const ARRIVAL: Duration = Duration::from_secs(60);
/// How often it is stored that a field is still full.
const STORE_AGAIN: Duration = Duration::from_secs(60 * 60);
/// The most comparisons with hashes of one look.
const MAX_COMPARED: usize = 200_000;
/// How old a look may be that a picture goes by.
const FRESH: Duration = Duration::from_millis(500);

/// What is dark on a phone.
#[derive(Debug, Default)]
pub(crate) struct Dark(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// The file, if there is one.
    file: Option<PathBuf>,
    /// Whether the phone is ours, so that the file may be written.
    is_ours: bool,
    key: Option<HashKey>,
    /// The texts that must not be seen.
    secrets: Secrets,
    /// What is remembered without a file.
    fields: Vec<DarkField>,
    /// What the last look showed of them, if nothing was done since.
    seen: Option<(Instant, Vec<Bounds>)>,
}

/// What elements show whose texts are dots in the tree. It stays in this crate.
#[derive(Clone, Default)]
pub(crate) struct Private {
    texts: Vec<(NodeId, String)>,
    /// Where the screen shows something dark.
    pub(crate) areas: Vec<Bounds>,
}

impl std::fmt::Debug for Private {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Private({})", self.texts.len())
    }
}

impl Private {
    fn of(tree: &Tree, mut texts: Vec<(NodeId, String)>, mut areas: Vec<Bounds>) -> Self {
        texts.retain(|(id, text)| tree.node(*id).text != *text);
        let hidden = tree.nodes().filter(|(_, node)| node.hides_secret);
        areas.extend(hidden.map(|(_, node)| node.bounds));
        Self { texts, areas }
    }

    /// What an element of the tree shows on the phone.
    pub(crate) fn text<'t>(&'t self, tree: &'t Tree, id: NodeId) -> &'t str {
        let hidden = self.texts.iter().find(|(hidden, _)| *hidden == id);
        hidden.map_or(&tree.node(id).text, |(_, text)| text)
    }
}

/// The file's content.
#[derive(Serialize, Deserialize)]
struct Stored {
    fields: Vec<DarkField>,
}

impl Dark {
    /// What is dark is remembered in the folder of this phone from now on.
    pub(crate) fn remember_in(&self, folder: &Path) {
        let mut inner = self.lock();
        let file = folder.join(FILE);
        if inner.file.as_ref() != Some(&file) {
            (inner.file, inner.key) = (Some(file), None);
        }
    }

    /// Begins a time in which the phone is ours. Texts of before are forgotten.
    pub(crate) fn lease(&self) {
        let mut inner = self.lock();
        (inner.is_ours, inner.secrets, inner.seen) = (true, Secrets::default(), None);
    }

    /// Hides a text from now on.
    pub(crate) fn keep_out(&self, text: &str) {
        self.lock().secrets.add(text);
    }

    /// The texts that are hidden.
    pub(crate) fn secrets(&self) -> Secrets {
        self.lock().secrets.clone()
    }

    /// What a screen showed may be gone: something is about to be done.
    pub(crate) fn stir(&self) {
        self.lock().seen = None;
    }

    /// Whether a field is dark.
    pub(crate) fn has_fields(&self) -> bool {
        !self.lock().load().is_empty()
    }

    /// Whether a field may be dark that a matcher's id names.
    pub(crate) fn may_be_dark(&self, id: Option<&str>) -> bool {
        let fields = self.lock().load();
        fields.iter().any(|field| field.mark.may_have_id(id))
    }

    /// Makes a field dark, before this is typed into it.
    ///
    /// # Errors
    /// It cannot be stored; then nothing may be typed.
    pub(crate) fn note(&self, mark: FieldMark, text: &str) -> io::Result<()> {
        let mut inner = self.lock();
        inner.secrets.add(text);
        let key = inner.key()?;
        let mut fields = inner.load();
        let mut field = DarkField {
            mark: mark.hashed(&key, &inner.secrets),
            values: key.values(text),
            since_s: now_s(),
            ..DarkField::default()
        };
        fields.retain(|old| {
            let same = field.mark.merge(&old.mark);
            if same {
                field.values.extend(old.values.iter().cloned());
            }
            !same
        });
        field.values.truncate(MAX_FIELDS);
        fields.push(field);
        let extra = fields.len().saturating_sub(MAX_FIELDS);
        if extra > 0 {
            // Too many to tell apart: every field is dark from now on.
            let values = fields.drain(..=extra).flat_map(|old| old.values).take(MAX_FIELDS);
            let any = DarkField {
                values: values.collect(),
                since_s: now_s(),
                ..DarkField::default()
            };
            fields.push(any);
        }
        inner.seen = None;
        inner.store(fields)
    }

    /// The screens of an app are gone.
    pub(crate) fn light(&self, package: &str) {
        let mut inner = self.lock();
        let mut fields = inner.load();
        let before = fields.len();
        fields.retain(|field| !field.mark.is_of(package));
        if fields.len() < before {
            // If it cannot be stored, the fields stay dark.
            let _ = inner.store(fields);
        }
    }

    /// Puts dots for what must not be seen of a screen.
    pub(crate) fn darken(&self, tree: &mut Tree) -> Private {
        let mut inner = self.lock();
        let mut fields = inner.load();
        if fields.is_empty() && inner.secrets.is_empty() {
            return Private::default();
        }
        let key = match fields.is_empty() {
            true => Ok(HashKey::default()),
            false => inner.key(),
        };
        let Ok(key) = key else {
            // Nothing can be told apart.
            let raw = raw(tree);
            tree.hide_texts(|_, text| dots(text));
            return Private::of(tree, raw, Vec::new());
        };
        let before = fields.clone();
        // What a dark field shows now is a secret for the rest of the screen.
        let mut secrets = inner.secrets.clone();
        let mut dim: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut areas = Vec::new();
        for (number, field) in fields.iter_mut().enumerate() {
            let at = field.mark.find(tree, &key);
            let full = at.iter().filter(|id| field.is_full(tree, **id, &key));
            let full: Vec<NodeId> = full.copied().collect();
            if at.is_empty() {
                areas.extend(field.behind(tree));
            }
            field.saw(tree, &at, &full);
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
        let values: Vec<_> = fields.iter().flat_map(|field| field.values.clone()).collect();
        let mut left = MAX_COMPARED;
        let raw = raw(tree);
        tree.hide_texts(|id, text| match dim.get(&id) {
            Some(field) if !fields[*field].said_before(text, &key) || secrets.are_in(text) => dots(text),
            _ => key.dots(&values, &secrets.dots(text), &mut left),
        });
        let private = Private::of(tree, raw, areas);
        inner.seen = Some((Instant::now(), private.areas.clone()));
        fields.retain(|field| !field.is_over());
        if inner.is_ours && fields != before {
            // If it cannot be stored, the fields stay dark.
            let _ = inner.store(fields);
        }
        private
    }

    /// Where the last look showed what is dark, if that is fresh.
    pub(crate) fn fresh_areas(&self) -> Option<Vec<Bounds>> {
        let inner = self.lock();
        let (at, areas) = inner.seen.as_ref()?;
        (at.elapsed() <= FRESH).then(|| areas.clone())
    }

    /// A dump that a phone printed, without what must not be seen: the text as it
    /// is if nothing is dark, and nothing if it cannot be read.
    pub(crate) fn darken_dump(&self, text: String) -> Option<String> {
        if !self.has_fields() && self.secrets().is_empty() {
            return Some(text);
        }
        let mut tree = clawperator_ui::read(&text).ok()?;
        match self.darken(&mut tree).areas.is_empty() {
            true => Some(text),
            false => Some(clawperator_ui::write(&tree, Attributes::Extended)),
        }
    }

    /// A text that a phone printed, without what must not be seen.
    pub(crate) fn hide(&self, text: &str) -> String {
        let mut inner = self.lock();
        let values: Vec<_> = inner.load().into_iter().flat_map(|field| field.values).collect();
        let shown = inner.secrets.hide(text);
        if values.is_empty() {
            return shown;
        }
        match inner.key() {
            Ok(key) => key.dots(&values, &shown, &mut { MAX_COMPARED }),
            Err(_) => dots(text),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// The fields that are dark now: another process may have made them so. If
    /// that cannot be read, all fields are.
    fn load(&self) -> Vec<DarkField> {
        let Some(file) = &self.file else {
            return self.fields.clone();
        };
        let mut fields = read(file).unwrap_or_else(|_| {
            vec![DarkField {
                since_s: now_s(),
                ..DarkField::default()
            }]
        });
        fields.retain(|field| field.age() <= MAX_AGE);
        fields
    }

    fn store(&mut self, fields: Vec<DarkField>) -> io::Result<()> {
        let Some(file) = &self.file else {
            self.fields = fields;
            return Ok(());
        };
        if fields.is_empty() {
            return fs::remove_file(file);
        }
        if let Some(folder) = file.parent() {
            make_folder(folder)?;
        }
        let text = serde_json::to_string(&Stored { fields })?;
        private::replace(file, text.as_bytes(), Concurrency::Processes)
    }

    /// The key of all phones; made where there is none.
    fn key(&mut self) -> io::Result<HashKey> {
        if self.key.is_none() {
            let phones = self.file.as_ref().and_then(|file| file.parent()?.parent());
            self.key = Some(match phones {
                None => random_key(),
                Some(phones) => stored_key(&phones.join(KEY_FILE))?,
            });
        }
        self.key.clone().ok_or_else(|| io::Error::other("no key"))
    }
}

impl DarkField {
    /// Takes note of a look: where it may be, and where it holds something.
    fn saw(&mut self, tree: &Tree, at: &[NodeId], full: &[NodeId]) {
        self.moved(tree, at);
        if !full.is_empty() {
            if !self.was_full || self.age() > STORE_AGAIN {
                (self.was_full, self.since_s) = (true, now_s());
            }
        } else if !at.is_empty() && (self.was_full || self.age() > ARRIVAL) {
            // It is empty again.
            self.since_s = 0;
        }
    }

    fn is_over(&self) -> bool {
        self.since_s == 0
    }

    fn age(&self) -> Duration {
        Duration::from_secs(now_s().saturating_sub(self.since_s))
    }
}

fn read(file: &Path) -> io::Result<Vec<DarkField>> {
    let mut text = String::new();
    match private::open(file) {
        Ok(file) => file.take(MAX_BYTES).read_to_string(&mut text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let stored: Stored = serde_json::from_str(&text).map_err(io::Error::other)?;
    Ok(stored.fields)
}

/// The key in a private file, which is made if it is not there. Of several
/// processes that make it, the first one wins.
///
/// # Errors
/// It cannot be read or made.
pub fn stored_key(file: &Path) -> io::Result<HashKey> {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        private::open(file)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = match read() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(folder) = file.parent() {
                private::folder(folder)?;
            }
            let draft = file.with_added_extension(format!("{}.draft", std::process::id()));
            let made = private::options()
                .write(true)
                .create(true)
                .truncate(true)
                .open(&draft);
            made?.write_all(&random())?;
            // If another process was first, its key is read.
            let _ = fs::hard_link(&draft, file);
            fs::remove_file(&draft)?;
            read()?
        }
        read => read?,
    };
    match bytes.len() == KEY_BYTES {
        true => Ok(HashKey::new(&bytes)),
        false => Err(io::Error::other(format!("{} is no key", file.display()))),
    }
}

/// A key that is stored nowhere.
#[must_use]
pub fn random_key() -> HashKey {
    HashKey::new(&random())
}

fn random() -> [u8; KEY_BYTES] {
    let mut bytes = [0; KEY_BYTES];
    rand::rngs::OsRng.fill_bytes(&mut bytes);
    bytes
}

fn now_s() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

fn dots(text: &str) -> String {
    text.chars().map(|_| DOTS[0]).collect()
}

fn raw(tree: &Tree) -> Vec<(NodeId, String)> {
    tree.nodes().map(|(id, node)| (id, node.text.clone())).collect()
}
