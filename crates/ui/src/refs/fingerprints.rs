//! Fingerprints of the elements of a screen. They are made of labels and of
//! the groups that elements belong to, never of positions.

use super::groups::{Contents, Groups};
use super::label_hash::label_hash;
use super::page::Scene;
use crate::ability::Ability;
use crate::limits::MAX_AROUND;
use crate::screen::Screen;
use crate::stable_hash::stable_hash;
use crate::tree::{Node, NodeId};
use clawperator_contract::Flag;
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
    scene: Scene,
}

/// What identifies an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    /// The hash of its class, its id, its labels and its group.
    pub(super) own: u64,
    /// The label hashes of the rows before and after its row, if it is in one;
    /// 0 for none.
    pub(super) beside: [u64; 2],
    /// Whether it has anything of its own to be identified by.
    pub(super) strength: Strength,
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
        let contents = Contents::new(&screen);
        let groups = Groups::new(&contents);
        let elements: Vec<Option<Fingerprint>> = (0..contents.visible.len())
            .map(|number| contents.visible[number].then(|| fingerprint(&contents, &groups, NodeId(number))))
            .collect();
        let mut by_own = BTreeMap::new();
        for (number, fingerprint) in elements.iter().enumerate() {
            let Some(fingerprint) = fingerprint else { continue };
            by_own
                .entry(fingerprint.own)
                .and_modify(|(_, count)| *count = Count::More)
                .or_insert((NodeId(number), Count::One));
        }
        let scene = Scene::new(&screen, &contents, &groups);
        Self {
            screen,
            elements,
            by_own,
            scene,
        }
    }

    /// The screen.
    pub fn screen(&self) -> &Screen<'t> {
        &self.screen
    }

    /// A name of exactly this screen: the same for the same elements in the
    /// same places and states.
    pub fn name(&self) -> String {
        format!("{:016x}", self.scene.exact)
    }

    /// The number behind [`Self::name`].
    pub(crate) fn screen_hash(&self) -> u64 {
        self.scene.exact
    }

    pub(super) fn scene(&self) -> &Scene {
        &self.scene
    }

    pub(super) fn of(&self, id: NodeId) -> Option<&Fingerprint> {
        self.elements.get(id.0)?.as_ref()
    }

    /// The first element with a fingerprint, and whether there are others.
    pub(super) fn first_with(&self, own: u64) -> Option<(NodeId, Count)> {
        self.by_own.get(&own).copied()
    }

    /// The innermost element with a label or an action at a point.
    pub(super) fn at(&self, (x, y): (i32, i32)) -> Option<NodeId> {
        let hit = |id: &NodeId| {
            let bounds = self.screen.visible_bounds(*id);
            (bounds.left..bounds.right).contains(&x) && (bounds.top..bounds.bottom).contains(&y)
        };
        let matters = |id: &NodeId| {
            let node = self.screen.tree().node(*id);
            !node.label().is_empty() || node.flags.has(Flag::Clickable)
        };
        let nodes = self.screen.nodes().map(|(id, _)| id);
        nodes.filter(hit).filter(matters).last()
    }
}

fn fingerprint(contents: &Contents<'_>, groups: &Groups, id: NodeId) -> Fingerprint {
    let tree = contents.tree;
    let node = tree.node(id);
    let resource_id = |node: &Node| {
        let id = node.resource_id.as_deref().filter(|id| !id.is_empty());
        id.map(str::to_owned)
    };
    // A scrollable element is the same whatever it shows.
    let within = if tree.can(id, Ability::Scroll) {
        0
    } else {
        contents.hashes[id.0]
    };
    let group = groups.group[id.0].map_or(0, |group| contents.hashes[group.0]);
    let around: Vec<String> = std::iter::successors(tree.parent(id), |id| tree.parent(*id))
        .filter_map(|id| resource_id(tree.node(id)))
        .take(MAX_AROUND)
        .collect();
    let own_id = resource_id(node);
    let strength = match (&own_id, within | group) {
        (None, 0) => Strength::Bare,
        _ => Strength::Named,
    };
    Fingerprint {
        own: stable_hash(&(
            &node.package,
            &node.class,
            own_id,
            label_hash(tree, id),
            within,
            group,
            around,
        )),
        beside: groups.beside[id.0],
        strength,
    }
}
