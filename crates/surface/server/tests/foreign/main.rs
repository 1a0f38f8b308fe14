//! The server with clients that we did not write: a real browser for the page,
//! and MCP clients.
//!
//! `cargo xtask test` installs them under `target/foreign` and runs these in a
//! network namespace that has loopback only.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a panic is how a test fails")]

mod mcp;
mod openapi;
mod page;
#[path = "../../../../reach/pool/tests/it/memory.rs"]
mod pool_memory;
#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../it/support.rs"]
mod support;
