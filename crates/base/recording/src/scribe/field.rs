//! What became of the field that was typed into.

use super::ScreenReading;
use crate::event::{TextChange, TextOmission};
use crate::touched::focused_field;
use clawperator_ui::{Ability, Flag, Node, NodeId, Tree};

/// A field whose text is another.
pub(super) struct FieldChange {
    pub(super) act: TextChange,
    /// Whether the field was not on the screen before.
    pub(super) on_new: bool,
}

/// What fingers did on the keyboard since the screen was last read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typing {
    None,
    Typed,
    /// They typed, and the keyboard went away by itself.
    Submitted,
}

/// The text of the field that has the focus now, or had it, if it is another
/// than before or was submitted.
pub(super) fn field_change(
    before: &ScreenReading,
    now: &ScreenReading,
    typing: Typing,
) -> Option<FieldChange> {
    let (typed, submitted) = (typing != Typing::None, typing == Typing::Submitted);
    // After a submit the field may have lost the focus.
    let had = || focused_field(&before.tree).and_then(|id| counterpart(&now.tree, &before.tree, id));
    let id = focused_field(&now.tree).or_else(|| if submitted { had() } else { None })?;
    let node = now.tree.node(id);
    let old = counterpart(&before.tree, &now.tree, id);
    let secret = node.flags.has(Flag::Password);
    let differs = match old {
        // Letters instead of dots are no other password.
        Some(old) if secret => before.tree.node(old).text.chars().count() != node.text.chars().count(),
        Some(old) => before.tree.node(old).text != node.text,
        // A field on a screen that was not read before: only touches tell.
        None => typed,
    };
    // The dots of a password may be as many as before.
    if !(differs || secret && typed || submitted) {
        return None;
    }
    let place = old.map_or(node.bounds, |old| before.tree.node(old).bounds);
    Some(FieldChange {
        act: TextChange {
            package: now.package.clone(),
            resource_id: node.resource_id.clone().filter(|id| !id.is_empty()),
            text: if secret { String::new() } else { node.text.clone() },
            field: Some(place),
            untold: secret.then_some(TextOmission::Password),
            submitted,
            untyped: !typed,
        },
        on_new: old.is_none(),
    })
}

/// Whether the field that had the focus is no longer there.
pub(super) fn is_gone(before: &ScreenReading, now: &ScreenReading) -> bool {
    match focused_field(&before.tree) {
        Some(id) => counterpart(&now.tree, &before.tree, id).is_none(),
        // It may have come and gone between two looks.
        None => true,
    }
}

/// The same field in another tree: by its id, or else by its place.
fn counterpart(tree: &Tree, of: &Tree, id: NodeId) -> Option<NodeId> {
    let wanted = of.node(id);
    let named = |node: &Node| node.resource_id.as_deref().filter(|id| !id.is_empty()).map(str::to_owned);
    let same = |node: &Node| match (named(wanted), named(node)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => (wanted.bounds.left, wanted.bounds.top) == (node.bounds.left, node.bounds.top),
        _ => false,
    };
    let mut fields = tree.nodes().filter(|(id, _)| tree.can(*id, Ability::Edit));
    fields
        .find(|(_, node)| node.class == wanted.class && node.package == wanted.package && same(node))
        .map(|(id, _)| id)
}
