//! What is wrong with a value that does not fit its type.

use crate::position::Position;
use crate::report::Problem;
use crate::text;
use serde::de;
use std::fmt;

/// A problem whose position may not be known yet.
#[derive(Debug)]
pub(super) struct Mistake(pub(super) Box<Problem>);

impl Mistake {
    #[cold]
    pub(super) fn new(message: &str) -> Self {
        Self(Box::new(Problem::new(String::new(), text::visible(message).into_owned())))
    }

    /// Says where it is, unless that is known more exactly.
    #[cold]
    pub(super) fn at(mut self, at: Position) -> Self {
        self.0.position.get_or_insert(at);
        self
    }

    /// A word that is none of the known ones.
    fn unknown(what: &str, word: &str, known: &[&str]) -> Self {
        let mut mistake =
            Self::new(&format!("unknown {what} `{word}`, expected one of {}", known.join(", ")));
        let meant = text::closest(word, known.iter().copied());
        mistake.0.hint = meant.map(|meant| format!("Did you mean \"{meant}\"?"));
        mistake
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Mistake {}

impl de::Error for Mistake {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(&message.to_string())
    }

    #[cold]
    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::unknown("variant", variant, expected)
    }

    #[cold]
    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::unknown("field", field, expected)
    }
}
