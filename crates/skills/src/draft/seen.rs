//! What tells a screen from another, and what a touch brought about.

use super::name::{Named, is_in_list};
use super::private::{Private, Said};
use crate::recipe::Framework;
use clawperator_ui::{Ability, Flag, Node, NodeId, Screen, Tree};

/// The longest text that identifies a screen.
const MAX_LABEL: usize = 40;
/// The longest text that is taken as a state.
const MAX_STATE: usize = 20;
/// Windows of the system that lie over every app.
const OVERLAY: &str = "com.android.systemui";

/// Classes that tell what an app is built with.
const FRAMEWORKS: [(&str, Framework); 5] = [
    ("androidx.compose.", Framework::Compose),
    ("com.facebook.react.", Framework::ReactNative),
    ("io.flutter.", Framework::Flutter),
    ("android.webkit.WebView", Framework::Webview),
    ("androidx.recyclerview.", Framework::Views),
];

/// Something that is on a screen once and was not on the one before: a text of
/// the app's own, else an id, else a text that is an input already.
pub(super) fn landmark(now: &Tree, before: Option<&Tree>, private: &mut Private<'_>) -> Option<Named> {
    let (screen, before) = (Screen::new(now), before.map(Screen::new));
    let is_new = |name: &Named| {
        let selector = name.selector();
        screen.count(&selector) == 1 && before.as_ref().is_none_or(|before| before.count(&selector) == 0)
    };
    let steady = || screen.nodes().filter(|(id, node)| is_steady(now, *id, node));
    let said = |node: &Node| Said {
        value: node.label().to_owned(),
        template: node.label().to_owned(),
    };
    let own = steady().filter(|(id, node)| is_own(now, *id, node, private));
    let by_text = own.flat_map(|(_, node)| {
        let name = Named::by_text(said(node));
        [name.of_class(&node.class), name].into_iter().rev()
    });
    if let Some(name) = by_text.into_iter().find(is_new) {
        return Some(name);
    }
    let ids = steady().filter_map(|(_, node)| Some(Named::by_id(node.resource_id.as_deref()?)));
    if let Some(name) = ids.into_iter().find(is_new) {
        return Some(name);
    }
    let inputs = steady().filter(|(_, node)| private.is_input(node.label()));
    let with_input = inputs.flat_map(|(_, node)| {
        let name = Named::by_text(said(node));
        let by_id = node.resource_id.clone().map(|id| Named {
            resource_id: Some(id),
            ..name.clone()
        });
        [by_id, Some(name.of_class(&node.class))].into_iter().flatten()
    });
    let mut name = with_input.into_iter().find(is_new)?;
    name.text = name.text.map(|text| private.say(&text.value));
    Some(name)
}

/// What changed in an element that was touched, where it says its state. A text
/// of the user's is none.
pub(super) fn state(touched: &Named, (before, now): (&Tree, &Tree), private: &Private<'_>) -> Option<Named> {
    let (was, is) = (Screen::new(before), Screen::new(now));
    let selector = touched.selector();
    let (old, new) = (was.first(&selector)?, is.first(&selector)?);
    let texts = |screen: &Screen<'_>, id: NodeId| -> Vec<(Option<String>, String)> {
        let tree = screen.tree();
        let row = tree.nearest(id, Ability::Click).unwrap_or(id);
        let inside = screen.within(row).map(|(_, node)| node);
        inside
            .map(|node| (node.resource_id.clone(), node.label().to_owned()))
            .collect()
    };
    let before = texts(&was, old);
    let mut changed = texts(&is, new).into_iter().filter(|text| !before.contains(text));
    let (resource_id, label) = changed.find(|(_, label)| is_state(label) && private.is_plain(label))?;
    let text = Said {
        value: label.clone(),
        template: label,
    };
    let named = Named {
        resource_id,
        is_state: true,
        ..Named::by_text(text)
    };
    let is_new = was.count(&named.selector()) < is.count(&named.selector());
    (is_new && was.count(&named.selector()) == 0).then_some(named)
}

fn is_state(label: &str) -> bool {
    !label.is_empty() && label.chars().count() <= MAX_STATE && !label.chars().any(|c| c.is_ascii_digit())
}

/// Whether a touch changed a setting: what was touched, or something in its
/// row, is checked or not.
pub(super) fn is_toggle(tree: &Tree, id: NodeId) -> bool {
    let row = tree.nearest(id, Ability::Click).unwrap_or(id);
    let checkable = |id: NodeId| tree.node(id).flags.has(Flag::Checkable);
    checkable(row) || tree.descendants(row).any(checkable)
}

/// What the screens show of what an app is built with.
pub(super) fn frameworks<'t>(trees: impl Iterator<Item = &'t Tree>) -> Vec<Framework> {
    let mut found = Vec::new();
    for (_, node) in trees.flat_map(Tree::nodes) {
        let known = FRAMEWORKS.iter().find(|(class, _)| node.class.starts_with(class));
        if let Some((_, framework)) = known.filter(|(_, framework)| !found.contains(framework)) {
            found.push(*framework);
        }
    }
    found.sort_unstable();
    if found.is_empty() {
        found.push(Framework::Unknown);
    }
    found
}

/// What says the same whenever the screen is shown.
fn is_steady(tree: &Tree, id: NodeId, node: &Node) -> bool {
    !tree.can(id, Ability::Edit) && !node.flags.has(Flag::Password) && node.package != OVERLAY
}

/// Whether an element's label is the app's own, as far as can be told.
fn is_own(tree: &Tree, id: NodeId, node: &Node, private: &Private<'_>) -> bool {
    let label = node.label();
    let plain = !label.chars().any(|c| c.is_ascii_digit() || c.is_control());
    !label.trim().is_empty()
        && plain
        && label.chars().count() <= MAX_LABEL
        && !is_in_list(tree, id)
        && private.is_plain(label)
}
