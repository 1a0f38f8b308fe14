//! What comes nearest to a selector that nothing fits, and why it does not fit.

use crate::find::{Test, value};
use crate::seen::Screen;
use crate::tree::{NodeId, Tree};
use clawperator_contract::{Condition, Selector, Visibility};

/// How alike two texts must be to be called near.
const LEAST: f64 = 0.35;
/// How near others must be, against the nearest.
const SHARE: f64 = 0.65;
/// How much of a text is compared.
const COMPARED: usize = 80;

/// An element that almost fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Which.
    pub id: NodeId,
    /// How many conditions of the selector hold.
    pub fits: usize,
    /// The conditions that do not hold.
    pub misses: Vec<Miss>,
    /// How near it is; more is nearer.
    score: f64,
}

/// A condition that does not hold for an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The condition's name in the contract.
    pub field: &'static str,
    /// What the selector wants.
    pub wanted: String,
    /// What the element has; empty where that cannot be said in a word.
    pub found: String,
}

impl Screen<'_> {
    /// The elements that come nearest to a selector without fitting it, the
    /// nearest first; in reading order where they are equally near.
    #[must_use]
    pub fn nearest(&self, selector: &Selector, most: usize) -> Vec<Near> {
        let wanted: Vec<Wanted<'_>> = selector
            .conditions
            .iter()
            .map(|condition| (condition, self.test_of(condition, Visibility::OnScreen)))
            .collect();
        let mut near: Vec<Near> = self
            .nodes()
            .filter_map(|(id, _)| self.compare(id, &wanted))
            .collect();
        near.sort_by(|one, other| other.score.total_cmp(&one.score));
        let best = near.first().map_or(0.0, |near| near.score);
        near.retain(|near| near.score >= best * SHARE);
        near.truncate(most);
        near
    }

    fn compare(&self, id: NodeId, wanted: &[Wanted<'_>]) -> Option<Near> {
        let tree = self.tree();
        let mut near = Near {
            id,
            fits: 0,
            misses: Vec::new(),
            score: 0.0,
        };
        for (condition, test) in wanted {
            near.score += test.closeness(tree, id);
            if test.passes(tree, id, tree.node(id)) {
                near.fits += 1;
            } else {
                near.misses.push(miss(tree, id, condition));
            }
        }
        (near.score >= LEAST && !near.misses.is_empty()).then_some(near)
    }
}

/// A condition, and the test that is made of it.
type Wanted<'s> = (&'s Condition, Test<'s>);

fn miss(tree: &Tree, id: NodeId, condition: &Condition) -> Miss {
    let node = tree.node(id);
    let (wanted, found) = match condition {
        Condition::Text(attribute, test) => {
            (test.wanted().to_owned(), value(tree, id, *attribute).to_owned())
        }
        Condition::Flag(flag, on) => (on.to_string(), node.flags.has(*flag).to_string()),
        Condition::IndexInParent(index) => (index.to_string(), node.index.to_string()),
        Condition::Related(_, other) | Condition::Not(other) => (other.to_string(), String::new()),
        Condition::AllOf(_) | Condition::AnyOf(_) => (condition.to_string(), String::new()),
    };
    Miss {
        field: condition.name(),
        wanted,
        found,
    }
}

impl Test<'_> {
    /// How near an element comes, from 0 to 1. What many elements share says
    /// nothing where it is all that fits.
    fn closeness(&self, tree: &Tree, id: NodeId) -> f64 {
        let each = |tests: &[Self]| -> Vec<f64> {
            let each = tests.iter().map(|test| test.closeness(tree, id));
            each.collect()
        };
        match self {
            Self::Flag(..) | Self::Index(_) | Self::Not(_) => 0.0,
            Self::Marked(_) | Self::Role(_) => f64::from(self.passes(tree, id, tree.node(id))),
            Self::Text(attribute, wanted, _) => {
                let passes = self.passes(tree, id, tree.node(id));
                let alike = || likeness(wanted, value(tree, id, *attribute));
                if passes { 1.0 } else { alike() }
            }
            Self::All(tests) => each(tests).iter().sum::<f64>() / tests.len().max(1) as f64,
            Self::Any(tests) => each(tests).into_iter().fold(0.0, f64::max),
        }
    }
}

/// How alike two texts are, from 0 to 1: how many pairs of letters they share,
/// whatever their case. One inside the other is quite alike.
fn likeness(one: &str, other: &str) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::sketch;
    use clawperator_contract::Matcher;

    const DRAWING: &str = "FrameLayout [0,0][100,100] id=a:id/root
 TextView \"Increment\" id=a:id/btn_increment
 Button \"Increase_all\" id=a:id/btn_all
 TextView \"Wi-Fi\" desc=Wireless
 Button \"OK\" id=a:id/ok";

    fn near(matcher: &Matcher) -> Vec<(String, Vec<&'static str>)> {
        let tree = sketch(DRAWING);
        let screen = Screen::new(&tree);
        let near = screen.nearest(&matcher.selector(), 2);
        near.iter()
            .map(|near| {
                let label = tree.node(near.id).label().to_owned();
                (label, near.misses.iter().map(|miss| miss.field).collect())
            })
            .collect()
    }

    #[test]
    fn a_slip_of_the_pen_leads_to_what_was_meant() {
        let text = |text: &str| Matcher {
            text_equals: Some(text.to_owned()),
            ..Matcher::default()
        };
        assert_eq!(
            near(&text("Incremnt"))[0],
            ("Increment".to_owned(), vec!["textEquals"])
        );
        assert_eq!(near(&text("increment"))[0].0, "Increment");
        assert_eq!(near(&text("qqq")), []);
    }

    #[test]
    fn what_fits_in_most_fields_comes_first() {
        let matcher = Matcher {
            text_equals: Some("OK".to_owned()),
            role: Some("switch".to_owned()),
            ..Matcher::default()
        };
        assert_eq!(near(&matcher)[0], ("OK".to_owned(), vec!["role"]));
        let matcher = Matcher {
            resource_id: Some("a:id/okay".to_owned()),
            text_contains: Some("o".to_owned()),
            ..Matcher::default()
        };
        assert_eq!(near(&matcher)[0], ("OK".to_owned(), vec!["resourceId"]));
    }

    #[test]
    fn what_fits_is_not_near() {
        let matcher = Matcher {
            text_equals: Some("OK".to_owned()),
            ..Matcher::default()
        };
        assert!(near(&matcher).iter().all(|(label, _)| label != "OK"));
        assert_eq!(near(&Matcher::default()), []);
    }
}
