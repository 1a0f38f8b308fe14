//! Every JSON example of the contract documents, through the door.

use clawperator_contract::{CATALOGUE, ClickType, Direction, OperatorRoute, Step, UncheckedWord, accept};
use serde_json::{Value, json};

fn payload(actions: Value) -> Value {
    json!({
        "commandId": "cmd-001", "taskId": "task-001", "source": "agent-loop",
        "expectedFormat": "android-ui-automator", "timeoutMs": 30000, "actions": actions,
    })
}

/// What a payload becomes, without ids and the like.
fn actions_of(payload: &Value) -> Value {
    let checked = accept(payload.to_string().as_bytes()).unwrap_or_else(|failure| panic!("{failure:?}"));
    assert_eq!(checked.warnings.list(), [], "{payload}");
    json!(checked.execution)["actions"].clone()
}

/// The example of each action on the actions page.
fn action_examples() -> Vec<Value> {
    vec![
        json!({"id": "click-1", "type": "click",
            "params": {"matcher": {"textEquals": "Settings"}, "clickType": "long_click"}}),
        json!({"id": "scroll-1", "type": "scroll", "params": {"direction": "down",
            "container": {"resourceId": "android:id/list"}, "distanceRatio": 0.7, "settleDelayMs": 250}}),
        json!({"id": "scroll-until-1", "type": "scroll_until", "params": {"direction": "down",
            "matcher": {"textEquals": "About phone"}, "maxScrolls": 25, "maxDurationMs": 10000,
            "noPositionChangeThreshold": 3}}),
        json!({"id": "scroll-click-1", "type": "scroll_and_click",
            "params": {"matcher": {"textEquals": "Submit"}, "direction": "down"}}),
        json!({"id": "read-1", "type": "read_text", "params": {"matcher": {"textContains": "Order"},
            "validator": "regex", "validatorPattern": "^ORD-[0-9]{6}$", "all": false}}),
        json!({"id": "read-value-1", "type": "read_key_value_pair",
            "params": {"labelMatcher": {"textEquals": "Battery"}, "all": false}}),
        json!({"id": "type-1", "type": "enter_text", "params": {"matcher":
            {"resourceId": "com.example:id/search"}, "text": "hello world", "submit": false}}),
        json!({"id": "press-1", "type": "press_key", "params": {"key": "back"}}),
        json!({"id": "wait-1", "type": "wait_for_node",
            "params": {"matcher": {"textEquals": "Settings"}, "timeoutMs": 5000}}),
        json!({"id": "wait-nav-1", "type": "wait_for_navigation",
            "params": {"expectedPackage": "com.android.settings", "timeoutMs": 5000}}),
        json!({"id": "snap-1", "type": "snapshot_ui"}),
        json!({"id": "shot-1", "type": "take_screenshot", "params": {"path": "/tmp/settings.png"}}),
        json!({"id": "close-1", "type": "close_app", "params": {"applicationId": "com.android.settings"}}),
        json!({"id": "sleep-1", "type": "sleep", "params": {"durationMs": 1500}}),
        json!({"id": "open-1", "type": "open_app", "params": {"applicationId": "com.android.settings"}}),
        json!({"id": "open-uri-1", "type": "open_uri", "params": {"uri": "https://clawperator.com"}}),
        json!({"id": "record-start-1", "type": "start_recording", "params": {"sessionId": "session-001"}}),
        json!({"id": "record-stop-1", "type": "stop_recording", "params": {"sessionId": "session-001"}}),
    ]
}

#[test]
fn the_example_of_every_action_is_accepted_as_it_stands() {
    let examples = action_examples();
    // The documents have the actions that the Operator app knows.
    let known = CATALOGUE.iter().filter(|spec| spec.operator != OperatorRoute::Unsupported);
    for spec in known {
        assert!(examples.iter().any(|example| example["type"] == spec.name), "{}", spec.name);
    }
    for example in examples {
        assert_eq!(actions_of(&payload(json!([example]))), json!([example]));
    }
}

#[test]
fn the_whole_payload_examples_are_accepted_as_they_stand() {
    let mut minimal = payload(json!([{"id": "snap-1", "type": "snapshot_ui"}]));
    minimal["mode"] = json!("direct");
    let mut full = payload(json!([
        {"id": "open-1", "type": "open_app", "params": {"applicationId": "com.android.settings"}},
        {"id": "wait-1", "type": "wait_for_navigation",
            "params": {"expectedPackage": "com.android.settings", "timeoutMs": 5000}},
        {"id": "snap-1", "type": "snapshot_ui"},
    ]));
    full["commandId"] = json!("open-settings-and-snapshot");
    full["taskId"] = json!("open-settings-and-snapshot");
    full["mode"] = json!("direct");
    for example in [minimal, full] {
        let checked = accept(example.to_string().as_bytes()).unwrap();
        assert_eq!(json!(checked.execution), example);
    }
}

#[test]
fn the_fragments_of_the_selectors_page_are_accepted() {
    for matcher in [
        json!({"role": "button", "textContains": "Settings"}),
        json!({"textEquals": "Wi-Fi"}),
        json!({"textContains": "Sign", "role": "button"}),
        json!({"resourceId": "android:id/list"}),
    ] {
        let actions =
            actions_of(&payload(json!([{"id": "c", "type": "click", "params": {"matcher": matcher}}])));
        assert_eq!(actions[0]["params"]["matcher"], matcher);
    }
    for action in [
        json!({"id": "read-1", "type": "read_text", "params": {"matcher": {"textEquals": "Battery"},
            "container": {"resourceId": "android:id/list"}}}),
        json!({"id": "read-value-1", "type": "read_key_value_pair",
            "params": {"labelMatcher": {"textEquals": "Battery"}}}),
        json!({"id": "s", "type": "scroll_until", "params": {"matcher": {"textEquals": "About phone"},
            "container": {"resourceId": "android:id/list"}}}),
        json!({"id": "n", "type": "wait_for_navigation", "params": {"expectedPackage": "com.android.settings",
            "expectedNode": {"textEquals": "Settings"}, "timeoutMs": 5000}}),
    ] {
        assert_eq!(actions_of(&payload(json!([action]))), json!([action]));
    }
}

#[test]
fn the_retry_example_is_accepted_and_followed() {
    let retry = json!({"maxAttempts": 4, "initialDelayMs": 400, "maxDelayMs": 2000,
        "backoffMultiplier": 2, "jitterRatio": 0.15});
    let action = json!({"id": "c", "type": "click", "params": {"matcher": {"role": "x"}, "retry": retry}});
    let checked = accept(payload(json!([action])).to_string().as_bytes()).unwrap();
    assert_eq!(json!(checked.execution)["actions"][0]["params"]["retry"], retry);
    let Step::Click(click) = checked.execution.actions()[0].step() else { panic!() };
    assert_eq!(click.retry.max_attempts, 4);
    assert_eq!(click.retry.max_delay.as_millis(), 2000);
}

#[test]
fn the_failure_example_is_printed_to_the_letter() {
    let action = json!({"id": "wait-1", "type": "wait_for_navigation",
        "params": {"expectedPackage": "com.android.settings", "timeoutMs": 0}});
    let mut failure = json!(accept(payload(json!([action])).to_string().as_bytes()).unwrap_err());
    failure["details"].as_object_mut().unwrap().remove("problems");
    assert_eq!(
        failure,
        json!({
            "code": "EXECUTION_VALIDATION_FAILED",
            "message": "wait_for_navigation requires params.timeoutMs > 0",
            "details": {
                "path": "actions.0.params.timeoutMs",
                "actionId": "wait-1",
                "actionType": "wait_for_navigation"
            }
        })
    );
}

#[test]
fn what_is_left_out_has_the_documented_default() {
    let action = json!({"id": "s", "type": "scroll_until"});
    let checked = accept(payload(json!([action])).to_string().as_bytes()).unwrap();
    let Step::ScrollUntil(scroll) = checked.execution.actions()[0].step() else { panic!() };
    assert_eq!(scroll.direction, Direction::Down);
    assert_eq!(scroll.swipe.distance_ratio, 0.7);
    assert_eq!(scroll.swipe.settle_delay.as_millis(), 250);
    assert!(scroll.swipe.find_first_scrollable_child);
    assert_eq!((scroll.max_scrolls, scroll.no_position_change_threshold), (20, 3));
    assert_eq!(scroll.max_duration.as_millis(), 10_000);
    assert!(!scroll.click_after);
    assert_eq!(scroll.click_type, UncheckedWord::Known(ClickType::Click));

    let action = json!({"id": "s", "type": "scroll_and_click", "params": {"matcher": {"role": "x"}}});
    let checked = accept(payload(json!([action])).to_string().as_bytes()).unwrap();
    let Step::ScrollAndClick(scroll) = checked.execution.actions()[0].step() else { panic!() };
    assert_eq!(scroll.max_swipes, 10);
    assert!(scroll.click_after);
    assert_eq!(scroll.scroll_retry.max_attempts, 4);
    assert_eq!(scroll.click_retry.max_attempts, 5);
}
