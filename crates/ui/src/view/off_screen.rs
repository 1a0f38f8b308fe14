//! What is beyond the edges of something that scrolls, as far as a tree tells.

use crate::bounds::Bounds;
use crate::screen::Screen;
use crate::tree::{Node, NodeId, Tree};

/// What is before and after what is seen of something that scrolls: `3 more
/// above, 12 more below`. A tree often holds only what is seen; then a row that
/// is cut off at the edge is all that tells.
pub(super) fn hint(screen: &Screen<'_>, scrolling: NodeId) -> Option<String> {
    let tree = screen.tree();
    let rows = rows(tree, scrolling);
    let first = rows.iter().position(|row| screen.sees(*row))?;
    let last = rows.iter().rposition(|row| screen.sees(*row))?;
    let seen = &rows[first..=last];
    let [before, after] = if beside_each_other(tree, seen) {
        ["left", "right"]
    } else {
        ["above", "below"]
    };
    let area = screen.visible_bounds(scrolling);
    let cut_before = seen.len() > 1 && is_cut(tree.node(seen[0]), tree.node(seen[1]), &area);
    let cut_after = seen.len() > 1
        && is_cut(
            tree.node(seen[seen.len() - 1]),
            tree.node(seen[seen.len() - 2]),
            &area,
        );
    let part = |count: usize, cut: bool, side: &str| match (count, cut) {
        (0, false) => None,
        (0, true) => Some(format!("more {side}")),
        (count, _) => Some(format!("{count} more {side}")),
    };
    let parts = [
        part(first, cut_before, before),
        part(rows.len() - 1 - last, cut_after, after),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The children of the first element with more than one.
fn rows(tree: &Tree, scrolling: NodeId) -> Vec<NodeId> {
    let mut rows: Vec<NodeId> = tree.children(scrolling).collect();
    while let [only] = rows[..] {
        let below: Vec<NodeId> = tree.children(only).collect();
        if below.is_empty() {
            break;
        }
        rows = below;
    }
    rows
}

fn beside_each_other(tree: &Tree, rows: &[NodeId]) -> bool {
    let [first, second, ..] = rows else {
        return false;
    };
    let (one, two) = (tree.node(*first).bounds, tree.node(*second).bounds);
    let share_rows = one.top < two.bottom && two.top < one.bottom;
    let share_columns = one.left < two.right && two.left < one.right;
    share_rows && !share_columns
}

/// Whether a row goes beyond the edge, or ends at it and is much smaller than
/// the row of its kind beside it.
fn is_cut(row: &Node, other: &Node, area: &Bounds) -> bool {
    let bounds = row.bounds;
    let beyond = bounds.bottom > area.bottom
        || bounds.top < area.top
        || bounds.right > area.right
        || bounds.left < area.left;
    let at_edge = [
        bounds.bottom == area.bottom,
        bounds.top == area.top,
        bounds.right == area.right,
        bounds.left == area.left,
    ];
    let alike = row.class == other.class;
    beyond || (alike && at_edge.contains(&true) && bounds.area() * 4 < other.bounds.area() * 3)
}
