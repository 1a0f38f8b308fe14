//! Tests of the pool on the broker in memory.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a panic is how a test fails, and a skipped one says so"
)]

mod broker;
mod checker;
#[path = "../../../../work/engine/tests/support/mod.rs"]
#[allow(dead_code, reason = "the engine's tests use more of it")]
mod engine_support;
mod faulty;
#[cfg(feature = "nats")]
mod files;
mod jobs;
mod memory;
#[cfg(feature = "nats")]
mod plan;
mod support;

use clawperator_pool::seal::{SealError, SealKey, SealLock};

/// An empty folder for one test.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pool").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

#[test]
fn a_sealed_text_opens_with_its_key_only() {
    let key = SealKey::random();
    let sealed = key.lock().seal(b"hunter2").unwrap();
    assert_eq!(key.open(&sealed).unwrap(), b"hunter2");
    assert_eq!(SealKey::random().open(&sealed), Err(SealError::NotOurs));
    assert_eq!(key.open("%"), Err(SealError::NoBase64));
    assert_eq!(key.open(""), Err(SealError::NotOurs));
    assert_eq!(key.lock().seal(b"").map(|empty| key.open(&empty)), Ok(Ok(Vec::new())));
    let text: String = key.clone().into();
    assert_eq!(SealKey::try_from(text.clone()).unwrap().open(&sealed).unwrap(), b"hunter2");
    let lock: String = key.lock().into();
    assert_eq!(SealLock::try_from(lock), Ok(key.lock()));
    assert_eq!(SealLock::try_from("AAAA".to_owned()), Err(SealError::NoKey));
    assert_eq!(format!("{key:?}"), "SealKey(hidden)");
}
