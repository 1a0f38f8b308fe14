//! What identifies a page, and how much a later screen is the same one. Two pages of
//! one app often have the same layout and different subjects.

mod moving;

use super::groups::{Groups, ScrollsWith, TreeContents};
use super::label_hash::{exact_hash, label_hash, title_hash, word_hash};
use super::set_value::{SetChange, SetValue, set_change};
use crate::ability::Ability;
use crate::limits::MAX_SCENE_LABELS;
use crate::role::Role;
use crate::screen::Screen;
use crate::sequence::moved;
use crate::stable_hash::{StableHasher, stable_hash};
use crate::tree::{Node, NodeId, Tree};
use crate::words::is_amount;
use clawperator_contract::Flag;
use moving::{Moving, follows, is_scrolled};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::hash::{Hash as _, Hasher as _};

/// What identifies a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PageIdentity {
    /// Every visible element, with its position and its state.
    pub(super) exact: u64,
    package: u64,
    /// Whether it is a dialog: one with another text is another dialog.
    pub(super) dialog: bool,
    /// Its title: a page with another title is another page.
    title: u64,
    /// Whether it has more than buttons: a text, a field or a switch.
    subject: bool,
    /// Whether it shows an amount of money.
    pub(super) money: bool,
    /// The words outside of all that comes and goes in rows, in their order.
    words: Vec<PageWord>,
    /// What the fields and pickers hold, and what is ticked, sorted.
    values: Vec<SetValue>,
    /// The labels outside of all that scrolls, sorted.
    labels: Vec<u64>,
    /// The labels inside what scrolls, in order.
    moving: Vec<Moving>,
    /// The hash of all labels beyond the limit.
    rest: u64,
}

/// What tells a page or a dialog from others: its app and its title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowName {
    package: u64,
    dialog: bool,
    title: u64,
}

impl WindowName {
    /// Whether both can be one: a title may have been scrolled away.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_titled_alike = self.title == other.title || self.title == 0 || other.title == 0;
        self.package == other.package && self.dialog == other.dialog && is_titled_alike
    }
}

/// How much a later screen is the page that was seen; each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PageLikeness {
    /// The same page with other texts: values and rows may differ, words may come or
    /// be covered, and few are replaced.
    Near,
    /// And none of the words that say what it is about is replaced.
    About,
    /// And none of all its words.
    Kept,
    /// And none of the numbers that stand with words, and no time or date.
    Exact,
    /// And no text has changed: fixed elements have all labels from before, and few
    /// others. What scrolls has the same labels in the same order as far as both
    /// screens show them. A page with only buttons, and a dialog, may not change.
    Like,
}

/// What an element says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct PageWord {
    /// The hash of its words, whatever numbers are among them; 0 for a value.
    word: u64,
    /// The hash of its words and numbers; 0 for a count.
    exact: u64,
    touched: bool,
    region: Region,
    /// Whether it is part of a page that scrolls.
    scrolls: bool,
}

/// Where a word stands on its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Region {
    /// Before the first thing to set: it says what the page is about.
    Head,
    Body,
    /// Below a title and in the lowest quarter, where messages come and go.
    Foot,
    /// A row of a list that does not scroll.
    Row,
}

/// The words of a screen while they are collected.
struct PageWords<'t> {
    tree: &'t Tree,
    all: Vec<PageWord>,
    /// Whether a title was seen.
    has_title: bool,
    /// Whether the words that say what the page is about are over: something to set came.
    is_introduced: bool,
}

impl PageWords<'_> {
    fn add(&mut self, id: NodeId, scrolls: bool) {
        let (tree, touched) = (self.tree, is_touched(self.tree, id));
        let node = tree.node(id);
        self.is_introduced |= is_set(tree, id) && self.all.iter().any(|word| word.region == Region::Head);
        let foot = tree.node(NodeId(0)).bounds.bottom / 4 * 3;
        let region = if self.has_title && node.bounds.top >= foot {
            Region::Foot
        } else if self.is_introduced {
            Region::Body
        } else {
            Region::Head
        };
        let word = PageWord {
            word: if touched { label_hash(tree, id) } else { word_hash(tree, id) },
            exact: exact_hash(tree, id),
            touched,
            region,
            scrolls,
        };
        let tab =
            chosen_tab(tree, id).map(|tab| PageWord { word: tab, exact: tab, region: Region::Head, ..word });
        let all = [word].into_iter().chain(tab);
        self.all.extend(all.filter(|word| (word.word, word.exact) != (0, 0)));
        self.all.truncate(MAX_SCENE_LABELS);
    }

    /// Adds a row of a list that does not scroll, such as of those to whom something is
    /// sent: all of it is seen, so that another one in its place is another thing to do.
    fn add_row(&mut self, row: NodeId, inside: impl Iterator<Item = NodeId>) {
        let tree = self.tree;
        if tree.parent(row).is_some_and(|list| tree.can(list, Ability::Scroll)) {
            return;
        }
        let mut around = std::iter::successors(tree.parent(row), |id| tree.parent(*id));
        let scrolls = around.any(|id| tree.can(id, Ability::Scroll));
        let said: Vec<u64> = inside.map(|id| exact_hash(tree, id)).collect();
        let exact = stable_hash(&said);
        let word = PageWord { word: 0, exact, touched: false, region: Region::Row, scrolls };
        self.all.push(word);
        self.all.truncate(MAX_SCENE_LABELS);
    }
}

/// The hash of a tab that is chosen, which says what the page is about.
fn chosen_tab(tree: &Tree, id: NodeId) -> Option<u64> {
    let word = word_hash(tree, id);
    (tree.node(id).flags.has(Flag::Selected) && word != 0).then(|| stable_hash(&word))
}

impl PageIdentity {
    pub(super) fn new(screen: &Screen<'_>, contents: &TreeContents<'_>, groups: &Groups) -> Self {
        let tree = screen.tree();
        let mut exact = StableHasher::new();
        let mut scene = Self {
            dialog: is_dialog(screen),
            money: screen.nodes().any(|(_, node)| is_amount(node.label())),
            ..Self::default()
        };
        let titles = Titles::new(tree);
        let mut words = PageWords { tree, all: Vec::new(), has_title: false, is_introduced: false };
        for (id, node) in screen.nodes() {
            (tree.depth(id), &node.class, &node.resource_id, &node.text).hash(&mut exact);
            (&node.content_desc, node.bounds, node.flags, &node.package).hash(&mut exact);
            let label = label_hash(tree, id);
            let is_picked = tree.is_in_picker(id);
            if is_picked && node.content_desc.is_empty() {
                continue;
            }
            let in_row = matches!(groups.scrolls_with[id.0], ScrollsWith::Row | ScrollsWith::List);
            scene.subject |= !in_row && (is_set(tree, id) || (label != 0 && !is_touched(tree, id)));
            match groups.scrolls_with[id.0] {
                ScrollsWith::Row => {
                    let inside = || screen.within(id).map(|(id, _)| id);
                    let parts = inside().map(|id| label_hash(tree, id)).filter(|label| *label != 0);
                    scene.add_moving(node, contents.hashes[id.0], parts.take(MAX_ROW_LABELS).collect());
                    words.add_row(id, inside());
                }
                ScrollsWith::Page => {
                    scene.add_moving(node, label, Vec::new());
                    words.add(id, true);
                }
                ScrollsWith::Nothing => {
                    scene.add_fixed(&titles, id, label);
                    words.has_title = scene.title != 0;
                    words.add(id, false);
                }
                ScrollsWith::List => {}
            }
        }
        scene.words = words.all;
        let values = SetValue::all(tree).into_iter().filter(|(id, _)| screen.sees(*id));
        scene.values = values.map(|(_, value)| value).take(MAX_VALUES).collect();
        scene.values.sort_unstable();
        scene.labels.sort_unstable();
        scene.labels.dedup();
        let package = tree.roots().next().map(|root| stable_hash(&tree.node(root).package));
        scene.exact = exact.finish();
        scene.package = package.unwrap_or(0);
        scene
    }

    fn add_moving(&mut self, node: &Node, label: u64, parts: Vec<u64>) {
        let at = (node.bounds.left, node.bounds.top);
        match label {
            0 => {}
            label if self.moving.len() < MAX_SCENE_LABELS => self.moving.push(Moving { label, at, parts }),
            label => self.rest = stable_hash(&(self.rest, label)),
        }
    }

    fn add_fixed(&mut self, titles: &Titles<'_>, id: NodeId, own_label: u64) {
        let tree = titles.tree;
        self.labels.extend(chosen_tab(tree, id));
        if own_label == 0 {
            return;
        }
        let node = tree.node(id);
        let label = stable_hash(&(&node.class, &node.resource_id, own_label));
        if self.labels.len() < MAX_SCENE_LABELS {
            self.labels.push(label);
        } else {
            self.rest = stable_hash(&(self.rest, label));
        }
        if self.title == 0 && titles.has(id) {
            self.title = title_hash(tree, id);
        }
    }

    /// Tells whether a later screen shows the same page without a change.
    fn is_like(&self, later: &Self) -> bool {
        if !self.is_same_window(later) || self.rest != later.rest {
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
    pub(super) fn likeness(&self, later: &Self) -> Option<PageLikeness> {
        if self.is_like(later) && !self.is_reworded(later, PageLikeness::Exact) {
            return Some(PageLikeness::Like);
        }
        let (common, replaced) = self.kept_and_replaced(later, |_| true);
        if !self.goes_on(later) || (self.dialog && (replaced > 0 || common == 0)) {
            return None;
        }
        let levels = [PageLikeness::Exact, PageLikeness::Kept, PageLikeness::About];
        let mut kept = levels.into_iter().filter(|level| !self.is_reworded(later, *level));
        Some(kept.next().unwrap_or(PageLikeness::Near))
    }

    /// How much is set otherwise than before, and not by the caller.
    pub(super) fn set_change(&self, later: &Self, own: &[SetValue]) -> SetChange {
        set_change(&self.values, &later.values, own, is_scrolled(&self.moving, &later.moving))
    }

    /// What is set.
    pub(super) fn values(&self) -> &[SetValue] {
        &self.values
    }

    /// Whether a later screen is the same page or dialog, whatever few words of it are replaced.
    pub(super) fn goes_on(&self, later: &Self) -> bool {
        let (common, replaced) = self.kept_and_replaced(later, |_| true);
        let (read, reworded) = self.kept_and_replaced(later, |word| !word.touched);
        let count = |scene: &Self| scene.words.iter().filter(|word| word.word != 0).count();
        let few = count(self).max(count(later)) <= 1;
        let is_near = (common > 0 || few) && replaced <= common.max(1) && reworded <= (read / 2).max(1);
        self.is_same_window(later) && is_near
    }

    /// What tells its window from others.
    pub(super) fn window(&self) -> WindowName {
        WindowName { package: self.package, dialog: self.dialog, title: self.title }
    }

    /// Whether both are a page or both a dialog, of the same app and with the same title.
    fn is_same_window(&self, later: &Self) -> bool {
        let own = |scene: &Self| (scene.package, scene.dialog, scene.title);
        own(self) == own(later)
    }

    /// Whether words that count at a level are gone and others there instead. Words that
    /// are scrolled away are not gone.
    fn is_reworded(&self, later: &Self, level: PageLikeness) -> bool {
        let scrolled = is_scrolled(&self.moving, &later.moving);
        let says = |word: &PageWord| {
            let counts = match level {
                PageLikeness::Near | PageLikeness::About => word.region == Region::Head,
                PageLikeness::Kept => word.region <= Region::Body,
                PageLikeness::Exact | PageLikeness::Like => true,
            };
            let hash = if level == PageLikeness::Exact { word.exact } else { word.word };
            (hash != 0 && counts && !(scrolled && word.scrolls)).then_some(hash)
        };
        let of = |scene: &Self| -> Vec<u64> { scene.words.iter().filter_map(says).collect() };
        let [lost, gained] = moved(&of(self), &of(later));
        !gained.is_empty() && (!lost.is_empty() || level == PageLikeness::Exact && self.has_more_rows(later))
    }

    /// Whether a list that does not scroll has a row more, such as another one to send to.
    fn has_more_rows(&self, later: &Self) -> bool {
        let rows = |scene: &Self| scene.words.iter().filter(|word| word.region == Region::Row).count();
        rows(later) > rows(self)
    }

    /// Whether a later screen says something that this one does not, of which a touch that
    /// cannot be taken back may be.
    pub(super) fn has_more(&self, later: &Self) -> bool {
        let scrolled = is_scrolled(&self.moving, &later.moving);
        let of = |scene: &Self| -> Vec<u64> {
            let words = scene.words.iter().filter(|word| !(scrolled && word.scrolls));
            words.map(|word| word.exact).filter(|exact| *exact != 0).collect()
        };
        let [_, gained] = moved(&of(self), &of(later));
        !gained.is_empty()
    }

    /// Whether nothing but buttons tells what a touch of one is about, as in a
    /// dialog or beside a picture.
    pub(super) fn is_bare(&self) -> bool {
        self.dialog || (!self.subject && self.moving.is_empty())
    }

    /// How many words are on both screens, and how many others may stand in the
    /// place of those before.
    fn kept_and_replaced(&self, later: &Self, counts: fn(&PageWord) -> bool) -> (usize, usize) {
        let of = |scene: &Self| -> BTreeSet<u64> {
            let words = scene.words.iter().filter(|word| word.word != 0 && counts(word));
            words.map(|word| word.word).collect()
        };
        let (old, new) = (of(self), of(later));
        let common = old.intersection(&new).count();
        (common, old.len().min(new.len()) - common)
    }
}

/// How many of the things that are set are compared.
const MAX_VALUES: usize = 512;
/// How many labels of a row are compared.
const MAX_ROW_LABELS: usize = 16;

/// One in so many labels may be new on a page: an error, or what was saved.
const FEW: usize = 5;

/// The ids that the system gives to the parts of a dialog.
const DIALOG_IDS: [&str; 3] = ["android:id/parentPanel", "android:id/alertTitle", "android:id/message"];

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
        let ups = tree.nodes().filter(|(_, node)| Self::is_up(node)).map(|(id, _)| id);
        Self { tree, ups: ups.collect() }
    }

    /// Whether an element is the button to go back.
    pub(super) fn is_up(node: &Node) -> bool {
        let label = node.content_desc.trim();
        UP.iter().any(|up| label.eq_ignore_ascii_case(up))
    }

    /// A title has a title's id, is a text in a toolbar, or is beside the button to go back.
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
        let has_up =
            |outer: NodeId| self.ups.iter().any(|up| tree.parent(*up) == Some(outer) && is_level(up));
        let mut around = std::iter::successors(tree.parent(id), |id| tree.parent(*id)).take(CLOSE);
        !is_touched(tree, id) && around.any(|outer| tree.role(outer) == Role::Toolbar || has_up(outer))
    }
}

/// How many elements around one belong to it closely.
const CLOSE: usize = 3;

/// Whether an element is something to set: a field or a switch.
pub(super) fn is_set(tree: &Tree, id: NodeId) -> bool {
    tree.can(id, Ability::Edit) || tree.node(id).flags.has(Flag::Checkable)
}

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
