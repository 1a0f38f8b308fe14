//! What people gave in a caller's session, by name. Who drives the phone never
//! gets a value: it writes `{{secret:NAME}}` in a text that is typed, and the
//! value takes its place on the way to the phone.

mod shelf;

pub use shelf::{Shelf, is_name};

use crate::secret::Secret;
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_redact::Secrets;
use rand::RngCore as _;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const OPEN: &str = "{{secret:";
const CLOSE: &str = "}}";
/// The most gifts that are kept.
const MOST: usize = 32;
/// How long a value is kept on a shelf, unless its user says otherwise.
pub const USUAL_TIME: Duration = Duration::from_secs(60 * 60);
/// The longest that one may be.
pub const LONGEST_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The values of a session: in memory until it ends, or on a shelf from which
/// other processes of the session take them.
#[derive(Debug, Default)]
pub struct Vault {
    session: String,
    shelf: Option<Shelf>,
    keeping: Keeping,
    inner: Mutex<VaultState>,
}

/// Where what is given is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Keeping {
    #[default]
    InMemory,
    OnShelf,
}

#[derive(Debug, Default)]
struct VaultState {
    own: Vec<VaultEntry>,
    given: Vec<VaultEntry>,
    secrets: Secrets,
}

/// What a person gave at one time.
#[derive(Clone, Debug)]
pub struct VaultEntry {
    pub name: String,
    pub place: ValueScope,
    /// The values, by their keys; the only value may have none.
    pub values: Vec<(String, Secret)>,
}

/// Where a value may be typed without a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ValueScope {
    /// Everywhere: its user said so.
    Anywhere,
    /// In the app that was in front when it was given.
    App(String),
    /// It is not known which app that was.
    Unknown,
}

/// A part of a text that is to be typed.
enum TextPart<'t> {
    Plain(&'t str),
    Named(&'t str),
}

impl Vault {
    /// The values on a shelf.
    pub fn on(shelf: Shelf) -> Self {
        Self { session: shelf.session.clone(), keeping: Keeping::OnShelf, ..Self::over(shelf) }
    }

    /// The same, but what is given from now on is in memory, and ends with it.
    pub fn over(shelf: Shelf) -> Self {
        Self {
            session: format!("{}.{:016x}", shelf.session, rand::rngs::OsRng.next_u64()),
            shelf: Some(shelf),
            ..Self::default()
        }
    }

    /// What its session is called: no other one has the same name.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Keeps what a person gave under a name of its own that begins like this. Returns how its
    /// values are written in a text; there are none if it has no values or could not be kept.
    pub fn keep(&self, mut given: VaultEntry) -> Vec<String> {
        let mut inner = self.inner();
        if given.values.is_empty() || inner.given.len() >= MOST {
            return Vec::new();
        }
        let same = |other: &&VaultEntry| other.values == given.values && other.place == given.place;
        if let Some(same) = inner.given.iter().find(same) {
            return same.placeholders().collect();
        }
        let kind = given.name.clone();
        for count in 2.. {
            let is_taken = inner.given.iter().any(|other| other.name == given.name);
            let kept = match &self.shelf {
                _ if is_taken => Ok(false),
                Some(shelf) if self.keeping == Keeping::OnShelf => shelf.put(&given, USUAL_TIME),
                Some(_) | None => Ok(true),
            };
            match kept {
                Ok(true) => break,
                Ok(false) => given.name = format!("{kind}{count}"),
                Err(_) => return Vec::new(),
            }
        }
        let names = given.placeholders().collect();
        if self.keeping == Keeping::InMemory {
            inner.own.push(given);
        }
        names
    }

    /// A text with values in place of their names; `None` if it names none.
    ///
    /// # Errors
    /// It names something that was not given.
    pub fn fill(&self, text: &str) -> Result<Option<Secret>, Box<Failure>> {
        if !text.contains(OPEN) {
            return Ok(None);
        }
        let mut filled = String::new();
        let inner = self.inner();
        for part in parts(text) {
            match part {
                TextPart::Plain(plain) => filled.push_str(plain),
                TextPart::Named(name) => {
                    let (_, value) = inner.find(name).ok_or_else(|| inner.unknown_name(name))?;
                    filled.push_str(value.expose());
                }
            }
        }
        Ok(Some(Secret::new(filled)))
    }

    /// What a text names, for a process elsewhere that is to type it.
    ///
    /// # Errors
    /// It names something that was not given.
    pub fn named_in(&self, text: &str) -> Result<Vec<VaultEntry>, Box<Failure>> {
        let inner = self.inner();
        let mut named: Vec<VaultEntry> = Vec::new();
        for part in parts(text) {
            if let TextPart::Named(name) = part {
                let (entry, _) = inner.find(name).ok_or_else(|| inner.unknown_name(name))?;
                if !named.iter().any(|known| known.name == entry.name) {
                    named.push(entry.clone());
                }
            }
        }
        Ok(named)
    }

    /// Why a person must be asked before this text is typed into an app: what it
    /// names was given while another one was in front.
    pub fn doubt(&self, text: &str, app: Option<&str>) -> Option<String> {
        if !text.contains(OPEN) {
            return None;
        }
        let inner = self.inner();
        let place = parts(text).find_map(|part| match part {
            TextPart::Plain(_) => None,
            TextPart::Named(name) => inner.find(name)?.0.place.other_than(app),
        })?;
        let app = app.unwrap_or("an unknown app");
        Some(format!("What a person gave in {place} is about to be typed in {app}."))
    }

    /// Every value.
    pub fn values(&self) -> Vec<Secret> {
        let inner = self.inner();
        let values = inner.given.iter().flat_map(|given| &given.values);
        values.map(|(_, value)| value.clone()).collect()
    }

    /// Every value that was known at some time, to hide it.
    pub fn secrets(&self) -> Secrets {
        self.inner().secrets.clone()
    }

    /// What is in memory, and what the shelf has now.
    fn inner(&self) -> MutexGuard<'_, VaultState> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.given = inner.own.clone();
        if let Some(shelf) = &self.shelf {
            inner.given.extend(shelf.read());
        }
        let VaultState { given, secrets, .. } = &mut *inner;
        let values = given.iter().flat_map(|given| &given.values);
        values.for_each(|(_, value)| secrets.add(value.expose()));
        inner
    }
}

impl VaultState {
    fn find(&self, wanted: &str) -> Option<(&VaultEntry, &Secret)> {
        self.given.iter().find_map(|given| {
            let rest = wanted.strip_prefix(given.name.as_str())?;
            let key = match rest {
                "" => "",
                rest => rest.strip_prefix('.')?,
            };
            let (_, value) = given.values.iter().find(|(known, _)| known == key)?;
            Some((given, value))
        })
    }

    fn unknown_name(&self, name: &str) -> Box<Failure> {
        let known: Vec<String> = self.given.iter().flat_map(VaultEntry::names).collect();
        let hint = if known.is_empty() {
            ErrorCode::SecretUnknown.row().hint.to_owned()
        } else {
            format!("Use one of {}.", known.join(", "))
        };
        let name = text::excerpt(name);
        let message = format!("There is no value \"{name}\"; nothing was typed.");
        Box::new(Failure::new(ErrorCode::SecretUnknown, message).hint(hint))
    }
}

impl VaultEntry {
    /// How its values are called.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.values.iter().map(|(key, _)| match key.as_str() {
            "" => self.name.clone(),
            key => format!("{}.{key}", self.name),
        })
    }

    fn placeholders(&self) -> impl Iterator<Item = String> {
        self.names().map(|name| placeholder(&name))
    }
}

impl ValueScope {
    /// The place, if it is not certainly this app.
    fn other_than(&self, app: Option<&str>) -> Option<&str> {
        match self {
            Self::Anywhere => None,
            Self::App(own) => (app != Some(own.as_str())).then_some(own),
            Self::Unknown => Some("an unknown app"),
        }
    }
}

/// What stands in a text between the names of values, and so is in it literally.
pub fn literals(text: &str) -> impl Iterator<Item = &str> {
    parts(text).filter_map(|part| match part {
        TextPart::Plain(plain) => Some(plain),
        TextPart::Named(_) => None,
    })
}

/// How a value is named in a text.
pub fn placeholder(name: &str) -> String {
    format!("{OPEN}{name}{CLOSE}")
}

fn parts(text: &str) -> impl Iterator<Item = TextPart<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if let Some(name) = rest.strip_prefix(OPEN) {
            // What has no end names nothing that anybody gave.
            let (name, after) = name.split_once(CLOSE).unwrap_or((rest, ""));
            rest = after;
            return Some(TextPart::Named(name.trim()));
        }
        let end = rest.find(OPEN).unwrap_or(rest.len());
        let (plain, after) = rest.split_at(end);
        rest = after;
        (!plain.is_empty()).then_some(TextPart::Plain(plain))
    })
}
