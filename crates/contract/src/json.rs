//! A JSON document as it came in: borrowed from the caller's bytes, in the
//! caller's order, with what is odd about it noted. It must not know what an
//! execution is.
//!
//! Not `serde_json::Value`: that type copies every string, forgets duplicate
//! keys and has no bound on keys. The reader is `serde_json`'s all the same.
//!
//! A document is one flat list of cells in the order they were read; each cell
//! knows where its contents end, so that a walk can step over them. That makes
//! one allocation of what would be one per object.

mod read;

use crate::number::Number;
use std::borrow::Cow;

pub use read::ReadError;

/// One JSON document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document<'a> {
    cells: Vec<Cell<'a>>,
    /// What was noted of which object; in the order of the objects once
    /// [`Self::sort_notes`] was called.
    notes: Vec<(usize, Note<'a>)>,
    /// Whether any key stands more than once in its object; almost never.
    has_repeats: bool,
}

/// One value of the document, with the key it stands under.
#[derive(Clone, Debug, PartialEq)]
struct Cell<'a> {
    /// Empty for the root and for what stands in an array.
    key: Cow<'a, str>,
    content: Content<'a>,
    /// The index of the first cell that is not inside this one.
    end: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Content<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    Array,
    Object,
    /// It was there and counts no longer.
    Dropped,
    /// The same, because its key stands again further on. Only the first value
    /// of such a key is marked so, the others are dropped: what marks them is
    /// what tells of them, so that no list of them has to be kept or searched.
    Repeated,
}

impl Content<'_> {
    /// Whether the value counts.
    fn is_live(&self) -> bool {
        !matches!(self, Self::Dropped | Self::Repeated)
    }
}

/// Something odd about an object that its entries no longer show.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Note<'a> {
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

/// A value in a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'d> {
    document: &'d Document<'d>,
    index: usize,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind<'d> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// A string.
    Text(&'d str),
    /// A list; see [`Value::children`].
    Array,
    /// An object; see [`Value::children`].
    Object,
}

/// Reads a text that is to be one JSON object, as a payload is read, and hands
/// it back as it may stand inside a payload: without a byte-order mark. Nothing
/// where it is JSON, but no object. What else is odd about it is for the check
/// of that payload to say.
///
/// # Errors
/// Any [`ReadError`]; nothing is read past a bound.
pub fn object_text(text: &str) -> Result<Option<&str>, ReadError> {
    let document = Document::read(text.as_bytes())?;
    let is_object = document.root().kind() == Kind::Object;
    Ok(is_object.then(|| read::without_mark(text)))
}

impl<'a> Document<'a> {
    /// The whole document.
    pub(crate) fn root(&self) -> Value<'_> {
        self.value(0)
    }

    /// The value at a place of the list.
    pub(crate) fn value(&self, index: usize) -> Value<'_> {
        Value {
            document: self,
            index,
        }
    }

    /// The first live value inside `parent` from `index` on.
    #[inline]
    fn live_from(&self, parent: usize, mut index: usize) -> Option<usize> {
        let end = self.cells[parent].end;
        while index < end {
            let cell = &self.cells[index];
            if cell.content.is_live() {
                return Some(index);
            }
            index = cell.end;
        }
        None
    }

    /// The first value inside another. With [`Self::next_sibling`] it walks
    /// values that are changed on the way, which an iterator cannot.
    pub(crate) fn first_child(&self, parent: usize) -> Option<usize> {
        self.live_from(parent, parent + 1)
    }

    /// The value after one inside another.
    pub(crate) fn next_sibling(&self, parent: usize, index: usize) -> Option<usize> {
        self.live_from(parent, self.cells[index].end)
    }

    /// Gives a value another key.
    pub(crate) fn rename(&mut self, index: usize, key: &'static str) {
        self.cells[index].key = Cow::Borrowed(key);
    }

    /// Takes a value out of its object.
    pub(crate) fn drop_value(&mut self, index: usize) {
        self.cells[index].content = Content::Dropped;
    }

    /// Replaces a text and returns the one that stood there.
    pub(crate) fn replace_text(&mut self, index: usize, text: &'static str) -> Option<Cow<'a, str>> {
        match &mut self.cells[index].content {
            Content::Text(old) => Some(std::mem::replace(old, Cow::Borrowed(text))),
            _ => None,
        }
    }

    /// Notes something odd about an object. Whoever is done noting sorts.
    pub(crate) fn note(&mut self, index: usize, note: Note<'a>) {
        self.notes.push((index, note));
    }

    /// Puts the notes in the order of the objects, so that those of one can be
    /// found without looking at all of them.
    pub(crate) fn sort_notes(&mut self) {
        // The sort is stable: the notes of one object stay in their order.
        self.notes.sort_by_key(|(index, _)| *index);
    }
}

impl<'d> Value<'d> {
    fn cell(self) -> &'d Cell<'d> {
        &self.document.cells[self.index]
    }

    /// Where the value stands in the document's list.
    pub(crate) fn index(self) -> usize {
        self.index
    }

    /// The key it stands under; empty where there is none.
    pub(crate) fn key(self) -> &'d str {
        &self.cell().key
    }

    /// What the value is.
    pub(crate) fn kind(self) -> Kind<'d> {
        match &self.cell().content {
            Content::Null | Content::Dropped | Content::Repeated => Kind::Null,
            Content::Bool(value) => Kind::Bool(*value),
            Content::Number(number) => Kind::Number(*number),
            Content::Text(text) => Kind::Text(text),
            Content::Array => Kind::Array,
            Content::Object => Kind::Object,
        }
    }

    /// Names the value's type, as a message would.
    pub(crate) fn type_name(self) -> &'static str {
        match self.kind() {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::Text(_) => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }

    /// The text, if the value is one.
    pub(crate) fn as_text(self) -> Option<&'d str> {
        match self.kind() {
            Kind::Text(text) => Some(text),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Array | Kind::Object => None,
        }
    }

    /// The number, if the value is one.
    pub(crate) fn as_number(self) -> Option<Number> {
        match self.kind() {
            Kind::Number(number) => Some(number),
            Kind::Null | Kind::Bool(_) | Kind::Text(_) | Kind::Array | Kind::Object => None,
        }
    }

    /// The truth value, if the value is one.
    pub(crate) fn as_flag(self) -> Option<bool> {
        match self.kind() {
            Kind::Bool(flag) => Some(flag),
            Kind::Null | Kind::Number(_) | Kind::Text(_) | Kind::Array | Kind::Object => None,
        }
    }

    /// The values inside, in order.
    #[inline]
    pub(crate) fn children(self) -> impl Iterator<Item = Value<'d>> {
        let document = self.document;
        let end = self.cell().end;
        let mut index = self.index + 1;
        std::iter::from_fn(move || {
            while index < end {
                let value = document.value(index);
                let cell = value.cell();
                index = cell.end;
                if cell.content.is_live() {
                    return Some(value);
                }
            }
            None
        })
    }

    /// Looks a key up.
    pub(crate) fn get(self, key: &str) -> Option<Value<'d>> {
        self.children().find(|value| value.key() == key)
    }

    /// What was noted of the value.
    pub(crate) fn notes(self) -> impl Iterator<Item = &'d Note<'d>> {
        let notes = &self.document.notes;
        let first = notes.partition_point(|(index, _)| *index < self.index);
        let own = notes[first..]
            .iter()
            .take_while(move |(index, _)| *index == self.index);
        own.map(|(_, note)| note)
    }

    /// The keys that stand more than once in the object, each told once. The
    /// last value of each was kept.
    pub(crate) fn repeated_keys(self) -> impl Iterator<Item = &'d str> {
        let document = self.document;
        let end = match document.has_repeats {
            true => self.cell().end,
            false => 0,
        };
        let mut index = self.index + 1;
        let cells = std::iter::from_fn(move || {
            let cell = document.cells[..end].get(index)?;
            index = cell.end;
            Some(cell)
        });
        cells
            .filter(|cell| matches!(cell.content, Content::Repeated))
            .map(|cell| &*cell.key)
    }
}

impl PartialEq for Value<'_> {
    /// Two values are equal when they are the same JSON; their own keys and the
    /// order of an object's keys do not count.
    fn eq(&self, other: &Self) -> bool {
        match (self.kind(), other.kind()) {
            (Kind::Array, Kind::Array) => self.children().eq(other.children()),
            (Kind::Object, Kind::Object) => {
                self.children().count() == other.children().count()
                    && self.children().all(|value| other.get(value.key()) == Some(value))
            }
            (a, b) => a == b,
        }
    }
}
