//! Which element a point belongs to.

use clawperator_ui::{Ability, Flag, NodeId, Point, Screen, Tree};

/// The element that takes a touch at a point: the uppermost that does something
/// with it, or else the uppermost that has text. `None` if there is neither.
pub fn touched_element(screen: &Screen<'_>, at: Point) -> Option<NodeId> {
    let tree = screen.tree();
    let mut taker = None;
    let mut sayer = None;
    // What is later in the tree is drawn over what is earlier.
    for (id, node) in screen.nodes() {
        if !screen.visible_bounds(id).contains(at) {
            continue;
        }
        if takes(tree, id) {
            taker = Some(id);
        } else if !node.label().is_empty() && !node.flags.has(Flag::Password) {
            sayer = Some(id);
        }
    }
    taker.or(sayer)
}

/// The innermost element at a point that can be scrolled.
pub fn scrolled_element(screen: &Screen<'_>, at: Point) -> Option<NodeId> {
    let is_there = |id: &NodeId| screen.visible_bounds(*id).contains(at);
    let scrollable = screen.nodes().map(|(id, _)| id).filter(|id| screen.tree().can(*id, Ability::Scroll));
    scrollable.filter(is_there).last()
}

/// The field that has the input focus.
pub fn focused_field(tree: &Tree) -> Option<NodeId> {
    let mut nodes = tree.nodes();
    nodes.find(|(id, node)| node.flags.has(Flag::Focused) && tree.can(*id, Ability::Edit)).map(|(id, _)| id)
}

/// Whether an element does something with a touch.
pub(crate) fn takes(tree: &Tree, id: NodeId) -> bool {
    [Ability::Click, Ability::LongClick, Ability::Edit].into_iter().any(|ability| tree.can(id, ability))
}
