//! Draws a phone's screen into pixels.
//!
//! This crate knows nothing of Android, adb or UI trees.

pub mod limits;
