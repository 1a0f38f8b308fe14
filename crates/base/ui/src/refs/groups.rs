//! Which elements belong together: the labels inside each element, the rows of
//! what scrolls, and what moves with them.

use super::label_hash::{is_value, label_hash};
use crate::ability::Ability;
use crate::role::Role;
use crate::screen::Screen;
use crate::stable_hash::stable_hash;
use crate::tree::{NodeId, Tree};

/// The visible elements of a tree and the labels inside them.
pub(super) struct TreeContents<'t> {
    pub(super) tree: &'t Tree,
    pub(super) visible: Vec<bool>,
    /// For each element the hash of the labels in it, its own included; 0 where there are none.
    /// What is inside a scrollable element does not count for those around it, and typed text never
    /// counts: both change while the element stays the same.
    pub(super) hashes: Vec<u64>,
    /// For each element the hash of the first label in it that is more than a value; 0 for none.
    pub(super) first: Vec<u64>,
}

impl<'t> TreeContents<'t> {
    pub(super) fn new(screen: &Screen<'t>) -> Self {
        let tree = screen.tree();
        let mut visible = vec![false; tree.len()];
        for (id, _) in screen.nodes() {
            visible[id.0] = true;
        }
        let mut hashes = vec![0_u64; tree.len()];
        let mut first = hashes.clone();
        for number in (0..tree.len()).rev().filter(|number| visible[*number]) {
            let id = NodeId(number);
            let own = label_hash(tree, id);
            if own != 0 {
                hashes[number] = stable_hash(&(own, hashes[number]));
                if !is_value(tree, id) {
                    first[number] = own;
                }
            }
            let scrolls = tree.can(id, Ability::Scroll);
            if let Some(outer) = tree.parent(id).filter(|_| !scrolls && hashes[number] != 0) {
                hashes[outer.0] = stable_hash(&(hashes[number], hashes[outer.0]));
                if first[number] != 0 {
                    first[outer.0] = first[number];
                }
            }
        }
        Self { tree, visible, hashes, first }
    }

    fn visible_children(&self, id: NodeId) -> Vec<NodeId> {
        let children = self.tree.children(id);
        children.filter(|id| self.visible[id.0]).collect()
    }
}

/// The group of each element.
pub(super) struct Groups {
    /// The row, card or list item that an element is or is in.
    pub(super) group: Vec<Option<NodeId>>,
    /// The first labels of the rows before and after an element's row in a list.
    pub(super) beside: Vec<[u64; 2]>,
    pub(super) spots: Vec<Spot>,
    pub(super) scrolls_with: Vec<ScrollsWith>,
}

/// Where an element stands among its siblings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Spot {
    /// The first labels of what stands before and after it: among its siblings,
    /// or where none of them has one, among those of what is around it.
    pub(super) sides: [u64; 2],
    /// How many of its siblings without a label are between it and these.
    pub(super) gaps: [usize; 2],
    /// How deep in the tree these are.
    pub(super) depth: usize,
}

/// What an element scrolls with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScrollsWith {
    Nothing,
    /// A page that is higher than the screen.
    Page,
    /// A list, whose rows come and go; this is one of them.
    Row,
    /// A row that it is inside of, or a list that is not its rows.
    List,
}

impl Groups {
    pub(super) fn new(contents: &TreeContents<'_>) -> Self {
        let (tree, count) = (contents.tree, contents.tree.len());
        let mut groups = Self {
            group: vec![None; count],
            beside: vec![[0; 2]; count],
            spots: vec![Spot::default(); count],
            scrolls_with: vec![ScrollsWith::Nothing; count],
        };
        groups.add_spots(contents, contents.tree.roots().collect());
        // An element comes before those inside it, which inherit from it.
        for number in (0..count).filter(|number| contents.visible[*number]) {
            let id = NodeId(number);
            if let Some(outer) = tree.parent(id) {
                if groups.scrolls_with[number] == ScrollsWith::Nothing {
                    groups.scrolls_with[number] = match groups.scrolls_with[outer.0] {
                        ScrollsWith::Row => ScrollsWith::List,
                        ScrollsWith::Nothing if tree.can(outer, Ability::Scroll) => ScrollsWith::Page,
                        with => with,
                    };
                }
                if groups.group[number].is_none() {
                    groups.group[number] = groups.group[outer.0];
                    groups.beside[number] = groups.beside[outer.0];
                }
            }
            if matches!(tree.role(id), Role::Listitem | Role::Card | Role::Row) {
                groups.group[number] = Some(id);
            }
            // A list that is short does not scroll, and has rows all the same.
            if tree.can(id, Ability::Scroll) || matches!(tree.role(id), Role::List | Role::Grid) {
                groups.add_rows(contents, id);
            }
            groups.add_spots(contents, contents.visible_children(id));
        }
        groups
    }

    /// Adds the spots of siblings.
    fn add_spots(&mut self, contents: &TreeContents<'_>, mut siblings: Vec<NodeId>) {
        let outer = siblings.first().and_then(|id| contents.tree.parent(*id));
        let around = outer.map_or(Spot::default(), |outer| self.spots[outer.0]);
        for side in 0..2 {
            let (mut label, mut gap) = (0, 0);
            for id in &siblings {
                let spot = &mut self.spots[id.0];
                (spot.sides[side], spot.gaps[side]) = (label, gap);
                (label, gap) = match contents.first[id.0] {
                    0 => (label, gap + 1),
                    first => (first, 0),
                };
            }
            siblings.reverse();
        }
        for id in siblings {
            let spot = &mut self.spots[id.0];
            (spot.sides, spot.depth) = match spot.sides {
                [0, 0] => (around.sides, around.depth),
                sides => (sides, contents.tree.depth(id)),
            };
        }
    }

    /// Adds the rows of a scrollable element: the children of the first element
    /// in it that has more than one.
    fn add_rows(&mut self, contents: &TreeContents<'_>, scrolling: NodeId) {
        let tree = contents.tree;
        let mut rows = contents.visible_children(scrolling);
        // What is directly inside a list is a row, even if it is the only one.
        let is_list = matches!(tree.role(scrolling), Role::List | Role::Grid) || are_alike(tree, &rows);
        while !is_list && let [only] = rows[..] {
            let below = contents.visible_children(only);
            if below.is_empty() {
                break;
            }
            rows = below;
        }
        let hash = |row: &NodeId| match contents.first[row.0] {
            0 => contents.hashes[row.0],
            first => first,
        };
        let hashes: Vec<u64> = rows.iter().map(hash).collect();
        let is_labelled = |hash: &&u64| **hash != 0;
        for (number, row) in rows.iter().enumerate() {
            let before = hashes[..number].iter().rev().find(is_labelled);
            let after = hashes[number + 1..].iter().find(is_labelled);
            self.group[row.0] = Some(*row);
            if is_list {
                self.scrolls_with[row.0] = ScrollsWith::Row;
                self.beside[row.0] = [before, after].map(|hash| hash.copied().unwrap_or(0));
            }
        }
    }
}

/// Whether what is directly inside something that scrolls is built like the
/// rows of a list: many, most of one kind, and each with something inside.
fn are_alike(tree: &Tree, rows: &[NodeId]) -> bool {
    const MANY: usize = 4;
    let kind = |row: &NodeId| (&tree.node(*row).class, tree.children(*row).count());
    let Some(first) = rows.first().map(kind) else {
        return false;
    };
    let alike = rows.iter().filter(|row| kind(row) == first).count();
    rows.len() >= MANY && first.1 > 0 && alike * 4 >= rows.len() * 3
}
