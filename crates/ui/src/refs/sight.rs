//! What tells the elements of a screen apart, and one screen from another:
//! made of what they say and where they belong, never of where they stand.

use crate::around::Ability;
use crate::limits::{MAX_AROUND, MAX_SCENE_LABELS};
use crate::role::Role;
use crate::seen::Screen;
use crate::tree::{Flag, Node, NodeId, Tree};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

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

/// What a screen is known by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Scene {
    /// Everything that is seen, places and states included.
    pub(super) exact: u64,
    package: u64,
    /// A small window says one thing; if it says another, it is another.
    dialog: bool,
    /// What it says it is: a page with another title is another page.
    title: u64,
    /// What is said outside of all that scrolls, sorted.
    labels: Vec<u64>,
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
        let scene = Scene::new(&screen, &belonging);
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
            inside[place] = hash(&(own, inside[place]));
        }
        let scrolls = tree.can(id, Ability::Scroll);
        if let Some(outer) = tree.parent(id).filter(|_| !scrolls && inside[place] != 0) {
            inside[outer.0] = hash(&(inside[place], inside[outer.0]));
        }
    }
    inside
}

/// What an element says itself; 0 for nothing.
fn said(tree: &Tree, id: NodeId) -> u64 {
    let node = tree.node(id);
    let text = if tree.can(id, Ability::Edit) {
        ""
    } else {
        &node.text
    };
    let hint = node.hint.as_deref().unwrap_or_default();
    if [text, &node.content_desc, hint]
        .into_iter()
        .all(clawperator_contract::text::is_blank)
    {
        return 0;
    }
    hash(&(text, &node.content_desc, hint))
}

/// What each element belongs to.
struct Belonging {
    /// The row, card or list item that an element is or is in.
    group: Vec<Option<NodeId>>,
    /// What stands before and behind an element's row in what scrolls.
    beside: Vec<[u64; 2]>,
    /// Whether an element is inside something that scrolls.
    scrolled: Vec<bool>,
}

impl Belonging {
    fn new(tree: &Tree, seen: &[bool], inside: &[u64]) -> Self {
        let mut belonging = Self {
            group: vec![None; seen.len()],
            beside: vec![[0; 2]; seen.len()],
            scrolled: vec![false; seen.len()],
        };
        // Elements come before what is inside them, so that each can take from
        // what is around it.
        for place in (0..seen.len()).filter(|place| seen[*place]) {
            let id = NodeId(place);
            if let Some(outer) = tree.parent(id) {
                belonging.scrolled[place] = belonging.scrolled[outer.0] || tree.can(outer, Ability::Scroll);
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
        let is_list = matches!(tree.role(scrolling), Role::List | Role::Grid);
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
            self.beside[row.0] = [before, behind].map(|said| said.copied().unwrap_or(0));
        }
    }
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
        own: hash(&(
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

impl Scene {
    fn new(screen: &Screen<'_>, belonging: &Belonging) -> Self {
        let tree = screen.tree();
        let mut exact = DefaultHasher::new();
        let mut labels = Vec::new();
        let mut title = 0;
        for (id, node) in screen.nodes() {
            (tree.depth(id), &node.class, &node.resource_id, &node.text).hash(&mut exact);
            (&node.content_desc, node.bounds, node.flags, &node.package).hash(&mut exact);
            let said = said(tree, id);
            if said != 0 && !belonging.scrolled[id.0] && labels.len() < MAX_SCENE_LABELS {
                labels.push(hash(&(&node.class, &node.resource_id, said)));
                if is_title(tree, id) {
                    title = hash(&(title, said));
                }
            }
        }
        labels.sort_unstable();
        labels.dedup();
        let package = tree.roots().next().map(|root| hash(&tree.node(root).package));
        Self {
            exact: exact.finish(),
            package: package.unwrap_or(0),
            dialog: is_dialog(screen),
            title,
            labels,
        }
    }

    /// Tells whether another time showed the same page. What scrolls does not
    /// count, and a page may change a little; a dialog may not.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let own = |scene: &Self| (scene.package, scene.dialog, scene.title);
        if own(self) != own(other) {
            return false;
        }
        if self.dialog {
            return self.labels == other.labels;
        }
        let common = self
            .labels
            .iter()
            .filter(|label| other.labels.binary_search(label).is_ok())
            .count();
        let most = self.labels.len().max(other.labels.len());
        most == 0 || common * 2 > most
    }
}

/// The ids that the system gives to the parts of a dialog.
const DIALOG_IDS: [&str; 3] = [
    "android:id/parentPanel",
    "android:id/alertTitle",
    "android:id/message",
];

/// How the ids of titles end.
const TITLE_IDS: [&str; 3] = ["/action_bar_title", "/toolbar_title", "/collapsing_toolbar"];

fn is_title(tree: &Tree, id: NodeId) -> bool {
    let name = tree.node(id).resource_id.as_deref().unwrap_or_default();
    tree.role(id) == Role::Title || TITLE_IDS.iter().any(|end| name.ends_with(end))
}

/// A dialog is a window that does not begin at the screen's corner, or one made
/// of the system's parts.
fn is_dialog(screen: &Screen<'_>) -> bool {
    let area = screen.area();
    let named = |node: &Node| {
        let id = node.resource_id.as_deref().unwrap_or_default();
        DIALOG_IDS.contains(&id) || id.ends_with(":id/alertTitle") || id.ends_with(":id/parentPanel")
    };
    (area.left, area.top) != (0, 0) || screen.nodes().any(|(_, node)| named(node))
}

/// Without a key of its own this hasher gives the same every time.
fn hash(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish().max(1)
}
