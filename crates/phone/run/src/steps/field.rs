//! A field that text is typed into: found once, and found again later.

use super::click::{self, TouchTarget};
use crate::outcome::{Data, StepFailure};
use crate::run::Run;
use clawperator_contract::{DataKey, ErrorCode};
use clawperator_phone::{FieldMark, OnlyFocused};
use clawperator_redact::is_masked;
use clawperator_ui::{Ability, Flag, Node, NodeId, Point, Role, Screen, Tree};

/// A field as it was found.
#[expect(clippy::struct_excessive_bools, reason = "each is another question about secrets")]
pub(super) struct InputField {
    pub(super) at: Point,
    pub(super) focused: bool,
    pub(super) kind: FieldKind,
    pub(super) text: String,
    /// Its name, if it alone has the focus.
    pub(super) named: Option<OnlyFocused>,
    /// Whether what is in it is secret: it is a password field, its id says so, or
    /// it took a secret.
    pub(super) password: bool,
    /// Whether what it showed must not be known.
    pub(super) was_dark: bool,
    /// Whether the result may repeat what was typed.
    pub(super) tells: bool,
    /// What covers it, if it was touched all the same.
    pub(super) cover: Option<String>,
    resource_id: Option<String>,
    class: String,
    /// How many fields that look like it come before it.
    alike_before: usize,
    pub(super) mark: FieldMark,
}

/// How a field takes what is entered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    Text,
    Password,
    /// It is set, not typed into.
    Slider,
    Picker,
}

impl FieldKind {
    fn of(tree: &Tree, id: NodeId) -> Self {
        match tree.role(id) {
            Role::Slider => Self::Slider,
            Role::Picker => Self::Picker,
            _ if tree.node(id).flags.has(Flag::Password) => Self::Password,
            _ => Self::Text,
        }
    }

    pub(super) fn is_typed(self) -> bool {
        matches!(self, Self::Text | Self::Password)
    }
}

impl InputField {
    /// The field that an element of the last look is, or is inside of.
    pub(super) fn around(
        run: &Run<'_>,
        screen: &Screen<'_>,
        chosen: NodeId,
        details: &mut Data,
    ) -> Result<Self, StepFailure> {
        let tree: &Tree = screen.tree();
        let taker = if FieldKind::of(tree, chosen).is_typed() {
            tree.nearest(chosen, Ability::Edit)
        } else {
            Some(chosen)
        };
        let Some(id) = taker else {
            // It may be a button, which must not be pressed.
            let message = format!("{} takes no text", tree.excerpt(chosen));
            return Err(StepFailure::new(ErrorCode::TextNotEntered, message));
        };
        let node = tree.node(id);
        if !node.flags.has(Flag::Enabled) {
            let message = format!("{} is not enabled", tree.excerpt(id));
            return Err(StepFailure::new(ErrorCode::NodeNotClickable, message));
        }
        let missing = || {
            let message = format!("{} is not on the screen", tree.excerpt(id));
            StepFailure::new(ErrorCode::NodeNotClickable, message)
        };
        let mut field = Self {
            at: click::touch(run, screen, TouchTarget { id, taker: Some(id) }, details)?
                .ok_or_else(missing)?,
            focused: node.flags.has(Flag::Focused),
            kind: FieldKind::of(tree, id),
            text: node.text.clone(),
            named: run.phone().only_focused(tree, id),
            password: tree.is_secret(id),
            was_dark: is_masked(&node.text) || node.hides_secret,
            tells: false,
            cover: details.get(&DataKey::TouchWarning).cloned(),
            resource_id: node.resource_id.clone(),
            class: node.class.clone(),
            alike_before: 0,
            mark: FieldMark::of(tree, id),
        };
        field.password |= field.was_dark;
        let before = tree.nodes().take_while(|(other, _)| *other != id);
        field.alike_before = before.filter(|(_, other)| field.looks_like(other)).count();
        Ok(field)
    }

    /// The same field in a later look, wherever the keyboard has moved it.
    pub(super) fn again(&self, tree: &Tree) -> Option<NodeId> {
        let mut alike = tree.nodes().filter(|(_, node)| self.looks_like(node));
        alike.nth(self.alike_before).map(|(id, _)| id)
    }

    fn looks_like(&self, node: &Node) -> bool {
        node.resource_id == self.resource_id
            && node.class == self.class
            && node.flags.has(Flag::Password) == (self.kind == FieldKind::Password)
    }
}
