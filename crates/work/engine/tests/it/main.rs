//! Tests of the engine.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests stop at what is wrong")]

mod acts;
mod engine;
mod ledger;
mod once;
mod redaction;
mod runs;
#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}
