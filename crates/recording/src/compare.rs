//! Compares two screens by what is on them, not by where it is.

use crate::limits::MAX_DIFFERENCES;
use clawperator_contract::text;
use clawperator_ui::{Flag, Node, Screen, Tree};
use serde::Serialize;
use std::collections::BTreeMap;

/// How alike two screens are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Likeness {
    /// The same elements say the same.
    Same,
    /// The same elements are there, and some say something else.
    Similar,
    /// Other elements are there.
    Different,
}

/// How two screens compare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// How alike they are.
    pub likeness: Likeness,
    /// What was there and is not, some of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What is there and was not, some of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unexpected: Vec<String>,
    /// How many differences there are beside those.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Compares a screen with the one that was expected.
#[must_use]
pub fn compare(expected: &Tree, found: &Tree) -> Comparison {
    let (missing, unexpected) = differences(&count(expected, described), &count(found, described));
    let (gone, new) = differences(&count(expected, structure), &count(found, structure));
    let likeness = match () {
        () if missing.is_empty() && unexpected.is_empty() => Likeness::Same,
        () if gone.is_empty() && new.is_empty() => Likeness::Similar,
        () => Likeness::Different,
    };
    let total = missing.len() + unexpected.len();
    let shown = |list: Vec<String>| -> Vec<String> { list.into_iter().take(MAX_DIFFERENCES).collect() };
    let (missing, unexpected) = (shown(missing), shown(unexpected));
    Comparison {
        likeness,
        omitted: total - missing.len() - unexpected.len(),
        missing,
        unexpected,
    }
}

type Counts = BTreeMap<String, usize>;

fn count(tree: &Tree, describe: fn(&Node) -> String) -> Counts {
    let mut counts = Counts::new();
    for (_, node) in Screen::new(tree).nodes() {
        *counts.entry(describe(node)).or_default() += 1;
    }
    counts
}

/// What is in one and not in the other, both ways.
fn differences(one: &Counts, other: &Counts) -> (Vec<String>, Vec<String>) {
    let lacking = |these: &Counts, those: &Counts| -> Vec<String> {
        let more = these
            .iter()
            .filter(|(what, count)| those.get(*what).unwrap_or(&0) < count);
        more.map(|(what, _)| what.clone()).collect()
    };
    (lacking(one, other), lacking(other, one))
}

fn structure(node: &Node) -> String {
    let class = node.class.rsplit('.').next().unwrap_or_default();
    let id = node.resource_id.as_deref().unwrap_or_default();
    format!("{class} {id}").trim_end().to_owned()
}

fn described(node: &Node) -> String {
    let mut words = structure(node);
    // A recording does not tell what is in a password field.
    let label = if node.flags.has(Flag::Password) {
        node.content_desc.as_str()
    } else {
        node.label()
    };
    if !label.is_empty() {
        words.push_str(&format!(" {:?}", text::excerpt(label)));
    }
    for (flag, word) in [(Flag::Checked, "checked"), (Flag::Selected, "selected")] {
        if node.flags.has(flag) {
            words.push_str(&format!(" {word}"));
        }
    }
    words
}
