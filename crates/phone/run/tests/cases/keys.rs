//! The keys of a step's data are those of its row in the catalogue: in every
//! golden case, no more and no fewer.

use crate::case::{Case, Route};
use clawperator_contract::{
    ActionKind, ActionSpec, CATALOGUE, COMMON_FAILURE_KEYS, COMMON_KEYS, DataKey, FAILED_KEYS,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// The keys that no case has: a case has no policy, remembers no phone, and its
/// screens fit. `it/views.rs` has the last two, `mcp_policy.rs` of server the first.
const UNSEEN: &[&str] = &["approval_id", "memory_warning", "off_screen"];

/// The results of all steps in a golden answer, wherever they stand.
fn steps(answer: &Value) -> Vec<&Value> {
    match answer {
        Value::Object(entries) => {
            let here = entries.get("stepResults").and_then(Value::as_array);
            let deeper = entries.values().flat_map(steps);
            here.into_iter().flatten().chain(deeper).collect()
        }
        Value::Array(values) => values.iter().flat_map(steps).collect(),
        _ => Vec::new(),
    }
}

/// The names and golden answers of a route's cases.
fn answers(route: Route) -> Vec<(String, Value)> {
    let cases = Case::every(route).into_iter();
    let answer = |case: Case| {
        let answer = serde_json::from_str(case.section("envelope")).unwrap();
        (case.name, answer)
    };
    cases.map(answer).collect()
}

fn row(step: &Value) -> &'static ActionSpec {
    let name = step["actionType"].as_str().unwrap();
    CATALOGUE.iter().find(|spec| spec.name == name).unwrap()
}

fn keys(step: &Value) -> BTreeSet<&str> {
    step["data"].as_object().unwrap().keys().map(String::as_str).collect()
}

fn named(lists: &[&'static [DataKey]]) -> BTreeSet<&'static str> {
    lists.iter().copied().flatten().map(|key| key.name()).collect()
}

#[test]
fn a_step_says_what_its_row_has_and_nothing_else() {
    let mut seen = BTreeSet::new();
    for (case, answer) in answers(Route::Host) {
        for step in steps(&answer) {
            let row = row(step);
            let on_success = [row.success_keys, row.optional_keys];
            // What until names was there already, so nothing was done.
            let is_idle = step["data"]["times"] == "0";
            let (always, may) = if is_idle {
                (&[DataKey::Times][..], vec![&[DataKey::Times][..]])
            } else if step["success"] == true {
                (row.success_keys, [&on_success[..], &[COMMON_KEYS]].concat())
            } else {
                let on_failure = [FAILED_KEYS, COMMON_FAILURE_KEYS, row.failure_keys];
                (FAILED_KEYS, [&on_success[..], &on_failure].concat())
            };
            let (found, always, may) = (keys(step), named(&[always]), named(&may));
            let (id, name) = (&step["id"], row.name);
            let missing: Vec<_> = always.difference(&found).collect();
            assert!(missing.is_empty(), "{case}: {name} {id} lacks {missing:?}");
            let unknown: Vec<_> = found.difference(&may).collect();
            assert!(unknown.is_empty(), "{case}: {name} {id} has {unknown:?}");
            seen.extend(found.iter().map(|key| (*key).to_owned()));
        }
    }
    // A key that nothing ever says is decoration.
    let shown: BTreeSet<_> = seen.iter().map(String::as_str).collect();
    let unseen: Vec<_> = named(&[DataKey::ALL]).difference(&shown).copied().collect();
    assert_eq!(unseen, UNSEEN);
}

#[test]
fn what_is_promised_is_there_whatever_runs_the_step() {
    let mut promised = BTreeSet::new();
    for (case, answer) in answers(Route::Operator) {
        for step in steps(&answer).into_iter().filter(|step| step["success"] == true) {
            // What else is there is the app's own.
            let row = row(step);
            let found = keys(step);
            for key in row.promised_keys {
                assert!(found.contains(key.name()), "{case}: {} lacks {key}", row.name);
                promised.insert(row.name);
            }
        }
    }
    let rows = CATALOGUE.iter().filter(|row| !row.promised_keys.is_empty());
    assert_eq!(promised, rows.map(|row| row.name).collect());
}

#[test]
fn no_row_has_a_key_twice() {
    for row in &CATALOGUE {
        let lists = [row.success_keys, row.optional_keys, COMMON_KEYS, row.failure_keys];
        let count: usize = lists.iter().map(|list| list.len()).sum();
        assert_eq!(named(&lists).len(), count, "{}", row.name);
        assert!(row.promised_keys.iter().all(|key| row.success_keys.contains(key)));
        // Its success says all.
        let is_mute = matches!(row.kind, ActionKind::WaitForNode | ActionKind::SetClipboard);
        let certain = is_mute || !row.success_keys.is_empty();
        assert!(certain, "{} says nothing for certain", row.name);
    }
}
