//! Journals through their public door.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

mod parts;
mod skill_log;
mod temp;
