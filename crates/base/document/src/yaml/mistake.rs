//! What is wrong with a value that does not fit its type.

use crate::position::Position;
use crate::report::Problem;
use crate::text;
use serde::de;
use std::fmt;

/// The most letters of a message: it may repeat a text of the file.
const MAX_MESSAGE: usize = 1_000;

/// A problem whose position may not be known yet.
#[derive(Debug)]
pub(super) struct Mistake(pub(super) Box<Problem>);

impl Mistake {
    #[cold]
    pub(super) fn new(message: &str) -> Self {
        let message = text::cut(&text::visible(message), MAX_MESSAGE).into_owned();
        Self(Box::new(Problem::new(String::new(), message)))
    }

    /// Says where it is, unless that is known more exactly.
    #[cold]
    pub(super) fn at(mut self, at: Position) -> Self {
        self.0.position.get_or_insert(at);
        self
    }

    /// A word that is none of the known ones.
    fn unknown(what: &str, word: &str, known: &[&str]) -> Self {
        let (said, known_words) = (text::excerpt(word), known.join(", "));
        let mut mistake = Self::new(&format!("unknown {what} `{said}`, expected one of {known_words}"));
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
