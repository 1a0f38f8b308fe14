//! Both sides of a connection, speaking to each other over pipes in memory.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

mod connection;
mod device;
mod faults;
mod parts;
#[path = "../support/phone.rs"]
mod phone;
