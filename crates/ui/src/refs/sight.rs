//! What tells the elements of a screen apart, and one screen from another:
//! made of what they say and where they belong, never of where they stand.

use super::page::Scene;
use super::said::said;
use crate::around::Ability;
use crate::limits::MAX_AROUND;
use crate::role::Role;
use crate::seen::Screen;
use crate::stable_hash::stable_hash;
use crate::tree::{Node, NodeId, Tree};
use clawperator_contract::Flag;
use std::collections::BTreeMap;

/// A screen, made ready to tell whether an element of another time is on it.
#[derive(Debug)]
pub struct Sight<'t> {
    screen: Screen<'t>,
    /// What each element is known by; nothing for those that are not seen.
    prints: Vec<Option<Print>>,
    /// The elements of each print, as far as two.
    by_own: BTreeMap<u64, (NodeId, Count)>,
    scene: Scene,
}

/// What an element is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Print {
    /// What it is, what it says, and what it belongs to.
    pub(super) own: u64,
    /// What stands before and behind its row, if it is in one; 0 for nothing.
    pub(super) beside: [u64; 2],
    /// Whether it has anything of its own to be known by.
    pub(super) strength: Strength,
}

/// Whether an element has an id or says something.
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

impl<'t> Sight<'t> {
    /// Looks at a screen.
    #[must_use]
    pub fn new(screen: Screen<'t>) -> Self {
        let mut seen = vec![false; screen.tree().len()];
        for (id, _) in screen.nodes() {
            seen[id.0] = true;
        }
        let inside = inside(screen.tree(), &seen);
        let belonging = Belonging::new(screen.tree(), &seen, &inside);
        let prints: Vec<Option<Print>> = (0..seen.len())
            .map(|place| seen[place].then(|| print(screen.tree(), NodeId(place), &inside, &belonging)))
            .collect();
        let mut by_own = BTreeMap::new();
        for (place, print) in prints.iter().enumerate() {
            let Some(print) = print else { continue };
            let entry = by_own.entry(print.own).or_insert((NodeId(place), Count::More));
            entry.1 = if entry.0.0 == place {
                Count::One
            } else {
                Count::More
            };
        }
        let scene = Scene::new(&screen, &inside, &belonging);
        Self {
            screen,
            prints,
            by_own,
            scene,
        }
    }

    /// The screen that was looked at.
    #[must_use]
    pub fn screen(&self) -> &Screen<'t> {
        &self.screen
    }

    /// A name of exactly this screen: the same for the same elements in the
    /// same places and states.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{:016x}", self.scene.exact)
    }

    pub(super) fn scene(&self) -> &Scene {
        &self.scene
    }

    pub(super) fn print(&self, id: NodeId) -> Option<&Print> {
        self.prints.get(id.0)?.as_ref()
    }

    /// The first element of a print, and whether there are others.
    pub(super) fn of_print(&self, own: u64) -> Option<(NodeId, Count)> {
        self.by_own.get(&own).copied()
    }

    /// The innermost element that says or does something at a point.
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

/// What is said inside each element, itself included; 0 where nothing is. What
/// scrolls says nothing to what is around it, and what was typed says nothing
/// at all: both change while the element stays what it is.
fn inside(tree: &Tree, seen: &[bool]) -> Vec<u64> {
    let mut inside = vec![0_u64; seen.len()];
    for place in (0..seen.len()).rev().filter(|place| seen[*place]) {
        let id = NodeId(place);
        let own = said(tree, id);
        if own != 0 {
            inside[place] = stable_hash(&(own, inside[place]));
        }
        let scrolls = tree.can(id, Ability::Scroll);
        if let Some(outer) = tree.parent(id).filter(|_| !scrolls && inside[place] != 0) {
            inside[outer.0] = stable_hash(&(inside[place], inside[outer.0]));
        }
    }
    inside
}

/// What each element belongs to.
pub(super) struct Belonging {
    /// The row, card or list item that an element is or is in.
    group: Vec<Option<NodeId>>,
    /// What stands before and behind an element's row in what scrolls.
    beside: Vec<[u64; 2]>,
    /// What an element moves with.
    pub(super) with: Vec<With>,
}

/// What an element moves with when something is scrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum With {
    /// Nothing: it stays.
    Nothing,
    /// A page that is higher than the screen.
    Page,
    /// A list, whose rows come and go; this is one of them.
    Row,
    /// A row that it is inside of, or a list that is not its rows.
    List,
}

impl Belonging {
    fn new(tree: &Tree, seen: &[bool], inside: &[u64]) -> Self {
        let mut belonging = Self {
            group: vec![None; seen.len()],
            beside: vec![[0; 2]; seen.len()],
            with: vec![With::Nothing; seen.len()],
        };
        // Elements come before what is inside them, so that each can take from
        // what is around it.
        for place in (0..seen.len()).filter(|place| seen[*place]) {
            let id = NodeId(place);
            if let Some(outer) = tree.parent(id) {
                if belonging.with[place] == With::Nothing {
                    belonging.with[place] = match belonging.with[outer.0] {
                        With::Row => With::List,
                        With::Nothing if tree.can(outer, Ability::Scroll) => With::Page,
                        with => with,
                    };
                }
                if belonging.group[place].is_none() {
                    belonging.group[place] = belonging.group[outer.0];
                    belonging.beside[place] = belonging.beside[outer.0];
                }
            }
            if matches!(tree.role(id), Role::Listitem | Role::Card | Role::Row) {
                belonging.group[place] = Some(id);
            }
            if tree.can(id, Ability::Scroll) {
                belonging.rows_of(tree, id, (seen, inside));
            }
        }
        belonging
    }

    /// Notes the rows of something that scrolls: what stands in the first
    /// element with more than one inside.
    fn rows_of(&mut self, tree: &Tree, scrolling: NodeId, (seen, inside): (&[bool], &[u64])) {
        let rows_in = |id: NodeId| -> Vec<NodeId> { tree.children(id).filter(|id| seen[id.0]).collect() };
        let mut rows = rows_in(scrolling);
        // What is directly inside a list is a row, even if it is the only one.
        let is_list = matches!(tree.role(scrolling), Role::List | Role::Grid) || are_alike(tree, &rows);
        while !is_list && let [only] = rows[..] {
            let below = rows_in(only);
            if below.is_empty() {
                break;
            }
            rows = below;
        }
        let saying: Vec<u64> = rows.iter().map(|row| inside[row.0]).collect();
        let other = |said: &&u64| **said != 0;
        for (number, row) in rows.iter().enumerate() {
            let before = saying[..number].iter().rev().find(other);
            let behind = saying[number + 1..].iter().find(other);
            self.group[row.0] = Some(*row);
            if is_list {
                self.with[row.0] = With::Row;
            }
            self.beside[row.0] = [before, behind].map(|said| said.copied().unwrap_or(0));
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

fn print(tree: &Tree, id: NodeId, inside: &[u64], belonging: &Belonging) -> Print {
    let node = tree.node(id);
    let named = |node: &Node| {
        let id = node.resource_id.as_deref().filter(|id| !id.is_empty());
        id.map(str::to_owned)
    };
    // What scrolls is the same whatever it shows.
    let within = if tree.can(id, Ability::Scroll) {
        0
    } else {
        inside[id.0]
    };
    let group = belonging.group[id.0].map_or(0, |group| inside[group.0]);
    let around: Vec<String> = std::iter::successors(tree.parent(id), |id| tree.parent(*id))
        .filter_map(|id| named(tree.node(id)))
        .take(MAX_AROUND)
        .collect();
    let own_name = named(node);
    let strength = match (&own_name, within | group) {
        (None, 0) => Strength::Bare,
        _ => Strength::Named,
    };
    Print {
        own: stable_hash(&(
            &node.package,
            &node.class,
            own_name,
            said(tree, id),
            within,
            group,
            around,
        )),
        beside: belonging.beside[id.0],
        strength,
    }
}
