//! The contract's tests: one binary, cases as data.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    reason = "a panic is how a test fails, tests read files, and json! takes by reference"
)]

mod confirm;
mod dialect;
mod generators;
mod golden;
mod payload;
mod properties;
mod reference;
mod rules;
mod schemas;
mod seeds;
mod selectors;
mod vectors;
