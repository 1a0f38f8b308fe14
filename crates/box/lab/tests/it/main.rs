//! The laboratory as the command line uses it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests stop at what is wrong")]

mod fixture;
mod phone_tests;
mod tasks;
