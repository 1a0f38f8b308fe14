//! A phone in memory.

pub mod app;
