//! Reads the arguments of a tool call, with a path and a hint for each mistake.

use clawperator_contract::text;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::fmt;
use std::ops::RangeInclusive;

/// One mistake in the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArgumentMistake {
    /// Where, such as `steps.0.on`.
    path: String,
    message: String,
    hint: String,
}

impl fmt::Display for ArgumentMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, message, hint } = self;
        write!(f, "{path} {message}\nhint: {hint}")
    }
}

/// The arguments of a call, or of one step in it.
pub(super) struct Arguments<'a> {
    given: &'a JsonObject,
    /// What stands before the name of an argument in a path.
    prefix: String,
    known: Vec<String>,
}

impl<'a> Arguments<'a> {
    /// The arguments of a call; a name that is not known is a mistake.
    pub(super) fn of_call(given: &'a JsonObject, known: Vec<String>) -> Result<Self, ArgumentMistake> {
        Self::new(given, String::new(), known)
    }

    fn new(given: &'a JsonObject, prefix: String, known: Vec<String>) -> Result<Self, ArgumentMistake> {
        let arguments = Self { given, prefix, known };
        match given.keys().find(|key| !arguments.known.contains(key)) {
            None => Ok(arguments),
            Some(key) => {
                let names = arguments.known.join(", ");
                Err(arguments.wrong(&text::excerpt(key), "is not an argument", format!("Use: {names}.")))
            }
        }
    }

    pub(super) fn wrong(
        &self,
        key: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> ArgumentMistake {
        ArgumentMistake { path: format!("{}{key}", self.prefix), message: message.into(), hint: hint.into() }
    }

    /// A mistake if an argument is missing.
    pub(super) fn missing(&self, key: &str, example: &str) -> ArgumentMistake {
        self.wrong(key, "is missing", format!("Give it, such as {example}."))
    }

    /// The value of an argument; null is none.
    pub(super) fn value(&self, key: &str) -> Option<&'a Value> {
        self.given.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    fn must_be(&self, key: &str, what: &str) -> ArgumentMistake {
        self.wrong(key, format!("must be {what}"), format!("Send {what}."))
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, ArgumentMistake> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::String(text)) if !text::is_blank(text) => Ok(Some(text)),
            Some(_) => Err(self.must_be(key, "a text that is not empty")),
        }
    }

    pub(super) fn flag(&self, key: &str) -> Result<bool, ArgumentMistake> {
        match self.value(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.must_be(key, "true or false")),
        }
    }

    pub(super) fn whole(
        &self,
        key: &str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, ArgumentMistake> {
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        match value.as_u64().filter(|number| range.contains(number)) {
            Some(number) => Ok(Some(number)),
            None => {
                Err(self.must_be(key, &format!("a whole number from {} to {}", range.start(), range.end())))
            }
        }
    }

    pub(super) fn object(&self, key: &str) -> Result<Option<&'a JsonObject>, ArgumentMistake> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(_) => Err(self.must_be(key, "an object")),
        }
    }

    pub(super) fn list(&self, key: &str) -> Result<Option<&'a [Value]>, ArgumentMistake> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(_) => Err(self.must_be(key, "a list")),
        }
    }

    /// The objects of a list, each with the arguments that it may have.
    pub(super) fn steps(&self, key: &str, known: &[String]) -> Result<Vec<Arguments<'a>>, ArgumentMistake> {
        let list = self.list(key)?.unwrap_or_default();
        let step = |(number, value): (usize, &'a Value)| {
            let path = format!("{key}.{number}");
            let object = value.as_object().ok_or_else(|| self.must_be(&path, "an object"))?;
            Arguments::new(object, format!("{}{path}.", self.prefix), known.to_vec())
        };
        list.iter().enumerate().map(step).collect()
    }

    pub(super) fn word(
        &self,
        key: &str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, ArgumentMistake> {
        let Some(given) = self.text(key)? else {
            return Ok(None);
        };
        let known = words.iter().find(|word| word.eq_ignore_ascii_case(given));
        known.map(|word| Some(*word)).ok_or_else(|| {
            let message = format!("is \"{}\", which is not known", text::excerpt(given));
            self.wrong(key, message, format!("Use one of: {}.", words.join(", ")))
        })
    }
}
