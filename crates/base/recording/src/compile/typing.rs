//! Typed text: the whole text of a field, once.

use super::Compiler;
use crate::doubt::Unsure;
use crate::event::{Maker, RecordedAct, TextChange, TextOmission};
use crate::limits::MAX_SCREENS_AROUND;
use crate::selector;
use crate::touched::focused_field;
use clawperator_contract::limits::MAX_MATCHER_VALUE_LENGTH;
use clawperator_contract::{ActionKind, Matcher, ParamKey, PayloadAction, text};
use clawperator_ui::{Ability, Bounds, Node, NodeId, Screen, Tree};

impl Compiler<'_> {
    pub(super) fn text(&mut self, index: usize, act: &TextChange) {
        if self.is_typed_on(index, act) {
            return;
        }
        let emptied = act.untold.is_none() && self.is_emptied(index, act);
        // An app empties a field when its text is sent.
        if emptied && act.untyped {
            return;
        }
        if (emptied || act.untold == Some(TextOmission::Unseen)) && act.submitted && self.submit_last() {
            self.doubt(index, Unsure::SubmittedByKeyboard);
            return;
        }
        let left_out = match act.untold {
            Some(TextOmission::Password) => Some(Unsure::PasswordLeftOut),
            Some(TextOmission::Unseen) => Some(Unsure::TextUnseen),
            None if emptied => Some(Unsure::TextEmptied),
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
        if self.may_be_hint(index, act) {
            self.doubt(index, Unsure::MayBeHint(act.text.clone()));
        }
        let mut typing = PayloadAction::new("", ActionKind::EnterText)
            .with(ParamKey::Matcher, matcher)
            .with(ParamKey::Text, &*act.text)
            .with(ParamKey::Clear, true);
        if act.submitted {
            self.doubt(index, Unsure::SubmittedByKeyboard);
            typing.set(ParamKey::Submit, true);
        }
        self.act(index, typing);
    }

    /// Submits the text that was entered last; whether there is one.
    fn submit_last(&mut self) -> bool {
        let last = self.drafts.last_mut();
        let entered = last.filter(|draft| draft.action.kind == ActionKind::EnterText);
        entered.map(|draft| draft.action.set(ParamKey::Submit, true)).is_some()
    }

    /// Whether the next event tells more of the same field's text.
    fn is_typed_on(&self, index: usize, act: &TextChange) -> bool {
        let next = self.recording.events.get(index + 1).map(|event| &event.act);
        let Some(RecordedAct::TextChange(next)) = next else {
            return false;
        };
        // What was sent, with a key of the keyboard or by the app, was typed.
        let sent = (next.submitted || next.untyped) && self.is_emptied(index + 1, next);
        let same =
            next.package == act.package && next.resource_id == act.resource_id && next.field == act.field;
        same && !sent
    }

    /// Whether a field became empty: it has no text, or shows what it showed
    /// before anything was typed. A dump does not tell hints from texts.
    fn is_emptied(&self, index: usize, act: &TextChange) -> bool {
        let again = || {
            let first = self.first_texts.get(&field_key(act.resource_id.as_deref(), act.field));
            let before = self.text_before(index, act);
            first.is_some_and(|first| *first == act.text) && before.is_some_and(|before| before != act.text)
        };
        text::is_blank(&act.text) || self.recording.header.maker == Maker::Host && again()
    }

    /// Whether it is unknown that a text was typed: no key was touched, it was
    /// there before, or it replaced another text as a whole, as a hint does.
    fn may_be_hint(&self, index: usize, act: &TextChange) -> bool {
        if act.untyped {
            return true;
        }
        let first = self.first_texts.get(&field_key(act.resource_id.as_deref(), act.field));
        let (Some(first), Some(before)) = (first, self.text_before(index, act)) else {
            return false;
        };
        let replaced = before != first && before.chars().next() != act.text.chars().next();
        *first == act.text || replaced && !text::is_blank(before)
    }

    /// What a field showed on the screen before its text changed.
    fn text_before(&self, index: usize, act: &TextChange) -> Option<&str> {
        let tree = self.trees[index].as_ref()?;
        let key = field_key(act.resource_id.as_deref(), act.field);
        let mut fields = tree.nodes().filter(|(id, _)| tree.can(*id, Ability::Edit));
        let field = fields.find(|(_, node)| field_key(node.resource_id.as_deref(), Some(node.bounds)) == key);
        field.map(|(_, node)| node.text.as_str())
    }

    /// Notes what the fields of an event's screen show, the first time that each is seen.
    pub(super) fn note_fields(&mut self, index: usize) {
        let Some(tree) = &self.trees[index] else { return };
        for (_, node) in tree.nodes().filter(|(id, _)| tree.can(*id, Ability::Edit)) {
            let key = field_key(node.resource_id.as_deref(), Some(node.bounds));
            self.first_texts.entry(key).or_insert_with(|| node.text.clone());
        }
    }

    /// The field, by the screen it was typed on, or by the nearest that shows a
    /// field with that text or the focus.
    fn field(&mut self, index: usize, act: &TextChange) -> Option<Matcher> {
        let after = self.trees[index..].iter().flatten().take(MAX_SCREENS_AROUND);
        let before = self.trees[..index].iter().rev().flatten().take(MAX_SCREENS_AROUND);
        let (matcher, unsure) = after.chain(before).find_map(|tree| field_in(tree, act))?;
        if let Some(what) = unsure {
            self.doubt(index, what);
        }
        Some(matcher)
    }
}

/// A field, as far as it can be told again: by its id, or else by its place.
pub(super) type TypingFieldKey = (String, Option<[i32; 4]>);

fn field_key(id: Option<&str>, place: Option<Bounds>) -> TypingFieldKey {
    match id.filter(|id| !id.is_empty()) {
        Some(id) => (id.to_owned(), None),
        None => (String::new(), place.map(|place| [place.left, place.top, place.right, place.bottom])),
    }
}

fn field_in(tree: &Tree, act: &TextChange) -> Option<(Matcher, Option<Unsure>)> {
    let id = find(tree, act)?;
    let named = selector::name(&Screen::new(tree), id, Ability::Edit);
    named.matcher.map(|matcher| (matcher, named.unsure))
}

fn find(tree: &Tree, act: &TextChange) -> Option<NodeId> {
    let mut fields = tree.nodes().filter(|(id, _)| tree.can(*id, Ability::Edit));
    let is_it = |node: &Node| match (act.field, &act.resource_id) {
        (Some(bounds), _) => node.bounds == bounds,
        (None, Some(_)) => node.resource_id == act.resource_id,
        (None, None) => node.text == act.text,
    };
    let found = fields.find(|(_, node)| is_it(node)).map(|(id, _)| id);
    let is_placed = act.field.is_some() || act.resource_id.is_some();
    found.or_else(|| if is_placed { None } else { focused_field(tree) })
}
