//! Reads a YAML text into a type, with the position of each mistake.
//!
//! The reader calls itself once per level of nesting: a caller whose types are
//! deep gives it a thread with a large stack.

use crate::position::Position;
use crate::report::Problem;
use crate::text;
use serde::de::DeserializeOwned;
use serde_saphyr::{Budget, Error, Location};

pub use serde_saphyr::Spanned;

/// The most nodes of a YAML document, aliases counted where they are used.
const MAX_NODES: usize = 100_000;
/// The deepest nesting of a YAML document.
const MAX_DEPTH: usize = 100;

/// Reads one YAML document.
///
/// # Errors
/// The first problem: what comes after it cannot be told apart from its consequences.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Box<Problem>> {
    let mut budget = Budget::default();
    budget.max_nodes = MAX_NODES;
    budget.max_depth = MAX_DEPTH;
    let options = serde_saphyr::options! { budget: Some(budget), strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| Box::new(problem(&error)))
}

/// Where a value that was read is used in its text.
pub fn position_of<T>(value: &Spanned<T>) -> Option<Position> {
    position(value.referenced)
}

fn position(location: Location) -> Option<Position> {
    let (line, column) = (location.line(), location.column());
    (line > 0).then_some(Position { line, column })
}

fn problem(error: &Error) -> Problem {
    let plain = error.without_snippet();
    let message = plain.to_string();
    // The position is beside the message already.
    let end = message.rfind(" at line ").unwrap_or(message.len());
    Problem {
        position: error.location().and_then(position),
        hint: suggestion(plain),
        ..Problem::new(String::new(), message[..end].to_owned())
    }
}

/// The known word that an unknown one most likely is.
fn suggestion(error: &Error) -> Option<String> {
    let (word, known) = match error {
        Error::SerdeUnknownField { field, expected, .. } => (field, expected),
        Error::SerdeUnknownVariant { variant, expected, .. } => (variant, expected),
        _ => return None,
    };
    text::closest(word, known.iter().copied()).map(|meant| format!("Did you mean \"{meant}\"?"))
}

#[cfg(test)]
mod tests;
