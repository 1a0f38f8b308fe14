//! What is set on a page: what fields and pickers hold, and what is ticked.

use super::label_hash::label_hash;
use crate::ability::Ability;
use crate::role::Role;
use crate::stable_hash::stable_hash;
use crate::tree::{NodeId, Tree};
use clawperator_contract::Flag;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What one thing is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SetValue {
    /// Which one it is.
    pub(super) place: u64,
    /// What it holds; for what can be ticked, [`TICKED`] or [`UNTICKED`].
    pub(super) value: u64,
    /// Whether it is part of a wheel or a calendar, which turn with every touch.
    pub(super) turns: bool,
    pub(super) scrolls: bool,
}

const UNTICKED: u64 = 0;
const TICKED: u64 = 1;
/// How many elements around one say which one it is.
const CLOSE: usize = 3;

/// How much of what is set is set otherwise; each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SetChange {
    None,
    /// Wheels and calendars only.
    Turned,
    /// A field, a choice or a tick.
    Set,
}

impl SetValue {
    /// All that is set on a screen, in the order of the tree.
    pub(crate) fn all(tree: &Tree) -> Vec<(NodeId, Self)> {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        let numbered = tree.nodes().filter_map(|(id, _)| Some((id, Self::of(tree, id)?)));
        let numbered = numbered.map(|(id, value)| {
            // Things that nothing else tells apart are known by their order.
            let count = counts.entry(value.place).and_modify(|count| *count += 1).or_default();
            (id, Self { place: stable_hash(&(value.place, *count)), ..value })
        });
        numbered.collect()
    }

    fn of(tree: &Tree, id: NodeId) -> Option<Self> {
        let node = tree.node(id);
        let picker = tree.picker(id);
        let is_ticked = node.flags.has(Flag::Checkable);
        let holds = picker.is_some() || tree.can(id, Ability::Edit) || tree.role(id) == Role::Slider;
        let is_shown = holds && !node.text.is_empty() && !node.flags.has(Flag::Password) && tree.is_value(id);
        let value = match (is_ticked, node.flags.has(Flag::Checked)) {
            (true, true) => TICKED,
            (true, false) => UNTICKED,
            (false, _) if is_shown => stable_hash(&node.text),
            (false, _) => return None,
        };
        let mut around = std::iter::successors(tree.parent(id), |id| tree.parent(*id));
        Some(Self {
            place: place(tree, id),
            value,
            turns: picker.is_some_and(|picker| !is_choice(&tree.node(picker).class)),
            scrolls: around.any(|id| tree.can(id, Ability::Scroll)),
        })
    }

    /// Whether it is seen with another value.
    pub(super) fn is_replaced(&self, seen: &Self) -> bool {
        self.place == seen.place && self.value != seen.value
    }

    /// What a touch that ticks it makes of it.
    pub(super) fn ticked_otherwise(self) -> Self {
        Self { value: if self.value == UNTICKED { TICKED } else { UNTICKED }, ..self }
    }
}

/// How much is set otherwise on a later screen, and not as in `own`, which the caller did.
/// What is scrolled into view is not set by that. Of those of which one is ticked at a
/// time another is unticked by that. All are sorted.
pub(super) fn set_change(
    before: &[SetValue],
    later: &[SetValue],
    own: &[SetValue],
    scrolled: bool,
) -> SetChange {
    let earlier = |value: &SetValue| {
        let at = before.binary_search_by_key(&value.place, |known| known.place);
        at.ok().map(|at| before[at].value)
    };
    let is_otherwise = |value: &&SetValue| match earlier(value) {
        Some(earlier) => earlier != value.value,
        None => value.value != UNTICKED && !(scrolled && value.scrolls),
    };
    let is_any_ticked = later.iter().filter(is_otherwise).any(|value| value.value == TICKED);
    let counts = |value: &&SetValue| {
        let is_own = own.iter().any(|own| (own.place, own.value) == (value.place, value.value));
        is_otherwise(value) && !is_own && !(is_any_ticked && value.value == UNTICKED)
    };
    let kind = |value: &SetValue| if value.turns { SetChange::Turned } else { SetChange::Set };
    later.iter().filter(counts).map(kind).max().unwrap_or(SetChange::None)
}

/// Whether a picker shows what was chosen from a list.
fn is_choice(class: &str) -> bool {
    let class = class.to_ascii_lowercase();
    class.contains("spinner") || class.contains("dropdown")
}

/// Which one it is: by the ids closely around it, its row, and its own label if it is ticked.
fn place(tree: &Tree, id: NodeId) -> u64 {
    let around = || std::iter::successors(Some(id), |id| tree.parent(*id));
    let ids = around().take(CLOSE).filter_map(|id| tree.node(id).resource_id.as_deref());
    let ids: Vec<&str> = ids.filter(|id| !id.is_empty()).collect();
    let is_row =
        |id: &NodeId| tree.parent(*id).is_some_and(|list| matches!(tree.role(list), Role::List | Role::Grid));
    let names = |id: &NodeId| !tree.can(*id, Ability::Edit) && tree.picker(*id).is_none();
    let label = |row: NodeId| {
        let inside = std::iter::once(row).chain(tree.descendants(row)).filter(names);
        inside.map(|id| label_hash(tree, id)).find(|label| *label != 0)
    };
    let node = tree.node(id);
    let own = if node.flags.has(Flag::Checkable) { label_hash(tree, id) } else { 0 };
    stable_hash(&(&node.package, ids, own, around().find(is_row).and_then(label)))
}
