//! A screen as a phone describes it: a tree of elements. Reads the dumps of
//! `uiautomator`, odd ones included, and writes them as the phone does.
//!
//! This crate does no IO and does not know where a dump came from.

mod bounds;
mod escape;
pub mod limits;
mod read;
mod tree;
mod write;

pub use bounds::Bounds;
pub use read::{DumpError, read};
pub use tree::{Flag, Flags, Node, NodeId, Tree};
pub use write::{Attributes, write};
