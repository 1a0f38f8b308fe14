//! What an action is about to act on, as a policy judges it: the app in front and
//! what the touched element says. Pure.

use crate::action::AgentAction;
use crate::space::Space;
use clawperator_contract::Number;
use clawperator_ui::{Ability, Flag, NodeId, Screen, Tree};

/// The most letters of a label.
const MAX_LABEL: usize = 400;

/// What an action is about to act on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The package of the app in front.
    pub app: Option<String>,
    /// What the element says that a finger is about to touch, all that is inside it
    /// included.
    pub label: Option<String>,
    /// Whether what is typed goes into a password field.
    pub is_secret: bool,
}

impl Surroundings {
    /// What a screen says of an action on it.
    #[must_use]
    pub fn of(tree: &Tree, action: &AgentAction, space: &Space) -> Self {
        let point = touched(action).map(|(x, y)| space.pixel(x, y));
        let hit = point.and_then(|(x, y)| under(tree, (i32::try_from(x).ok()?, i32::try_from(y).ok()?)));
        let package = |id: NodeId| Some(tree.node(id).package.clone()).filter(|name| !name.is_empty());
        Self {
            app: hit.map_or_else(|| front_app(tree), package),
            label: hit.map(|hit| spoken(tree, hit)).filter(|label| !label.is_empty()),
            is_secret: tree
                .nodes()
                .any(|(id, node)| node.flags.has(Flag::Focused) && tree.is_secret(id)),
        }
    }
}

/// The package of the window on top.
#[must_use]
pub fn front_app(tree: &Tree) -> Option<String> {
    let top = tree.node(tree.roots().last()?);
    Some(top.package.clone()).filter(|package| !package.is_empty())
}

/// Where a finger goes down.
fn touched(action: &AgentAction) -> Option<(Number, Number)> {
    match action {
        AgentAction::Tap(tap) => Some((tap.x, tap.y)),
        AgentAction::Swipe(swipe) => Some((swipe.x1, swipe.y1)),
        AgentAction::Drag(drag) => Some((drag.x1, drag.y1)),
        AgentAction::LongPressDrag(drag) => Some((drag.x1, drag.y1)),
        _ => None,
    }
}

/// The element at a point: what is drawn last is on top.
fn under(tree: &Tree, (x, y): (i32, i32)) -> Option<NodeId> {
    let screen = Screen::new(tree);
    let hits = |id: &NodeId| {
        let area = screen.visible_bounds(*id);
        (area.left..area.right).contains(&x) && (area.top..area.bottom).contains(&y)
    };
    tree.nodes().map(|(id, _)| id).filter(hits).last()
}

/// What the element that takes a touch says, and everything inside it.
fn spoken(tree: &Tree, hit: NodeId) -> String {
    let taker = tree.nearest(hit, Ability::Click).unwrap_or(hit);
    let mut label = String::new();
    for id in std::iter::once(taker).chain(tree.descendants(taker)) {
        let node = tree.node(id);
        for text in [node.text.as_str(), node.content_desc.as_str()] {
            if !text.is_empty() && label.chars().count() < MAX_LABEL {
                label.push_str(if label.is_empty() { "" } else { " " });
                label.extend(text.chars().take(MAX_LABEL));
            }
        }
    }
    label
}
