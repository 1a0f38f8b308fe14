//! The elements that come nearest to a selector that nothing fits, and which
//! of its conditions fail.

use crate::find::{SelectorTest, value};
use crate::screen::Screen;
use crate::tree::{NodeId, Tree};
use clawperator_contract::{Attribute, Condition, Selector, Visibility};

/// How similar two texts must be to count as near.
const LEAST: f64 = 0.35;
/// The least score of the others, as a share of the best.
const SHARE: f64 = 0.65;
/// What it counts that a text is like another field's: the caller may have named the wrong one.
const OTHER_FIELD: f64 = 0.8;
/// The fields that people mix up.
const TEXT_FIELDS: [Attribute; 3] = [Attribute::Text, Attribute::ContentDesc, Attribute::ResourceId];
/// How many characters of a text are compared.
const COMPARED: usize = 80;

/// An element that almost fits.
#[derive(Clone, Debug, PartialEq)]
pub struct NearMiss {
    pub id: NodeId,
    /// How many conditions of the selector hold.
    pub fits: usize,
    /// The conditions that do not hold.
    pub mismatches: Vec<Mismatch>,
    /// How near it is; more is nearer.
    score: f64,
}

/// A condition that does not hold for an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The condition's name in the contract.
    pub field: &'static str,
    pub wanted: String,
    /// What the element has; empty where there is no single value.
    pub found: String,
}

impl Screen<'_> {
    /// The elements that come nearest to a selector without fitting it, the
    /// nearest first; in reading order where they are equally near.
    pub fn nearest(&self, selector: &Selector, most: usize) -> Vec<NearMiss> {
        let tests: Vec<SelectorTest<'_>> = selector
            .conditions
            .iter()
            .map(|condition| self.test_of(condition, Visibility::OnScreen))
            .collect();
        let mut near: Vec<NearMiss> =
            self.nodes().filter_map(|(id, _)| self.compare(id, selector, &tests)).collect();
        near.sort_by(|one, other| other.score.total_cmp(&one.score));
        let best = near.first().map_or(0.0, |near| near.score);
        near.retain(|near| near.score >= best * SHARE);
        near.truncate(most);
        near
    }

    fn compare(&self, id: NodeId, selector: &Selector, tests: &[SelectorTest<'_>]) -> Option<NearMiss> {
        let tree = self.tree();
        let mut near = NearMiss { id, fits: 0, mismatches: Vec::new(), score: 0.0 };
        for (condition, test) in selector.conditions.iter().zip(tests) {
            near.score += test.closeness(tree, id);
            if test.passes(tree, id, tree.node(id)) {
                near.fits += 1;
            } else {
                near.mismatches.push(mismatch(tree, id, condition));
            }
        }
        (near.score >= LEAST && !near.mismatches.is_empty()).then_some(near)
    }
}

fn mismatch(tree: &Tree, id: NodeId, condition: &Condition) -> Mismatch {
    let node = tree.node(id);
    let (wanted, found) = match condition {
        Condition::Text(attribute, test) => {
            (test.expected_text().to_owned(), value(tree, id, node, *attribute).to_owned())
        }
        Condition::Flag(flag, on) => (on.to_string(), node.flags.has(*flag).to_string()),
        Condition::IndexInParent(index) => (index.to_string(), node.index.to_string()),
        Condition::Related(_, other) | Condition::Not(other) => (other.to_string(), String::new()),
        Condition::AllOf(_) | Condition::AnyOf(_) => (condition.to_string(), String::new()),
    };
    Mismatch { field: condition.name(), wanted, found }
}

impl SelectorTest<'_> {
    /// How near an element comes, from 0 to 1. A condition that many elements fit does not count.
    fn closeness(&self, tree: &Tree, id: NodeId) -> f64 {
        let each = |tests: &[Self]| -> Vec<f64> {
            let each = tests.iter().map(|test| test.closeness(tree, id));
            each.collect()
        };
        match self {
            Self::Flag(..) | Self::Index(_) | Self::Not(_) => 0.0,
            Self::Marked(_) | Self::Role(_) => f64::from(self.passes(tree, id, tree.node(id))),
            Self::Text(attribute, wanted, _) => {
                if self.passes(tree, id, tree.node(id)) {
                    return 1.0;
                }
                let similar = |field: Attribute| {
                    let found = value(tree, id, tree.node(id), field);
                    let local = found.rsplit('/').next().filter(|_| field == Attribute::ResourceId);
                    let best =
                        likeness(wanted, found).max(local.map_or(0.0, |local| likeness(wanted, local)));
                    if field == *attribute { best } else { best * OTHER_FIELD }
                };
                TEXT_FIELDS.into_iter().chain([*attribute]).map(similar).fold(0.0, f64::max)
            }
            Self::All(tests) => each(tests).iter().sum::<f64>() / tests.len().max(1) as f64,
            Self::Any(tests) => each(tests).into_iter().fold(0.0, f64::max),
        }
    }
}

/// How similar two texts are, from 0 to 1: the share of letter pairs that both have, in any case.
pub fn likeness(one: &str, other: &str) -> f64 {
    let fold =
        |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).take(COMPARED).collect() };
    let (one, other) = (fold(one), fold(other));
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    if one == other {
        return 0.95;
    }
    let mut left: Vec<&[char]> = other.windows(2).collect();
    let pairs = left.len() + one.len() - 1;
    let mut shared = 0;
    for pair in one.windows(2) {
        if let Some(place) = left.iter().position(|other| *other == pair) {
            left.swap_remove(place);
            shared += 1;
        }
    }
    2.0 * f64::from(shared) / pairs.max(1) as f64 * 0.95
}
