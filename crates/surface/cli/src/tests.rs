//! Tests of what no other crate sees: the tables, and how people read answers.
//! Whole command lines are tried in `tests/it`.

mod anything;
mod help;
#[path = "../tests/it/line.rs"]
mod line;
#[cfg(feature = "sim")]
mod page;
mod people;
mod tables;
