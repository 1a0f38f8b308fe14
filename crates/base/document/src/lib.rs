//! A JSON or YAML text that a caller wrote, and a report of everything that is
//! wrong with it: where (a path, and a line and column), what, and what to do.
//!
//! This crate does not know what a document means. It reads no clock, file or
//! environment and starts no threads.

mod fields;
mod limits;
mod number;
mod path;
mod place;
mod position;
mod read;
mod read_yaml;
mod report;
pub mod text;
mod tree;
mod words;
pub mod yaml;

pub use fields::{Fields, expect_flag, expect_number, expect_text, within_length, wrong_type};
pub use limits::{Limits, MAX_ECHO, MAX_INVALID_KEYS, MAX_LEADING_ECHO, MAX_PROBLEMS};
pub use number::Number;
pub use path::Path;
pub use place::Place;
pub use position::Position;
pub use read::ReadError;
pub use read_yaml::YamlPart;
pub use report::{Problem, Problems, Report};
pub use tree::{Alias, Document, Kind, Note, Value};
pub use words::Word;
