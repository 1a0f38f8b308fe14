//! What an app can remember: a value of its state.

use schemars::JsonSchema;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// The largest value an app remembers, in bytes, and the deepest.
const MAX_SIZE: usize = 1 << 20;
const MAX_DEPTH: usize = 16;

/// One value.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Value {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// Words.
    Text(String),
    /// Values in a row.
    List(Vec<Value>),
    /// Values with names.
    Record(BTreeMap<String, Value>),
}

/// An app's state.
pub type AppState = BTreeMap<String, Value>;

impl Value {
    /// Nothing to say.
    pub const EMPTY: Self = Self::Text(String::new());

    /// Tells whether it counts as yes: not `false`, 0, nothing or empty.
    pub fn is_true(&self) -> bool {
        match self {
            Self::Flag(flag) => *flag,
            Self::Number(number) => *number != 0,
            Self::Text(text) => !text.is_empty() && text != "false" && text != "0",
            Self::List(list) => !list.is_empty(),
            Self::Record(record) => !record.is_empty(),
        }
    }

    /// As a number, if it is one or reads as one.
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Flag(flag) => Some(i64::from(*flag)),
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok(),
            Self::List(_) | Self::Record(_) => None,
        }
    }

    /// How long it is: letters, or values.
    pub fn length(&self) -> i64 {
        let length = match self {
            Self::List(list) => list.len(),
            Self::Record(record) => record.len(),
            Self::Flag(_) | Self::Number(_) | Self::Text(_) => self.text().chars().count(),
        };
        i64::try_from(length).unwrap_or(i64::MAX)
    }

    /// Tells whether it is small enough to be kept.
    pub fn fits(&self) -> bool {
        let mut room = MAX_SIZE;
        self.fill(&mut room, MAX_DEPTH)
    }

    /// Takes its size from the room there is; whether there was enough.
    fn fill(&self, room: &mut usize, depth: usize) -> bool {
        let own = match self {
            Self::Text(text) => text.len(),
            Self::Flag(_) | Self::Number(_) | Self::List(_) | Self::Record(_) => 8,
        };
        if depth == 0 || own > *room {
            return false;
        }
        *room -= own;
        match self {
            Self::List(list) => list.iter().all(|value| value.fill(room, depth - 1)),
            Self::Record(record) => record.values().all(|value| value.fill(room, depth - 1)),
            Self::Flag(_) | Self::Number(_) | Self::Text(_) => true,
        }
    }

    /// As words.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Flag(_) | Self::Number(_) | Self::List(_) | Self::Record(_) => Cow::Owned(self.to_string()),
        }
    }

    /// The part of that name or number.
    pub fn part(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Record(record) => record.get(name),
            Self::List(list) => list.get(name.parse::<usize>().ok()?),
            Self::Flag(_) | Self::Number(_) | Self::Text(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => flag.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
            Self::List(list) => {
                let words: Vec<_> = list.iter().map(Self::text).collect();
                f.write_str(&words.join(", "))
            }
            Self::Record(record) => {
                let words: Vec<_> = record.iter().map(|(key, value)| format!("{key}: {value}")).collect();
                f.write_str(&words.join(", "))
            }
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
