//! What changes on a screen while nothing is done to it.

use crate::limits::MAX_RESTLESS;
use clawperator_ui::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// Where an element is found again on the same page, for each node of a tree:
/// its id if no other has it, else its corner.
fn spots(tree: &Tree) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for id in tree.nodes().filter_map(|(_, node)| node.resource_id.as_deref()) {
        *counts.entry(id).or_default() += 1;
    }
    let spot = tree.nodes().map(|(_, node)| match node.resource_id.as_deref() {
        Some(id) if !id.is_empty() && counts.get(id) == Some(&1) => id.to_owned(),
        _ => format!("{},{}", node.bounds.left, node.bounds.top),
    });
    spot.collect()
}

/// Whether two screens are of the same page: half of what is there by its id or
/// its words is on both.
pub fn is_same_page(one: &Tree, other: &Tree) -> bool {
    let names = |tree: &Tree| -> BTreeSet<String> {
        let names = tree.nodes().zip(spots(tree)).map(|((_, node), spot)| {
            let is_id = node.resource_id.as_deref() == Some(spot.as_str());
            let words = || node.label().replace(|letter: char| letter.is_ascii_digit(), "");
            if is_id { spot } else { words() }
        });
        names.filter(|name| !name.trim().is_empty()).collect()
    };
    let (one, other) = (names(one), names(other));
    one.intersection(&other).count() * 2 >= one.len().max(other.len())
}

/// Where a page says something else than it did, a number for a number or words
/// for words, though nothing was done.
pub fn restless(before: &Tree, now: &Tree) -> Vec<String> {
    if !is_same_page(before, now) {
        return Vec::new();
    }
    let said = |tree: &Tree| -> BTreeMap<String, String> {
        let labels = tree.nodes().map(|(_, node)| node.label().to_owned());
        let all = spots(tree).into_iter().zip(labels);
        all.filter(|(_, label)| label.contains(char::is_alphanumeric)).collect()
    };
    let (before, now) = (said(before), said(now));
    let counts = |label: &str| label.contains(|letter: char| letter.is_ascii_digit());
    let changed = now.into_iter().filter(|(spot, label)| {
        let was = before.get(spot);
        was.is_some_and(|was| was != label && counts(was) == counts(label))
    });
    changed.map(|(spot, _)| spot).take(MAX_RESTLESS).collect()
}

/// The same screen without the words at some of its places.
pub fn without_words(tree: &Tree, at: &BTreeSet<String>) -> Tree {
    let mut calm = Tree::new(tree.rotation);
    for ((id, node), spot) in tree.nodes().zip(spots(tree)) {
        let mut node = node.clone();
        if at.contains(&spot) {
            node.text.clear();
            node.content_desc.clear();
        }
        calm.push(tree.depth(id), node);
    }
    calm
}
