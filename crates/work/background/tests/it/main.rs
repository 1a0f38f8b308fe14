//! Processes in the background, from outside.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests stop at what is wrong")]

mod control;
