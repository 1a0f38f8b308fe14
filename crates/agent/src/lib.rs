//! The tools that a model drives a phone with.

pub mod action;
pub mod result;
pub mod tool;
