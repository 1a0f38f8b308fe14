//! What identifies a page, and how much a later screen is the same one. Two pages of
//! one app often have the same layout and different subjects.

use super::groups::{Contents, Groups, ScrollsWith};
use super::label_hash::{label_hash, word_hash};
use crate::ability::Ability;
use crate::limits::MAX_SCENE_LABELS;
use crate::role::Role;
use crate::screen::Screen;
use crate::stable_hash::{StableHasher, stable_hash};
use crate::tree::{Node, NodeId, Tree};
use crate::words::is_amount;
use clawperator_contract::Flag;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::hash::{Hash as _, Hasher as _};

/// What identifies a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Scene {
    /// Every visible element, with its position and its state.
    pub(super) exact: u64,
    package: u64,
    /// Whether it is a dialog: one with another text is another dialog.
    dialog: bool,
    /// Its title: a page with another title is another page.
    title: u64,
    /// The first words to read below the title.
    #[serde(default)]
    heading: u64,
    /// Whether it has more than buttons: a text, a field or a switch.
    subject: bool,
    /// Whether it shows an amount of money.
    pub(super) money: bool,
    /// The words outside of all that comes and goes in rows, and whether they
    /// are touched; sorted.
    words: Vec<(u64, bool)>,
    /// The labels outside of all that scrolls, sorted.
    labels: Vec<u64>,
    /// The labels inside what scrolls, in order.
    moving: Vec<Moving>,
    /// The hash of all labels beyond the limit.
    rest: u64,
}

/// How much a later screen is the page that was seen; each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// The same page with other texts: values and rows may differ, words may come or
    /// be covered, and few are replaced.
    Near,
    /// And it has the same heading, or one of them is only covered or scrolled away.
    About,
    /// And none of the words to read is replaced.
    Kept,
    /// And no text has changed: fixed elements have all labels from before, and few
    /// others. What scrolls has the same labels in the same order as far as both
    /// screens show them. A page with only buttons, and a dialog, may not change.
    Like,
}

/// A row of a list, or a text on a page that scrolls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Moving {
    label: u64,
    at: (i32, i32),
    /// A row can be cut off at the edge of its list and then has fewer labels.
    row: bool,
}

impl Scene {
    pub(super) fn new(screen: &Screen<'_>, contents: &Contents<'_>, groups: &Groups) -> Self {
        let tree = screen.tree();
        let mut exact = StableHasher::new();
        let mut scene = Self {
            dialog: is_dialog(screen),
            money: screen.nodes().any(|(_, node)| is_amount(node.label())),
            ..Self::default()
        };
        let titles = Titles::new(tree);
        for (id, node) in screen.nodes() {
            (tree.depth(id), &node.class, &node.resource_id, &node.text).hash(&mut exact);
            (&node.content_desc, node.bounds, node.flags, &node.package).hash(&mut exact);
            let label = label_hash(tree, id);
            match groups.scrolls_with[id.0] {
                ScrollsWith::Row => scene.add_moving(node, contents.hashes[id.0], true),
                ScrollsWith::Page => {
                    scene.add_moving(node, label, false);
                    scene.add_words(&titles, id, label);
                }
                ScrollsWith::Nothing => {
                    scene.add_fixed(&titles, id, label);
                    scene.add_words(&titles, id, label);
                }
                ScrollsWith::List => {}
            }
        }
        scene.words.sort_unstable();
        scene.words.dedup();
        scene.labels.sort_unstable();
        scene.labels.dedup();
        let package = tree
            .roots()
            .next()
            .map(|root| stable_hash(&tree.node(root).package));
        scene.exact = exact.finish();
        scene.package = package.unwrap_or(0);
        scene
    }

    fn add_moving(&mut self, node: &Node, label: u64, row: bool) {
        let at = (node.bounds.left, node.bounds.top);
        match label {
            0 => {}
            label if self.moving.len() < MAX_SCENE_LABELS => self.moving.push(Moving { label, at, row }),
            label => self.rest = stable_hash(&(self.rest, label)),
        }
    }

    fn add_fixed(&mut self, titles: &Titles<'_>, id: NodeId, own_label: u64) {
        if own_label == 0 {
            return;
        }
        let tree = titles.tree;
        let node = tree.node(id);
        let label = stable_hash(&(&node.class, &node.resource_id, own_label));
        if self.labels.len() < MAX_SCENE_LABELS {
            self.labels.push(label);
        } else {
            self.rest = stable_hash(&(self.rest, label));
        }
        if titles.has(id) {
            self.title = stable_hash(&(self.title, own_label));
        }
    }

    fn add_words(&mut self, titles: &Titles<'_>, id: NodeId, own_label: u64) {
        let tree = titles.tree;
        let node = tree.node(id);
        let touched = is_touched(tree, id);
        let kept = tree.can(id, Ability::Edit) || node.flags.has(Flag::Checkable);
        self.subject |= kept || (own_label != 0 && !touched);
        let word = if touched { own_label } else { word_hash(tree, id) };
        if word != 0 && self.words.len() < MAX_SCENE_LABELS {
            self.words.push((word, touched));
        }
        // Below a title, what comes up at the foot of the page is not what it is about.
        let is_high = self.title == 0 || node.bounds.top < tree.node(NodeId(0)).bounds.bottom / 2;
        let is_text = tree.end(id) == id.0 + 1 && !node.text.is_empty() && !kept && !touched;
        if self.heading == 0 && is_text && is_high && !titles.has(id) {
            self.heading = word;
        }
    }

    /// Tells whether a later screen shows the same page without a change.
    fn is_like(&self, later: &Self) -> bool {
        let own = |scene: &Self| (scene.package, scene.dialog, scene.title, scene.rest);
        if own(self) != own(later) {
            return false;
        }
        let moving = |scene: &Self| -> Vec<u64> { scene.moving.iter().map(|moving| moving.label).collect() };
        if self.dialog {
            return self.labels == later.labels && moving(self) == moving(later);
        }
        let known = |label: &u64| later.labels.binary_search(label).is_ok();
        let more = later.labels.len().saturating_sub(self.labels.len());
        self.labels.iter().all(known)
            && more * FEW <= later.labels.len()
            && match (self.moving.is_empty(), later.moving.is_empty()) {
                (true, true) => self.subject,
                (false, false) => follows(&self.moving, &later.moving),
                (true, false) | (false, true) => false,
            }
    }

    /// How much a later screen is the same page; none if it is another.
    pub(super) fn likeness(&self, later: &Self) -> Option<Likeness> {
        let own = |scene: &Self| (scene.package, scene.dialog, scene.title);
        if self.is_like(later) {
            return Some(Likeness::Like);
        }
        let (common, replaced) = self.kept_and_replaced(later, |_| true);
        let (read, reworded) = self.kept_and_replaced(later, |touched| !touched);
        let few = self.words.len().max(later.words.len()) <= 1;
        let near = match self.dialog {
            true => replaced == 0 && common > 0,
            false => (common > 0 || few) && replaced <= common.max(1) && reworded <= (read / 2).max(1),
        };
        let has = |scene: &Self, heading: u64| heading == 0 || scene.words.contains(&(heading, false));
        if own(self) != own(later) || !near {
            None
        } else if reworded == 0 {
            Some(Likeness::Kept)
        } else if has(later, self.heading) || has(self, later.heading) {
            Some(Likeness::About)
        } else {
            Some(Likeness::Near)
        }
    }

    /// Whether nothing but buttons tells what a touch of one is about, as in a
    /// dialog or beside a picture.
    pub(super) fn is_bare(&self) -> bool {
        self.dialog || (!self.subject && self.moving.is_empty())
    }

    /// How many words are on both screens, and how many others may stand in the
    /// place of those before.
    fn kept_and_replaced(&self, later: &Self, counts: fn(bool) -> bool) -> (usize, usize) {
        let of = |scene: &Self| -> BTreeSet<u64> {
            let words = scene.words.iter().filter(|(_, touched)| counts(*touched));
            words.map(|(word, _)| *word).collect()
        };
        let (old, new) = (of(self), of(later));
        let common = old.intersection(&new).count();
        (common, old.len().min(new.len()) - common)
    }
}

/// One in so many labels may be new on a page: an error, or what was saved.
const FEW: usize = 5;

/// Whether what is seen of a page that scrolls can be what was seen of it
/// before: some of it is there still and in the same order, and nothing stands
/// in the place of something else.
fn follows(before: &[Moving], later: &[Moving]) -> bool {
    let of = |all: &[Moving]| -> BTreeSet<u64> { all.iter().map(|moving| moving.label).collect() };
    let (old, new) = (of(before), of(later));
    let kept: Vec<usize> = (0..before.len())
        .filter(|at| new.contains(&before[*at].label))
        .collect();
    let found: Vec<usize> = (0..later.len())
        .filter(|at| old.contains(&later[*at].label))
        .collect();
    let same = |(one, two): (&usize, &usize)| before[*one].label == later[*two].label;
    if kept.is_empty() || kept.len() != found.len() || !kept.iter().zip(&found).all(same) {
        return false;
    }
    let moved = kept
        .iter()
        .zip(&found)
        .all(|(one, two)| before[*one].at != later[*two].at);
    let ends = |marks: &[usize], len: usize| -> Vec<(usize, usize)> {
        let starts = std::iter::once(0).chain(marks.iter().map(|mark| mark + 1));
        starts.zip(marks.iter().copied().chain([len])).collect()
    };
    let gaps = ends(&kept, before.len())
        .into_iter()
        .zip(ends(&found, later.len()));
    let last = kept.len();
    gaps.enumerate().all(|(number, ((from, to), (start, end)))| {
        let (gone, come) = (&before[from..to], &later[start..end]);
        let edge = number == 0 || number == last;
        let rows = gone.iter().chain(come).all(|moving| moving.row);
        match (gone.len(), come.len()) {
            (0, _) => true,
            // A row is deleted; a text of a page is only scrolled away.
            (_, 0) => rows || (edge && moved),
            // The row at the edge is cut off, before or now.
            (1, _) | (_, 1) => rows && edge && moved,
            _ => false,
        }
    })
}

/// The ids that the system gives to the parts of a dialog.
const DIALOG_IDS: [&str; 3] = [
    "android:id/parentPanel",
    "android:id/alertTitle",
    "android:id/message",
];

const TITLE_IDS: [&str; 3] = ["/action_bar_title", "/toolbar_title", "/collapsing_toolbar"];
/// The labels of the button to go back, which titles are beside.
const UP: [&str; 2] = ["navigate up", "back"];

/// Tells titles from other texts.
pub(crate) struct Titles<'t> {
    tree: &'t Tree,
    /// The buttons to go back; there are few.
    ups: Vec<NodeId>,
}

impl<'t> Titles<'t> {
    pub(crate) fn new(tree: &'t Tree) -> Self {
        let is_up = |node: &Node| {
            let label = node.content_desc.trim();
            UP.iter().any(|up| label.eq_ignore_ascii_case(up))
        };
        let ups = tree.nodes().filter(|(_, node)| is_up(node)).map(|(id, _)| id);
        Self {
            tree,
            ups: ups.collect(),
        }
    }

    /// A title has a title's id, is a text in a toolbar, or is beside the button
    /// to go back.
    pub(crate) fn has(&self, id: NodeId) -> bool {
        let tree = self.tree;
        let name = tree.node(id).resource_id.as_deref().unwrap_or_default();
        if tree.role(id) == Role::Title || TITLE_IDS.iter().any(|end| name.ends_with(end)) {
            return true;
        }
        let bounds = tree.node(id).bounds;
        let is_level = |up: &NodeId| {
            let up = tree.node(*up).bounds;
            up.top < bounds.bottom && bounds.top < up.bottom
        };
        let has_up = |outer: NodeId| {
            self.ups
                .iter()
                .any(|up| tree.parent(*up) == Some(outer) && is_level(up))
        };
        let mut around = std::iter::successors(tree.parent(id), |id| tree.parent(*id)).take(CLOSE);
        !is_touched(tree, id) && around.any(|outer| tree.role(outer) == Role::Toolbar || has_up(outer))
    }
}

/// How many elements around one belong to it closely.
const CLOSE: usize = 3;

/// Whether an element is something to touch, or part of it.
pub(super) fn is_touched(tree: &Tree, id: NodeId) -> bool {
    std::iter::successors(Some(id), |id| tree.parent(*id))
        .take(CLOSE)
        .any(|id| tree.node(id).flags.has(Flag::Clickable))
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

#[cfg(test)]
mod tests {
    mod likeness;

    use super::*;
    use crate::refs::Fingerprints;
    use crate::sketch::sketch;
}
