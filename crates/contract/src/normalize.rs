//! Rewrites every alias to its canonical name. It changes names only, never
//! values, and refuses nothing: what it could not settle it notes on the
//! object, and [`check`](crate::check()) judges that.

use crate::action::ActionKind;
use crate::json::{Json, Note, Object};
use crate::matcher::MATCHER_FIELDS;
use crate::param::{PARAMS, Shape};
use crate::wire::{EXECUTION_FIELDS, ExecutionWire};
use std::borrow::Cow;

/// Rewrites every alias of an execution. Doing it twice changes nothing more.
#[must_use]
pub fn normalize(wire: ExecutionWire<'_>) -> ExecutionWire<'_> {
    let mut json = wire.0;
    if let Json::Object(execution) = &mut json {
        rename(execution, top_alias);
        if let Some(Json::Array(actions)) = execution.get_mut("actions") {
            for action in actions {
                if let Json::Object(action) = action {
                    normalize_action(action);
                }
            }
        }
    }
    ExecutionWire(json)
}

fn normalize_action(action: &mut Object<'_>) {
    normalize_type(action);
    let Some(Json::Object(params)) = action.get_mut("params") else {
        return;
    };
    rename(params, param_alias);
    for (key, value) in &mut params.entries {
        if let Json::Object(inner) = value
            && is_matcher(key)
        {
            rename(inner, matcher_alias);
        }
    }
}

fn normalize_type(action: &mut Object<'_>) {
    let Some(Json::Text(written)) = action.get_mut("type") else {
        return;
    };
    let Some(kind) = ActionKind::from_type(written) else {
        return;
    };
    if written != kind.name() {
        let raw = std::mem::replace(written, Cow::Borrowed(kind.name()));
        action.note(Note::TypeWas(raw));
    }
}

/// An alias and the canonical name it stands for.
type Alias = (&'static str, &'static str);

fn top_alias(key: &str) -> Option<Alias> {
    find_alias(
        key,
        EXECUTION_FIELDS.iter().map(|field| (field.name, field.aliases)),
    )
}

fn param_alias(key: &str) -> Option<Alias> {
    find_alias(key, PARAMS.iter().map(|spec| (spec.name, spec.aliases)))
}

fn matcher_alias(key: &str) -> Option<Alias> {
    find_alias(
        key,
        MATCHER_FIELDS.iter().map(|field| (field.name, field.aliases)),
    )
}

fn find_alias(
    key: &str,
    mut rows: impl Iterator<Item = (&'static str, &'static [&'static str])>,
) -> Option<Alias> {
    rows.find_map(|(name, aliases)| {
        let alias = aliases.iter().find(|alias| **alias == key)?;
        Some((*alias, name))
    })
}

fn is_matcher(key: &str) -> bool {
    let is_it = |spec: &&crate::param::ParamSpec| spec.shape == Shape::Matcher && spec.name == key;
    PARAMS.iter().any(|spec| is_it(&spec))
}

/// Renames an object's aliases. A canonical key that is also there wins; of
/// two aliases for one key the first stays, and a different second is noted.
fn rename(object: &mut Object<'_>, alias_of: fn(&str) -> Option<Alias>) {
    if !object.entries.iter().any(|(key, _)| alias_of(key).is_some()) {
        return;
    }
    let entries = std::mem::take(&mut object.entries);
    let canonical_given: Vec<Cow<'_, str>> = entries.iter().map(|(key, _)| key.clone()).collect();
    let mut renamed: Vec<Alias> = Vec::new();
    for (key, value) in entries {
        let Some((alias, canonical)) = alias_of(&key) else {
            object.entries.push((key, value));
            continue;
        };
        let earlier = renamed.iter().find(|(_, name)| *name == canonical).copied();
        if canonical_given.iter().any(|given| given == canonical) {
            object.note(Note::AliasIgnored { alias, canonical });
        } else if let Some((first, _)) = earlier {
            if object.get(canonical) != Some(&value) {
                object.note(Note::AliasClash {
                    first,
                    second: alias,
                    canonical,
                });
            }
        } else {
            renamed.push((alias, canonical));
            object.entries.push((Cow::Borrowed(canonical), value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(text: &str) -> ExecutionWire<'_> {
        normalize(ExecutionWire::parse(text.as_bytes()).unwrap())
    }

    fn params(wire: &ExecutionWire<'_>) -> Object<'static> {
        let Json::Object(root) = &wire.0 else { panic!() };
        let Some(Json::Array(actions)) = root.get("actions") else {
            panic!()
        };
        let Json::Object(action) = &actions[0] else {
            panic!()
        };
        let Some(Json::Object(params)) = action.get("params") else {
            panic!()
        };
        // Written out and read again so that the test owns it.
        let notes = params.notes().iter().map(|note| match note {
            Note::DuplicateKey(key) => Note::DuplicateKey(Cow::Owned(key.to_string())),
            Note::TypeWas(raw) => Note::TypeWas(Cow::Owned(raw.to_string())),
            Note::AliasIgnored { alias, canonical } => Note::AliasIgnored { alias, canonical },
            Note::AliasClash {
                first,
                second,
                canonical,
            } => Note::AliasClash {
                first,
                second,
                canonical,
            },
        });
        let mut owned = Object::default();
        owned.entries = params
            .entries
            .iter()
            .map(|(key, value)| {
                let Json::Text(text) = value else { panic!() };
                (Cow::Owned(key.to_string()), Json::text(text.to_string()))
            })
            .collect();
        notes.for_each(|note| owned.note(note));
        owned
    }

    #[test]
    fn a_canonical_key_wins_over_its_alias() {
        let wire = normalized(r#"{"actions":[{"params":{"package":"a","applicationId":"b"}}]}"#);
        let params = params(&wire);
        assert_eq!(params.get("applicationId").and_then(Json::as_text), Some("b"));
        assert_eq!(
            params.notes(),
            [Note::AliasIgnored {
                alias: "package",
                canonical: "applicationId"
            }]
        );
    }

    #[test]
    fn two_aliases_clash_only_when_they_differ() {
        let same = normalized(r#"{"actions":[{"params":{"package":"a","app":"a"}}]}"#);
        assert!(params(&same).notes().is_empty());
        let differ = normalized(r#"{"actions":[{"params":{"package":"a","app":"b"}}]}"#);
        assert_eq!(
            params(&differ).notes(),
            [Note::AliasClash {
                first: "package",
                second: "app",
                canonical: "applicationId"
            }]
        );
    }
}
