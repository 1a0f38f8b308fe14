//! Rewrites every alias to its canonical name. It changes names only, never
//! values, and refuses nothing: what it could not settle it notes on the
//! object, and [`check`](crate::check()) judges that.

use crate::action::ActionKind;
use crate::confirm::EFFECT_FIELDS;
use crate::matcher::{MATCHER_FIELDS, WHERE};
use crate::param::{ParamKey, Shape};
use crate::wire::{ACTIONS, EXECUTION_FIELDS, ExecutionWire, PARAMS, TYPE};
use clawperator_document::{Alias, Document, Note, Value};

/// Rewrites every alias of an execution. Doing it twice changes nothing more.
pub fn normalize(wire: ExecutionWire<'_>) -> ExecutionWire<'_> {
    let mut document = wire.0;
    document.rename_aliases(0, execution_alias);
    if let Some(actions) = document.root().get(ACTIONS.name).map(Value::index) {
        let mut next = document.first_child(actions);
        while let Some(action) = next {
            normalize_action(&mut document, action);
            next = document.next_sibling(actions, action);
        }
    }
    document.sort_notes();
    ExecutionWire(document)
}

fn normalize_action(document: &mut Document<'_>, action: usize) {
    normalize_type(document, action);
    let Some(params) = document.value(action).get(PARAMS.name).map(Value::index) else {
        return;
    };
    // Matchers first, so that two aliases of one are compared by what they mean.
    normalize_matchers(document, params, param_shape);
    document.rename_aliases(params, ParamKey::from_alias);
}

/// Normalises every matcher among the values of an object, and those inside of
/// what confirms an effect.
fn normalize_matchers(document: &mut Document<'_>, object: usize, shape_of: fn(&str) -> Option<Shape>) {
    let mut next = document.first_child(object);
    while let Some(value) = next {
        match shape_of(document.value(value).key()) {
            Some(Shape::Matcher) => normalize_matcher(document, value),
            Some(Shape::Confirm) => normalize_matchers(document, value, effect_shape),
            _ => {}
        }
        next = document.next_sibling(object, value);
    }
}

fn normalize_matcher(document: &mut Document<'_>, matcher: usize) {
    document.rename_aliases(matcher, matcher_alias);
    if let Some(selector) = document.value(matcher).get(WHERE).map(Value::index) {
        normalize_selector(document, selector);
    }
}

/// Renames the aliases of every object in a `where`: a selector calls what a
/// matcher has by the same names. The depth of a document is bounded.
fn normalize_selector(document: &mut Document<'_>, value: usize) {
    document.rename_aliases(value, matcher_alias);
    let mut next = document.first_child(value);
    while let Some(inner) = next {
        normalize_selector(document, inner);
        next = document.next_sibling(value, inner);
    }
}

fn normalize_type(document: &mut Document<'_>, action: usize) {
    let Some(written) = document.value(action).get(TYPE.name) else {
        return;
    };
    let index = written.index();
    let kind = written.as_text().and_then(ActionKind::from_type);
    if let Some(kind) = kind
        && written.as_text() != Some(kind.name())
        && let Some(raw) = document.replace_text(index, kind.name())
    {
        document.note(action, Note::Rewritten(raw));
    }
}

fn execution_alias(key: &str) -> Option<Alias> {
    EXECUTION_FIELDS.iter().find_map(|field| find(key, field.aliases, field.name))
}

fn matcher_alias(key: &str) -> Option<Alias> {
    MATCHER_FIELDS.iter().find_map(|field| find(key, field.aliases, field.name))
}

fn find(key: &str, aliases: &[&'static str], canonical: &'static str) -> Option<Alias> {
    let name = *aliases.iter().find(|alias| **alias == key)?;
    Some(Alias { name, canonical })
}

/// What a key, or the canonical key of an alias, takes.
fn param_shape(key: &str) -> Option<Shape> {
    let canonical = ParamKey::from_alias(key).map_or(key, |alias| alias.canonical);
    ParamKey::from_name(canonical).map(|key| key.spec().shape)
}

fn effect_shape(key: &str) -> Option<Shape> {
    let field = EFFECT_FIELDS.iter().find(|field| field.name == key)?;
    Some(field.shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(text: &str) -> ExecutionWire<'_> {
        normalize(ExecutionWire::parse(text.as_bytes()).unwrap())
    }

    /// The value of `params.applicationId` and what was noted of `params`.
    fn application_id(text: &str) -> (Option<String>, Vec<String>) {
        let wire = normalized(text);
        let actions = wire.0.root().get("actions").unwrap();
        let params = actions.children().next().unwrap().get("params").unwrap();
        let value = params.get("applicationId").and_then(Value::as_text);
        let notes = params.notes().map(|note| format!("{note:?}")).collect();
        (value.map(str::to_owned), notes)
    }

    #[test]
    fn a_canonical_key_wins_over_its_alias() {
        for text in [
            r#"{"actions":[{"params":{"package":"a","applicationId":"b","app":"c"}}]}"#,
            r#"{"actions":[{"params":{"applicationId":"b","package":"a","app":"c"}}]}"#,
        ] {
            let (value, notes) = application_id(text);
            assert_eq!(value.as_deref(), Some("b"));
            assert_eq!(notes.len(), 2);
            assert!(notes.iter().all(|note| note.contains("AliasIgnored")), "{notes:?}");
        }
    }

    #[test]
    fn two_aliases_clash_only_when_they_differ() {
        let (value, notes) = application_id(r#"{"actions":[{"params":{"package":"a","app":"a"}}]}"#);
        assert_eq!((value.as_deref(), notes.len()), (Some("a"), 0));
        let (value, notes) = application_id(r#"{"actions":[{"params":{"package":"a","app":"b"}}]}"#);
        assert_eq!(value.as_deref(), Some("a"));
        assert_eq!(notes, [r#"AliasClash { first: "package", second: "app", canonical: "applicationId" }"#]);
    }
}
