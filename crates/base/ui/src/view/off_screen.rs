//! What is beyond the edges of something that scrolls, as far as a tree tells.

use crate::bounds::Bounds;
use crate::role::Role;
use crate::screen::Screen;
use crate::tree::{Node, NodeId, Tree};

/// How many elements at an edge are compared with others of their kind.
const MAX_AT_EDGE: usize = 64;

/// What is before and after what is seen of something that scrolls: `3 more above, 12 more below`.
/// A tree often holds only what is seen; then a row that is cut off at the edge is all that tells.
pub(super) fn hint(screen: &Screen<'_>, scrolling: NodeId) -> Option<String> {
    let tree = screen.tree();
    let rows = rows(tree, scrolling);
    let first = rows.iter().position(|row| screen.sees(*row))?;
    let last = rows.iter().rposition(|row| screen.sees(*row))?;
    let seen = &rows[first..=last];
    let is_pager = tree.role(scrolling) == Role::Pager;
    let (span, [before, after]): (Span, _) = if is_pager || beside_each_other(tree, seen) {
        (|bounds| (bounds.left, bounds.right), ["left", "right"])
    } else {
        (|bounds| (bounds.top, bounds.bottom), ["above", "below"])
    };
    let edges = Edges { screen, scrolling, span, area: span(screen.visible_bounds(scrolling)) };
    let part = |count: usize, cut: bool, side: &str| match (count, cut) {
        (0, false) => None,
        (0, true) => Some(format!("more {side}")),
        (count, _) => Some(format!("{count} more {side}")),
    };
    let at_start = |(start, _): (i32, i32)| start.cmp(&edges.area.0);
    let at_end = |(_, end): (i32, i32)| edges.area.1.cmp(&end);
    let above = part(first, edges.cuts(seen, at_start), before);
    let below = part(rows.len() - 1 - last, edges.cuts(seen, at_end), after);
    // What can be scrolled has more on one side at least.
    Some(match (above, below) {
        (Some(above), Some(below)) => format!("{above}, {below}"),
        // A tree that holds rows beyond one edge holds those beyond the other.
        (Some(above), None) if first == 0 && edges.may_go_on(seen) => format!("{above}, maybe {after}"),
        (None, None) if is_pager => "more left or right".to_owned(),
        (None, None) if edges.may_go_on(seen) => "more".to_owned(),
        (None, None) => format!("more {before}"),
        (Some(one), None) | (None, Some(one)) => one,
    })
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

/// Whether all rows are level with the first: those of a grid are not.
fn beside_each_other(tree: &Tree, rows: &[NodeId]) -> bool {
    let Some(one) = rows.first().map(|row| tree.node(*row).bounds) else {
        return false;
    };
    let others = || rows.iter().skip(1).map(|row| tree.node(*row).bounds);
    let beside = |two: Bounds| one.top < two.bottom && two.top < one.bottom && two.left != one.left;
    rows.len() > 1 && others().all(beside)
}

/// Where an element begins and ends along the way that its container scrolls.
type Span = fn(Bounds) -> (i32, i32);

struct Edges<'s, 't> {
    screen: &'s Screen<'t>,
    scrolling: NodeId,
    span: Span,
    area: (i32, i32),
}

impl Edges<'_, '_> {
    /// Whether another row may follow: the last ends no further from the edge than the
    /// others are apart.
    fn may_go_on(&self, rows: &[NodeId]) -> bool {
        let span = |row: &NodeId| (self.span)(self.screen.tree().node(*row).bounds);
        let gap = |end: i32, start: i32| i64::from(start) - i64::from(end);
        let gaps = rows.windows(2).map(|pair| gap(span(&pair[0]).1, span(&pair[1]).0));
        let last = rows.last().map_or(0, |row| gap(span(row).1, self.area.1));
        last <= gaps.max().unwrap_or_default().max(0)
    }

    /// Whether a row is cut off at an edge: it goes beyond, or something of it ends there and is
    /// smaller than all that are like it, or its text ends there although it does not begin where
    /// its row begins. `at` compares an element's end with the edge: less is beyond.
    fn cuts(&self, rows: &[NodeId], at: impl Fn((i32, i32)) -> std::cmp::Ordering) -> bool {
        let at_edge = |node: &Node| at((self.span)(node.bounds));
        let rows = rows.iter().filter(|row| at_edge(self.screen.tree().node(**row)).is_le());
        rows.into_iter().any(|row| {
            let mut inside = self.screen.within(*row).filter(|(_, node)| at_edge(node).is_le());
            let mut ending = inside.by_ref().take(MAX_AT_EDGE);
            ending.any(|(id, node)| at_edge(node).is_lt() || self.is_short(id) || self.is_lopsided(*row, id))
        })
    }

    /// Whether an element is smaller than every whole one of its class and
    /// depth; those with its id count alone, if there are any.
    fn is_short(&self, id: NodeId) -> bool {
        let tree = self.screen.tree();
        let node = tree.node(id);
        let alike = self.screen.within(self.scrolling).filter(|(other, like)| {
            let (start, end) = (self.span)(like.bounds);
            let whole = start > self.area.0 && end < self.area.1;
            whole && like.class == node.class && tree.depth(*other) == tree.depth(id)
        });
        let sizes = alike.map(|(_, like)| (like.resource_id != node.resource_id, self.size(like)));
        let smallest = sizes.min();
        smallest.is_some_and(|(_, size)| self.size(node) * 20 < size * 19)
    }

    /// Whether an element says something, and its row has room on the other side of all it says.
    fn is_lopsided(&self, row: NodeId, id: NodeId) -> bool {
        let tree = self.screen.tree();
        let is_leaf = |id: NodeId| tree.end(id) == id.0 + 1;
        let leaves = self.screen.within(row).skip(1).filter(|(id, _)| is_leaf(*id));
        let spans = leaves.map(|(_, leaf)| (self.span)(leaf.bounds));
        let (start, end) = (self.span)(tree.node(row).bounds);
        let inner = spans.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)));
        let room = inner.is_some_and(|inner| (inner.0 > start) != (inner.1 < end));
        id != row && is_leaf(id) && room && !tree.node(id).label().is_empty()
    }

    fn size(&self, node: &Node) -> i64 {
        let (start, end) = (self.span)(node.bounds);
        i64::from(end) - i64::from(start)
    }
}
