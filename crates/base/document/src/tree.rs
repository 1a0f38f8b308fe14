//! A JSON document as it came in: borrowed from the caller's bytes, in the
//! caller's order, with notes on what is odd about it.
//!
//! `serde_json::Value` does not do: it copies every string, forgets duplicate
//! keys and has no bound on keys. Only the reader is `serde_json`'s.
//!
//! A document is one flat list of cells in the order they were read. Each cell
//! knows where its contents end, so that a walk can step over them. That takes
//! one allocation instead of one per object.

use crate::limits::Limits;
use crate::number::Number;
use crate::place::Place;
use crate::read::{ReadError, without_mark};
use std::borrow::Cow;

/// One JSON document.
#[derive(Clone, Debug, PartialEq)]
pub struct Document<'a> {
    pub(crate) cells: Vec<Cell<'a>>,
    /// The notes, each with the index of its object; in the order of the
    /// objects once [`Self::sort_notes`] was called.
    pub(crate) notes: Vec<(usize, Note<'a>)>,
    /// Whether any object has a key more than once; almost never.
    pub(crate) has_repeats: bool,
    /// Where each cell is in the text; empty unless the document was read with its places.
    pub(crate) places: Vec<Place>,
}

/// One value of the document, with its key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell<'a> {
    /// Empty for the root and for an element of an array.
    pub(crate) key: Cow<'a, str>,
    pub(crate) content: Content<'a>,
    /// The index of the first cell that is not inside this one.
    pub(crate) end: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    Array,
    Object,
    /// The value was read and no longer counts.
    Dropped,
    /// The same, because its key comes again later. Only the first value of
    /// such a key is marked so and the others are dropped: the mark is what
    /// reports the key, so no list of them has to be kept or searched.
    Repeated,
}

impl Content<'_> {
    pub(crate) fn is_live(&self) -> bool {
        !matches!(self, Self::Dropped | Self::Repeated)
    }
}

/// A key that means the same as another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The key as a caller may write it.
    pub name: &'static str,
    pub canonical: &'static str,
}

/// Something odd about an object that its entries no longer show.
#[derive(Clone, Debug, PartialEq)]
pub enum Note<'a> {
    /// An alias was given beside its canonical key and was dropped.
    AliasIgnored {
        /// The key that was dropped.
        alias: &'static str,
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
    /// A text of the object was rewritten; this is what the caller wrote.
    Rewritten(Cow<'a, str>),
}

/// A value in a document.
#[derive(Clone, Copy, Debug)]
pub struct Value<'d> {
    document: &'d Document<'d>,
    index: usize,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind<'d> {
    Null,
    Bool(bool),
    Number(Number),
    Text(&'d str),
    /// A list; see [`Value::children`].
    Array,
    /// An object; see [`Value::children`].
    Object,
}

impl<'a> Document<'a> {
    /// Reads a text that must be one JSON object and returns it as it may be put into another
    /// document: without a byte-order mark. Returns nothing if it is JSON, but not an object.
    ///
    /// # Errors
    /// Any [`ReadError`]; nothing is read past a bound.
    pub fn object_text(text: &str, limits: Limits) -> Result<Option<&str>, ReadError> {
        let document = Document::read(text.as_bytes(), limits)?;
        let is_object = document.root().kind() == Kind::Object;
        Ok(is_object.then(|| without_mark(text)))
    }

    /// The whole document.
    pub fn root(&self) -> Value<'_> {
        self.value(0)
    }

    /// The value with an index.
    pub fn value(&self, index: usize) -> Value<'_> {
        Value { document: self, index }
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

    /// The index of the first value inside another. With
    /// [`Self::next_sibling`] it walks values that change on the way, which an
    /// iterator cannot.
    pub fn first_child(&self, parent: usize) -> Option<usize> {
        self.live_from(parent, parent + 1)
    }

    /// The index of the value after one inside another.
    pub fn next_sibling(&self, parent: usize, index: usize) -> Option<usize> {
        self.live_from(parent, self.cells[index].end)
    }

    /// Renames the aliases among an object's keys. A canonical key that is also given wins; of two
    /// aliases for one key the first stays, and a second one with another value is noted.
    pub fn rename_aliases(&mut self, object: usize, alias_of: fn(&str) -> Option<Alias>) {
        let values = self.value(object).children();
        let found: Vec<(usize, Alias)> =
            values.filter_map(|value| Some((value.index(), alias_of(value.key())?))).collect();
        // The aliases that were renamed. A canonical key that is not one of
        // theirs was given as such.
        let mut renamed: Vec<Alias> = Vec::new();
        for (index, alias) in found {
            let Alias { name, canonical } = alias;
            let holder = self.value(object).get(canonical);
            let earlier = renamed.iter().find(|other| other.canonical == canonical);
            match (holder, earlier) {
                (None, _) => {
                    self.cells[index].key = Cow::Borrowed(canonical);
                    renamed.push(alias);
                    continue;
                }
                (Some(_), None) => self.note(object, Note::AliasIgnored { alias: name, canonical }),
                (Some(holder), Some(first)) if holder != self.value(index) => {
                    self.note(object, Note::AliasClash { first: first.name, second: name, canonical });
                }
                (Some(_), Some(_)) => {}
            }
            self.cells[index].content = Content::Dropped;
        }
    }

    /// Replaces a text and returns the one before.
    pub fn replace_text(&mut self, index: usize, text: &'static str) -> Option<Cow<'a, str>> {
        match &mut self.cells[index].content {
            Content::Text(old) => Some(std::mem::replace(old, Cow::Borrowed(text))),
            _ => None,
        }
    }

    /// Notes something odd about an object. Call [`Self::sort_notes`] after the last one.
    pub fn note(&mut self, index: usize, note: Note<'a>) {
        self.notes.push((index, note));
    }

    /// Puts the notes in the order of the objects, so that those of one can be
    /// found without looking at all of them.
    pub fn sort_notes(&mut self) {
        // The sort is stable: the notes of one object stay in their order.
        self.notes.sort_by_key(|(index, _)| *index);
    }
}

impl<'d> Value<'d> {
    fn cell(self) -> &'d Cell<'d> {
        &self.document.cells[self.index]
    }

    /// The index of the value in the document.
    pub fn index(self) -> usize {
        self.index
    }

    /// The value's key; empty if it has none.
    pub fn key(self) -> &'d str {
        &self.cell().key
    }

    /// What the value is.
    pub fn kind(self) -> Kind<'d> {
        match &self.cell().content {
            Content::Null | Content::Dropped | Content::Repeated => Kind::Null,
            Content::Bool(value) => Kind::Bool(*value),
            Content::Number(number) => Kind::Number(*number),
            Content::Text(text) => Kind::Text(text),
            Content::Array => Kind::Array,
            Content::Object => Kind::Object,
        }
    }

    /// The name of the value's type, for a message.
    pub fn type_name(self) -> &'static str {
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
    pub fn as_text(self) -> Option<&'d str> {
        match self.kind() {
            Kind::Text(text) => Some(text),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Array | Kind::Object => None,
        }
    }

    /// The number, if the value is one.
    pub fn as_number(self) -> Option<Number> {
        match self.kind() {
            Kind::Number(number) => Some(number),
            Kind::Null | Kind::Bool(_) | Kind::Text(_) | Kind::Array | Kind::Object => None,
        }
    }

    /// The truth value, if the value is one.
    pub fn as_flag(self) -> Option<bool> {
        match self.kind() {
            Kind::Bool(flag) => Some(flag),
            Kind::Null | Kind::Number(_) | Kind::Text(_) | Kind::Array | Kind::Object => None,
        }
    }

    /// The values inside, in order.
    #[inline]
    pub fn children(self) -> impl Iterator<Item = Value<'d>> {
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

    /// The value of a key.
    pub fn get(self, key: &str) -> Option<Value<'d>> {
        self.children().find(|value| value.key() == key)
    }

    /// The notes on the value.
    pub fn notes(self) -> impl Iterator<Item = &'d Note<'d>> {
        let notes = &self.document.notes;
        let first = notes.partition_point(|(index, _)| *index < self.index);
        let own = notes[first..].iter().take_while(move |(index, _)| *index == self.index);
        own.map(|(_, note)| note)
    }

    /// The keys that the object has more than once, each of them once. The last
    /// value of each was kept.
    pub fn repeated_keys(self) -> impl Iterator<Item = &'d str> {
        let document = self.document;
        let end = if document.has_repeats { self.cell().end } else { 0 };
        let mut index = self.index + 1;
        let cells = std::iter::from_fn(move || {
            let cell = document.cells[..end].get(index)?;
            index = cell.end;
            Some(cell)
        });
        cells.filter(|cell| matches!(cell.content, Content::Repeated)).map(|cell| &*cell.key)
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
