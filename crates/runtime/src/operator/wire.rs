//! Writes a part of an execution as the Operator app reads it, and says
//! beforehand what the app would drop without a word. Pure.

use super::limits::{MAX_COORDINATE, MAX_ID_UNITS, MAX_PACKAGE_UNITS};
use clawperator_contract::text::{exceeds, excerpt, fold, is_blank};
use clawperator_contract::{
    Action, ActionKind, ClickType, Direction, EXPECTED_FORMAT, ErrorCode, Execution, Problem, Validator,
};
use serde_json::{Map, Number, Value, json};

/// The actions that the app knows. What came later, it drops.
const ACTIONS: &[ActionKind] = &[
    ActionKind::OpenApp,
    ActionKind::OpenUri,
    ActionKind::CloseApp,
    ActionKind::StartRecording,
    ActionKind::StopRecording,
    ActionKind::WaitForNode,
    ActionKind::Click,
    ActionKind::ScrollAndClick,
    ActionKind::Scroll,
    ActionKind::ScrollUntil,
    ActionKind::ReadText,
    ActionKind::EnterText,
    ActionKind::SnapshotUi,
    ActionKind::TakeScreenshot,
    ActionKind::Sleep,
    ActionKind::PressKey,
    ActionKind::WaitForNavigation,
    ActionKind::ReadKeyValuePair,
];

/// The parameters that the app knows; others it ignores.
const PARAMS: &[&str] = &[
    "applicationId",
    "sessionId",
    "uri",
    "durationMs",
    "path",
    "matcher",
    "coordinate",
    "text",
    "submit",
    "clear",
    "clickType",
    "container",
    "direction",
    "maxSwipes",
    "distanceRatio",
    "settleDelayMs",
    "maxScrolls",
    "maxDurationMs",
    "noPositionChangeThreshold",
    "findFirstScrollableChild",
    "clickAfter",
    "validator",
    "validatorPattern",
    "key",
    "retry",
    "scrollRetry",
    "clickRetry",
    "expectedPackage",
    "expectedNode",
    "timeoutMs",
    "labelMatcher",
    "all",
];
/// What this route keeps by refusing it.
const STRICT: &str = "strict";
/// The parameters that are matchers.
const MATCHERS: &[&str] = &["matcher", "container", "expectedNode", "labelMatcher"];
/// The fields of a matcher that the app knows.
const MATCHER: &[&str] = &[
    "resourceId",
    "role",
    "textEquals",
    "textContains",
    "contentDescEquals",
    "contentDescContains",
];
/// Numbers that may have a fraction. Any other with one counts as missing.
const FRACTIONS: &[&str] = &["distanceRatio", "backoffMultiplier", "jitterRatio"];
/// Words that the contract takes with spaces around them and the app does not.
const WORDS: &[&str] = &["key", "direction"];

/// Why strictness is refused.
pub(super) const NOT_STRICT: &str =
    "the Operator app always takes the first element that fits, so strict cannot be kept";

/// Writes some actions of an execution.
pub(super) fn payload(execution: &Execution, actions: &[Action], id: &str, timeout_ms: u64) -> String {
    let mut payload = json!({
        "commandId": id,
        "taskId": execution.task_id(),
        "source": execution.source(),
        "expectedFormat": EXPECTED_FORMAT,
        "timeoutMs": timeout_ms,
        "actions": actions.iter().map(action).collect::<Vec<_>>(),
    });
    if let (Some(mode), Some(object)) = (execution.mode(), payload.as_object_mut()) {
        object.insert("mode".to_owned(), mode.word().into());
    }
    // Compact, and every control character is escaped: it is one line.
    payload.to_string()
}

fn action(action: &Action) -> Value {
    let mut written = json!({ "id": action.id(), "type": action.kind().name() });
    if let Value::Object(mut params) = params(action) {
        params.remove(STRICT);
        whole_numbers(&mut params);
        for key in WORDS {
            if let Some(Value::String(word)) = params.get_mut(*key) {
                *word = fold(word).into_owned();
            }
        }
        written["params"] = Value::Object(params);
    }
    written
}

/// The parameters as they were sent.
fn params(action: &Action) -> Value {
    // Our own types are always written.
    action
        .params()
        .and_then(|params| serde_json::to_value(params).ok())
        .unwrap_or(Value::Null)
}

/// Cuts fractions off: the contract takes them where the app counts in whole
/// milliseconds.
fn whole_numbers(object: &mut Map<String, Value>) {
    for (key, value) in object.iter_mut() {
        match value {
            Value::Number(number) if !FRACTIONS.contains(&key.as_str()) => {
                // A cast from a float that is too large gives the largest number.
                let whole = number.as_f64().filter(|_| number.as_i64().is_none());
                if let Some(whole) = whole {
                    *number = Number::from(whole as i64);
                }
            }
            Value::Object(inner) => whole_numbers(inner),
            _ => {}
        }
    }
}

/// What the app would drop, or do otherwise than asked, in the order of the
/// payload.
pub(super) fn problems(execution: &Execution, operator: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut add = |path: &str, message: &str| found.push(problem(None, path, message));
    for (path, text) in [
        ("commandId", execution.command_id().as_str()),
        ("taskId", execution.task_id().as_str()),
        ("source", execution.source().as_str()),
    ] {
        if is_blank(text) {
            add(path, "the Operator app takes no blank id");
        }
    }
    for (number, action) in execution.actions().iter().enumerate() {
        let mut add = |path: &str, message: &str| {
            let path = format!("actions.{number}{path}");
            found.push(problem(Some((number, action)), &path, message));
        };
        if !ACTIONS.contains(&action.kind()) {
            add(".type", "the Operator app does not know this action");
            continue;
        }
        if is_blank(action.id().as_str()) {
            add(".id", "the Operator app takes no blank id");
        }
        let params = params(action);
        if execution.is_strict(action) && MATCHERS.iter().any(|key| params.get(key).is_some()) {
            add(".params.strict", NOT_STRICT);
        }
        if let Value::Object(params) = &params {
            params_problems(params, &mut add);
        }
        let app = params.get("applicationId").and_then(Value::as_str);
        if action.kind() == ActionKind::CloseApp && app == Some(operator) {
            let message = "closing the Operator app would end what runs this execution";
            add(".params.applicationId", message);
        }
    }
    found
}

fn params_problems(params: &Map<String, Value>, add: &mut impl FnMut(&str, &str)) {
    for (key, value) in params {
        let path = format!(".params.{key}");
        if key == STRICT {
            continue;
        }
        if !PARAMS.contains(&key.as_str()) {
            add(&path, "the Operator app does not know this parameter");
            continue;
        }
        match value {
            Value::String(text) => {
                if let Some(message) = text_problem(key, text) {
                    add(&path, &message);
                }
            }
            Value::Object(object) if key == "coordinate" => {
                let far = |side: &Value| side.as_u64().is_none_or(|side| side > MAX_COORDINATE);
                if object.values().any(far) {
                    add(&path, "the Operator app takes no coordinate above 2147483647");
                }
            }
            Value::Object(object) if MATCHERS.contains(&key.as_str()) => {
                let unknown = |name: &&String| !MATCHER.contains(&name.as_str());
                for name in object.keys().filter(unknown) {
                    let message = "the Operator app does not know this field of a matcher";
                    add(&format!("{path}.{name}"), message);
                }
            }
            _ => {}
        }
    }
}

/// What is wrong with a text, for the app.
fn text_problem(key: &str, text: &str) -> Option<String> {
    let unknown = |what: &str| {
        let shown = excerpt(text);
        Some(format!("the Operator app knows no {what} \"{shown}\""))
    };
    match key {
        "text" if is_blank(text) => Some("the Operator app types no blank text".to_owned()),
        "sessionId" if exceeds(text, MAX_ID_UNITS) => Some(format!(
            "the Operator app takes at most {MAX_ID_UNITS} characters here"
        )),
        "applicationId" | "expectedPackage" if exceeds(text, MAX_PACKAGE_UNITS) => Some(format!(
            "the Operator app takes at most {MAX_PACKAGE_UNITS} characters here"
        )),
        "clickType" if ClickType::from_word(text).is_none() => unknown("click type"),
        "validator" if Validator::from_word(text).is_none() => unknown("validator"),
        "direction" if Direction::from_any_case(text).is_none() => unknown("direction"),
        // The app's patterns are Java's, where such a class goes on.
        "validatorPattern" if text.contains("[^]") => {
            Some("the Operator app cannot read a pattern with [^] in it".to_owned())
        }
        _ => None,
    }
}

fn problem(action: Option<(usize, &Action)>, path: &str, message: &str) -> Problem {
    Problem {
        code: ErrorCode::ExecutionValidationFailed,
        path: path.to_owned(),
        message: message.to_owned(),
        action_index: action.map(|(number, _)| number),
        action_id: action.map(|(_, action)| excerpt(action.id().as_str()).into_owned()),
        action_type: action.map(|(_, action)| action.kind().name().to_owned()),
        invalid_keys: Vec::new(),
        invalid_keys_omitted: None,
        hint: Some("Change it, or run without --operator-package.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawperator_contract::accept;

    fn execution(actions: &Value) -> Execution {
        let payload = json!({"commandId": "c", "taskId": "t", "source": "s", "timeoutMs": 1500.5,
            "expectedFormat": "android-ui-automator", "mode": "direct", "actions": actions});
        accept(payload.to_string().as_bytes()).unwrap().execution
    }

    fn one(kind: &str, params: &Value) -> Execution {
        execution(&json!([{"id": "a", "type": kind, "params": params}]))
    }

    #[test]
    fn a_payload_is_one_line_of_the_canonical_form() {
        let execution = execution(&json!([
            {"id": "k", "type": "key_press", "params": {"key": " BACK "}},
            {"id": "s", "type": "sleep", "params": {"durationMs": 50.9, "retry": {"maxAttempts": 2.5, "backoffMultiplier": 1.5}}},
            {"id": "e", "type": "enter_text", "params": {"matcher": {"role": "textfield"}, "text": "a\n'$(x)' \u{0}é"}},
        ]));
        assert_eq!(
            payload(&execution, execution.actions(), "c.1", 1500),
            r#"{"commandId":"c.1","taskId":"t","source":"s","expectedFormat":"android-ui-automator","timeoutMs":1500,"actions":[{"id":"k","type":"press_key","params":{"key":"back"}},{"id":"s","type":"sleep","params":{"durationMs":50,"retry":{"maxAttempts":2,"backoffMultiplier":1.5}}},{"id":"e","type":"enter_text","params":{"matcher":{"role":"textfield"},"text":"a\n'$(x)' \u0000é"}}],"mode":"direct"}"#
        );
    }

    #[test]
    fn what_the_app_would_drop_is_known_beforehand() {
        let long = "x".repeat(600);
        for (kind, params, path) in [
            (
                "click",
                json!({"matcher": {"role": "button"}, "clickType": "double"}),
                "actions.0.params.clickType",
            ),
            (
                "click",
                json!({"coordinate": {"x": 3_000_000_000_u64, "y": 1}}),
                "actions.0.params.coordinate",
            ),
            (
                "read_text",
                json!({"matcher": {"role": "text"}, "validator": "odd"}),
                "actions.0.params.validator",
            ),
            (
                "read_text",
                json!({"matcher": {"role": "text"}, "validator": "regex", "validatorPattern": "a[^]*"}),
                "actions.0.params.validatorPattern",
            ),
            (
                "start_recording",
                json!({"sessionId": "x".repeat(129)}),
                "actions.0.params.sessionId",
            ),
            (
                "open_app",
                json!({"applicationId": long}),
                "actions.0.params.applicationId",
            ),
            (
                "scroll_and_click",
                json!({"matcher": {"role": "text"}, "direction": "sideways"}),
                "actions.0.params.direction",
            ),
            (
                "close_app",
                json!({"applicationId": "the.operator"}),
                "actions.0.params.applicationId",
            ),
        ] {
            let found = problems(&one(kind, &params), "the.operator");
            let paths: Vec<_> = found.iter().map(|problem| problem.path.as_str()).collect();
            assert_eq!(paths, [path], "{kind}");
        }
        let strict = one("click", &json!({"matcher": {"role": "button"}, "strict": true}));
        assert_eq!(
            problems(&strict, "the.operator")[0].path,
            "actions.0.params.strict"
        );
        let fine = one("scroll", &json!({"direction": " DOWN "}));
        assert_eq!(problems(&fine, "the.operator"), []);
    }
}
