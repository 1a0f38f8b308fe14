//! Whole executions on the simulated phone: payload in, envelope out.

use crate::world::{World, plain, run};
use clawperator_contract::{Envelope, Failure, accept};
use clawperator_phone::Phone;
use clawperator_run::{RunOptions, Strictness};
use serde_json::{Value, json};
use std::sync::Arc;

const CONFORMANCE: &str = "com.clawperator.conformance";

fn options() -> RunOptions {
    RunOptions {
        strictness: Strictness::First,
        seed: 1,
        pictures: std::env::temp_dir(),
        now_ms: 1,
        ..RunOptions::default()
    }
}

/// Runs these actions.
async fn actions(phone: &Arc<Phone>, actions: Value) -> Result<Envelope, Failure> {
    let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 30000,
        "expectedFormat": "android-ui-automator", "actions": actions});
    let checked = accept(payload.to_string().as_bytes())?;
    run(phone, &checked.execution, &options()).await
}

/// One action after the conformance app was opened; its result.
async fn one(kind: &str, params: Value) -> Value {
    let World { phone, handset: _handset, .. } = plain().await;
    let open = json!({"id": "open", "type": "open_app", "params": {"applicationId": CONFORMANCE}});
    let asked = json!({"id": "it", "type": kind, "params": params});
    let envelope = actions(&phone, json!([open, asked])).await.unwrap();
    serde_json::to_value(&envelope.step_results[1]).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_click_is_one_look_and_one_touch() {
    let World { phone, handset: _handset, .. } = plain().await;
    let open = json!({"id": "open", "type": "open_app", "params": {"applicationId": CONFORMANCE}});
    actions(&phone, json!([open])).await.unwrap();
    let before = phone.round_trips();
    let click = json!({"id": "c", "type": "click", "params": {"matcher": {"textEquals": "Increment"}}});
    let envelope = actions(&phone, json!([click])).await.unwrap();
    assert_eq!(phone.round_trips() - before, 2);
    assert_eq!(serde_json::to_value(&envelope).unwrap()["status"], "success");
    let read = json!({"id": "r", "type": "read_text", "params": {"matcher": {"textContains": "counter"}}});
    let envelope = actions(&phone, json!([read])).await.unwrap();
    assert_eq!(envelope.step_results[0].data["text"], "Counter: 1");
}

#[tokio::test(start_paused = true)]
async fn what_is_not_there_is_not_clicked_and_later_steps_do_not_run() {
    let World { phone, handset: _handset, .. } = plain().await;
    let click = json!({"id": "c", "type": "click", "params": {"matcher": {"textEquals": "nowhere"}, "retry": {"maxAttempts": 1}}});
    let key = json!({"id": "k", "type": "press_key", "params": {"key": "home"}});
    let envelope = actions(&phone, json!([click, key])).await.unwrap();
    assert_eq!(envelope.step_results.len(), 1);
    let step = &envelope.step_results[0];
    assert_eq!(
        (step.success, step.data["error"].as_str(), step.data["dispatched"].as_str()),
        (false, "NODE_NOT_FOUND", "no")
    );
    assert_eq!(envelope.error_code.as_deref(), Some("NODE_NOT_FOUND"));
}

#[tokio::test(start_paused = true)]
async fn a_list_is_scrolled_until_the_row_is_there() {
    let World { phone, handset: _handset, .. } = plain().await;
    let envelope = actions(&phone, json!([
        {"id": "o", "type": "open_app", "params": {"applicationId": CONFORMANCE}},
        {"id": "l", "type": "click", "params": {"matcher": {"resourceId": "com.clawperator.conformance:id/btn_open_list"}}},
        {"id": "s", "type": "scroll_until", "params": {"matcher": {"textEquals": "Row 60"}, "clickAfter": true, "maxScrolls": 100, "maxDurationMs": 60000}},
        {"id": "r", "type": "read_text", "params": {"matcher": {"resourceId": "com.clawperator.conformance:id/txt_selected_row"}}},
    ])).await.unwrap();
    assert_eq!(envelope.step_results.last().unwrap().data["text"], "Selected row: 60", "{envelope:?}");
    assert_eq!(envelope.step_results[2].data["termination_reason"], "TARGET_FOUND");
}

#[tokio::test(start_paused = true)]
async fn text_of_any_kind_is_typed_and_seen() {
    for text in ["plain text", "it's 100%s \"quoted\" $HOME `x` \\", "Grüße 👋 中文"] {
        let World { phone, handset: _handset, .. } = plain().await;
        let envelope = actions(
            &phone,
            json!([
                {"id": "o", "type": "open_app", "params": {"applicationId": "com.clawperator.form"}},
                {"id": "c", "type": "click", "params": {"matcher": {"textEquals": "Search"}}},
                {"id": "t", "type": "enter_text", "params": {"matcher": {"role": "textfield"}, "text": text}},
            ]),
        )
        .await
        .unwrap();
        let step = envelope.step_results.last().unwrap();
        assert!(step.success, "{text}: {step:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_simple_action_does_what_it_says() {
    for (kind, params, key, value) in [
        ("wait_for_node", json!({"matcher": {"textEquals": "Increment"}}), "label", "Increment"),
        (
            "wait_for_navigation",
            json!({"expectedPackage": CONFORMANCE, "timeoutMs": 5000}),
            "resolved_package",
            CONFORMANCE,
        ),
        ("press_key", json!({"key": "back"}), "key", "back"),
        ("sleep", json!({"durationMs": 50}), "duration_ms", "50"),
        ("close_app", json!({"applicationId": CONFORMANCE}), "application_id", CONFORMANCE),
        ("open_uri", json!({"uri": "https://example.com/"}), "uri", "https://example.com/"),
        ("click", json!({"coordinate": {"x": 5, "y": 900}}), "coordinate", "(5,900)"),
        ("snapshot_ui", json!({}), "actual_format", "hierarchy_xml"),
        ("read_text", json!({"matcher": {"textContains": "n"}, "all": true}), "all", "true"),
    ] {
        let step = one(kind, params).await;
        assert_eq!((&step["success"], &step["data"][key]), (&json!(true), &json!(value)), "{kind}: {step}");
    }
}

#[tokio::test(start_paused = true)]
async fn failures_carry_their_code() {
    for (kind, params, code) in [
        ("open_app", json!({"applicationId": "no.such.app"}), "APP_NOT_STARTED"),
        ("open_uri", json!({"uri": "nothing-opens-this:x"}), "URI_NOT_HANDLED"),
        (
            "wait_for_node",
            json!({"matcher": {"textEquals": "nowhere"}, "retry": {"maxAttempts": 1}, "timeoutMs": 1000}),
            "NODE_NOT_FOUND",
        ),
        (
            "wait_for_navigation",
            json!({"expectedPackage": "no.such.app", "timeoutMs": 1000}),
            "NAVIGATION_TIMEOUT",
        ),
        ("scroll", json!({"container": {"textEquals": "nowhere"}}), "CONTAINER_NOT_FOUND"),
        ("scroll", json!({}), "CONTAINER_NOT_FOUND"),
        (
            "read_text",
            json!({"matcher": {"textEquals": "Increment"}, "validator": "version", "retry": {"maxAttempts": 1}}),
            "VALIDATOR_MISMATCH",
        ),
        (
            "read_key_value_pair",
            json!({"labelMatcher": {"textEquals": "nowhere"}, "retry": {"maxAttempts": 1}}),
            "NODE_NOT_FOUND",
        ),
        ("start_recording", json!({}), "RECORDING_UNAVAILABLE"),
        ("take_screenshot", json!({"path": "/no/such/folder/x.png"}), "SCREENSHOT_FAILED"),
    ] {
        let step = one(kind, params).await;
        assert_eq!(
            (&step["success"], &step["data"]["error"]),
            (&json!(false), &json!(code)),
            "{kind}: {step}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_payload_can_ask_for_one_match_alone() {
    for (whole, own, code) in [
        (json!(true), json!({}), Some("NODE_AMBIGUOUS")),
        (json!(false), json!({"strict": true}), Some("NODE_AMBIGUOUS")),
        (json!(true), json!({"strict": false}), None),
    ] {
        let World { phone, handset: _handset, .. } = plain().await;
        let mut click = json!({"id": "c", "type": "click", "params": {"matcher": {"textEquals": "OK"}}});
        let params = click["params"].as_object_mut().unwrap();
        params.extend(own.as_object().unwrap().clone());
        let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 30000,
            "expectedFormat": "android-ui-automator", "strict": whole, "actions": [
            {"id": "o", "type": "open_uri", "params": {"uri": "trouble://duplicates"}}, click]});
        let checked = accept(payload.to_string().as_bytes()).unwrap();
        let envelope = run(&phone, &checked.execution, &options()).await.unwrap();
        assert_eq!(envelope.error_code.as_deref(), code, "{envelope:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_app_that_was_left_shows_nothing_any_more() {
    let World { phone, handset: _handset, .. } = plain().await;
    let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 30000,
        "expectedFormat": "android-ui-automator", "actions": [
            {"id": "open", "type": "open_app", "params": {"applicationId": CONFORMANCE}},
            {"id": "home", "type": "press_key", "params": {"key": "home"}},
            {"id": "it", "type": "wait_for_node",
                "params": {"matcher": {"textEquals": "Increment"}, "gone": true, "timeoutMs": 2000}}]});
    let checked = accept(payload.to_string().as_bytes()).unwrap();
    let options = RunOptions { app: Some(CONFORMANCE.to_owned()), ..options() };
    let envelope = run(&phone, &checked.execution, &options).await.unwrap();
    assert!(envelope.step_results[2].success, "{:?}", envelope.step_results[2]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_gone_while_another_app_is_in_front() {
    for (app, wanted) in [
        (None, (true, None)),
        (Some(CONFORMANCE), (true, None)),
        (Some("com.other"), (false, Some("SNAPSHOT_EXTRACTION_FAILED"))),
    ] {
        let World { phone, handset: _handset, .. } = plain().await;
        let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 30000,
            "expectedFormat": "android-ui-automator", "actions": [
                {"id": "open", "type": "open_app", "params": {"applicationId": CONFORMANCE}},
                {"id": "it", "type": "wait_for_node",
                    "params": {"matcher": {"textEquals": "Nowhere"}, "gone": true, "timeoutMs": 2000}}]});
        let checked = accept(payload.to_string().as_bytes()).unwrap();
        let options = RunOptions { app: app.map(str::to_owned), ..options() };
        let envelope = run(&phone, &checked.execution, &options).await.unwrap();
        let it = &envelope.step_results[1];
        let error = it.data.get("error").map(String::as_str);
        assert_eq!((it.success, error), wanted, "{app:?}: {it:?}");
        if app == Some("com.other") {
            assert_eq!(it.data["foreground_package"], CONFORMANCE);
            assert!(it.data["message"].contains("is in front"), "{it:?}");
        }
    }
}
