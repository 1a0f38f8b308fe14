//! A screen as a phone describes it: a tree of elements. Reads the dumps of
//! `uiautomator`, malformed ones included, and writes them as the phone does;
//! finds elements, their labels, and which element takes an action for them.
//!
//! This crate does no IO and does not know where a dump came from.

mod ability;
mod bounds;
mod budget;
mod counts;
mod diff;
mod escape;
mod excerpt;
mod find;
mod intrusion;
mod key_value;
mod label;
pub mod limits;
mod near_miss;
mod password;
mod point;
mod query;
mod read;
mod refs;
mod relation;
mod role;
mod screen;
mod scrolling;
mod sequence;
mod shown;
#[cfg(test)]
mod sketch;
mod stable_hash;
mod substring;
mod tokens;
mod touch;
mod tree;
mod validate;
mod view;
pub mod words;
mod write;

pub use ability::Ability;
pub use bounds::Bounds;
pub use clawperator_contract::{Flag, Selector};
pub use counts::Counts;
pub use diff::{Change, LastView};
pub use intrusion::Intrusion;
pub use limits::MAX_DUMP_BYTES;
pub use near_miss::{Mismatch, NearMiss, likeness};
pub use point::Point;
pub use query::{QueryMatches, query};
pub use read::{DumpError, read};
pub use refs::{Fingerprints, Press, Ref, RefBook, RefUse, Stale, StaleReason, WindowName};
pub use role::Role;
pub use screen::Screen;
pub use scrolling::{Signature, SwipeLine, swipe};
pub use shown::{Base, ShownViews, SnapshotId};
pub use tokens::estimate;
pub use touch::{Cover, Touch};
pub use tree::{FLAGS, Flags, Node, NodeId, Tree};
pub use validate::{TextValidator, ValidatorError};
pub use view::{
    Extent, FieldValue, LinePurpose, ScreenSummary, View, ViewFormat, ViewLine, ViewMemory, ViewRequest, view,
};
pub use write::{Attributes, write, write_indented, write_lines};
