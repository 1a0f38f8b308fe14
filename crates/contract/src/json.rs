//! A JSON document as it came in: borrowed from the caller's bytes, in the
//! caller's order, with what is odd about it noted. It must not know what an
//! execution is.
//!
//! Not `serde_json::Value`: that type copies every string, forgets duplicate
//! keys and has no bound on keys. The reader is `serde_json`'s all the same.

mod read;

use crate::number::Number;
use std::borrow::Cow;

pub use read::{ReadError, read};

/// One JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// A string.
    Text(Cow<'a, str>),
    /// A list.
    Array(Vec<Json<'a>>),
    /// An object.
    Object(Object<'a>),
}

/// One JSON object: its entries in the order they came, each key once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object<'a> {
    /// The entries.
    pub entries: Vec<(Cow<'a, str>, Json<'a>)>,
    /// What was odd about the object; almost always empty, hence the box.
    notes: Option<Box<Vec<Note<'a>>>>,
}

/// Something odd about an object that its entries no longer show.
#[derive(Clone, Debug, PartialEq)]
pub enum Note<'a> {
    /// A key stood more than once; the last value was kept.
    DuplicateKey(Cow<'a, str>),
    /// An alias stood beside its canonical key and was dropped.
    AliasIgnored {
        /// The key that was dropped.
        alias: &'static str,
        /// The key that won.
        canonical: &'static str,
    },
    /// Two aliases of one key had different values; the first was kept.
    AliasClash {
        /// The key that was kept, under its canonical name.
        first: &'static str,
        /// The key that was dropped.
        second: &'static str,
        /// The canonical name of both.
        canonical: &'static str,
    },
    /// The action type was rewritten; this is what the caller wrote.
    TypeWas(Cow<'a, str>),
}

impl<'a> Json<'a> {
    /// Builds an object from entries whose keys differ.
    pub fn object<K, I>(entries: I) -> Self
    where
        K: Into<Cow<'a, str>>,
        I: IntoIterator<Item = (K, Json<'a>)>,
    {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), value));
        Self::Object(Object {
            entries: entries.collect(),
            notes: None,
        })
    }

    /// Builds a string.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// Names the value's type, as a message would.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// The text, if the value is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'a> Object<'a> {
    /// Looks a key up.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json<'a>> {
        let mut entries = self.entries.iter();
        entries.find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Looks a key up to change its value.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json<'a>> {
        let mut entries = self.entries.iter_mut();
        entries.find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// What was odd about the object.
    #[must_use]
    pub fn notes(&self) -> &[Note<'a>] {
        self.notes.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Notes something odd.
    pub fn note(&mut self, note: Note<'a>) {
        self.notes.get_or_insert_default().push(note);
    }
}
