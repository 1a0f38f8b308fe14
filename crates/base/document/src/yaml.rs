//! Reads a YAML text into a type, with the position of each mistake.
//!
//! The text becomes a list of nodes first, so that little code is needed for each type. The reader
//! calls itself once per level of nesting: a caller whose types are deep gives it a thread with a
//! large stack.

mod deserializer;
mod mistake;
mod node;
mod scalar;
mod spanned;
#[cfg(test)]
mod tests;

use crate::position::Position;
use crate::read_yaml::refusal;
use crate::report::Problem;
use node::{Shape, Values};
use serde::de::DeserializeOwned;

pub use spanned::Spanned;

/// Reads one YAML document.
///
/// # Errors
/// The first problem: what comes after it cannot be told apart from its consequences.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Box<Problem>> {
    let nodes = node::read(text)?;
    let root = Values(&nodes).next().ok_or_else(|| end_of_input(Position { line: 1, column: 1 }))?;
    let at = root.node.at;
    let is_empty = nodes.len() == 1 && root.name() == Some("") && root.node.shape == Shape::Plain;
    T::deserialize(root).map_err(|mistake| if is_empty { end_of_input(at) } else { mistake.at(at).0 })
}

fn end_of_input(at: Position) -> Box<Problem> {
    refusal(at, "the text ends where a value is missing".to_owned())
}

/// Where a value that was read is used in its text.
pub fn position_of<T>(value: &Spanned<T>) -> Option<Position> {
    value.position
}
