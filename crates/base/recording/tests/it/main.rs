//! Recordings as files: what is read, and what becomes of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a panic is how a test fails, and cases are in files"
)]

mod anything;
mod compiling;
mod drawing;
mod parts;
mod reading;
mod scribing;
