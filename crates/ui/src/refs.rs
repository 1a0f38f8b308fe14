//! Refs: short names such as `@e7` for elements, which hold from one look at a
//! screen to the next. A ref names one element for ever. Where there is any
//! doubt whether that element is still there, the ref is stale.

mod page;
mod said;
mod secrets;
mod sight;

use crate::limits::{MAX_EXCERPT, MAX_REFS, MAX_REFS_HERE, MAX_SCENES};
use crate::tree::NodeId;
use page::Scene;
use secrets::Secrets;
use serde::{Deserialize, Serialize};
pub use sight::Sight;
use sight::{Count, Strength};
use std::collections::BTreeSet;
use std::fmt;

/// The name of an element: `@e` and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ref(u32);

impl Ref {
    /// Reads `@e7`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("@e")?;
        let plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse().ok().map(Self))?
    }

    /// Its number.
    #[must_use]
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
    /// The last number given.
    last: u32,
    /// The screens that the refs are from, the newest last.
    scenes: Vec<Numbered>,
    /// What the refs were given to, in the order it was last seen.
    refs: Vec<Entry>,
    /// The fields whose content is told to nobody.
    #[serde(default)]
    secrets: Secrets,
}

/// A scene and its number, which grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Numbered {
    number: u32,
    scene: Scene,
}

/// One ref.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    number: Ref,
    scene: u32,
    own: u64,
    beside: [u64; 2],
    /// Its place among all elements, which only counts while nothing else has
    /// changed.
    place: usize,
    /// Whether it can be told from all others by what it is.
    alone: bool,
    center: (i32, i32),
    brief: String,
}

/// Why a ref no longer names an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// The ref.
    pub name: Ref,
    /// What is the matter.
    pub reason: Reason,
    /// What the ref was given to, in a few words.
    pub was: Option<String>,
    /// What stands in its place now, in a few words.
    pub now: Option<String>,
}

/// Why a ref is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It was never given, or was forgotten.
    Unknown,
    /// Another screen is shown.
    OtherScreen,
    /// The element is gone or has changed.
    Gone,
    /// It cannot be told from others like it, and the screen has changed.
    NotAlone,
    /// It looks the same, and everything beside it is different.
    Moved,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name;
        match (&self.was, self.reason) {
            (_, Reason::Unknown) | (None, _) => write!(f, "{name} was given to nothing that is known here"),
            (Some(was), Reason::OtherScreen) => write!(
                f,
                "{name} was {was}, on another screen or on this one before it changed"
            ),
            (Some(was), Reason::Gone) => write!(f, "{name} was {was}, which is gone or has changed"),
            (Some(was), Reason::NotAlone) => {
                write!(
                    f,
                    "{name} was {was}, which others look like, and the screen has changed"
                )
            }
            (Some(was), Reason::Moved) => {
                write!(f, "{name} was {was}; what looks like it now stands among others")
            }
        }
    }
}

impl std::error::Error for Stale {}

impl RefBook {
    /// A book that knows nothing but which numbers were given before: those are
    /// never given again.
    #[must_use]
    pub fn after(last: u32) -> Self {
        Self {
            last,
            ..Self::default()
        }
    }

    /// The last number given.
    #[must_use]
    pub fn last(&self) -> u32 {
        self.last
    }

    /// Takes note of a screen that is looked at: refs of what is still there
    /// from now on stand for it as it is on this screen.
    pub fn look(&mut self, sight: &Sight<'_>) {
        self.note(sight, Scene::is_like);
    }

    /// Takes note of a screen that whoever has the refs is shown as a whole.
    /// They see for themselves what it is about now, so that refs hold even if
    /// some of its texts have changed.
    pub fn show(&mut self, sight: &Sight<'_>) {
        self.note(sight, Scene::is_near);
    }

    fn note(&mut self, sight: &Sight<'_>, is_same: fn(&Scene, &Scene) -> bool) {
        if self.is_at(sight) {
            return;
        }
        self.secrets.note(sight.screen());
        let number = self
            .scenes
            .last()
            .map_or(1, |known| known.number.saturating_add(1));
        let like = self.like(sight, is_same);
        let entries = std::mem::take(&mut self.refs);
        let found: Vec<_> = entries
            .iter()
            .map(|entry| self.find(entry, (sight, &like)))
            .collect();
        self.scenes.push(Numbered {
            number,
            scene: sight.scene().clone(),
        });
        let mut seen = Vec::new();
        for (entry, found) in entries.into_iter().zip(found) {
            match found {
                Ok(id) => seen.push(self.entry(entry.number, id, sight)),
                // Once there is something like it, no later look can tell.
                Err(reason) => {
                    let like = sight.of_print(entry.own).map(|(_, count)| count);
                    let doubt = reason == Reason::Moved || like == Some(Count::More);
                    let alone = entry.alone && !doubt;
                    self.refs.push(Entry { alone, ..entry });
                }
            }
        }
        self.refs.extend(seen);
        self.bound();
    }

    /// Whether the screen is the one that was last looked at.
    fn is_at(&self, sight: &Sight<'_>) -> bool {
        let last = self.scenes.last();
        last.is_some_and(|known| known.scene.exact == sight.scene().exact)
    }

    /// The number of the scene last looked at.
    fn here(&self) -> u32 {
        self.scenes.last().map_or(0, |known| known.number)
    }

    /// The ref of an element; a new one if it has none. An element that is not
    /// seen gets none, and neither does one beyond [`MAX_REFS_HERE`].
    pub fn give(&mut self, sight: &Sight<'_>, id: NodeId) -> Option<Ref> {
        sight.print(id)?;
        self.look(sight);
        let mut here = self
            .refs
            .iter()
            .rev()
            .take_while(|entry| entry.scene == self.here());
        if let Some(known) = here.find(|entry| entry.place == id.0) {
            return Some(known.number);
        }
        // No ref of what is seen is forgotten for another.
        let here = self
            .refs
            .iter()
            .rev()
            .take_while(|entry| entry.scene == self.here());
        if here.count() >= MAX_REFS_HERE {
            return None;
        }
        let number = Ref(self.last.checked_add(1)?);
        self.last = number.0;
        let entry = self.entry(number, id, sight);
        self.refs.push(entry);
        if self.refs.len() > MAX_REFS {
            self.bound();
        }
        Some(number)
    }

    /// The element of a ref on a screen.
    ///
    /// # Errors
    /// Why it is stale, and what stands there now.
    pub fn resolve(&self, name: Ref, sight: &Sight<'_>) -> Result<NodeId, Stale> {
        let Some(entry) = self.refs.iter().find(|entry| entry.number == name) else {
            return Err(Stale {
                name,
                reason: Reason::Unknown,
                was: None,
                now: None,
            });
        };
        self.find(entry, (sight, &self.like(sight, Scene::is_like)))
            .map_err(|reason| Stale {
                name,
                reason,
                was: Some(entry.brief.clone()),
                now: sight.at(entry.center).map(|id| self.excerpt(sight, id)),
            })
    }

    /// Whether what an element holds is told to nobody: it is a password, or
    /// was when it was last seen.
    #[must_use]
    pub fn hides(&self, sight: &Sight<'_>, id: NodeId) -> bool {
        self.secrets.has(sight.screen().tree(), id)
    }

    fn excerpt(&self, sight: &Sight<'_>, id: NodeId) -> String {
        let tree = sight.screen().tree();
        if self.hides(sight, id) {
            format!("{} (hidden)", tree.role(id).word())
        } else {
            tree.excerpt(id)
        }
    }

    /// An element in a few words: its role and what it says.
    fn brief(&self, sight: &Sight<'_>, id: NodeId) -> String {
        let role = sight.screen().tree().role(id).word();
        let inside = sight.screen().within(id);
        let told = inside.filter(|(inner, _)| !self.hides(sight, *inner));
        let mut labels = told.map(|(_, node)| node.label());
        match labels.find(|label| !label.is_empty()) {
            Some(label) => {
                let short: String = label.chars().take(MAX_EXCERPT).collect();
                format!("{role} {short:?}")
            }
            None => role.to_owned(),
        }
    }

    /// The numbers of the scenes of the page that is seen.
    fn like(&self, sight: &Sight<'_>, is_same: fn(&Scene, &Scene) -> bool) -> BTreeSet<u32> {
        let like = |known: &&Numbered| is_same(&known.scene, sight.scene());
        self.scenes
            .iter()
            .filter(like)
            .map(|known| known.number)
            .collect()
    }

    fn find(&self, entry: &Entry, (sight, like): (&Sight<'_>, &BTreeSet<u32>)) -> Result<NodeId, Reason> {
        let scene = self.scenes.iter().find(|known| known.number == entry.scene);
        let scene = &scene.ok_or(Reason::Unknown)?.scene;
        if entry.scene == self.here() && scene.exact == sight.scene().exact {
            // Nothing at all has changed since: everything is where it was.
            let id = NodeId(entry.place);
            let same = sight.print(id).is_some_and(|print| print.own == entry.own);
            return same.then_some(id).ok_or(Reason::Gone);
        }
        if !like.contains(&entry.scene) {
            return Err(Reason::OtherScreen);
        }
        let (id, count) = sight.of_print(entry.own).ok_or(Reason::Gone)?;
        if !entry.alone || count == Count::More {
            return Err(Reason::NotAlone);
        }
        let beside = sight.print(id).map_or([0; 2], |print| print.beside);
        let same = |one: u64, two: u64| one != 0 && one == two;
        let steady =
            entry.beside == beside || same(entry.beside[0], beside[0]) || same(entry.beside[1], beside[1]);
        steady.then_some(id).ok_or(Reason::Moved)
    }

    /// What there is to remember of an element on the screen looked at.
    fn entry(&self, number: Ref, id: NodeId, sight: &Sight<'_>) -> Entry {
        let print = sight.print(id);
        let own = print.map_or(0, |print| print.own);
        let named = print.is_some_and(|print| print.strength == Strength::Named);
        let count = sight.of_print(own).map(|(_, count)| count);
        Entry {
            number,
            scene: self.here(),
            own,
            beside: print.map_or([0; 2], |print| print.beside),
            place: id.0,
            alone: named && count == Some(Count::One),
            center: sight.screen().visible_bounds(id).center(),
            brief: self.brief(sight, id),
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
