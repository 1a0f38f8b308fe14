//! Clients that we did not write, unmodified, against the simulated phone; and
//! ours through an adb server that we did not write.
//!
//! `cargo xtask test` installs the clients under `target/foreign` and runs these
//! in a network namespace that has loopback only.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

#[path = "../it/apk_files.rs"]
#[allow(dead_code, reason = "the other tests use more of it")]
mod apk_files;
mod bench;
mod clients;
mod command_line;
mod our_client;
