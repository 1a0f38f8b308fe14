//! The runtime against the simulated phone, over the same adb bytes as a real
//! one's.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

mod adb_server;
mod apps;
mod campaign;
mod capture;
mod dark;
mod devices;
mod doctor;
mod doctor_trouble;
mod facts;
mod input;
mod journal;
mod journal_honest;
mod lane;
mod lock;
mod lost;
mod makers;
mod operator;
mod operator_app;
mod quoting;
mod reaction;
mod recording;
mod report;
mod resident_server;
mod session;
mod vault;
mod views;
mod world;
