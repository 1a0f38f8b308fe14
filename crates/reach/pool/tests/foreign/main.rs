//! The pool on real servers of NATS. `NATS_SERVER` names the program of one; without it, and
//! without one on the path, these tests print a line and pass.

#![cfg(feature = "nats")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a panic is how a test fails, and a skipped one says so"
)]

#[path = "../it/broker.rs"]
mod broker;
mod keys;
#[path = "../it/memory.rs"]
mod memory;
#[path = "../it/plan.rs"]
mod plan;
mod server;
