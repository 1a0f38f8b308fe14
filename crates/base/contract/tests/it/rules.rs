//! Rules that the contract cases do not reach: aliases that clash, keys that
//! repeat, retries, patterns, warnings, and the order of problems.

use clawperator_contract::{
    ACTION_FIELDS, DiffBase, EXECUTION_FIELDS, ErrorCode, Need, Step, TextCheck, ViewStyle, Visibility,
    WarningCode, accept, accept_within, limits,
};
use serde_json::{Value, json};

fn payload(action: Value) -> Value {
    json!({
        "commandId": "c", "taskId": "t", "source": "s", "expectedFormat": "android-ui-automator",
        "timeoutMs": 30000, "actions": [action],
    })
}

/// The paths of all problems with one action, in order.
fn paths(action: Value) -> Vec<String> {
    let failure = json!(accept(payload(action).to_string().as_bytes()).unwrap_err());
    let problems = failure["details"]["problems"].as_array().unwrap();
    problems.iter().map(|problem| problem["path"].as_str().unwrap().to_owned()).collect()
}

/// The kinds and paths of all warnings about a payload.
fn warnings(payload: &str) -> Vec<(WarningCode, String)> {
    let checked = accept(payload.as_bytes()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let list = checked.warnings.list();
    list.iter().map(|warning| (warning.code, warning.path.clone())).collect()
}

fn click(params: Value) -> Value {
    json!({"id": "a", "type": "click", "params": params})
}

#[test]
fn two_aliases_that_contradict_each_other_are_a_problem() {
    assert_eq!(
        paths(click(json!({"selector": {"role": "a"}, "node": {"role": "b"}}))),
        ["actions.0.params.matcher"]
    );
    assert_eq!(
        paths(click(json!({"matcher": {"id": "a", "resource_id": "b"}}))),
        ["actions.0.params.matcher.resourceId"]
    );
    let agreeing = click(json!({"selector": {"id": "a"}, "node": {"resourceId": "a"}}));
    assert!(accept(payload(agreeing).to_string().as_bytes()).is_ok());
}

/// Before the field is touched.
#[test]
fn a_text_with_nul_is_refused() {
    for action in [
        json!({"id": "a", "type": "enter_text", "params": {"matcher": {"role": "a"}, "text": "a\0b"}}),
        json!({"id": "a", "type": "open_uri", "params": {"uri": "\0"}}),
        json!({"id": "a", "type": "take_screenshot", "params": {"path": "a\0.png"}}),
    ] {
        let found = paths(action.clone());
        assert_eq!(found.len(), 1, "{action} {found:?}");
        assert!(!crate::schemas::EXECUTION.is_valid(&payload(action)));
    }
}

#[test]
fn a_canonical_key_beside_its_alias_wins_with_a_warning() {
    let found =
        warnings(&payload(click(json!({"matcher": {"role": "a"}, "selector": {"role": "b"}}))).to_string());
    assert_eq!(found, [(WarningCode::AliasIgnored, "actions.0.params.selector".to_owned())]);
}

#[test]
fn a_repeated_key_counts_last_with_a_warning() {
    let text = payload(click(json!({"matcher": {"role": "a"}}))).to_string();
    let text = text.replacen(r#""source":"s""#, r#""source":"x","source":"s""#, 1);
    assert_eq!(warnings(&text), [(WarningCode::DuplicateKey, "source".to_owned())]);
    assert_eq!(accept(text.as_bytes()).unwrap().execution.source().as_str(), "s");
}

#[test]
fn a_parameter_without_a_use_is_kept_with_a_warning() {
    let action = json!({"id": "a", "type": "snapshot_ui", "params": {"submit": true}});
    let text = payload(action.clone()).to_string();
    assert_eq!(warnings(&text), [(WarningCode::ParamUnused, "actions.0.params.submit".to_owned())]);
    assert_eq!(json!(accept(text.as_bytes()).unwrap().execution)["actions"][0], action);
}

#[test]
fn words_no_runtime_knows_are_let_through_with_a_warning() {
    for (params, path) in [
        (json!({"matcher": {"role": "a"}, "clickType": "double"}), "clickType"),
        (json!({"matcher": {"role": "a"}, "clickType": "FOCUS"}), "clickType"),
    ] {
        let found = warnings(&payload(click(params)).to_string());
        assert_eq!(found, [(WarningCode::ValueUnsupported, format!("actions.0.params.{path}"))]);
    }
    let read =
        json!({"id": "a", "type": "read_text", "params": {"matcher": {"role": "a"}, "validator": "number"}});
    assert_eq!(warnings(&payload(read).to_string()).len(), 1);
    let scroll = |direction| {
        json!({"id": "a", "type": "scroll_and_click",
            "params": {"matcher": {"role": "a"}, "direction": direction}})
    };
    assert_eq!(warnings(&payload(scroll("diagonal")).to_string()).len(), 1);
    assert_eq!(warnings(&payload(scroll(" DOWN ")).to_string()).len(), 0);
}

#[test]
fn a_drag_has_one_beginning_and_one_end() {
    let drag = |params: Value| json!({"id": "a", "type": "drag_to", "params": params});
    let (element, point) = (json!({"role": "a"}), json!({"x": 1, "y": 2}));
    for good in [
        json!({"matcher": element, "toMatcher": element}),
        json!({"coordinate": point, "toCoordinate": point, "durationMs": 0, "holdMs": 30_000}),
        json!({"matcher": element, "toCoordinate": point}),
    ] {
        assert_eq!(warnings(&payload(drag(good)).to_string()), []);
    }
    let twice = json!({"matcher": element, "coordinate": point, "toMatcher": element, "toCoordinate": point});
    for (bad, at) in [
        (json!({"matcher": element}), "actions.0.params"),
        (json!({"toMatcher": element}), "actions.0.params"),
        (twice, "actions.0.params"),
        (json!({"coordinate": point, "toCoordinate": {"x": -1, "y": 0}}), "actions.0.params.toCoordinate.x"),
        (json!({"coordinate": point, "toCoordinate": point, "holdMs": 30_001}), "actions.0.params.holdMs"),
    ] {
        let wanted = drag(bad);
        assert_eq!(paths(wanted.clone()).first().map(String::as_str), Some(at), "{wanted}");
    }
}

#[test]
fn a_wait_for_a_toast_has_a_text_and_a_bound() {
    let wait = |params: Value| payload(json!({"id": "a", "type": "wait_for_toast", "params": params}));
    let codes = |params: Value| -> Vec<_> {
        let found = warnings(&wait(params).to_string());
        found.into_iter().map(|(code, _)| code).collect()
    };
    assert_eq!(codes(json!({"text": "Saved"})), []);
    assert_eq!(codes(json!({"text": "Saved", "timeoutMs": 0})), [WarningCode::ValueClamped]);
    let beside = json!({"text": "Saved", "matcher": {"role": "a"}});
    assert_eq!(codes(beside), [WarningCode::ParamUnused]);
    for bad in [json!({}), json!({"text": " "}), json!({"text": "x".repeat(513)})] {
        let action = json!({"id": "a", "type": "wait_for_toast", "params": bad});
        assert_eq!(paths(action), ["actions.0.params.text"]);
    }
}

#[test]
fn retries_are_typed_closed_and_clamped() {
    let with = |retry: Value| click(json!({"matcher": {"role": "a"}, "retry": retry}));
    assert_eq!(paths(with(json!([]))), ["actions.0.params.retry"]);
    assert_eq!(
        paths(with(json!({"maxAttempts": "4", "jitterRatio": null, "tries": 3}))),
        [
            "actions.0.params.retry.maxAttempts",
            "actions.0.params.retry.jitterRatio",
            "actions.0.params.retry"
        ]
    );
    let found = warnings(&payload(with(json!({"maxAttempts": 99, "backoffMultiplier": 0.5}))).to_string());
    assert_eq!(
        found,
        [
            (WarningCode::ValueClamped, "actions.0.params.retry.maxAttempts".to_owned()),
            (WarningCode::ValueClamped, "actions.0.params.retry.backoffMultiplier".to_owned()),
        ]
    );
}

#[test]
fn a_retry_without_a_use_is_warned_of_once() {
    let action = json!({"id": "a", "type": "click", "params": {"matcher": {"role": "a"},
        "scrollRetry": {"maxAttempts": 99, "initialDelayMs": 9, "maxDelayMs": 1}}});
    assert_eq!(
        warnings(&payload(action).to_string()),
        [(WarningCode::ParamUnused, "actions.0.params.scrollRetry".to_owned())]
    );
}

#[test]
fn patterns_are_checked_only_for_the_regex_validator() {
    let read = |validator: &str, pattern: Value| {
        json!({"id": "a", "type": "read_text",
            "params": {"matcher": {"role": "a"}, "validator": validator, "validatorPattern": pattern}})
    };
    for bad in ["(", "(?=x)", r"(a)\1", "", " "] {
        assert_eq!(paths(read("regex", json!(bad))), ["actions.0.params.validatorPattern"], "{bad}");
    }
    assert!(accept(payload(read("version", json!("("))).to_string().as_bytes()).is_ok());
    let missing =
        json!({"id": "a", "type": "read_text", "params": {"matcher": {"role": "a"}, "validator": "regex"}});
    assert_eq!(paths(missing), ["actions.0.params.validatorPattern"]);
}

#[test]
fn blank_values_are_refused_where_the_documents_say() {
    assert_eq!(
        paths(click(json!({"matcher": {"role": " ", "textEquals": "x"}}))),
        ["actions.0.params.matcher.role"]
    );
    let text = |text: &str| json!({"id": "a", "type": "enter_text", "params": {"matcher": {"role": "a"}, "text": text}});
    assert_eq!(paths(text("")), ["actions.0.params.text"]);
    assert_eq!(paths(text(" ")), ["actions.0.params.text"]);
}

#[test]
fn all_problems_come_in_one_fixed_order() {
    let failure = accept(
        br#"{"zeta":1,"taskId":7,"source":"s","expectedFormat":"x","timeoutMs":1,"mode":"m","actions":[
            {"id":"one","type":"click"},
            {"type":"bogus","params":{"matcher":{"role":5,"what":1},"coordinate":{"x":-1},"nope":1},"extra":1},
            {"id":"three","type":"scroll","params":{"direction":"x","distanceRatio":9,"settleDelayMs":"1"}}]}"#,
    )
    .unwrap_err();
    let failure = json!(failure);
    let paths: Vec<_> = failure["details"]["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        [
            "commandId",
            "taskId",
            "expectedFormat",
            "timeoutMs",
            "actions.1.id",
            "actions.1.params.matcher.role",
            "actions.1.params.matcher",
            "actions.1.params.coordinate.x",
            "actions.1.params.coordinate.y",
            "actions.1.params",
            "actions.1",
            "actions.2.params.settleDelayMs",
            "actions",
            "mode",
            "",
            "actions.0.params",
            "actions.2.params.direction",
            "actions.2.params.distanceRatio",
        ]
    );
    let top = &failure["details"]["problems"][14];
    assert_eq!(top["invalidKeys"], json!(["zeta"]));
    assert_eq!(failure["details"]["problems"][12]["code"], "EXECUTION_ACTION_UNSUPPORTED");
    assert_eq!(failure["details"]["problems"][12]["actionType"], "bogus");
}

#[test]
fn mistakes_get_a_hint() {
    let hint = |action: Value| {
        let failure = json!(accept(payload(action).to_string().as_bytes()).unwrap_err());
        failure["details"]["hint"].as_str().unwrap_or_default().to_owned()
    };
    let format = json!({"id": "a", "type": "SNAPSHOT", "params": {"foo": 1, "format": "ascii"}});
    assert!(hint(format).contains("removed"));
    assert!(hint(json!({"id": "a", "type": "sleep", "params": {"duration_ms": 1}})).contains("durationMs"));
    assert!(hint(json!({"id": "a", "type": "snapshot_uii"})).contains("snapshot_ui"));
}

#[test]
fn long_lists_of_problems_are_cut_and_counted() {
    let bad = json!({"id": "", "type": 1, "params": {"matcher": 1, "container": 1, "retry": 1, "text": 1,
        "uri": 1, "path": 1, "key": 1, "submit": 1, "clear": 1, "all": 1, "validator": 1}});
    let mut whole = payload(json!({}));
    whole["actions"] = Value::Array(vec![bad; 50]);
    let failure = json!(accept(whole.to_string().as_bytes()).unwrap_err());
    assert_eq!(failure["details"]["problems"].as_array().unwrap().len(), 500);
    assert_eq!(failure["details"]["problemsOmitted"], 50 * 13 - 500);
}

#[test]
fn parameters_of_the_wrong_type_are_one_problem() {
    for params in [json!(null), json!([]), json!("x")] {
        assert_eq!(paths(click(params)), ["actions.0.params"]);
    }
}

#[test]
fn a_matcher_without_a_word_in_it_is_no_matcher() {
    for matcher in [json!({}), json!({"textEquals": ""}), json!({"textEquals": " ", "role": ""})] {
        assert_eq!(paths(click(json!({"matcher": matcher}))), ["actions.0.params.matcher"]);
    }
    assert_eq!(
        paths(click(json!({"matcher": {"role": "", "textEquals": 5}}))),
        ["actions.0.params.matcher.textEquals", "actions.0.params.matcher.role"]
    );
}

#[test]
fn nothing_is_repaired_in_silence() {
    let retry = |retry: Value| payload(click(json!({"matcher": {"role": "a"}, "retry": retry}))).to_string();
    let clamped = |path: &str| (WarningCode::ValueClamped, format!("actions.0.params.{path}"));
    assert_eq!(warnings(&retry(json!({"maxAttempts": 2.7}))), [clamped("retry.maxAttempts")]);
    assert_eq!(
        warnings(&retry(json!({"initialDelayMs": 500, "maxDelayMs": 100}))),
        [clamped("retry.maxDelayMs")]
    );
    // Both are clamped to 30000 and 40000, so neither is raised to the other.
    assert_eq!(
        warnings(&retry(json!({"initialDelayMs": 50000, "maxDelayMs": 40000}))),
        [clamped("retry.initialDelayMs")]
    );
    assert_eq!(
        warnings(&retry(json!({"initialDelayMs": 50000, "maxDelayMs": 20000}))),
        [clamped("retry.initialDelayMs"), clamped("retry.maxDelayMs")]
    );
    let swipes = json!({"id": "a", "type": "scroll_and_click", "params": {"matcher": {"role": "a"}, "maxSwipes": 2.5}});
    assert_eq!(warnings(&payload(swipes).to_string()), [clamped("maxSwipes")]);
    let pattern = json!({"id": "a", "type": "read_text", "params": {"matcher": {"role": "a"}, "validatorPattern": "x"}});
    assert_eq!(
        warnings(&payload(pattern).to_string()),
        [(WarningCode::ParamUnused, "actions.0.params.validatorPattern".to_owned())]
    );
}

#[test]
fn an_action_with_more_time_than_the_execution_is_warned_of() {
    let found = |timeout: u32, action: &Value| {
        let mut payload = payload(action.clone());
        payload["timeoutMs"] = timeout.into();
        warnings(&payload.to_string())
    };
    for (kind, params, key) in [
        ("sleep", json!({"durationMs": 20000}), "durationMs"),
        ("wait_for_node", json!({"matcher": {"role": "a"}, "timeoutMs": 20000}), "timeoutMs"),
        ("wait_for_navigation", json!({"expectedPackage": "a", "timeoutMs": 20000}), "timeoutMs"),
        ("scroll_until", json!({"matcher": {"role": "a"}, "maxDurationMs": 20000}), "maxDurationMs"),
    ] {
        let action = json!({"id": "a", "type": kind, "params": params});
        let path = format!("actions.0.params.{key}");
        assert_eq!(found(19_999, &action), [(WarningCode::TimeoutTooShort, path)], "{kind}");
        assert_eq!(found(20_000, &action), [], "{kind}");
    }
    let clamped =
        json!({"id": "a", "type": "wait_for_node", "params": {"matcher": {"role": "a"}, "timeoutMs": 2e5}});
    assert_eq!(
        found(120_000, &clamped),
        [(WarningCode::ValueClamped, "actions.0.params.timeoutMs".to_owned())]
    );
    // A timeout from elsewhere is judged like the payload's own.
    let sleep = payload(json!({"id": "a", "type": "sleep", "params": {"durationMs": 20000}}));
    let within = |timeout: f64| accept_within(sleep.to_string().as_bytes(), Some(timeout));
    for (timeout, count) in [(10_000.0, 1), (15_000.0, 1), (25_000.0, 0)] {
        assert_eq!(within(timeout).unwrap().warnings.list().len(), count, "{timeout}");
    }
    assert!(within(1.0).is_err());
    // It is judged before the size is.
    let wide =
        json!({"id": "a", "type": "sleep", "params": {"durationMs": 1, "sessionId": "x".repeat(65_000)}});
    let wide = payload(wide).to_string();
    for (timeout, code) in [
        (None, ErrorCode::PayloadTooLarge),
        (Some(5.0), ErrorCode::ExecutionValidationFailed),
        (Some(5_000.0), ErrorCode::PayloadTooLarge),
    ] {
        let failure = accept_within(wide.as_bytes(), timeout).unwrap_err();
        assert_eq!(failure.code, code, "{timeout:?}");
    }
    // Sleeps add up, for nothing ends them early.
    let mut twice = payload(json!({"id": "a", "type": "sleep", "params": {"durationMs": 20000}}));
    let again = twice["actions"][0].clone();
    twice["actions"].as_array_mut().unwrap().push(again);
    let checked = accept(twice.to_string().as_bytes()).unwrap();
    let [warning] = checked.warnings.list() else {
        panic!("{:?}", checked.warnings);
    };
    assert_eq!((warning.code, &*warning.path), (WarningCode::TimeoutTooShort, "timeoutMs"));
    // The caller did not choose the default.
    let scroll = json!({"id": "a", "type": "scroll_until", "params": {"matcher": {"role": "a"}}});
    assert_eq!(found(1_000, &scroll), []);
}

/// JSON can write them, but nothing can hold them. The problem names line and
/// column, whatever their length.
#[test]
fn what_cannot_be_held_is_refused_by_its_cause() {
    let text = payload(click(json!({"matcher": {"role": "A"}, "durationMs": 7}))).to_string();
    let digits = "9".repeat(70_000);
    let (number, half) = ("a number that is too large", "half a surrogate pair");
    for (old, new, words) in [
        (":30000", ":1e999", number),
        (":7", ":-1e999", number),
        (":7", &format!(":{digits}"), number),
        (":7", &format!(":1e{digits}"), number),
        ("\"c\"", r#""\ud800""#, half),
        ("\"A\"", r#""x\udc00""#, half),
        ("\"click\"", r#""click\ud83d""#, half),
        ("\"click\"", r#""\ud83d\u0041""#, half),
        ("\"durationMs\"", r#""\ud800""#, half),
        // What is no number at all is no JSON.
        (":7", ":01e999", "not valid JSON"),
        (":7", ":1.e999", "not valid JSON"),
    ] {
        assert!(text.contains(old), "{old}");
        let failure = json!(accept(text.replacen(old, new, 1).as_bytes()).unwrap_err());
        let message = failure["message"].as_str().unwrap();
        assert!(message.contains(words) && message.contains("line 1"), "{message}");
        assert_eq!(failure["details"]["path"], "", "{message}");
    }
}

/// A payload may have a megabyte; the report about it must stay small.
#[test]
fn what_a_caller_sent_is_not_echoed_at_length() {
    let long = "x".repeat(900_000);
    for action in [
        json!({"id": long, "type": "click", "params": {"matcher": 1, "container": 1, "text": 1}}),
        json!({"id": "a", "type": long, "params": {"matcher": 1}}),
        json!({"id": "a", "type": "click", long.as_str(): 1}),
        json!({"id": "a", "type": "press_key", "params": {"key": long}}),
    ] {
        let failure = json!(accept(payload(action).to_string().as_bytes()).unwrap_err()).to_string();
        assert!(failure.len() < 10_000, "{} bytes", failure.len());
    }
}

/// Actions whose keys, ids and types are as long, as many and as costly to
/// write as a payload has room for.
fn crowds() -> Vec<Value> {
    let keys = |count: usize, length: usize, filler: &str| -> serde_json::Map<String, Value> {
        let key = |index: usize| format!("{index:05}{}", filler.repeat(length));
        (0..count).map(|index| (key(index), json!(0))).collect()
    };
    let long = "\u{1}".repeat(300);
    let many = |params: Value| json!({"id": long, "type": long, "params": params});
    let wrong = json!({"matcher": 1, "container": 1, "retry": 1, "text": 1, "uri": 1, "path": 1, "key": 1});
    let mut nested = wrong.clone();
    for slot in ["matcher", "container", "expectedNode", "labelMatcher", "retry", "scrollRetry", "coordinate"]
    {
        nested[slot] = Value::Object(keys(20, 20, "\u{1}"));
    }
    vec![
        json!({"id": "a", "type": "click", "params": keys(250, 59, "k")}),
        json!({"id": "a", "type": "click", "params": keys(250, 2, "\u{1}")}),
        many(Value::Object(keys(60, 40, "\u{1}"))),
        many(wrong),
        many(nested),
        json!({"id": "a", "type": "click", "params": keys(60, 4_000, "😀")}),
        json!({"id": "a", "type": "click", "params": keys(60, 2_500, "\u{1}")}),
        json!({"id": "\u{1}".repeat(9_000), "type": "\u{1}".repeat(9_000), "params": keys(60, 2_000, "\u{1}")}),
    ]
}

#[test]
fn a_refusal_is_bounded_whatever_was_sent() {
    for action in crowds() {
        let mut whole = payload(json!({}));
        let most = (limits::MAX_INPUT_BYTES / action.to_string().len()).min(limits::MAX_ACTIONS);
        whole["actions"] = Value::Array(vec![action; most]);
        let failure = accept(whole.to_string().as_bytes()).unwrap_err();
        let bytes = json!(failure).to_string().len();
        assert!(bytes <= limits::MAX_REFUSAL_BYTES, "{bytes} bytes");
        let details = failure.details.unwrap();
        let listed = &details.problems;
        assert!(!listed.is_empty());
        assert!(listed.iter().all(|it| it.invalid_keys.len() <= limits::MAX_INVALID_KEYS));
    }
}

#[test]
fn a_large_problem_hides_no_other() {
    let keys: serde_json::Map<_, _> =
        (0..64).map(|index| (format!("{index:05}{}", "k".repeat(4_100)), json!(0))).collect();
    let mut whole = payload(click(Value::Object(keys)));
    let others = [
        json!({"id": "b", "type": "sleep", "params": {"durationMs": "x"}}),
        json!({"id": "c", "type": "press_key"}),
    ];
    whole["actions"].as_array_mut().unwrap().extend(others);
    let details = json!(accept(whole.to_string().as_bytes()).unwrap_err())["details"].clone();
    let ids: Vec<_> =
        details["problems"].as_array().unwrap().iter().map(|it| it["actionId"].clone()).collect();
    assert!(ids.contains(&json!("b")) && details["problemsOmitted"].is_null(), "{ids:?}");
}

/// The largest single problem there can be is shown twice.
#[test]
fn the_largest_problem_leaves_a_refusal_within_its_bound() {
    let filler = "\u{1}".repeat(300);
    let keys: serde_json::Map<_, _> =
        (0..90).map(|index| (format!("{index:05}{filler}"), json!(0))).collect();
    let action = json!({"id": "\u{1}".repeat(128), "type": "click", "params": keys});
    let failure = accept(payload(action).to_string().as_bytes()).unwrap_err();
    let bytes = json!(failure).to_string().len();
    assert!((190_000..=limits::MAX_REFUSAL_BYTES).contains(&bytes), "{bytes} bytes");
}

#[test]
fn unknown_keys_are_all_listed_or_else_counted() {
    let keys = |count: usize| -> Value {
        let keys = (0..count).map(|index| (format!("k{index}"), json!(0)));
        click(Value::Object(keys.collect()))
    };
    for (count, listed, omitted) in [(64, 64, Value::Null), (65, 64, json!(1)), (200, 64, json!(136))] {
        let failure = json!(accept(payload(keys(count)).to_string().as_bytes()).unwrap_err());
        for place in [&failure["details"], &failure["details"]["problems"][0]] {
            assert_eq!(place["invalidKeys"].as_array().unwrap().len(), listed);
            assert_eq!(place["invalidKeysOmitted"], omitted);
        }
        assert!(failure["message"].as_str().unwrap().ends_with(&format!("{} more", count - 5)));
    }
}

/// A caller finds its own action by what leads the error.
#[test]
fn what_leads_an_error_is_repeated_whole() {
    let long = "é".repeat(1_000);
    let details =
        |action: Value| json!(accept(payload(action).to_string().as_bytes()).unwrap_err())["details"].clone();
    for action in [
        json!({"id": long, "type": "click", "params": {"matcher": {"role": "a"}}}),
        json!({"id": long, "type": "click", "params": {"matcher": 1, "text": 1}}),
        json!({"id": long, "type": "click"}),
    ] {
        let details = details(action);
        assert_eq!(details["actionId"], long.as_str());
        for problem in details["problems"].as_array().unwrap() {
            assert_eq!(problem["actionId"].as_str().unwrap().chars().count(), 257);
        }
    }
    let found = details(json!({"id": "a", "type": long, "params": {"matcher": {"role": "a"}}}));
    assert_eq!(found["actionType"], long.as_str());
    let found = details(
        json!({"id": "a", "type": "click", "params": {"matcher": {"role": "a"}, long.as_str(): 1, "b": 2}}),
    );
    assert_eq!(found["invalidKeys"], json!([long, "b"]));
}

#[test]
fn warnings_are_bounded_and_counted() {
    let twice = r#"{"role":"a","role":"b"}"#;
    let action = format!(
        r#"{{"id":"a","type":"click","params":{{{}}}}}"#,
        ["matcher", "container", "expectedNode", "labelMatcher"]
            .map(|key| format!("\"{key}\":{twice}"))
            .join(",")
    );
    let whole = payload(json!({})).to_string().replace("{}", &vec![action; 50].join(","));
    let checked = accept(whole.as_bytes()).unwrap();
    // Four repeated keys and three parameters without a use in each action.
    assert_eq!(checked.warnings.list().len(), 350);
    let crowded =
        whole.replace(twice, r#"{"role":"a","role":"b","role":"c","textEquals":"x","textEquals":"y"}"#);
    let checked = accept(crowded.as_bytes()).unwrap();
    assert_eq!((checked.warnings.list().len(), checked.warnings.omitted()), (500, Some(50 * 11 - 500)));
}

/// A pattern is plain text to every action but `read_text`, and to that one
/// only with the validator `regex`.
#[test]
fn a_pattern_may_be_as_long_as_a_payload() {
    let long = "(".repeat(513);
    let open = json!({"id": "a", "type": "open_app",
        "params": {"applicationId": "com.x", "validatorPattern": long}});
    let unused = [(WarningCode::ParamUnused, "actions.0.params.validatorPattern".to_owned())];
    assert_eq!(warnings(&payload(open).to_string()), unused);
    let read = |validator: &str, pattern: &str| {
        json!({"id": "a", "type": "read_text",
            "params": {"matcher": {"role": "a"}, "validator": validator, "validatorPattern": pattern}})
    };
    assert_eq!(warnings(&payload(read("version", &long)).to_string()), unused);
    assert_eq!(warnings(&payload(read("regex", &"a".repeat(5_000))).to_string()), []);
    assert_eq!(paths(read("regex", &long)), ["actions.0.params.validatorPattern"]);
    // The matcher comes first.
    let mut bare = read("regex", &long);
    bare["params"].as_object_mut().unwrap().remove("matcher");
    assert_eq!(paths(bare), ["actions.0.params.matcher", "actions.0.params.validatorPattern"]);
}

/// Reading a pattern costs memory by its length, before any other bound holds.
#[test]
fn long_patterns_are_refused_unread() {
    let read = |pattern: String| {
        json!({"id": "a", "type": "read_text",
            "params": {"matcher": {"role": "a"}, "validator": "regex", "validatorPattern": pattern}})
    };
    assert_eq!(paths(read(r"\W".repeat(300_000))), ["actions.0.params.validatorPattern"]);
    assert!(accept(payload(read(r"^\p{L}+\s[\p{Nd}.]+$".to_owned())).to_string().as_bytes()).is_ok());
}

#[test]
fn short_patterns_that_compile_large_are_refused_in_all() {
    let read = |pattern: &str| {
        json!({"id": "a", "type": "read_text",
            "params": {"matcher": {"role": "a"}, "validator": "regex", "validatorPattern": pattern}})
    };
    let problems = |pattern: &str| -> Vec<String> {
        let mut whole = payload(json!({}));
        whole["actions"] = Value::Array(vec![read(pattern); limits::MAX_ACTIONS]);
        match accept(whole.to_string().as_bytes()) {
            Ok(_) => Vec::new(),
            Err(failure) => failure.details.unwrap().problems.into_iter().map(|it| it.message).collect(),
        }
    };
    assert_eq!(problems(r"^\w+ [0-9.]+$"), [""; 0]);
    let large = problems("(?:.{999}){99}");
    let tried = large.iter().filter(|message| !message.contains("together")).count();
    assert_eq!((large.len(), tried), (50, limits::MAX_PATTERNS_BYTES / limits::MAX_PATTERN_BYTES));
}

#[test]
fn a_step_holds_its_pattern_ready_to_run() {
    let read = |pattern: &str| {
        let action = json!({"id": "a", "type": "read_text",
            "params": {"matcher": {"role": "a"}, "validator": "regex", "validatorPattern": pattern}});
        let checked = accept(payload(action).to_string().as_bytes()).unwrap();
        match checked.execution.actions()[0].step() {
            Step::ReadText(step) => step.check.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(read("ORD-[0-9]+"), read("ORD-[0-9]+"));
    assert_ne!(read("ORD-[0-9]+"), read("ORD-[0-9]*"));
    let TextCheck::Pattern(pattern) = read("ORD-[0-9]+") else {
        panic!("no pattern");
    };
    assert!(pattern.fits("ORD-12") && !pattern.fits("an ORD-12"));
}

#[test]
fn a_ref_looks_like_a_ref() {
    let accepted = |action: Value| accept(payload(action).to_string().as_bytes()).is_ok();
    for good in ["@e1", "@e7", "@e999999999"] {
        assert!(accepted(click(json!({"matcher": {"ref": good}}))), "{good}");
    }
    assert!(accepted(click(json!({"matcher": {"ref": "@e7", "role": "button"}}))));
    for bad in ["e7", "@7", "@e", "@e0", "@e07", "@e7 ", "@E7", "@e-1", "@e1234567890", "@e７"] {
        assert_eq!(paths(click(json!({"matcher": {"ref": bad}}))), ["actions.0.params.matcher.ref"], "{bad}");
    }
    assert_eq!(paths(click(json!({"matcher": {"ref": " "}}))), ["actions.0.params.matcher"]);
}

#[test]
fn a_snapshot_is_cut_short_or_compared_only_as_a_view() {
    let snapshot = |params: Value| json!({"id": "a", "type": "snapshot_ui", "params": params});
    let view = |params: Value| {
        let checked = accept(payload(snapshot(params)).to_string().as_bytes()).unwrap();
        match checked.execution.actions()[0].step() {
            Step::SnapshotUi(step) => (step.view, step.budget, step.diff.clone()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(view(json!({})), (ViewStyle::Xml, None, None));
    assert_eq!(view(json!({"view": " JSON"})), (ViewStyle::Json, None, None));
    assert_eq!(view(json!({"budget": 400})), (ViewStyle::Compact, Some(400), None));
    assert_eq!(view(json!({"diff": true})), (ViewStyle::Compact, Some(1000), Some(DiffBase::Last)));
    for (params, path) in [
        (json!({"view": "yaml"}), "view"),
        (json!({"budget": 0}), "budget"),
        (json!({"budget": 1.5}), "budget"),
        (json!({"view": "XML", "budget": 9}), "view"),
        (json!({"view": "xml", "diff": true}), "view"),
        (json!({"view": "xml", "since": "b8-6"}), "view"),
        (json!({"diff": "yes"}), "diff"),
        (json!({"since": " "}), "since"),
    ] {
        let found = paths(snapshot(params.clone()));
        assert_eq!(found, [format!("actions.0.params.{path}")], "{params}");
    }
    // What was once a parameter is still refused as removed.
    let failure =
        json!(accept(payload(snapshot(json!({"format": "ascii"}))).to_string().as_bytes()).unwrap_err());
    assert!(failure.to_string().contains("was removed"), "{failure}");
    assert_eq!(
        view(json!({"since": "b8-6", "diff": true})),
        (ViewStyle::Compact, Some(1000), Some(DiffBase::Snapshot("b8-6".into())))
    );
}

/// A screen bounds a point, not the contract.
#[test]
fn a_coordinate_may_be_as_large_as_a_number() {
    for (sent, kept) in [
        ("0", "0"),
        ("-0", "0"),
        ("540.0", "540"),
        ("9007199254740992", "9007199254740992"),
        ("1e20", "100000000000000000000"),
        ("1e300", "1e+300"),
    ] {
        let action = click(json!({"coordinate": {"x": 7, "y": 8}}));
        let text = payload(action).to_string().replace("\"y\":8", &format!("\"y\":{sent}"));
        let checked = accept(text.as_bytes()).unwrap_or_else(|failure| panic!("{sent}: {failure:?}"));
        assert!(crate::schemas::EXECUTION.is_valid(&json!(checked.execution)), "{sent}");
        let written = serde_json::to_string(&checked.execution).unwrap();
        assert!(written.contains(&format!(r#"{{"x":7,"y":{kept}}}"#)), "{written}");
    }
    for bad in [json!(-1), json!(0.5), json!(-1e20), json!("1"), json!(null)] {
        let found = paths(click(json!({"coordinate": {"x": bad, "y": 1}})));
        assert_eq!(found, ["actions.0.params.coordinate.x"], "{bad}");
    }
}

/// The documents name every alias there is.
#[test]
fn what_is_no_alias_is_no_action() {
    for written in ["find_all", "query_ui", "wait", "open", "type", "doctor_ping"] {
        let action = json!({"id": "a", "type": written, "params": {"matcher": {"role": "button"}}});
        assert_eq!(paths(action), ["actions"], "{written}");
    }
}

#[test]
fn a_search_has_bounds_and_defaults() {
    let search = |params: Value| json!({"id": "a", "type": "query", "params": params});
    let step = |params: Value| {
        let checked = accept(payload(search(params)).to_string().as_bytes()).unwrap();
        match checked.execution.actions()[0].step() {
            Step::Query(step) => (step.matcher.is_some(), step.visibility, step.limit),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(step(json!({})), (false, Visibility::OnScreen, None));
    assert_eq!(
        step(json!({"matcher": {"role": "button"}, "visibility": "all", "limit": 1000})),
        (true, Visibility::All, Some(1000))
    );
    for (params, path) in [
        (json!({"visibility": "off"}), "visibility"),
        (json!({"limit": 0}), "limit"),
        (json!({"limit": 1001}), "limit"),
        (json!({"matcher": {}}), "matcher"),
    ] {
        let found = paths(search(params.clone()));
        assert_eq!(found, [format!("actions.0.params.{path}")], "{params}");
    }
}

#[test]
fn an_execution_is_written_in_the_order_of_its_table() {
    let mut whole = payload(click(json!({"matcher": {"role": "a"}})));
    whole["mode"] = json!("direct");
    whole["strict"] = json!(true);
    let written = json!(accept(whole.to_string().as_bytes()).unwrap().execution);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&written), EXECUTION_FIELDS.map(|field| field.name));
    assert_eq!(keys(&written["actions"][0]), ACTION_FIELDS.map(|field| field.name));
}

/// The table says what may be left out, and leaving it out is judged by it.
#[test]
fn a_field_that_is_needed_is_missed_and_no_other() {
    let mut whole = payload(json!({"id": "a", "type": "snapshot_ui", "params": {}}));
    whole["mode"] = json!("direct");
    whole["strict"] = json!(true);
    for (fields, pointer) in [(&EXECUTION_FIELDS[..], ""), (&ACTION_FIELDS[..], "/actions/0")] {
        for field in fields {
            let mut without = whole.clone();
            let object = without.pointer_mut(pointer).and_then(Value::as_object_mut).unwrap();
            object.remove(field.name).unwrap();
            let refused = accept(without.to_string().as_bytes()).is_err();
            assert_eq!(refused, field.need == Need::Required, "{}", field.name);
        }
    }
}
