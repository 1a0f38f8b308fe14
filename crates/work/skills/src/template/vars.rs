//! The values of a template's placeholders.

use clawperator_document::Number;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Values by the name of their placeholder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vars(BTreeMap<String, String>);

impl FromIterator<(String, String)> for Vars {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

/// Why a text does not give values.
#[derive(Debug, thiserror::Error)]
pub enum VarsFault {
    #[error("the variables are not valid JSON: {0}")]
    Syntax(serde_json::Error),
    #[error("the variables must be a JSON object, not {0}")]
    NotAnObject(&'static str),
    #[error("the variable {0} must be a text, a number, true or false")]
    Nested(String),
}

impl Vars {
    /// Reads a JSON object of values. An array gives values to `{{0}}`, `{{1}}` and so on.
    ///
    /// # Errors
    /// If it is neither, or a value is itself an object or an array.
    pub fn parse(json: &str) -> Result<Self, VarsFault> {
        let read: Value = serde_json::from_str(json).map_err(VarsFault::Syntax)?;
        let entries: Map<String, Value> = match read {
            Value::Object(entries) => entries,
            Value::Array(items) => {
                items.into_iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
            }
            Value::Null => return Err(VarsFault::NotAnObject("null")),
            Value::Bool(_) => return Err(VarsFault::NotAnObject("true or false")),
            Value::Number(_) => return Err(VarsFault::NotAnObject("a number")),
            Value::String(_) => return Err(VarsFault::NotAnObject("a text")),
        };
        let text = |(name, value)| match value {
            Value::String(text) => Ok((name, text)),
            Value::Array(_) | Value::Object(_) => Err(VarsFault::Nested(name)),
            Value::Null | Value::Bool(_) => Ok((name, value.to_string())),
            Value::Number(number) => {
                // A number as ECMAScript writes it: 5 for 5.0.
                let short = number.as_f64().and_then(Number::new);
                Ok((name, short.map_or_else(|| number.to_string(), |number| number.to_string())))
            }
        };
        entries.into_iter().map(text).collect::<Result<_, _>>().map(Self)
    }

    /// The value of a placeholder.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// All values in the order in which they are hashed: numbers first, as
    /// numbers; then the rest by their UTF-16 units.
    pub(super) fn sorted(&self) -> Map<String, Value> {
        let mut names: Vec<&String> = self.0.keys().collect();
        names.sort_by_cached_key(|name| {
            (index(name).unwrap_or(u32::MAX), name.encode_utf16().collect::<Vec<_>>())
        });
        let entries = names.into_iter().map(|name| (name.clone(), Value::from(self.0[name].clone())));
        entries.collect()
    }
}

/// The number that a name is, if it is written as one.
fn index(name: &str) -> Option<u32> {
    let number: u32 = name.parse().ok()?;
    (number < u32::MAX && number.to_string() == name).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_texts_and_their_order_is_fixed() {
        let vars = Vars::parse(r#"{"b":true,"a":null,"10":1.50,"9":"x","01":2.0}"#).unwrap();
        let sorted = Value::Object(vars.sorted()).to_string();
        assert_eq!(sorted, r#"{"9":"x","10":"1.5","01":"2","a":"null","b":"true"}"#);
        let list = Vars::parse(r#"["a",7]"#).unwrap();
        assert_eq!((list.get("0"), list.get("1"), list.get("2")), (Some("a"), Some("7"), None));
        for (text, reason) in [
            ("{x", "the variables are not valid JSON: key must be a string at line 1 column 2"),
            ("5", "the variables must be a JSON object, not a number"),
            (r#"{"a":{}}"#, "the variable a must be a text, a number, true or false"),
        ] {
            assert_eq!(Vars::parse(text).unwrap_err().to_string(), reason);
        }
    }
}
