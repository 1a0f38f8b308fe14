//! The tools that a model drives a phone with.

pub mod action;
pub mod approval;
pub mod memory;
pub mod model;
pub mod result;
pub mod session;
pub mod snapshot;
pub mod task;
pub mod tool;
pub mod workspace;
