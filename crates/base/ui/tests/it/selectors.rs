//! Selectors of any shape on any tree, against the plainest possible search.

use crate::any_tree;
use clawperator_contract::{
    Attribute, Condition, Flag, NodeRelation, Pattern, SELECTOR_KEYS, Selector, TextTest, limits,
};
use clawperator_contract::{Comparison, ConditionKind};
use clawperator_ui::{Bounds, Node, NodeId, Screen, Tree};
use proptest::collection::vec;
use proptest::prelude::*;

/// Makes a selector of random numbers, with the words of the tree's elements so
/// that it often fits. Without numbers left it ends.
struct Maker<'t> {
    tree: &'t Tree,
    numbers: Vec<u16>,
}

impl Maker<'_> {
    fn number(&mut self, below: usize) -> usize {
        usize::from(self.numbers.pop().unwrap_or(0)) % below
    }

    fn selector(&mut self, depth: usize) -> Selector {
        let count = 1 + self.number(2);
        Selector { conditions: (0..count).map(|_| self.condition(depth)).collect() }
    }

    fn condition(&mut self, depth: usize) -> Condition {
        let row = SELECTOR_KEYS[self.number(SELECTOR_KEYS.len())];
        let node = self.number(self.tree.len());
        let (id, node) = self.tree.nodes().nth(node).unwrap();
        let several = |maker: &mut Self| (0..maker.number(3)).map(|_| maker.selector(depth + 1)).collect();
        match row.kind {
            ConditionKind::Text(attribute, comparison) => {
                let word = value(self.tree, id, attribute);
                Condition::Text(attribute, self.test(comparison, word))
            }
            ConditionKind::Flag(flag) => Condition::Flag(flag, self.number(2) == 0),
            ConditionKind::IndexInParent => Condition::IndexInParent(node.index),
            _ if depth == limits::MAX_SELECTOR_DEPTH => Condition::Flag(Flag::Enabled, true),
            ConditionKind::Related(relation) => Condition::Related(relation, self.selector(depth + 1)),
            ConditionKind::AllOf => Condition::AllOf(several(self)),
            ConditionKind::AnyOf => Condition::AnyOf(several(self)),
            ConditionKind::Not => Condition::Not(self.selector(depth + 1)),
        }
    }

    fn test(&mut self, comparison: Comparison, word: String) -> TextTest {
        let half: String = word.chars().take(word.chars().count() / 2).collect();
        match comparison {
            Comparison::Equals => TextTest::Equals(word),
            Comparison::Contains => {
                TextTest::Contains(word.chars().skip(1).collect::<String>().to_uppercase())
            }
            Comparison::StartsWith => TextTest::StartsWith(half.to_uppercase()),
            Comparison::Matches => {
                let pattern = ["[a-zA-Z.]*", "(?:.|\n)*e(?:.|\n)*", ""][self.number(3)];
                TextTest::Matches(Pattern::compile(pattern).unwrap())
            }
        }
    }
}

fn value(tree: &Tree, id: NodeId, attribute: Attribute) -> String {
    let node = tree.node(id);
    match attribute {
        Attribute::Text => node.label().to_owned(),
        Attribute::ContentDesc => node.content_desc.clone(),
        Attribute::ResourceId => node.resource_id.clone().unwrap_or_default(),
        Attribute::Role => tree.role(id).word().to_owned(),
        Attribute::Class => node.class.clone(),
    }
}

/// Asks every condition of every element, and every relation of every pair.
struct Plain<'t> {
    tree: &'t Tree,
    among: Vec<NodeId>,
}

impl Plain<'_> {
    fn fitting(&self, selector: &Selector) -> Vec<NodeId> {
        let conditions = selector.conditions.iter();
        conditions.fold(self.among.clone(), |mut found, condition| {
            let holds = self.holding(condition);
            found.retain(|id| holds.contains(id));
            found
        })
    }

    fn holding(&self, condition: &Condition) -> Vec<NodeId> {
        let those = |holds: &dyn Fn(NodeId) -> bool| -> Vec<NodeId> {
            self.among.iter().copied().filter(|id| holds(*id)).collect()
        };
        let each = |selectors: &[Selector]| -> Vec<Vec<NodeId>> {
            selectors.iter().map(|selector| self.fitting(selector)).collect()
        };
        match condition {
            Condition::Text(attribute, test) => those(&|id| passes(test, &value(self.tree, id, *attribute))),
            Condition::Flag(flag, on) => those(&|id| self.tree.node(id).flags.has(*flag) == *on),
            Condition::IndexInParent(index) => those(&|id| self.tree.node(id).index == *index),
            Condition::Related(relation, other) => {
                let others = self.fitting(other);
                those(&|id| others.iter().any(|other| self.stands(id, *relation, *other)))
            }
            Condition::AllOf(selectors) => {
                let each = each(selectors);
                those(&|id| each.iter().all(|found| found.contains(&id)))
            }
            Condition::AnyOf(selectors) => {
                let each = each(selectors);
                those(&|id| each.iter().any(|found| found.contains(&id)))
            }
            Condition::Not(selector) => {
                let found = self.fitting(selector);
                those(&|id| !found.contains(&id))
            }
        }
    }

    fn stands(&self, id: NodeId, relation: NodeRelation, other: NodeId) -> bool {
        let tree = self.tree;
        let inside = |inner: NodeId, outer: NodeId| tree.descendants(outer).any(|found| found == inner);
        let (here, there) = (tree.node(id).bounds, tree.node(other).bounds);
        let placed = !here.is_empty() && !there.is_empty();
        let in_column = placed && here.left < there.right && there.left < here.right;
        let in_row = placed && here.top < there.bottom && there.top < here.bottom;
        match relation {
            NodeRelation::Inside => inside(id, other),
            NodeRelation::Contains => inside(other, id),
            NodeRelation::SiblingOf => {
                id != other && tree.parent(id).is_some() && tree.parent(id) == tree.parent(other)
            }
            NodeRelation::Below => in_column && here.top >= there.bottom,
            NodeRelation::Above => in_column && here.bottom <= there.top,
            NodeRelation::LeftOf => in_row && here.right <= there.left,
            NodeRelation::RightOf => in_row && here.left >= there.right,
        }
    }
}

fn passes(test: &TextTest, text: &str) -> bool {
    let (lower, wanted) = (text.to_lowercase(), test.expected_text());
    match test {
        TextTest::Equals(_) => text == wanted,
        TextTest::Contains(_) => lower.contains(&wanted.to_lowercase()),
        TextTest::StartsWith(_) => lower.starts_with(&wanted.to_lowercase()),
        TextTest::Matches(pattern) => pattern.fits(text),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_selector_finds_what_it_says(tree in any_tree(), numbers in vec(any::<u16>(), 0..40)) {
        if tree.is_empty() {
            return Ok(());
        }
        let selector = Maker { tree: &tree, numbers }.selector(1);
        let screen = Screen::new(&tree);
        let seen = screen.nodes().map(|(id, _)| id).collect();
        let whole = tree.nodes().map(|(id, _)| id).collect();
        for (among, found) in [
            (seen, screen.all(&selector).collect::<Vec<_>>()),
            (whole, screen.anywhere(&selector).collect()),
        ] {
            let plain = Plain { tree: &tree, among };
            let expected = plain.fitting(&selector);
            prop_assert_eq!(found, expected, "{}", selector);
        }
        for near in screen.nearest(&selector, 3) {
            prop_assert!(!screen.fits(near.id, &selector) && !near.mismatches.is_empty());
        }
    }
}

/// As many relations as a selector may have, on as large a screen as there may
/// be: the cost grows with both, not with their product of elements.
#[test]
fn relations_are_cheap_on_a_huge_screen() {
    let mut tree = Tree::new(0);
    for number in 0..clawperator_ui::limits::MAX_NODES {
        let at = i32::try_from(number).unwrap();
        let bounds = Bounds { left: at, top: at, right: at + 9, bottom: at + 9 };
        let node = Node { bounds, text: "a".to_owned(), ..Node::default() };
        tree.push(number % 50, node);
    }
    let relations = [
        NodeRelation::Inside,
        NodeRelation::Contains,
        NodeRelation::SiblingOf,
        NodeRelation::Below,
        NodeRelation::Above,
        NodeRelation::LeftOf,
        NodeRelation::RightOf,
    ];
    let text =
        Selector { conditions: vec![Condition::Text(Attribute::Text, TextTest::Equals("a".to_owned()))] };
    let conditions = relations.iter().cycle().take(limits::MAX_CONDITIONS / 2);
    let selector = Selector {
        conditions: conditions.map(|relation| Condition::Related(*relation, text.clone())).collect(),
    };
    assert_eq!(Screen::new(&tree).anywhere(&selector).count(), 0);
}
