//! Fingerprints of the elements of a screen. They are made of labels and of
//! the groups that elements belong to, never of positions.

use super::groups::{Groups, ScrollsWith, Spot, TreeContents};
use super::label_hash::label_hash;
use super::page::{PageIdentity, WindowName};
use crate::ability::Ability;
use crate::limits::MAX_AROUND;
use crate::point::Point;
use crate::screen::Screen;
use crate::stable_hash::stable_hash;
use crate::tree::{Node, NodeId};
use clawperator_contract::Flag;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The fingerprints of the elements of a screen, and what identifies the screen
/// itself: enough to find the same elements on a later screen.
#[derive(Debug)]
pub struct Fingerprints<'t> {
    screen: Screen<'t>,
    /// One for each element; none for those that are not visible.
    elements: Vec<Option<Fingerprint>>,
    /// The first element with each fingerprint, and whether there are others.
    by_own: BTreeMap<u64, (NodeId, Count)>,
    /// The same by kind, and by kind and spot.
    by_kin: BTreeMap<u64, (NodeId, Count)>,
    by_spot: BTreeMap<u64, (NodeId, Count)>,
    /// The first label in each element; 0 for none.
    first: Vec<u64>,
    scene: PageIdentity,
}

/// What identifies an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    /// The hash of its class, its id, its labels and its group.
    pub(super) own: u64,
    /// The label hashes of the rows before and after its row, if it is in one; 0 for none.
    pub(super) beside: [u64; 2],
    /// Whether it has anything of its own to be identified by.
    pub(super) strength: Strength,
    /// The hash of its class, its id and the first labels of it and its row; not
    /// of what else they say, which may change.
    pub(super) kin: Kin,
    pub(super) spot: Spot,
}

/// What kind of element it is, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kin {
    /// In a list: no other element may be of its kind there, since rows move. Otherwise 0.
    row: u64,
    /// Its kind and its spot.
    spot: u64,
}

/// Whether an element has an id or a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    Named,
    Bare,
}

/// How many elements there are of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    One,
    More,
}

impl<'t> Fingerprints<'t> {
    /// Takes the fingerprints of a screen.
    pub fn new(screen: Screen<'t>) -> Self {
        let contents = TreeContents::new(&screen);
        let groups = Groups::new(&contents);
        let elements: Vec<Option<Fingerprint>> = (0..contents.visible.len())
            .map(|number| contents.visible[number].then(|| fingerprint(&contents, &groups, NodeId(number))))
            .collect();
        let scene = PageIdentity::new(&screen, &contents, &groups);
        Self {
            screen,
            by_own: count(&elements, |element| element.own),
            by_kin: count(&elements, |element| element.kin.row),
            by_spot: count(&elements, |element| element.kin.spot),
            elements,
            first: contents.first,
            scene,
        }
    }

    /// The screen.
    pub fn screen(&self) -> &Screen<'t> {
        &self.screen
    }

    /// A name of exactly this screen: the same for the same elements in the same places and states.
    pub fn name(&self) -> String {
        format!("{:016x}", self.scene.exact)
    }

    /// The number behind [`Self::name`].
    pub(crate) fn screen_hash(&self) -> u64 {
        self.scene.exact
    }

    /// What tells this window from others.
    pub fn window(&self) -> WindowName {
        self.scene.window()
    }

    pub(super) fn scene(&self) -> &PageIdentity {
        &self.scene
    }

    /// Whether an element is in a list, whose row says what it is about.
    pub(super) fn is_listed(&self, id: NodeId) -> bool {
        self.of(id).is_some_and(|element| element.kin.row != 0)
    }

    pub(super) fn of(&self, id: NodeId) -> Option<&Fingerprint> {
        self.elements.get(id.0)?.as_ref()
    }

    /// The first element with a fingerprint, and whether there are others.
    pub(super) fn first_with(&self, own: u64) -> Option<(NodeId, Count)> {
        self.by_own.get(&own).copied()
    }

    /// The only element of a kind in a spot.
    pub(super) fn only(&self, kin: Kin) -> Option<NodeId> {
        let only = |map: &BTreeMap<u64, (NodeId, Count)>, key| match map.get(&key) {
            Some((id, Count::One)) => Some(*id),
            Some((_, Count::More)) | None => None,
        };
        let found = only(&self.by_spot, kin.spot)?;
        (kin.row == 0 || only(&self.by_kin, kin.row) == Some(found)).then_some(found)
    }

    /// Whether what was before or after an element still is, near or far.
    pub(super) fn is_between(&self, id: NodeId, [before, after]: [u64; 2]) -> bool {
        let (above, below) = self.first.split_at(id.0);
        (before != 0 && above.contains(&before)) || (after != 0 && below.contains(&after))
    }

    /// Whether an element still stands where it stood: what was beside it is
    /// still on the same side, or no longer on the screen.
    pub(super) fn stays(&self, id: NodeId, (sides, depth): ([u64; 2], usize)) -> bool {
        let Some(now) = self.of(id).map(|element| element.spot) else {
            return false;
        };
        let is_same = |side: usize| sides[side] != 0 && sides[side] == now.sides[side];
        if is_same(0) || is_same(1) || sides == [0; 2] {
            return true;
        }
        let tree = self.screen.tree();
        let mut around = std::iter::successors(Some(id), |id| tree.parent(*id));
        let level = around.find(|id| tree.depth(*id) == depth).unwrap_or(id);
        let siblings: Vec<NodeId> = match tree.parent(level) {
            Some(outer) => tree.children(outer).collect(),
            None => tree.roots().collect(),
        };
        let (before, after): (Vec<NodeId>, Vec<NodeId>) = siblings.iter().partition(|id| **id < level);
        sides.into_iter().zip([before, after]).all(|(label, there)| {
            let has = |id: &NodeId| self.first[id.0] == label;
            label == 0 || there.iter().any(has) || !self.first.contains(&label)
        })
    }

    /// The innermost element with a label or an action at a point.
    pub(super) fn at(&self, point: Point) -> Option<NodeId> {
        let hit = |id: &NodeId| self.screen.visible_bounds(*id).contains(point);
        let matters = |id: &NodeId| {
            let node = self.screen.tree().node(*id);
            !node.label().is_empty() || node.flags.has(Flag::Clickable)
        };
        let nodes = self.screen.nodes().map(|(id, _)| id);
        nodes.filter(hit).filter(matters).last()
    }
}

/// The first element with each key but 0, and whether there are others.
fn count(elements: &[Option<Fingerprint>], key: fn(&Fingerprint) -> u64) -> BTreeMap<u64, (NodeId, Count)> {
    let mut counted = BTreeMap::new();
    for (number, element) in elements.iter().enumerate() {
        if let Some(key) = element.as_ref().map(key).filter(|key| *key != 0) {
            counted
                .entry(key)
                .and_modify(|(_, count)| *count = Count::More)
                .or_insert((NodeId(number), Count::One));
        }
    }
    counted
}

fn fingerprint(contents: &TreeContents<'_>, groups: &Groups, id: NodeId) -> Fingerprint {
    let tree = contents.tree;
    let node = tree.node(id);
    let resource_id = |node: &Node| {
        let id = node.resource_id.as_deref().filter(|id| !id.is_empty());
        id.map(str::to_owned)
    };
    // A scrollable element is the same whatever it shows.
    let scrolls = tree.can(id, Ability::Scroll);
    let within = if scrolls { [0; 2] } else { [contents.hashes[id.0], contents.first[id.0]] };
    let row = groups.group[id.0];
    let group = row.map_or([0; 2], |row| [contents.hashes[row.0], contents.first[row.0]]);
    let around: Vec<String> = std::iter::successors(tree.parent(id), |id| tree.parent(*id))
        .filter_map(|id| resource_id(tree.node(id)))
        .take(MAX_AROUND)
        .collect();
    let own_id = resource_id(node);
    let strength = match (&own_id, within[0] | group[0]) {
        (None, 0) => Strength::Bare,
        _ => Strength::Named,
    };
    let own = (&node.package, &node.class, own_id, label_hash(tree, id), around);
    let spot = groups.spots[id.0];
    let kin = stable_hash(&(&own, within[1], group[1]));
    let listed = row.filter(|_| matches!(groups.scrolls_with[id.0], ScrollsWith::Row | ScrollsWith::List));
    let kin = match listed {
        Some(row) => {
            let inside = (row != id).then_some(spot.gaps);
            let kind = stable_hash(&(kin, inside));
            Kin { row: kind, spot: stable_hash(&(kind, groups.spots[row.0].sides)) }
        }
        None => {
            let place = if scrolls {
                ([0; 2], spot.gaps, tree.depth(id))
            } else if tree.can(id, Ability::Edit) && spot.sides[0] != 0 {
                // What is below a field is covered by the keyboard.
                ([spot.sides[0], 0], [spot.gaps[0], 0], 0)
            } else {
                (spot.sides, spot.gaps, 0)
            };
            Kin { row: 0, spot: stable_hash(&(kin, place)) }
        }
    };
    Fingerprint {
        own: stable_hash(&(own, within[0], group[0])),
        beside: groups.beside[id.0],
        strength,
        kin,
        spot,
    }
}
