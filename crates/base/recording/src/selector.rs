//! Finds a matcher that names an element and no other: its id, then its role and label, then both.

use crate::doubt::Unsure;
use crate::limits::MAX_STAND_INS;
use clawperator_contract::limits::MAX_MATCHER_VALUE_LENGTH;
use clawperator_contract::{Matcher, text};
use clawperator_ui::{Ability, Flag, Node, NodeId, Role, Screen, Tree};

/// How an element is named, and what is not certain about it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedMatcher {
    /// None if nothing names it.
    pub(crate) matcher: Option<Matcher>,
    pub(crate) unsure: Option<Unsure>,
}

/// Names an element for an action.
pub(crate) fn name(screen: &Screen<'_>, id: NodeId, ability: Ability) -> NamedMatcher {
    let tree = screen.tree();
    // An action on anything inside the element is an action on the element.
    let taker = |id: NodeId| tree.nearest(id, ability).unwrap_or(id);
    let wanted = taker(id);
    let candidates = candidates(screen, id, ability);
    let mut first = None;
    for matcher in candidates {
        let found: Vec<_> = screen.all(&matcher.selector()).collect();
        if found.is_empty() {
            continue;
        }
        if found.iter().all(|found| taker(*found) == wanted) {
            let unsure = digits(&matcher).map(Unsure::LabelWithDigits);
            return NamedMatcher { matcher: Some(matcher), unsure };
        }
        if first.is_none() && taker(found[0]) == wanted {
            first = Some((matcher, found.len()));
        }
    }
    match first {
        Some((matcher, count)) => {
            NamedMatcher { matcher: Some(matcher), unsure: Some(Unsure::FirstOf(count)) }
        }
        None => NamedMatcher { matcher: None, unsure: Some(Unsure::OnlyAPoint) },
    }
}

/// Something that is seen now and was not before, to wait for.
pub(crate) fn landmark(now: &Screen<'_>, before: Option<&Screen<'_>>) -> Option<Matcher> {
    let tree = now.tree();
    let is_new = |matcher: &Matcher| before.is_none_or(|before| before.first(&matcher.selector()).is_none());
    let good = |matcher: &Matcher| now.count(&matcher.selector()) == 1 && is_new(matcher);
    let saying = || now.nodes().filter(|(id, node)| is_steady(tree, *id, node));
    let by_label = saying()
        .filter(|(_, node)| !node.label().chars().any(|c| c.is_ascii_digit()))
        .filter_map(|(id, node)| label_matcher(tree, id, node, None))
        .find(good);
    let by_id = || now.nodes().filter_map(|(_, node)| id_matcher(node)).find(good);
    by_label.or_else(by_id)
}

/// What says the same whenever the screen is shown.
pub(crate) fn is_steady(tree: &Tree, id: NodeId, node: &Node) -> bool {
    !tree.can(id, Ability::Edit) && !node.flags.has(Flag::Password)
}

/// Matchers that may name an element, the most robust first.
pub(crate) fn candidates(screen: &Screen<'_>, id: NodeId, ability: Ability) -> Vec<Matcher> {
    let tree = screen.tree();
    let node = tree.node(id);
    let mut list: Vec<Matcher> = id_matcher(node).into_iter().collect();
    if tree.can(id, Ability::Edit) {
        // A field's text is what the user typed, or a hint that disappears.
        list.extend(description_matcher(node));
        list.extend(in_role(tree, id));
        return list;
    }
    let stand_ins: Vec<_> = stand_ins(screen, id, ability);
    for id in &stand_ins {
        list.extend(label_matcher(tree, *id, tree.node(*id), None));
    }
    for id in &stand_ins {
        let node = tree.node(*id);
        let resource = node.resource_id.as_deref().filter(|id| fits(id));
        list.extend(resource.and_then(|resource| label_matcher(tree, *id, node, Some(resource))));
    }
    list
}

/// The element, and what is inside it that says something and is not another's.
fn stand_ins(screen: &Screen<'_>, id: NodeId, ability: Ability) -> Vec<NodeId> {
    let tree = screen.tree();
    let owner = tree.nearest(id, ability).unwrap_or(id);
    let mine = |inside: &NodeId| tree.nearest(*inside, ability).unwrap_or(*inside) == owner;
    let says = |inside: &NodeId| !tree.node(*inside).label().is_empty();
    let inside = screen.within(id).map(|(id, _)| id);
    inside
        .filter(|inside| *inside == id || mine(inside))
        .filter(says)
        .filter(|inside| is_steady(tree, *inside, tree.node(*inside)))
        .take(MAX_STAND_INS)
        .collect()
}

fn id_matcher(node: &Node) -> Option<Matcher> {
    let id = node.resource_id.as_deref().filter(|id| fits(id))?;
    Some(Matcher { resource_id: Some(id.to_owned()), ..Matcher::default() })
}

fn description_matcher(node: &Node) -> Option<Matcher> {
    fits(&node.content_desc)
        .then(|| Matcher { content_desc_equals: Some(node.content_desc.clone()), ..Matcher::default() })
}

pub(crate) fn in_role(tree: &Tree, id: NodeId) -> Option<Matcher> {
    let role = tree.role(id);
    (role != Role::Unknown).then(|| Matcher { role: Some(role.word().to_owned()), ..Matcher::default() })
}

/// A matcher of the label, with the role or, where one is given, the id.
fn label_matcher(tree: &Tree, id: NodeId, node: &Node, resource: Option<&str>) -> Option<Matcher> {
    let (text_equals, content_desc_equals) = if fits(&node.text) {
        (Some(node.text.clone()), None)
    } else if text::is_blank(&node.text) && fits(&node.content_desc) {
        (None, Some(node.content_desc.clone()))
    } else {
        return None;
    };
    let role = tree.role(id);
    Some(Matcher {
        resource_id: resource.map(str::to_owned),
        role: (resource.is_none() && role != Role::Unknown).then(|| role.word().to_owned()),
        text_equals,
        content_desc_equals,
        ..Matcher::default()
    })
}

/// Whether a text can stand in a matcher.
pub(crate) fn fits(value: &str) -> bool {
    !text::is_blank(value) && !text::exceeds(value, MAX_MATCHER_VALUE_LENGTH)
}

pub(crate) fn digits(matcher: &Matcher) -> Option<String> {
    let labels = [&matcher.text_equals, &matcher.content_desc_equals];
    let label = labels.into_iter().flatten().next()?;
    label.chars().any(|c| c.is_ascii_digit()).then(|| label.clone())
}
