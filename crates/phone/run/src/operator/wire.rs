//! Writes a part of an execution as the Operator app reads it, and reports
//! beforehand what the app would drop without saying so. Pure.

use super::limits::{MAX_COORDINATE, MAX_ID_UNITS, MAX_PACKAGE_UNITS};
use clawperator_contract::text::{exceeds, excerpt, fold, is_blank};
use clawperator_contract::{
    Action, ActionKind, ClickType, Direction, Execution, Matcher, Number, OperatorRoute, ParamKey,
    ParamValue, Params, Payload, PayloadAction, Problem, RETRY_FIELDS, RetryObject, Shape, Validator,
};

/// The last of the parameters that the app knows, in the contract's order; it ignores the others.
const LAST_PARAM: ParamKey = ParamKey::All;
/// The fields of a matcher that the app knows.
const MATCHER: &[&str] =
    &["resourceId", "role", "textEquals", "textContains", "contentDescEquals", "contentDescContains"];
/// The fields of a retry object that may have a fraction.
const FRACTIONS: &[&str] = &["backoffMultiplier", "jitterRatio"];
/// The largest whole number that the app reads, as a double: just under 2^63.
const MAX_WHOLE: f64 = 9_223_372_036_854_774_784.0;

pub(super) const NOT_STRICT: &str =
    "the Operator app always uses the first matching element, so strict is not possible";

/// Writes some actions of an execution. The result is one line: it is compact,
/// and every control character is escaped.
pub(super) fn payload(execution: &Execution, actions: &[Action], id: &str, timeout_ms: u64) -> String {
    let actions: Vec<_> = actions.iter().map(action).collect();
    // No timeout is longer than a u32 can say.
    let timeout_ms = Number::from(u32::try_from(timeout_ms).unwrap_or(u32::MAX));
    let payload = Payload {
        task_id: execution.task_id().as_str(),
        mode: execution.mode(),
        ..Payload::new(id, execution.source().as_str(), timeout_ms, &actions)
    };
    payload.to_json()
}

fn action(action: &Action) -> PayloadAction {
    let mut written = PayloadAction::new(action.id().as_str(), action.kind());
    if let Some(params) = action.params() {
        written = written.with_params();
        for (key, value) in params.iter().filter(|(key, _)| *key != ParamKey::Strict) {
            written.set(key, for_app(key, value));
        }
    }
    written
}

/// A value as the app reads it. The contract takes words with spaces around
/// them, and fractions where the app counts whole milliseconds.
fn for_app(key: ParamKey, value: &ParamValue) -> ParamValue {
    match value {
        ParamValue::Text(word) if matches!(key, ParamKey::Key | ParamKey::Direction) => {
            ParamValue::Text(fold(word).into())
        }
        ParamValue::Number(number) if key != ParamKey::DistanceRatio => ParamValue::Number(whole(*number)),
        ParamValue::Retry(retry) => ParamValue::Retry(Box::new(whole_retry(retry))),
        value => value.clone(),
    }
}

fn whole_retry(retry: &RetryObject) -> RetryObject {
    let mut retry = retry.clone();
    for field in RETRY_FIELDS.iter().filter(|field| !FRACTIONS.contains(&field.name)) {
        let slot = (field.slot)(&mut retry);
        *slot = slot.map(whole);
    }
    retry
}

fn whole(number: Number) -> Number {
    number.clamp(-MAX_WHOLE, MAX_WHOLE).trunc()
}

/// What the app would drop, or do otherwise than asked, in the order of the payload.
pub(super) fn problems(execution: &Execution, operator: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    for (path, text) in [
        ("commandId", execution.command_id().as_str()),
        ("taskId", execution.task_id().as_str()),
        ("source", execution.source().as_str()),
    ] {
        if is_blank(text) {
            found.push(problem(path, BLANK_ID));
        }
    }
    for (index, action) in execution.actions().iter().enumerate() {
        let own = action_problems(execution, action, operator);
        found.extend(own.into_iter().map(|(path, message)| Problem {
            action_index: Some(index),
            action_id: Some(excerpt(action.id().as_str()).into_owned()),
            action_type: Some(action.kind().name().to_owned()),
            ..problem(&format!("actions.{index}{path}"), &message)
        }));
    }
    found
}

/// Why a guess is not sent to the app.
pub(super) const DARK: &str =
    "something on this phone is secret, and the Operator app would compare it with the text of this action";
const BLANK_ID: &str = "the Operator app does not accept a blank id";

/// The problems of one action, each with its path inside the action.
fn action_problems(execution: &Execution, action: &Action, operator: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut add = |path: String, message: &str| found.push((path, message.to_owned()));
    if action.kind().spec().operator == OperatorRoute::Unsupported {
        add(".type".to_owned(), "the Operator app does not know this action");
        return found;
    }
    if is_blank(action.id().as_str()) {
        add(".id".to_owned(), BLANK_ID);
    }
    let Some(params) = action.params() else {
        return found;
    };
    let mut shapes = params.keys().map(|key| key.spec().shape);
    if execution.is_strict(action) && shapes.any(|shape| shape == Shape::Matcher) {
        add(".params.strict".to_owned(), NOT_STRICT);
    }
    for (key, value) in params.iter().filter(|(key, _)| *key != ParamKey::Strict) {
        let path = format!(".params.{}", key.name());
        if key > LAST_PARAM {
            add(path, "the Operator app does not know this parameter");
            continue;
        }
        match value {
            ParamValue::Text(text) => {
                let opens = (action.kind(), key) == (ActionKind::OpenApp, ParamKey::ApplicationId);
                if let Some(message) = text_problem(key, text) {
                    add(path, &message);
                } else if opens && !text.contains('.') {
                    add(path, "the Operator app opens an app by its package id only");
                }
            }
            ParamValue::Coordinate(point) => {
                if [point.x, point.y].iter().any(|side| side.get() > MAX_COORDINATE) {
                    add(path, "the Operator app does not accept a coordinate above 2147483647");
                }
            }
            ParamValue::Matcher(matcher) => {
                for field in unknown_fields(matcher) {
                    let message = "the Operator app does not know this field of a matcher";
                    add(format!("{path}.{field}"), message);
                }
            }
            // The app does not know the parameter of the last one.
            ParamValue::Number(_) | ParamValue::Flag(_) | ParamValue::Retry(_) | ParamValue::Confirm(_) => {}
        }
    }
    let closes = (action.kind() == ActionKind::CloseApp).then(|| params.text(ParamKey::ApplicationId));
    if closes.flatten().is_some_and(|app| &**app == operator) {
        let message = "this would close the Operator app itself, which runs this execution";
        add(".params.applicationId".to_owned(), message);
    }
    found
}

/// Whether the app would compare something with the text of an element: whether it
/// fits tells what is in a field.
pub(super) fn guesses(action: &Action) -> bool {
    let mut params = action.params().into_iter().flat_map(Params::iter);
    params.any(|(key, value)| match value {
        ParamValue::Matcher(it) => {
            let texts = [&it.text_equals, &it.text_contains];
            let more = [&it.content_desc_equals, &it.content_desc_contains];
            texts.into_iter().chain(more).any(Option::is_some)
        }
        _ => key == ParamKey::Validator,
    })
}

fn unknown_fields(matcher: &Matcher) -> Vec<String> {
    // A matcher is always written as an object.
    let written = serde_json::to_value(matcher).unwrap_or_default();
    let keys = written.as_object().into_iter().flat_map(|object| object.keys());
    let unknown = keys.filter(|key| !MATCHER.contains(&key.as_str()));
    unknown.cloned().collect()
}

/// What is wrong with a text, for the app.
fn text_problem(key: ParamKey, text: &str) -> Option<String> {
    let unknown = |what: &str| {
        let shown = excerpt(text);
        Some(format!("the Operator app does not know the {what} \"{shown}\""))
    };
    let longer_than = |most: usize| {
        let message = format!("the Operator app accepts at most {most} characters here");
        exceeds(text, most).then_some(message)
    };
    match key {
        ParamKey::Text if is_blank(text) => Some("the Operator app does not type blank text".to_owned()),
        ParamKey::SessionId => longer_than(MAX_ID_UNITS),
        ParamKey::ApplicationId | ParamKey::ExpectedPackage => longer_than(MAX_PACKAGE_UNITS),
        ParamKey::ClickType if ClickType::from_word(text).is_none() => unknown("click type"),
        ParamKey::Validator if Validator::from_word(text).is_none() => unknown("validator"),
        ParamKey::Direction if Direction::from_any_case(text).is_none() => unknown("direction"),
        // The app's patterns are Java's, where `[^]` opens a class that goes on.
        ParamKey::ValidatorPattern if text.contains("[^]") => {
            Some("the Operator app cannot read a pattern that contains [^]".to_owned())
        }
        _ => None,
    }
}

fn problem(path: &str, message: &str) -> Problem {
    Problem {
        hint: Some("Change it, or run without --operator-package.".to_owned()),
        ..Problem::new(path.to_owned(), message.to_owned())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use clawperator_contract::accept;
    use serde_json::{Value, json};

    /// An execution of these actions.
    pub(in crate::operator) fn execution(actions: &Value) -> Execution {
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
            {"id": "e", "type": "enter_text", "params": {"matcher": {"role": "textfield"}, "text": "a\n'$(x)' \u{1}é"}},
        ]));
        assert_eq!(
            payload(&execution, execution.actions(), "c.1", 1500),
            r#"{"commandId":"c.1","taskId":"t","source":"s","expectedFormat":"android-ui-automator","timeoutMs":1500,"actions":[{"id":"k","type":"press_key","params":{"key":"back"}},{"id":"s","type":"sleep","params":{"durationMs":50,"retry":{"maxAttempts":2,"backoffMultiplier":1.5}}},{"id":"e","type":"enter_text","params":{"matcher":{"role":"textfield"},"text":"a\n'$(x)' \u0001é"}}],"mode":"direct"}"#
        );
    }

    #[test]
    fn what_the_app_would_drop_is_known_beforehand() {
        for (kind, params, path) in [
            ("click", json!({"matcher": {"role": "button"}, "clickType": "double"}), "clickType"),
            ("click", json!({"coordinate": {"x": 3_000_000_000_u64, "y": 1}}), "coordinate"),
            ("read_text", json!({"matcher": {"role": "text"}, "validator": "odd"}), "validator"),
            (
                "read_text",
                json!({"matcher": {"role": "text"}, "validator": "regex", "validatorPattern": "a[^]*"}),
                "validatorPattern",
            ),
            ("start_recording", json!({"sessionId": "x".repeat(129)}), "sessionId"),
            ("open_app", json!({"applicationId": "x".repeat(600)}), "applicationId"),
            ("scroll_and_click", json!({"matcher": {"role": "text"}, "direction": "sideways"}), "direction"),
            ("click", json!({"matcher": {"role": "text", "where": {"clickable": true}}}), "matcher.where"),
            ("press_key", json!({"key": "back", "confirm": {"changed": true}}), "confirm"),
            ("close_app", json!({"applicationId": "the.operator"}), "applicationId"),
            ("click", json!({"matcher": {"role": "button"}, "strict": true}), "strict"),
        ] {
            let found = problems(&one(kind, &params), "the.operator");
            let paths: Vec<_> = found.iter().map(|problem| problem.path.as_str()).collect();
            assert_eq!(paths, [format!("actions.0.params.{path}")], "{kind}");
        }
        let fine = one("scroll", &json!({"direction": " DOWN "}));
        assert_eq!(problems(&fine, "the.operator"), []);
    }
}
