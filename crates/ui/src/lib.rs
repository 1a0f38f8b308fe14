//! A screen as a phone describes it: a tree of elements. Reads the dumps of
//! `uiautomator`, odd ones included, and writes them as the phone does; finds
//! elements, and tells what they say and who takes an action for them.
//!
//! This crate does no IO and does not know where a dump came from.

mod around;
mod bounds;
mod budget;
mod diff;
mod escape;
mod excerpt;
mod find;
mod key_value;
mod label;
pub mod limits;
mod near;
mod part;
mod password;
mod query;
mod read;
mod refs;
mod relation;
mod role;
mod scrolling;
mod seen;
#[cfg(test)]
mod sketch;
mod stable_hash;
mod touch;
mod tree;
mod validate;
mod view;
mod write;

pub use around::Ability;
pub use bounds::Bounds;
pub use budget::{ESTIMATOR, estimate};
pub use clawperator_contract::{Flag, Selector};
pub use near::{Miss, Near};
pub use query::{Found, query};
pub use read::{DumpError, read};
pub use refs::{Reason, Ref, RefBook, Sight, Stale};
pub use role::Role;
pub use scrolling::{Signature, Swipe, swipe};
pub use seen::Screen;
pub use touch::Touch;
pub use tree::{Flags, Node, NodeId, Tree};
pub use validate::{TextValidator, ValidatorError};
pub use view::{
    Change, Counts, Extent, Glance, LastView, Line, Style, Use, Value, View, ViewMemory, Wish, view,
};
pub use write::{Attributes, write};
