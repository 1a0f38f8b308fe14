//! Reads bytes into a [`Document`], bounded in size, depth and keys.

use crate::limits::Limits;
use crate::number::Number;
use crate::tree::{Cell, Content, Document};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Why bytes cannot be read as a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    TooLarge,
    /// Not UTF-8 from this byte on.
    NotUtf8 {
        /// How many bytes were fine.
        valid_up_to: usize,
    },
    Empty,
    /// Nested too deep, too many keys, or a value that nothing can hold.
    PastLimit {
        /// What there is too much of.
        reason: String,
        line: usize,
        column: usize,
    },
    Syntax {
        reason: String,
        line: usize,
        column: usize,
    },
}

impl<'a> Document<'a> {
    /// Reads one document. A byte-order mark at the front is skipped.
    ///
    /// # Errors
    /// Any [`ReadError`]; nothing is read past a bound.
    pub fn read(bytes: &'a [u8], limits: Limits) -> Result<Self, ReadError> {
        if bytes.len() > limits.bytes {
            return Err(ReadError::TooLarge);
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| ReadError::NotUtf8 { valid_up_to: error.valid_up_to() })?;
        let text = without_mark(text);
        if crate::text::is_blank(text) {
            return Err(ReadError::Empty);
        }
        let mut document = Document::with_capacity(text.len() / TYPICAL_CELL_BYTES + 8);
        let root = JsonReader { document: &mut document, key: Cow::Borrowed(""), depth: 0, limits: &limits };
        let mut source = serde_json::Deserializer::from_str(text);
        let read = root.deserialize(&mut source).and_then(|()| source.end());
        read.map(|()| document).map_err(|error| syntax(&error))
    }
}

/// A text without the byte-order mark that it may start with.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// How many bytes of text one cell takes, at least on average: keys and values
/// of real documents are longer, so the list rarely has to grow.
const TYPICAL_CELL_BYTES: usize = 12;

const HALF_PAIR: &str = "has half a surrogate pair in a text";

/// Why a value that is JSON cannot be kept, from `serde_json`'s own reason, which names no cause.
fn unsupported(reason: &str) -> Option<&'static str> {
    match reason {
        "number out of range" => Some("has a number that is too large for a double"),
        "unexpected end of hex escape" | "lone leading surrogate in hex escape" => Some(HALF_PAIR),
        _ => None,
    }
}

fn syntax(error: &serde_json::Error) -> ReadError {
    let (line, column) = (error.line(), error.column());
    let reason = error.to_string();
    let place = format!(" at line {line} column {column}");
    let reason = reason.strip_suffix(&place).unwrap_or(&reason);
    // The only errors of ours among serde_json's are the bounds.
    let past = unsupported(reason).or(error.is_data().then_some(reason));
    match past.map(str::to_owned) {
        Some(reason) => ReadError::PastLimit { reason, line, column },
        None => ReadError::Syntax { reason: reason.to_owned(), line, column },
    }
}

/// Reads one value onto the end of a document.
struct JsonReader<'r, 'de> {
    document: &'r mut Document<'de>,
    key: Cow<'de, str>,
    depth: usize,
    limits: &'r Limits,
}

impl<'de> JsonReader<'_, 'de> {
    /// Adds the value's cell and says where it is.
    fn open(&mut self, content: Content<'de>) -> usize {
        self.document.open(std::mem::take(&mut self.key), content)
    }

    /// Adds a value with nothing inside.
    fn leaf<E>(mut self, content: Content<'de>) -> Result<(), E> {
        self.open(content);
        Ok(())
    }

    /// How deep the contents stand, if they may stand that deep.
    fn deeper<E: de::Error>(&self) -> Result<usize, E> {
        if self.depth == self.limits.depth {
            let reason = format!("is nested deeper than {} levels", self.limits.depth);
            return Err(E::custom(reason));
        }
        Ok(self.depth + 1)
    }
}

impl<'de> DeserializeSeed<'de> for JsonReader<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonReader<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.leaf(Content::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.leaf(Content::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        let number = Number::new(value).ok_or_else(|| E::custom("number out of range"))?;
        self.leaf(Content::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<(), E> {
        self.leaf(Content::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.leaf(Content::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut source: A) -> Result<(), A::Error> {
        let depth = self.deeper()?;
        let index = self.open(Content::Array);
        let (document, limits) = (self.document, self.limits);
        loop {
            let item = JsonReader { document: &mut *document, key: Cow::Borrowed(""), depth, limits };
            if source.next_element_seed(item)?.is_none() {
                break;
            }
        }
        document.close(index);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut source: A) -> Result<(), A::Error> {
        let depth = self.deeper()?;
        let index = self.open(Content::Object);
        let (document, limits) = (self.document, self.limits);
        let mut count = 0;
        while let Some(key) = source.next_key_seed(KeySeed)? {
            count += 1;
            if count > limits.keys {
                let reason = format!("has an object with more than {} keys", limits.keys);
                return Err(de::Error::custom(reason));
            }
            document.drop_earlier(index, &key);
            let value = JsonReader { document: &mut *document, key, depth, limits };
            source.next_value_seed(value)?;
        }
        document.close(index);
        Ok(())
    }
}

impl<'a> Document<'a> {
    /// A document with nothing in it yet.
    pub(crate) fn with_capacity(cells: usize) -> Self {
        Document {
            cells: Vec::with_capacity(cells),
            notes: Vec::new(),
            has_repeats: false,
            places: Vec::new(),
        }
    }

    /// Adds a cell and says where it is.
    pub(crate) fn open(&mut self, key: Cow<'a, str>, content: Content<'a>) -> usize {
        let index = self.cells.len();
        self.cells.push(Cell { key, content, end: index + 1 });
        index
    }

    /// Ends a list or an object that is being read.
    pub(crate) fn close(&mut self, index: usize) {
        self.cells[index].end = self.cells.len();
    }

    /// Drops an earlier value of the same key from an object that is still
    /// being read: the last one counts.
    pub(crate) fn drop_earlier(&mut self, object: usize, key: &str) {
        let mut dropped = Content::Repeated;
        let mut before = object;
        let mut index = object + 1;
        while let Some(cell) = self.cells.get_mut(index) {
            let end = cell.end;
            if cell.key == key {
                if cell.content.is_live() {
                    let is_marked = matches!(dropped, Content::Dropped);
                    cell.content = dropped;
                    self.has_repeats = true;
                    // However often a key repeats, a walk steps over its first
                    // and its last dropped value only.
                    if is_marked && before != object && !self.cells[before].content.is_live() {
                        self.cells[before].end = end;
                    }
                    return;
                }
                // The key's first value is marked already.
                dropped = Content::Dropped;
            }
            before = index;
            index = end;
        }
    }
}

/// Reads an object's key, borrowed where it has no escapes.
struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Self::Value, D::Error> {
        source.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeySeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Kind, Value};

    const LIMITS: Limits = Limits { bytes: 1 << 20, depth: 32, keys: 256 };

    fn read(bytes: &[u8]) -> Result<Document<'_>, ReadError> {
        Document::read(bytes, LIMITS)
    }

    fn reason(bytes: &[u8]) -> String {
        match read(bytes) {
            Err(ReadError::Syntax { reason, .. } | ReadError::PastLimit { reason, .. }) => reason,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn the_last_duplicate_wins_and_its_key_is_listed() {
        let document = read(br#"{"a":[1,2],"b":2,"a":3}"#).unwrap();
        let root = document.root();
        assert_eq!(root.get("a").map(Value::kind), Number::new(3.0).map(Kind::Number));
        let keys: Vec<_> = root.children().map(Value::key).collect();
        assert_eq!(keys, ["b", "a"]);
        let repeated: Vec<_> = root.repeated_keys().collect();
        assert_eq!(repeated, ["a"]);
    }

    #[test]
    fn each_repeated_key_is_listed_once_at_its_object() {
        let text = r#"{"a":{"x":0,"x":1},"b":0,"a":{"y":0,"y":1,"y":2},"c":0,"a":{"z":3},"b":0,"a":4}"#;
        let document = read(text.as_bytes()).unwrap();
        let root = document.root();
        assert_eq!(root.repeated_keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(root.children().map(Value::key).collect::<Vec<_>>(), ["c", "b", "a"]);
        let inner = read(br#"[{"y":0,"y":1,"y":2},{"y":0}]"#).unwrap();
        let told: Vec<_> = inner.root().children().map(|it| it.repeated_keys().count()).collect();
        assert_eq!(told, [1, 0]);
    }

    /// How many steps a walk over an object takes, dropped values included.
    fn steps(document: &Document<'_>, object: usize) -> usize {
        let end = document.cells[object].end;
        let next = |index: &usize| Some(document.cells[*index].end).filter(|next| *next < end);
        std::iter::successors(Some(object + 1), next).count()
    }

    #[test]
    fn values_that_were_dropped_are_stepped_over_together() {
        let many = r#""x":[0],"y":{"x":0},"#.repeat(120);
        let text = format!("{{{many}\"z\":0,\"x\":1}}");
        let document = read(text.as_bytes()).unwrap();
        let root = document.root();
        assert_eq!(root.repeated_keys().collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(root.children().map(Value::key).collect::<Vec<_>>(), ["y", "z", "x"]);
        assert!(steps(&document, 0) <= 6, "{} steps", steps(&document, 0));
    }

    /// A list of all that repeats, looked through for each key, once made this
    /// document cost the square of its size.
    #[test]
    fn a_megabyte_of_repeated_keys_needs_no_list_of_them() {
        let pairs = vec![r#"{"":0,"":0}"#; 80_000].join(",");
        let text = format!("[{pairs}]");
        let document = read(text.as_bytes()).unwrap();
        assert!(document.notes.is_empty());
        let repeated = document.root().children().flat_map(Value::repeated_keys);
        assert_eq!(repeated.count(), 80_000);
    }

    #[test]
    fn values_are_compared_as_json() {
        let same = |text: &str| {
            let document = read(text.as_bytes()).unwrap();
            let mut items = document.root().children();
            items.next() == items.next()
        };
        assert!(same(r#"[{"a":1,"b":[2,{}]},{"b":[2,{}],"a":1.0}]"#));
        assert!(!same(r#"[{"a":1},{"a":1,"b":2}]"#));
        assert!(!same(r#"[[1,2],[2,1]]"#));
        assert!(!same(r#"["1",1]"#));
    }

    #[test]
    fn bounds_are_errors_not_crashes() {
        assert!(reason("[".repeat(100_000).as_bytes()).contains("nested deeper"));
        let keys: Vec<_> = (0..300).map(|i| format!("\"k{i}\":0")).collect();
        let wide = format!("{{{}}}", keys.join(","));
        assert!(reason(wide.as_bytes()).contains("more than 256 keys"));
        let huge = vec![b' '; LIMITS.bytes + 1];
        assert_eq!(read(&huge), Err(ReadError::TooLarge));
        assert_eq!(read(b"{\xff}"), Err(ReadError::NotUtf8 { valid_up_to: 1 }));
        assert_eq!(read(b" \n"), Err(ReadError::Empty));
        for bad in ["NaN", "{\"a\":", "{'a':1}", "{} {}"] {
            let found = read(bad.as_bytes());
            assert!(matches!(found, Err(ReadError::Syntax { .. })), "{bad}");
        }
    }

    #[test]
    fn object_text_returns_an_object_without_its_mark() {
        fn object_text(text: &str) -> Result<Option<&str>, ReadError> {
            Document::object_text(text, LIMITS)
        }
        let text = r#" {"a":1,"a":"b"} "#;
        assert_eq!(object_text(text), Ok(Some(text)));
        assert_eq!(object_text(&format!("\u{feff}{text}")), Ok(Some(text)));
        assert_eq!(object_text("[{}]"), Ok(None));
        assert_eq!(object_text("\u{feff}"), Err(ReadError::Empty));
        assert!(matches!(object_text("{}}"), Err(ReadError::Syntax { .. })));
        let deep = format!("{}{}", r#"{"a":"#.repeat(50), "}".repeat(50));
        assert!(matches!(object_text(&deep), Err(ReadError::PastLimit { .. })));
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let document = read("\u{feff}null".as_bytes()).unwrap();
        assert_eq!(document.root().kind(), Kind::Null);
    }
}
