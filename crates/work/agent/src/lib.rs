//! The tools that a model drives a phone with.

pub mod act;
pub mod action;
pub mod approval;
pub mod judge;
pub mod memory;
pub mod model;
pub mod people;
pub mod phone;
pub mod policy;
pub mod result;
pub mod session;
pub mod snapshot;
pub mod space;
pub mod surroundings;
pub mod task;
pub mod tool;
pub mod toolbox;
pub mod workspace;
