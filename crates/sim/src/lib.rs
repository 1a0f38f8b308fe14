//! A phone in memory: apps, windows, input, screen, files, shell commands,
//! faults and time; served over adb's device side.

pub mod app;
mod layout;
pub mod phone;
mod scope;
mod view;
