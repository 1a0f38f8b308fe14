//! The agent's tests: one binary, cases as data.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "a panic is how a test fails, and json! takes by reference"
)]

mod approval_answer;
mod approval_apply;
mod budget;
mod desk;
mod five_tasks;
mod forged;
mod memory;
mod model;
mod model_server;
mod observe;
mod parts;
mod person;
mod phone;
mod policy;
mod session;
mod space;
mod task;
mod tool;
#[cfg(unix)]
mod toolbox;
#[cfg(unix)]
mod vault;
mod words;
#[cfg(unix)]
mod workspace;
