//! The simulated phone, from outside.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

mod apk_files;
mod app_docs;
mod app_files;
mod builtin_apps;
mod client;
mod commands_packages;
mod commands_system;
mod dump;
mod faults;
mod fingers;
mod interruptions;
mod isolation;
mod operator;
mod parts;
mod phone;
mod resident;
mod robust;
mod streams;
mod views;
