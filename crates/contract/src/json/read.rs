//! Reads bytes into [`Json`], bounded in size, depth and keys.

use super::{Json, Note, Object};
use crate::limits::{MAX_INPUT_BYTES, MAX_JSON_DEPTH, MAX_OBJECT_KEYS};
use crate::number::Number;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Why bytes are not a document we take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// More bytes than [`MAX_INPUT_BYTES`].
    TooLarge,
    /// Not UTF-8 from this byte on.
    NotUtf8 {
        /// How many bytes were fine.
        valid_up_to: usize,
    },
    /// Nothing but white space.
    Empty,
    /// Not JSON, or JSON past a bound.
    Syntax {
        /// What is wrong.
        reason: String,
        /// The line, from one.
        line: usize,
        /// The column, from one.
        column: usize,
    },
}

/// Reads one document. A byte-order mark at the front is skipped.
///
/// # Errors
/// Any [`ReadError`]; nothing is read past a bound.
pub fn read(bytes: &[u8]) -> Result<Json<'_>, ReadError> {
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(ReadError::TooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| ReadError::NotUtf8 {
        valid_up_to: error.valid_up_to(),
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if crate::text::is_blank(text) {
        return Err(ReadError::Empty);
    }
    let mut source = serde_json::Deserializer::from_str(text);
    Value { depth: 0 }
        .deserialize(&mut source)
        .and_then(|json| source.end().map(|()| json))
        .map_err(|error| syntax(&error))
}

fn syntax(error: &serde_json::Error) -> ReadError {
    let (line, column) = (error.line(), error.column());
    let reason = error.to_string();
    let place = format!(" at line {line} column {column}");
    ReadError::Syntax {
        reason: reason.strip_suffix(&place).unwrap_or(&reason).to_owned(),
        line,
        column,
    }
}

/// Reads one value that stands `depth` levels down.
#[derive(Clone, Copy)]
struct Value {
    depth: usize,
}

impl Value {
    fn deeper<E: de::Error>(self) -> Result<Self, E> {
        if self.depth == MAX_JSON_DEPTH {
            let reason = format!("nested deeper than {MAX_JSON_DEPTH} levels");
            return Err(E::custom(reason));
        }
        Ok(Self {
            depth: self.depth + 1,
        })
    }
}

impl<'de> DeserializeSeed<'de> for Value {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Json<'de>, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Json<'de>, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Json<'de>, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Json<'de>, E> {
        let number = Number::new(value).ok_or_else(|| E::custom("number out of range"))?;
        Ok(Json::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Json<'de>, A::Error> {
        let seed = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = source.next_element_seed(seed)? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Json<'de>, A::Error> {
        let seed = self.deeper()?;
        let mut object = Object::default();
        while let Some(key) = source.next_key_seed(Key)? {
            let value = source.next_value_seed(seed)?;
            if let Some(earlier) = object.get_mut(&key) {
                *earlier = value;
                object.note(Note::DuplicateKey(key));
            } else if object.entries.len() == MAX_OBJECT_KEYS {
                let reason = format!("an object with more than {MAX_OBJECT_KEYS} keys");
                return Err(de::Error::custom(reason));
            } else {
                object.entries.push((key, value));
            }
        }
        Ok(Json::Object(object))
    }
}

/// Reads an object's key, borrowed where it has no escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Self::Value, D::Error> {
        source.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
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

    fn reason(bytes: &[u8]) -> String {
        match read(bytes) {
            Err(ReadError::Syntax { reason, .. }) => reason,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn last_duplicate_wins_and_is_noted() {
        let Ok(Json::Object(object)) = read(br#"{"a":1,"b":2,"a":3}"#) else {
            panic!("an object");
        };
        assert_eq!(object.get("a"), Some(&Json::Number(Number::new(3.0).unwrap())));
        assert_eq!(object.entries.len(), 2);
        assert_eq!(object.notes(), [Note::DuplicateKey("a".into())]);
    }

    #[test]
    fn bounds_are_errors_not_crashes() {
        assert!(reason("[".repeat(100_000).as_bytes()).contains("nested deeper"));
        let keys: Vec<_> = (0..300).map(|i| format!("\"k{i}\":0")).collect();
        let wide = format!("{{{}}}", keys.join(","));
        assert!(reason(wide.as_bytes()).contains("more than 256 keys"));
        assert_eq!(read(&vec![b' '; MAX_INPUT_BYTES + 1]), Err(ReadError::TooLarge));
        assert!(reason(b"1e999").contains("number out of range"));
        assert_eq!(read(b"{\xff}"), Err(ReadError::NotUtf8 { valid_up_to: 1 }));
        assert_eq!(read(b" \n"), Err(ReadError::Empty));
        for bad in ["NaN", "{\"a\":", "{'a':1}", "\"\\ud800\"", "{} {}"] {
            assert!(
                matches!(read(bad.as_bytes()), Err(ReadError::Syntax { .. })),
                "{bad}"
            );
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(read("\u{feff}null".as_bytes()), Ok(Json::Null));
    }
}
