//! Typed text: the whole text of a field, once.

use super::Compiler;
use crate::doubt::Unsure;
use crate::event::{Act, TextChange, Untold};
use crate::limits::MAX_SCREENS_AROUND;
use crate::selector;
use crate::touched::focused_field;
use clawperator_contract::limits::MAX_MATCHER_VALUE_LENGTH;
use clawperator_contract::{ActionKind, Matcher, ParamKey, PayloadParams, text};
use clawperator_ui::{Ability, NodeId, Screen, Tree};

impl Compiler<'_> {
    pub(super) fn text(&mut self, index: usize, act: &TextChange) {
        if self.is_typed_on(index, act) {
            return;
        }
        if act.untold == Some(Untold::Unseen) && act.submitted && self.submit_last() {
            self.doubt(index, Unsure::SubmittedByKeyboard);
            return;
        }
        let left_out = match act.untold {
            Some(Untold::Password) => Some(Unsure::PasswordLeftOut),
            Some(Untold::Unseen) => Some(Unsure::TextUnseen),
            None if text::is_blank(&act.text) => Some(Unsure::TextEmptied),
            None if text::exceeds(&act.text, MAX_MATCHER_VALUE_LENGTH) => Some(Unsure::TextTooLong),
            None => None,
        };
        if let Some(what) = left_out {
            self.doubt(index, what);
            return;
        }
        let Some(matcher) = self.field(index, act) else {
            self.doubt(index, Unsure::FieldUnknown);
            return;
        };
        self.doubt_stale(index);
        let mut params = PayloadParams::default()
            .with(ParamKey::Matcher, matcher)
            .with(ParamKey::Text, &*act.text)
            .with(ParamKey::Clear, true);
        if act.submitted {
            self.doubt(index, Unsure::SubmittedByKeyboard);
            params.set(ParamKey::Submit, true);
        }
        self.act(index, ActionKind::EnterText, params);
    }

    /// Submits the text that was entered last; whether there is one.
    fn submit_last(&mut self) -> bool {
        let last = self.drafts.last_mut();
        let entered = last.filter(|draft| draft.kind == ActionKind::EnterText);
        if let Some(draft) = entered {
            draft.params.set(ParamKey::Submit, true);
            return true;
        }
        false
    }

    /// Whether the next event tells more of the same field's text.
    fn is_typed_on(&self, index: usize, act: &TextChange) -> bool {
        let next = self.recording.events.get(index + 1).map(|event| &event.act);
        let Some(Act::TextChange(next)) = next else {
            return false;
        };
        next.package == act.package && next.resource_id == act.resource_id && next.field == act.field
    }

    /// The field, by the screen it was typed on, or by the nearest that shows a
    /// field with that text or the focus.
    fn field(&mut self, index: usize, act: &TextChange) -> Option<Matcher> {
        let own = self.trees[index].as_ref().and_then(|tree| field_in(tree, act));
        let around = MAX_SCREENS_AROUND;
        let later = || {
            let mut after = self.trees[index..].iter().flatten().take(around);
            after.find_map(|tree| field_in(tree, act))
        };
        let earlier = || {
            let mut before = self.trees[..index].iter().rev().flatten().take(around);
            before.find_map(|tree| field_in(tree, act))
        };
        let named = own.or_else(later).or_else(earlier)?;
        if let Some(what) = named.1 {
            self.doubt(index, what);
        }
        Some(named.0)
    }
}

fn field_in(tree: &Tree, act: &TextChange) -> Option<(Matcher, Option<Unsure>)> {
    let id = find(tree, act)?;
    let named = selector::name(&Screen::new(tree), id, Ability::Edit);
    named.matcher.map(|matcher| (matcher, named.unsure))
}

fn find(tree: &Tree, act: &TextChange) -> Option<NodeId> {
    let fields = || tree.nodes().filter(|(id, _)| tree.can(*id, Ability::Edit));
    if let Some(bounds) = act.field {
        return fields().find(|(_, node)| node.bounds == bounds).map(|(id, _)| id);
    }
    if let Some(resource) = &act.resource_id {
        let named = fields().find(|(_, node)| node.resource_id.as_ref() == Some(resource));
        return named.map(|(id, _)| id);
    }
    let by_text = fields().find(|(_, node)| node.text == act.text);
    by_text.map(|(id, _)| id).or_else(|| focused_field(tree))
}
