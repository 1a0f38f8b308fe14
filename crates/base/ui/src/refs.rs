//! Refs: short names such as `@e7` for elements, which stay valid from one
//! screen to the next. A ref always names the same element. If it is uncertain
//! whether that element is still there, the ref is stale.

mod fingerprints;
mod groups;
mod label_hash;
mod page;
mod password_fields;
mod press;
mod set_value;
mod stale;
mod weight;

use crate::ability::Ability;
use crate::limits::{MAX_EXCERPT, MAX_REFS, MAX_REFS_HERE, MAX_SCENES};
use crate::point::Point;
use crate::tree::{NodeId, Tree};
use clawperator_contract::Flag;
pub use fingerprints::Fingerprints;
use fingerprints::{Count, Kin, Strength};
pub(crate) use page::Titles;
pub use page::WindowName;
use page::{PageIdentity, PageLikeness};
use password_fields::PasswordFields;
pub use press::Press;
use serde::{Deserialize, Serialize};
use set_value::{SetChange, SetValue};
pub use stale::{Stale, StaleReason};
use std::collections::BTreeMap;
use std::fmt;
use weight::needed;

/// The name of an element: `@e` and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ref(pub(crate) u32);

impl Ref {
    /// Reads `@e7`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("@e")?;
        let plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse().ok().map(Self))?
    }

    /// Its number.
    pub fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@e{}", self.0)
    }
}

/// The refs that were given, and what they were given to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RefBook {
    last: u32,
    /// The screens that the refs are from, the newest last.
    scenes: Vec<NumberedScene>,
    /// What the refs were given to, in the order it was last seen.
    refs: Vec<RefEntry>,
    /// The fields whose content is never shown.
    #[serde(default)]
    secrets: PasswordFields,
    /// What the caller typed and ticked lately, for as long as it is seen as it was set.
    #[serde(default)]
    own_values: Vec<SetValue>,
}

/// How many of them are remembered.
const MAX_OWN_VALUES: usize = 32;

/// What a touch of an element may tick.
fn near_ticks(tree: &Tree, id: NodeId) -> impl Iterator<Item = NodeId> {
    let id = tree.nearest(id, Ability::Click).unwrap_or(id);
    let around = std::iter::successors(Some(id), |id| tree.parent(*id)).take(TICK_LEVELS);
    let near = around.chain(tree.descendants(id).take(TICK_NODES));
    near.filter(|id| tree.node(*id).flags.has(Flag::Checkable))
}

/// How far around and inside of what is touched something is ticked by that.
const TICK_LEVELS: usize = 3;
const TICK_NODES: usize = 12;

/// What a ref is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefUse {
    /// To find its element, and to touch it or type into it.
    Act,
    /// To send what is typed into it.
    Submit,
    /// To show it to the caller, who sees what it is about.
    Show,
}

/// A scene and its number, which grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct NumberedScene {
    number: u32,
    scene: PageIdentity,
}

/// One ref.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct RefEntry {
    number: Ref,
    scene: u32,
    own: u64,
    beside: [u64; 2],
    /// Its number among all elements, valid only while nothing else changes.
    place: usize,
    /// Whether its fingerprint is the only one of its kind.
    alone: bool,
    /// What it is known by otherwise, if that is the only one of its kind.
    kin: Option<Kin>,
    /// What stood beside it outside of lists, and how deep.
    spot: ([u64; 2], usize),
    center: (i32, i32),
    brief: String,
}

impl RefEntry {
    /// Whether an element that looks like it stands where it stood: in a list, before
    /// or after a row that was beside it.
    fn is_steady(&self, fingerprints: &Fingerprints<'_>, id: NodeId) -> bool {
        let beside = fingerprints.of(id).map_or([0; 2], |element| element.beside);
        (self.beside == beside || fingerprints.is_between(id, self.beside))
            && fingerprints.stays(id, self.spot)
    }
}

/// The screen that is seen, and what has become of the earlier scenes of its page, by their numbers.
struct SeenPage<'s> {
    fingerprints: &'s Fingerprints<'s>,
    scenes: BTreeMap<u32, PageComparison>,
}

/// What has become of a page. It is asked for every ref, and is the same for all of a scene.
#[derive(Clone, Copy)]
struct PageComparison {
    likeness: PageLikeness,
    change: SetChange,
    has_more: bool,
}

impl RefBook {
    /// An empty book that continues after the numbers given before, which are never given again.
    pub fn after(last: u32) -> Self {
        Self { last, ..Self::default() }
    }

    /// The last number given.
    pub fn last(&self) -> u32 {
        self.last
    }

    /// What a field or a slider shows was set by the caller, and is no hint.
    pub fn note_typed(&mut self, tree: &Tree, id: NodeId) {
        let typed = SetValue::all(tree).into_iter().find(|(other, _)| *other == id);
        self.note_own(typed.map(|(_, value)| value));
    }

    /// The caller touches an element: what is ticked by that is no surprise.
    pub fn note_touched(&mut self, tree: &Tree, id: NodeId) {
        let near: Vec<NodeId> = near_ticks(tree, id).collect();
        let ticks = SetValue::all(tree).into_iter().filter(|(id, _)| near.contains(id));
        self.note_own(ticks.map(|(_, tick)| tick.ticked_otherwise()));
    }

    fn note_own(&mut self, values: impl IntoIterator<Item = SetValue>) {
        for value in values {
            self.own_values.retain(|known| known.place != value.place);
            self.own_values.truncate(MAX_OWN_VALUES - 1);
            self.own_values.insert(0, value);
        }
    }

    /// The elements that show what the caller typed.
    pub(crate) fn typed(&self, tree: &Tree) -> Vec<NodeId> {
        let own = SetValue::all(tree).into_iter().filter(|(_, value)| self.own_values.contains(value));
        own.map(|(id, _)| id).collect()
    }

    /// Whether a touch of an element may tick something, so that it is worth a note.
    pub fn may_tick(tree: &Tree, id: NodeId) -> bool {
        near_ticks(tree, id).next().is_some()
    }

    /// Remembers a screen: the refs of elements that are still there name them
    /// as they are on this screen from now on.
    pub fn look(&mut self, fingerprints: &Fingerprints<'_>) {
        self.note(fingerprints, RefUse::Act);
    }

    /// Remembers a screen that the caller is shown as a whole. The caller sees
    /// what it is about now, so most refs stay valid even if some texts have
    /// changed. Those of what sends, pays or deletes do not: another caller may hold them.
    pub fn show(&mut self, fingerprints: &Fingerprints<'_>) {
        self.note(fingerprints, RefUse::Show);
    }

    fn note(&mut self, fingerprints: &Fingerprints<'_>, what_for: RefUse) {
        if self.is_at(fingerprints) {
            return;
        }
        self.secrets.note(fingerprints.screen());
        let values = fingerprints.scene().values();
        self.own_values.retain(|own| !values.iter().any(|value| own.is_replaced(value)));
        let page = self.seen_page(fingerprints);
        let number = self.scenes.last().map_or(1, |known| known.number.saturating_add(1));
        let entries = std::mem::take(&mut self.refs);
        let found: Vec<_> = entries.iter().map(|entry| self.find(entry, &page, what_for)).collect();
        self.scenes.push(NumberedScene { number, scene: fingerprints.scene().clone() });
        let mut seen = Vec::new();
        for (entry, found) in entries.into_iter().zip(found) {
            match found {
                // It was given for that page: what came and went since is not forgotten.
                Ok(id)
                    if page
                        .scenes
                        .get(&entry.scene)
                        .is_none_or(|then| then.likeness != PageLikeness::Like)
                        && self.is_bound_to_page(&entry, id, fingerprints) =>
                {
                    self.refs.push(entry);
                }
                Ok(id) => seen.push(self.entry(entry.number, id, fingerprints)),
                // Once there is another like it, no later screen can decide.
                Err(reason) => {
                    let like = fingerprints.first_with(entry.own).map(|(_, count)| count);
                    let seen = entry.alone || reason != StaleReason::OtherScreen;
                    let doubt = reason == StaleReason::Moved || (seen && like == Some(Count::More));
                    let alone = entry.alone && !doubt;
                    let kin = entry.kin.filter(|_| !doubt);
                    self.refs.push(RefEntry { alone, kin, ..entry });
                }
            }
        }
        self.refs.extend(seen);
        self.bound();
    }

    /// The ref that an element has from an earlier page. Pages are compared only if there is
    /// one that looks like it: this is asked of every element that is shown.
    fn bound_to_page(&self, fingerprints: &Fingerprints<'_>, id: NodeId) -> Option<Ref> {
        let own = fingerprints.of(id)?.own;
        let is_like = |entry: &&RefEntry| entry.own == own && entry.scene != self.here();
        let mut alike = self.refs.iter().rev().filter(is_like).peekable();
        alike.peek()?;
        let page = self.seen_page(fingerprints);
        let known = alike.find(|entry| self.find(entry, &page, RefUse::Act) == Ok(id))?;
        // A page that says more now may go on to say something else.
        let page = self.scenes.iter().find(|page| page.number == known.scene)?;
        (!page.scene.has_more(fingerprints.scene())).then_some(known.number)
    }

    /// Whether a ref stays one of its own page, which a later one is compared with: that of
    /// what sends, pays or deletes, on a page that has changed.
    fn is_bound_to_page(&self, entry: &RefEntry, id: NodeId, fingerprints: &Fingerprints<'_>) -> bool {
        let scene = self.scenes.iter().find(|known| known.number == entry.scene);
        scene.is_some_and(|known| needed(fingerprints, id, &known.scene).is_lasting)
    }

    /// Whether the screen is the one that was last looked at.
    fn is_at(&self, fingerprints: &Fingerprints<'_>) -> bool {
        let last = self.scenes.last();
        last.is_some_and(|known| known.scene.exact == fingerprints.scene().exact)
    }

    /// The number of the scene last looked at.
    fn here(&self) -> u32 {
        self.scenes.last().map_or(0, |known| known.number)
    }

    /// The ref of an element; a new one if it has none. An element that is not
    /// visible gets none, and neither does one beyond [`MAX_REFS_HERE`].
    pub fn give(&mut self, fingerprints: &Fingerprints<'_>, id: NodeId) -> Option<Ref> {
        fingerprints.of(id)?;
        self.look(fingerprints);
        let mut here = self.refs.iter().rev().take_while(|entry| entry.scene == self.here());
        if let Some(known) = here.find(|entry| entry.place == id.0) {
            return Some(known.number);
        }
        if let Some(known) = self.bound_to_page(fingerprints, id) {
            return Some(known);
        }
        // No ref of what is seen is forgotten for another.
        let here = self.refs.iter().rev().take_while(|entry| entry.scene == self.here());
        if here.count() >= MAX_REFS_HERE {
            return None;
        }
        let number = Ref(self.last.checked_add(1)?);
        self.last = number.0;
        let entry = self.entry(number, id, fingerprints);
        self.refs.push(entry);
        if self.refs.len() > MAX_REFS {
            self.bound();
        }
        Some(number)
    }

    /// The element of a ref on a screen.
    ///
    /// # Errors
    /// Why it is stale, and what is there now.
    pub fn resolve(&self, name: Ref, fingerprints: &Fingerprints<'_>) -> Result<NodeId, Stale> {
        self.resolve_for(RefUse::Act, name, fingerprints)
    }

    /// The element of a ref on a screen, for a use.
    ///
    /// # Errors
    /// As for [`Self::resolve`].
    pub fn resolve_for(
        &self,
        what_for: RefUse,
        name: Ref,
        fingerprints: &Fingerprints<'_>,
    ) -> Result<NodeId, Stale> {
        let Some(entry) = self.refs.iter().find(|entry| entry.number == name) else {
            return Err(Stale { name, reason: StaleReason::Unknown, was: None, now: None, there: None });
        };
        self.find(entry, &self.seen_page(fingerprints), what_for).map_err(|reason| {
            let (x, y) = entry.center;
            let there = fingerprints.at(Point { x, y });
            Stale {
                name,
                reason,
                was: Some(entry.brief.clone()),
                now: there.map(|id| self.excerpt(fingerprints, id)),
                there,
            }
        })
    }

    /// Tells whether a page that a ref may be from shows what looks like its element.
    pub fn may_be_seen(&self, name: Ref, fingerprints: &Fingerprints<'_>) -> bool {
        self.refs.iter().find(|entry| entry.number == name).is_some_and(|entry| {
            let by_kin = entry.kin.and_then(|kin| fingerprints.only(kin));
            let is_like = fingerprints.first_with(entry.own).is_some() || by_kin.is_some();
            is_like && self.seen_page(fingerprints).scenes.contains_key(&entry.scene)
        })
    }

    /// Tells whether an element's content is never shown: it is a password, or
    /// was when it was last seen.
    pub fn hides(&self, fingerprints: &Fingerprints<'_>, id: NodeId) -> bool {
        self.secrets.has(fingerprints.screen().tree(), id)
    }

    fn excerpt(&self, fingerprints: &Fingerprints<'_>, id: NodeId) -> String {
        let tree = fingerprints.screen().tree();
        if self.hides(fingerprints, id) {
            format!("{} (hidden)", tree.role(id).word())
        } else {
            tree.excerpt(id)
        }
    }

    /// An element in a few words: its role and its label.
    fn brief(&self, fingerprints: &Fingerprints<'_>, id: NodeId) -> String {
        let role = fingerprints.screen().tree().role(id).word();
        let inside = fingerprints.screen().within(id);
        let shown = inside.filter(|(inner, _)| !self.hides(fingerprints, *inner));
        let mut labels = shown.map(|(_, node)| node.label());
        match labels.find(|label| !label.is_empty()) {
            Some(label) => {
                let short: String = label.chars().take(MAX_EXCERPT).collect();
                format!("{role} {short:?}")
            }
            None => role.to_owned(),
        }
    }

    fn seen_page<'s>(&self, fingerprints: &'s Fingerprints<'s>) -> SeenPage<'s> {
        let like = |known: &NumberedScene| {
            let later = fingerprints.scene();
            let likeness = known.scene.likeness(later)?;
            let change = known.scene.set_change(later, &self.own_values);
            Some((known.number, PageComparison { likeness, change, has_more: known.scene.has_more(later) }))
        };
        SeenPage { fingerprints, scenes: self.scenes.iter().filter_map(like).collect() }
    }

    fn find(&self, entry: &RefEntry, page: &SeenPage<'_>, what_for: RefUse) -> Result<NodeId, StaleReason> {
        let SeenPage { fingerprints, scenes } = page;
        let scene = self.scenes.iter().find(|known| known.number == entry.scene);
        let scene = &scene.ok_or(StaleReason::Unknown)?.scene;
        if entry.scene == self.here() && scene.exact == fingerprints.scene().exact {
            // Nothing at all has changed since: everything is where it was.
            let id = NodeId(entry.place);
            let same = fingerprints.of(id).is_some_and(|element| element.own == entry.own);
            return same.then_some(id).ok_or(StaleReason::Gone);
        }
        let then = *scenes.get(&entry.scene).ok_or(StaleReason::OtherScreen)?;
        let PageComparison { likeness, change, has_more } = then;
        let by_kin = entry.kin.and_then(|kin| fingerprints.only(kin));
        let id = match (fingerprints.first_with(entry.own), by_kin) {
            (Some((id, Count::One)), _) if entry.alone => {
                let steady = entry.is_steady(fingerprints, id);
                steady.then_some(id).ok_or(StaleReason::Moved)?
            }
            (Some((_, Count::More)), _) if entry.alone => return Err(StaleReason::NotAlone),
            (_, Some(id)) => id,
            (None, None) => return Err(StaleReason::Gone),
            (Some(_), None) => return Err(StaleReason::NotAlone),
        };
        let own = fingerprints.of(id).map(|element| element.own);
        let is_other = fingerprints.is_listed(id) && own != Some(entry.own);
        if likeness == PageLikeness::Like && !is_other && change == SetChange::None && !has_more {
            return Ok(id);
        }
        let need = needed(fingerprints, id, scene);
        let needed = match what_for {
            RefUse::Submit => need.likeness.max(PageLikeness::Exact),
            RefUse::Show if !need.is_lasting => PageLikeness::Near,
            RefUse::Show | RefUse::Act => need.likeness,
        };
        // Another row has come in the place of this one, or its content is another.
        if is_other && (what_for != RefUse::Show || need.is_lasting) {
            return Err(StaleReason::Gone);
        }
        // What others have set counts for what sends or cannot be taken back, and for the answer
        // to a dialog, but for what turns there.
        let counts = need.is_lasting || what_for == RefUse::Submit;
        let is_set = needed >= PageLikeness::Exact
            && (change == SetChange::Set && scene.dialog || change > SetChange::None && counts);
        let has_more = has_more && need.is_lasting && needed == PageLikeness::Like;
        (likeness >= needed && !is_set && !has_more).then_some(id).ok_or(StaleReason::OtherScreen)
    }

    /// What to remember of an element on the current screen.
    fn entry(&self, number: Ref, id: NodeId, fingerprints: &Fingerprints<'_>) -> RefEntry {
        let element = fingerprints.of(id);
        let own = element.map_or(0, |element| element.own);
        let named = element.is_some_and(|element| element.strength == Strength::Named);
        let count = fingerprints.first_with(own).map(|(_, count)| count);
        let Point { x, y } = fingerprints.screen().visible_bounds(id).center();
        RefEntry {
            number,
            scene: self.here(),
            own,
            beside: element.map_or([0; 2], |element| element.beside),
            place: id.0,
            alone: named && count == Some(Count::One),
            kin: element.map(|element| element.kin).filter(|kin| fingerprints.only(*kin) == Some(id)),
            spot: element.map_or(([0; 2], 0), |element| (element.spot.sides, element.spot.depth)),
            center: (x, y),
            brief: self.brief(fingerprints, id),
        }
    }

    /// Forgets what was not seen for longest.
    fn bound(&mut self) {
        let here = self.here();
        let refs = &self.refs;
        self.scenes
            .retain(|known| known.number == here || refs.iter().any(|entry| entry.scene == known.number));
        let extra = self.scenes.len().saturating_sub(MAX_SCENES);
        self.scenes.drain(..extra);
        let oldest = self.scenes.first().map_or(0, |known| known.number);
        self.refs.retain(|entry| entry.scene >= oldest);
        // Those of the scene last looked at come last.
        let old = self.refs.iter().take_while(|entry| entry.scene != here).count();
        let extra = self.refs.len().saturating_sub(MAX_REFS);
        self.refs.drain(..extra.min(old));
    }
}
