//! Executions on the simulated phone, over the same adb bytes as a real
//! one's.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

#[path = "../../../phone/tests/it/adb_server.rs"]
mod adb_server;
mod campaign;
mod dark;
mod doctor;
mod doctor_trouble;
mod input;
mod journal;
mod journal_honest;
mod lane;
mod makers;
mod operator;
mod operator_app;
mod recording;
mod report;
mod resident_server;
mod session;
mod views;
mod world;
