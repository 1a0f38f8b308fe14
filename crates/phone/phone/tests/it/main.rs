//! Phones against the simulated one, over the same adb bytes as a real one's.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

mod adb_server;
mod apps;
mod capture;
mod choice;
mod devices;
mod facts;
mod lock;
mod lost;
mod package_name;
mod quoting;
mod reaction;
mod resident;
mod vault;
mod world;
