//! Compares two screens by what is on them, not by where it is.

use crate::form::is_default;
use crate::limits::{MAX_DIFFERENCES, MAX_OTHER_LABELS};
use clawperator_contract::text;
use clawperator_ui::{Ability, Flag, Node, NodeId, Screen, Tree};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How alike two screens are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Likeness {
    /// The same elements say the same.
    Same,
    /// The same elements are there in the same state, and only numbers, times
    /// and a few words are others.
    Similar,
    /// Other elements are there, another title, or another state.
    Different,
}

/// How two screens compare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScreenComparison {
    pub likeness: Likeness,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unexpected: Vec<String>,
    /// How many differences there are beside those.
    #[serde(skip_serializing_if = "is_default")]
    pub omitted: usize,
}

/// Compares a screen with the one that was expected.
pub fn compare(expected: &Tree, found: &Tree) -> ScreenComparison {
    // What is hidden on one of them is not compared, whether it is shown on the other or not.
    let hidden: BTreeSet<String> = [expected, found].into_iter().flat_map(secret).collect();
    let (expected, found) = (lines(expected, &hidden), lines(found, &hidden));
    let (missing, unexpected) =
        differences(&count(&expected, ScreenLine::whole), &count(&found, ScreenLine::whole));
    let likeness = if missing.is_empty() && unexpected.is_empty() {
        Likeness::Same
    } else if is_similar(&expected, &found) {
        Likeness::Similar
    } else {
        Likeness::Different
    };
    let total = missing.len() + unexpected.len();
    let shown = |list: Vec<String>| -> Vec<String> { list.into_iter().take(MAX_DIFFERENCES).collect() };
    let (missing, unexpected) = (shown(missing), shown(unexpected));
    ScreenComparison { likeness, omitted: total - missing.len() - unexpected.len(), missing, unexpected }
}

/// An element as it is compared.
struct ScreenLine {
    structure: String,
    label: String,
    states: String,
    /// Whether it says what the screen is about.
    is_title: bool,
}

impl ScreenLine {
    fn whole(&self) -> Option<String> {
        let mut words = self.structure.clone();
        if !self.label.is_empty() {
            words.push_str(&format!(" {:?}", text::excerpt(&self.label)));
        }
        Some(words + &self.states)
    }

    fn without_label(&self) -> Option<String> {
        Some(format!("{}{}", self.structure, self.states))
    }

    fn title(&self) -> Option<String> {
        self.is_title.then(|| format!("{} {}", self.structure, uncounted(&self.label)))
    }

    /// What it says, if that should not be another each time.
    fn steady(&self) -> Option<String> {
        let varies = self.label.is_empty() || self.label.contains(|letter: char| letter.is_ascii_digit());
        (!varies && !self.is_title).then(|| format!("{} {}", self.structure, self.label))
    }
}

/// Whether two screens differ only in what differs each time: numbers and times, and a few words.
/// Another title is another subject, and another switch another state.
fn is_similar(expected: &[ScreenLine], found: &[ScreenLine]) -> bool {
    let same =
        |describe: fn(&ScreenLine) -> Option<String>| count(expected, describe) == count(found, describe);
    let (gone, new) = differences(&count(expected, ScreenLine::steady), &count(found, ScreenLine::steady));
    same(ScreenLine::without_label)
        && same(ScreenLine::title)
        && gone.len() <= MAX_OTHER_LABELS
        && new.len() <= MAX_OTHER_LABELS
}

/// A title without how many there are of it: `Inbox (3)` is `Inbox`.
fn uncounted(title: &str) -> &str {
    let bare = title.trim_end();
    let count = bare.strip_suffix(')').and_then(|bare| bare.rsplit_once('('));
    match count {
        Some((name, count)) if count.chars().all(|letter| letter.is_ascii_digit()) => name.trim_end(),
        _ => bare,
    }
}

type LineCounts = BTreeMap<String, usize>;

fn count(lines: &[ScreenLine], describe: fn(&ScreenLine) -> Option<String>) -> LineCounts {
    let mut counts = LineCounts::new();
    for said in lines.iter().filter_map(describe) {
        *counts.entry(said).or_default() += 1;
    }
    counts
}

/// What is in one and not in the other, both ways.
fn differences(one: &LineCounts, other: &LineCounts) -> (Vec<String>, Vec<String>) {
    let lacking = |these: &LineCounts, those: &LineCounts| -> Vec<String> {
        let more = these.iter().filter(|(what, count)| those.get(*what).unwrap_or(&0) < count);
        more.map(|(what, _)| what.clone()).collect()
    };
    (lacking(one, other), lacking(other, one))
}

/// The structures of the password fields of a screen.
fn secret(tree: &Tree) -> impl Iterator<Item = String> {
    let fields = tree.nodes().filter(|(_, node)| node.flags.has(Flag::Password));
    fields.map(|(_, node)| structure(node))
}

fn lines(tree: &Tree, hidden: &BTreeSet<String>) -> Vec<ScreenLine> {
    let screen = Screen::new(tree);
    let is_text = |node: &Node| node.class.ends_with("TextView") && !text::is_blank(&node.text);
    let first = screen.nodes().find(|(_, node)| is_text(node)).map(|(id, _)| id);
    let line = |(id, node): (NodeId, &Node)| {
        let structure = structure(node);
        // A recording does not tell what is in a password field.
        let label = if hidden.contains(&structure)
            && (node.flags.has(Flag::Password) || tree.can(id, Ability::Edit))
        {
            node.content_desc.as_str()
        } else {
            node.label()
        };
        // The first text is the title where none is marked, unless it is a clock.
        let heads = Some(id) == first && !label.contains(|letter: char| letter.is_ascii_digit());
        let named = node.resource_id.as_deref().is_some_and(is_title_id);
        let states = [(Flag::Checked, " checked"), (Flag::Selected, " selected")];
        let states = states.iter().filter(|(flag, _)| node.flags.has(*flag));
        ScreenLine {
            is_title: !label.is_empty() && (heads || named),
            label: label.to_owned(),
            states: states.map(|(_, word)| *word).collect(),
            structure,
        }
    };
    screen.nodes().map(line).collect()
}

fn is_title_id(id: &str) -> bool {
    let name = id.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    ["title", "toolbar", "headline"].iter().any(|word| name.contains(word))
}

fn structure(node: &Node) -> String {
    let class = node.class.rsplit('.').next().unwrap_or_default();
    let id = node.resource_id.as_deref().unwrap_or_default();
    format!("{class} {id}").trim_end().to_owned()
}
