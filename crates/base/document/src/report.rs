//! Collects the problems of a document while it is walked: as many as a report
//! lists, and a count of the rest.

use crate::limits::{MAX_INVALID_KEYS, MAX_PROBLEMS};
use crate::path::Path;
use crate::position::Position;
use crate::text;
use crate::tree::{Note, Value};
use std::fmt;

/// One thing that is wrong with a document. `T` is what its reader wants to
/// know besides, such as the part of the document that the problem is in.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem<T = ()> {
    /// The path to it, such as `actions.0.params.matcher`; empty at the root.
    pub path: String,
    /// Where it is in the text, if that is known.
    pub position: Option<Position>,
    pub message: String,
    /// The keys that do not belong there.
    pub invalid_keys: Vec<String>,
    /// How many more of them there are than the list shows.
    pub invalid_keys_omitted: usize,
    pub hint: Option<String>,
    /// What its reader knows about it.
    pub about: T,
}

/// All problems of a document, in the order they were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Problems<T = ()> {
    /// At most [`MAX_PROBLEMS`] of them.
    pub listed: Vec<Problem<T>>,
    pub omitted: usize,
}

/// The problems found so far.
#[derive(Debug, Default)]
pub struct Report<T = ()> {
    /// What the reader knows about the problems that come next.
    pub about: T,
    listed: Vec<Problem<T>>,
    omitted: usize,
    /// Receives the details of a problem that is only counted.
    unlisted: Option<Problem<T>>,
}

impl Problem {
    /// A problem with nothing but a path and a message.
    pub fn new(path: String, message: String) -> Self {
        Self::about(path, message, ())
    }
}

impl<T> Problem<T> {
    fn about(path: String, message: String, about: T) -> Self {
        Self {
            path,
            position: None,
            message,
            invalid_keys: Vec::new(),
            invalid_keys_omitted: 0,
            hint: None,
            about,
        }
    }
}

impl<T> fmt::Display for Problem<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.position {
            write!(f, "{position}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl<T> fmt::Display for Problems<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.listed.first().map_or(Ok(()), |problem| problem.fmt(f))
    }
}

impl<T: Copy> Report<T> {
    /// Adds a problem, or only counts it, and returns it so that details can be added.
    pub fn problem(&mut self, at: &Path<'_>, message: String) -> &mut Problem<T> {
        if self.is_full() {
            self.omitted += 1;
            let about = self.about;
            return self.unlisted.get_or_insert_with(|| Problem::about(String::new(), String::new(), about));
        }
        self.listed.push(Problem::about(at.to_string(), message, self.about));
        // The list was just given an element.
        let last = self.listed.len() - 1;
        &mut self.listed[last]
    }

    /// How many problems there are, listed or not.
    pub fn count(&self) -> usize {
        self.listed.len() + self.omitted
    }

    /// Gives the last problem a hint.
    pub fn hint_last(&mut self, hint: String) {
        let last = match self.omitted {
            0 => self.listed.last_mut(),
            _ => self.unlisted.as_mut(),
        };
        if let Some(problem) = last {
            problem.hint = Some(hint);
        }
    }

    /// All problems.
    pub fn finish(self) -> Problems<T> {
        Problems { listed: self.listed, omitted: self.omitted }
    }

    /// Whether the next problem is only counted.
    fn is_full(&self) -> bool {
        self.listed.len() == MAX_PROBLEMS
    }

    /// Reports aliases of one field that have different values.
    pub(crate) fn clash(&mut self, object: Value<'_>, name: &str, at: &Path<'_>) {
        for note in object.notes() {
            if let Note::AliasClash { first, second, canonical } = note
                && *canonical == name
            {
                let message =
                    format!("\"{first}\" and \"{second}\" both mean {name} but have different values");
                self.problem(at, message).hint = Some(format!("Keep one of them, preferably \"{name}\"."));
            }
        }
    }

    /// Reports keys that do not belong in an object.
    pub(crate) fn unknown_keys(&mut self, keys: &[&str], at: &Path<'_>, known: &[&str]) {
        const SHOWN: usize = 5;
        let mut shown: Vec<_> =
            keys.iter().take(SHOWN).map(|key| format!("\"{}\"", text::excerpt(key))).collect();
        if keys.len() > SHOWN {
            shown.push(format!("{} more", keys.len() - SHOWN));
        }
        let noun = match keys.len() {
            1 => "unknown key",
            _ => "unknown keys",
        };
        let is_listed = !self.is_full();
        let is_first = self.listed.is_empty();
        let problem = self.problem(at, format!("{noun} {}", shown.join(", ")));
        if is_listed {
            // A caller compares the first problem with what it sent.
            let echo = |(index, key): (usize, &&str)| {
                if is_first && index < SHOWN { text::leading_echo(key) } else { text::echo(key) }
            };
            problem.invalid_keys = keys.iter().enumerate().map(echo).take(MAX_INVALID_KEYS).collect();
            problem.invalid_keys_omitted = keys.len().saturating_sub(MAX_INVALID_KEYS);
            let meant = text::closest_of(keys.iter().copied().take(SHOWN), known.iter().copied());
            problem.hint =
                meant.map(|(key, meant)| format!("Did you mean \"{meant}\" instead of \"{key}\"?"));
        }
    }
}
