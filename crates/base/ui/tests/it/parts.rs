//! What single files promise, through the public API.

mod excerpt;
mod key_value;
mod label;
mod near_miss;
mod role;
mod scrolling;
mod validate;
mod view;

use clawperator_ui::{NodeId, Tree};

/// The element at a place of a tree, in reading order.
fn id(tree: &Tree, place: usize) -> NodeId {
    tree.nodes().nth(place).unwrap().0
}
