//! Selectors for an element, the most stable first: by its id, by what it
//! says, and by what is beside it.

use crate::doubt::Unsure;
use crate::gesture::way;
use crate::selector::{candidates, digits, fits, in_role, is_steady};
use clawperator_contract::{Attribute, Condition, Matcher, NodeRelation, Selector, TextTest, words};
use clawperator_ui::{Ability, NodeId, Point, Screen, Tree};

/// The most labels around an element that it may be named by.
const MAX_ANCHORS: usize = 12;
/// The most selectors that are suggested.
const MAX_SUGGESTIONS: usize = 6;
/// How an element may stand to a label, the most telling first.
const BESIDE: [NodeRelation; 6] = [
    NodeRelation::SiblingOf,
    NodeRelation::Contains,
    NodeRelation::RightOf,
    NodeRelation::LeftOf,
    NodeRelation::Below,
    NodeRelation::Above,
];

/// A selector for an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    pub basis: Basis,
    pub matcher: Matcher,
    /// How many elements of the screen fit.
    pub fits: usize,
    /// What is not certain about it.
    pub unsure: Option<Unsure>,
}

words! {
    /// What a selector goes by, in the order of how long it stays true.
    pub Basis {
        Id = "id",
        IdAndLabel = "id and text",
        RoleAndLabel = "role and text",
        Label = "text",
        Role = "role",
        /// An element beside it, or around it.
        Place = "what is beside it",
    }
}

impl Basis {
    fn of(matcher: &Matcher) -> Self {
        let says = matcher.text_equals.is_some() || matcher.content_desc_equals.is_some();
        match (matcher.resource_id.is_some(), matcher.role.is_some(), says) {
            _ if matcher.conditions.is_some() => Self::Place,
            (true, _, false) => Self::Id,
            (true, _, true) => Self::IdAndLabel,
            (false, true, true) => Self::RoleAndLabel,
            (false, false, _) => Self::Label,
            (false, true, false) => Self::Role,
        }
    }
}

/// Selectors for an element: those that name nothing else first, then by how
/// long they stay true. Each was tried on the screen.
pub fn suggestions(screen: &Screen<'_>, id: NodeId) -> Vec<Suggestion> {
    let tree = screen.tree();
    let ability = if tree.can(id, Ability::Edit) { Ability::Edit } else { Ability::Click };
    let own = candidates(screen, id, ability);
    let with_role = own.iter().filter(|matcher| matcher.role.is_some());
    let bare = with_role.map(|matcher| Matcher { role: None, ..matcher.clone() });
    let mut tried: Vec<Suggestion> = Vec::new();
    for matcher in own.iter().cloned().chain(bare) {
        let is_new = tried.iter().all(|known| known.matcher != matcher);
        if is_new && let Some(found) = tried_on(screen, id, ability, matcher) {
            tried.push(found);
        }
    }
    let is_certain = |found: &Suggestion| !matches!(found.unsure, Some(Unsure::FirstOf(_)));
    if !tried.iter().any(is_certain) {
        tried.extend(by_place(screen, id, ability, &own));
    }
    tried.sort_by_key(|found| (found.unsure.is_some(), !is_certain(found), found.basis));
    tried.truncate(MAX_SUGGESTIONS);
    tried
}

/// A matcher that names an element for an action, and no other.
pub fn best_name(screen: &Screen<'_>, id: NodeId, ability: Ability) -> Option<Matcher> {
    let named = crate::selector::name(screen, id, ability);
    let is_certain = !matches!(named.unsure, Some(Unsure::FirstOf(_)));
    named.matcher.filter(|_| is_certain)
}

/// What a matcher finds, if an action on it is an action on the element.
fn tried_on(screen: &Screen<'_>, id: NodeId, ability: Ability, matcher: Matcher) -> Option<Suggestion> {
    if matcher == Matcher::default() {
        return None;
    }
    let tree = screen.tree();
    let taker = |id: NodeId| tree.nearest(id, ability).unwrap_or(id);
    let found: Vec<_> = screen.all(&matcher.selector()).collect();
    let is_it = |found: &NodeId| taker(*found) == taker(id);
    if !found.iter().any(is_it) {
        return None;
    }
    let unsure = if found.iter().all(is_it) {
        digits(&matcher).map(Unsure::LabelWithDigits)
    } else {
        Some(Unsure::FirstOf(found.len()))
    };
    Some(Suggestion { basis: Basis::of(&matcher), matcher, fits: found.len(), unsure })
}

/// The first selector that names the element by a label near it, or by the id of what it is inside.
fn by_place(screen: &Screen<'_>, id: NodeId, ability: Ability, own: &[Matcher]) -> Option<Suggestion> {
    let tree = screen.tree();
    let bases: Vec<Matcher> = own.iter().cloned().chain(in_role(tree, id)).collect();
    let places = anchors(screen, id)
        .into_iter()
        .flat_map(|label| BESIDE.map(|relation| (relation, text(label))))
        .chain(around(tree, id).map(|id| (NodeRelation::Inside, id)));
    for (relation, selector) in places {
        let conditions = vec![Condition::Related(relation, selector)];
        for base in &bases {
            let matcher =
                Matcher { conditions: Some(Selector { conditions: conditions.clone() }), ..base.clone() };
            let found = tried_on(screen, id, ability, matcher);
            if let Some(found) = found.filter(|found| found.fits == 1) {
                return Some(found);
            }
        }
    }
    None
}

/// Labels that are there once and stay, the nearest first.
fn anchors<'t>(screen: &Screen<'t>, id: NodeId) -> Vec<&'t str> {
    let tree = screen.tree();
    let at = screen.visible_bounds(id).center();
    let mut labels: Vec<(i64, &str)> = screen
        .nodes()
        .filter(|(other, node)| *other != id && is_steady(tree, *other, node))
        .map(|(other, node)| (distance(at, screen.visible_bounds(other).center()), node.label()))
        .filter(|(_, label)| fits(label) && !label.chars().any(|c| c.is_ascii_digit()))
        .collect();
    labels.sort_by_key(|(away, _)| *away);
    let is_once = |label: &&str| screen.count(&text(label)) == 1;
    let labels = labels.into_iter().map(|(_, label)| label);
    labels.filter(is_once).take(MAX_ANCHORS).collect()
}

fn distance(from: Point, to: Point) -> i64 {
    let (dx, dy) = way(from, to);
    dx.abs() + dy.abs()
}

/// The ids of what an element is inside, the innermost first.
fn around(tree: &Tree, id: NodeId) -> impl Iterator<Item = Selector> {
    std::iter::successors(tree.parent(id), |id| tree.parent(*id))
        .filter_map(|id| tree.node(id).resource_id.as_deref())
        .filter(|id| fits(id))
        .map(|id| equals(Attribute::ResourceId, id))
}

fn text(label: &str) -> Selector {
    equals(Attribute::Text, label)
}

fn equals(attribute: Attribute, wanted: &str) -> Selector {
    Selector { conditions: vec![Condition::Text(attribute, TextTest::Equals(wanted.to_owned()))] }
}
