//! The confirm object: what is accepted, and what is refused where.

use crate::schemas::EXECUTION;
use clawperator_contract::{ConfirmEffect, Step, WarningCode, accept};
use serde_json::{Value, json};
use std::time::Duration;

fn payload(kind: &str, params: &Value) -> Value {
    json!({
        "commandId": "c", "taskId": "t", "source": "s", "expectedFormat": "android-ui-automator",
        "timeoutMs": 30000, "actions": [{"id": "a", "type": kind, "params": params}],
    })
}

fn back(confirm: &Value) -> Value {
    payload("press_key", &json!({"key": "back", "confirm": confirm}))
}

#[test]
fn a_confirm_object_has_one_effect_and_no_unknown_key() {
    for (confirm, path, words) in [
        (json!("changed"), "", "confirm must be an object, not a string"),
        (json!({}), "", "confirm must say what to wait for"),
        (json!({"timeoutMs": 5}), "", "confirm must say what to wait for"),
        (json!({"appears": {"role": "a"}, "changed": true}), "", "confirm must have one effect, not 2"),
        (json!({"apears": {"role": "a"}}), "", "\"apears\""),
        (json!({"changed": true, "timeout": 5}), "", "\"timeout\""),
        (json!({"changed": false}), ".changed", "changed must be true"),
        (json!({"changed": "yes"}), ".changed", "changed must be true or false"),
        (json!({"appears": {}}), ".appears", "appears must have at least one field"),
        (json!({"disappears": {"rool": "a"}}), ".disappears", "\"rool\""),
        (json!({"changed": true, "timeoutMs": "5"}), ".timeoutMs", "timeoutMs must be a number"),
    ] {
        let payload = back(&confirm);
        let failure = json!(accept(payload.to_string().as_bytes()).unwrap_err());
        let problems = failure["details"]["problems"].as_array().unwrap();
        assert_eq!(problems.len(), 1, "{confirm} {failure}");
        assert_eq!(problems[0]["path"], format!("actions.0.params.confirm{path}"));
        let message = problems[0]["message"].as_str().unwrap();
        assert!(message.contains(words), "{confirm}: {message}");
        assert!(!EXECUTION.is_valid(&payload), "{confirm} and the schema");
    }
}

#[test]
fn matchers_in_a_confirm_object_are_normalised() {
    let payload = back(&json!({"disappears": {"id": "a", "where": {"text": "b"}}}));
    let checked = accept(payload.to_string().as_bytes()).unwrap();
    let written = json!(checked.execution);
    assert_eq!(
        written["actions"][0]["params"]["confirm"],
        json!({"disappears": {"resourceId": "a", "where": {"textEquals": "b"}}})
    );
    assert!(EXECUTION.is_valid(&written));
    let Step::PressKey(step) = checked.execution.actions()[0].step() else {
        panic!("{written}");
    };
    let confirm = step.confirm.as_ref().unwrap();
    assert!(
        matches!(&confirm.effect, ConfirmEffect::Disappears(matcher) if matcher.resource_id.as_deref() == Some("a"))
    );
    assert_eq!(confirm.timeout(), Duration::from_secs(5));
}

#[test]
fn a_wait_that_is_too_long_is_warned_of() {
    for (timeout_ms, used, codes) in [
        (29_000, 29_000, vec![]),
        (31_000, 31_000, vec![WarningCode::TimeoutTooShort]),
        (0, 1, vec![WarningCode::ValueClamped]),
        (500_000, 120_000, vec![WarningCode::ValueClamped, WarningCode::TimeoutTooShort]),
    ] {
        let payload = back(&json!({"changed": true, "timeoutMs": timeout_ms}));
        let checked = accept(payload.to_string().as_bytes()).unwrap();
        let found = checked.warnings.list();
        let path = "actions.0.params.confirm.timeoutMs";
        assert!(found.iter().all(|warning| warning.path == path), "{found:?}");
        assert_eq!(found.iter().map(|warning| warning.code).collect::<Vec<_>>(), codes);
        let Step::PressKey(step) = checked.execution.actions()[0].step() else {
            panic!("{payload}");
        };
        let confirm = step.confirm.as_ref().unwrap();
        assert_eq!(confirm.timeout(), Duration::from_millis(used));
    }
}

/// Without a click there is no effect to confirm.
#[test]
fn scrolling_confirms_its_click_only() {
    let confirm = json!({"changed": true});
    for (kind, click_after, fine) in [
        ("scroll_and_click", None, true),
        ("scroll_and_click", Some(true), true),
        ("scroll_and_click", Some(false), false),
        ("scroll_until", None, false),
        ("scroll_until", Some(true), true),
        ("scroll_until", Some(false), false),
    ] {
        let mut params = json!({"matcher": {"role": "a"}, "confirm": confirm});
        if let Some(click_after) = click_after {
            params["clickAfter"] = json!(click_after);
        }
        let payload = payload(kind, &params);
        let accepted = accept(payload.to_string().as_bytes());
        assert_eq!(accepted.is_ok(), fine, "{payload}");
        assert_eq!(EXECUTION.is_valid(&payload), fine, "{payload} and the schema");
        if let Err(failure) = accepted {
            assert_eq!(json!(failure)["details"]["path"], "actions.0.params.confirm");
        }
    }
}

#[test]
fn an_action_that_only_looks_does_not_use_it() {
    let params = json!({"matcher": {"role": "a"}, "confirm": {"changed": true, "timeoutMs": 500_000}});
    let checked = accept(payload("read_text", &params).to_string().as_bytes()).unwrap();
    let codes: Vec<_> = checked.warnings.list().iter().map(|warning| warning.code).collect();
    assert_eq!(codes, [WarningCode::ParamUnused]);
}
