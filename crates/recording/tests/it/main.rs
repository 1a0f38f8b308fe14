//! Recordings as files: what is read, and what becomes of it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

mod reading;
