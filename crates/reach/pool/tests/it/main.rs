//! Tests of the pool.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests stop at what is wrong, and say what they found")]

mod checker;
#[path = "../../../../work/engine/tests/support/mod.rs"]
#[allow(dead_code, reason = "the engine's tests use more of it")]
mod engine_support;
mod faulty;
mod support;

use std::path::PathBuf;

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pool").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}
