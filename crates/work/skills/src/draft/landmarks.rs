//! What tells a screen from another, and what a touch brought about.

use super::name::{ElementName, is_in_list};
use super::private::{DraftText, PrivateTexts};
use crate::recipe::Framework;
use clawperator_ui::{Ability, Flag, Node, NodeId, Screen, Tree};

/// The longest text that identifies a screen.
const MAX_LABEL: usize = 40;
/// The longest text that is taken as a state.
const MAX_STATE: usize = 20;
/// The most digits of a value.
const MOST_DIGITS: usize = 6;
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

/// Something that is on a screen once and was not on those before: a text that
/// is an input already, else one of the app's own, else an id.
pub(super) fn landmark(now: &Tree, before: &[&Tree], private: &mut PrivateTexts<'_>) -> Option<ElementName> {
    let (screen, before) = (Screen::new(now), before.iter().map(|tree| Screen::new(tree)));
    let before: Vec<Screen<'_>> = before.collect();
    let is_new = |name: &ElementName| {
        let selector = name.selector();
        screen.count(&selector) == 1 && before.iter().all(|before| before.count(&selector) == 0)
    };
    let steady = || screen.nodes().filter(|(id, node)| is_steady(now, *id, node));
    let said = |node: &Node| DraftText { value: node.label().to_owned(), template: node.label().to_owned() };
    let inputs = steady().filter(|(_, node)| private.is_input(node.label()));
    let with_input = inputs.flat_map(|(_, node)| {
        let name = ElementName::by_text(said(node));
        let by_id = id_of(node).map(|id| ElementName { resource_id: Some(id.to_owned()), ..name.clone() });
        [by_id, Some(name.of_class(&node.class))].into_iter().flatten()
    });
    if let Some(mut name) = with_input.into_iter().find(is_new) {
        name.text = name.text.map(|text| private.say(&text.value));
        return Some(name);
    }
    let own = steady().filter(|(id, node)| is_own(now, *id, node, private));
    let by_text = own.flat_map(|(_, node)| {
        let name = ElementName::by_text(said(node));
        [name.of_class(&node.class), name].into_iter().rev()
    });
    if let Some(name) = by_text.into_iter().find(is_new) {
        return Some(name);
    }
    let ids = steady().filter_map(|(_, node)| Some(ElementName::by_id(id_of(node)?)));
    ids.into_iter().find(is_new)
}

/// A screen, and the one after a touch.
#[derive(Clone, Copy)]
pub(super) struct TouchScreens<'t> {
    pub(super) before: &'t Tree,
    pub(super) now: &'t Tree,
}

/// What a touch changed: the state of what was touched, or a value elsewhere.
pub(super) fn touch_effect(
    touched: &ElementName,
    screens: TouchScreens<'_>,
    private: &PrivateTexts<'_>,
) -> Option<ElementName> {
    let told = |label: &str| is_state(label) || is_value(label);
    let own = state(touched, screens, told, private);
    own.or_else(|| {
        let now = Screen::new(screens.now);
        let ids = now.nodes().filter(|(_, node)| node.package != OVERLAY);
        let mut ids = ids.filter_map(|(_, node)| Some(ElementName::by_id(id_of(node)?)));
        ids.find_map(|named| {
            let once = |tree: &Tree| Screen::new(tree).count(&named.selector()) == 1;
            let both = once(screens.before) && once(screens.now);
            both.then(|| state(&named, screens, is_value, private))?
        })
    })
}

/// What changed in an element or its row, where it is a label that fits. A text
/// of the user's does not.
fn state(
    touched: &ElementName,
    screens: TouchScreens<'_>,
    fits: impl Fn(&str) -> bool,
    private: &PrivateTexts<'_>,
) -> Option<ElementName> {
    let (was, is) = (Screen::new(screens.before), Screen::new(screens.now));
    let selector = touched.selector();
    let (old, new) = (was.first(&selector)?, is.first(&selector)?);
    let texts = |screen: &Screen<'_>, id: NodeId| -> Vec<(Option<String>, String)> {
        let tree = screen.tree();
        let row = tree.nearest(id, Ability::Click).unwrap_or(id);
        let inside = screen.within(row).map(|(_, node)| node);
        inside.map(|node| (id_of(node).map(str::to_owned), node.label().to_owned())).collect()
    };
    let before = texts(&was, old);
    let mut changed = texts(&is, new).into_iter().filter(|text| !before.contains(text));
    let (resource_id, label) = changed.find(|(_, label)| fits(label) && private.is_plain(label))?;
    let text = DraftText { value: label.clone(), template: label };
    let named = ElementName { resource_id, is_state: true, ..ElementName::by_text(text) };
    let is_new = was.count(&named.selector()) < is.count(&named.selector());
    (is_new && was.count(&named.selector()) == 0).then_some(named)
}

fn is_state(label: &str) -> bool {
    !label.is_empty() && label.chars().count() <= MAX_STATE && !label.chars().any(|c| c.is_ascii_digit())
}

/// Whether a label has a number that tells how something is set, and not the time.
fn is_value(label: &str) -> bool {
    let is_time = label.contains(':') || label.ends_with(" ago");
    let digits = label.chars().filter(char::is_ascii_digit).count();
    !is_time && (1..=MOST_DIGITS).contains(&digits) && label.chars().count() <= MAX_LABEL
}

/// Whether a screen is not an app's first: something on it leads back.
pub(super) fn leads_back(tree: &Tree) -> bool {
    tree.nodes().any(|(id, _)| is_way_back(tree, id))
}

/// Whether an element is known to do nothing but lead back.
pub(super) fn is_way_back(tree: &Tree, id: NodeId) -> bool {
    const WORDS: [&str; 6] = ["navigate up", "up", "back", "go back", "nach oben", "zurück"];
    let label = tree.node(id).label().trim().to_lowercase();
    tree.can(id, Ability::Click) && WORDS.contains(&label.as_str())
}

/// Whether a touch changed a setting: what was touched, or something in its row, is checked or not.
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

/// An element's id; an empty one names nothing.
fn id_of(node: &Node) -> Option<&str> {
    node.resource_id.as_deref().filter(|id| !id.is_empty())
}

/// What says the same whenever the screen is shown.
fn is_steady(tree: &Tree, id: NodeId, node: &Node) -> bool {
    !tree.can(id, Ability::Edit) && !node.flags.has(Flag::Password) && node.package != OVERLAY
}

/// Whether an element's label is the app's own, as far as can be told.
fn is_own(tree: &Tree, id: NodeId, node: &Node, private: &PrivateTexts<'_>) -> bool {
    let label = node.label();
    let plain = !label.chars().any(|c| c.is_ascii_digit() || c.is_control());
    !label.trim().is_empty()
        && plain
        && label.chars().count() <= MAX_LABEL
        && !is_in_list(tree, id)
        && private.is_plain(label)
}
