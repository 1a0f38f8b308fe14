//! Reads the app's answer: one JSON object, strictly. Pure.

use clawperator_contract::{Envelope, Status, StepResult};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The most steps that an answer may have; an execution has fewer.
const MAX_STEPS: usize = 64;
/// The most keys of one step's data.
const MAX_KEYS: usize = 256;

/// Why a text is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AnswerError {
    /// It is not JSON; what the reader says.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// A key is missing or has a value of another kind.
    #[error("{0} is missing or has the wrong type")]
    Wrong(&'static str),
    /// There are more of these than an answer may have.
    #[error("it has too many {0}")]
    TooMany(&'static str),
}

/// Reads an answer. Keys that are not known are left out.
pub(super) fn read(text: &str) -> Result<Envelope, AnswerError> {
    let value: Value =
        serde_json::from_str(text.trim()).map_err(|error| AnswerError::NotJson(error.to_string()))?;
    let object = value.as_object().ok_or(AnswerError::Wrong("the answer"))?;
    let status = match object.get("status").and_then(Value::as_str) {
        Some("success") => Status::Success,
        Some("failed") => Status::Failed,
        _ => return Err(AnswerError::Wrong("status")),
    };
    let steps = object.get("stepResults").and_then(Value::as_array);
    let steps = steps.ok_or(AnswerError::Wrong("stepResults"))?;
    if steps.len() > MAX_STEPS {
        return Err(AnswerError::TooMany("steps"));
    }
    // Nothing is not the same as null here: an answer says that it has no error.
    let error = match object.get("error") {
        Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        _ => return Err(AnswerError::Wrong("error")),
    };
    let error_code = match object.get("errorCode") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(_) => return Err(AnswerError::Wrong("errorCode")),
    };
    Ok(Envelope {
        command_id: text_of(object, "commandId")?,
        task_id: text_of(object, "taskId")?,
        status,
        step_results: steps.iter().map(step).collect::<Result<_, _>>()?,
        error,
        error_code,
        hint: None,
    })
}

fn step(value: &Value) -> Result<StepResult, AnswerError> {
    let object = value.as_object().ok_or(AnswerError::Wrong("a step"))?;
    let success = object.get("success").and_then(Value::as_bool);
    let data = match object.get("data") {
        None | Some(Value::Null) => BTreeMap::new(),
        Some(Value::Object(data)) if data.len() <= MAX_KEYS => {
            let rows = data.iter().map(|(key, value)| (key.clone(), value_text(value)));
            rows.collect()
        }
        Some(Value::Object(_)) => return Err(AnswerError::TooMany("keys in a step's data")),
        Some(_) => return Err(AnswerError::Wrong("a step's data")),
    };
    Ok(StepResult {
        id: text_of(object, "id").map_err(|_| AnswerError::Wrong("a step's id"))?,
        action_type: text_of(object, "actionType").map_err(|_| AnswerError::Wrong("a step's actionType"))?,
        success: success.ok_or(AnswerError::Wrong("a step's success"))?,
        data,
    })
}

/// Data is strings, whatever came.
fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn text_of(object: &Map<String, Value>, key: &'static str) -> Result<String, AnswerError> {
    let text = object.get(key).and_then(Value::as_str);
    text.map(str::to_owned).ok_or(AnswerError::Wrong(key))
}

/// Tells whether a text that cannot be read says it answers a command.
pub(super) fn names(text: &str, command_id: &str) -> bool {
    let id = Value::from(command_id).to_string();
    ["\"commandId\":", "\"commandId\": "].iter().any(|key| text.contains(&format!("{key}{id}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sample() -> Value {
        json!({ "commandId": "c", "taskId": "t", "status": "success", "error": null, "extra": 1,
            "stepResults": [{ "id": "a", "actionType": "sleep", "success": true,
                "data": { "s": "x", "n": 1.5, "z": null, "b": true, "l": [1, "y"] } }, { "id": "b",
                "actionType": "sleep", "success": false }] })
    }

    #[test]
    fn data_becomes_strings_and_the_rest_is_typed() {
        let envelope = read(&sample().to_string()).unwrap();
        assert_eq!(envelope.step_results[0].data["l"], r#"[1,"y"]"#);
        assert_eq!(envelope.step_results[0].data["z"], "null");
        assert!(envelope.step_results[1].data.is_empty());
        assert_eq!((envelope.error, envelope.error_code), (None, None));
    }

    #[test]
    fn whatever_is_missing_or_of_another_kind_is_named() {
        for (key, value) in [
            ("commandId", json!(1)),
            ("taskId", json!(null)),
            ("status", json!("done")),
            ("stepResults", json!({})),
            ("error", json!(3)),
            ("errorCode", json!([])),
        ] {
            let mut odd = sample();
            odd[key] = value;
            assert_eq!(read(&odd.to_string()), Err(AnswerError::Wrong(key)));
        }
        let mut silent = sample();
        silent.as_object_mut().unwrap().remove("error");
        assert_eq!(read(&silent.to_string()), Err(AnswerError::Wrong("error")));
        let mut many = sample();
        many["stepResults"] = json!(vec![&sample()["stepResults"][0]; MAX_STEPS + 1]);
        assert_eq!(read(&many.to_string()), Err(AnswerError::TooMany("steps")));
        assert!(matches!(read("{"), Err(AnswerError::NotJson(_))));
        assert!(matches!(read("{} x"), Err(AnswerError::NotJson(_))));
    }

    #[test]
    fn an_id_is_not_taken_for_a_longer_one() {
        assert!(names(r#"{"commandId":"a\"b","x"#, "a\"b"));
        assert!(!names(r#"{"commandId":"ab","x"#, "a"));
        assert!(!names(r#"{"taskId":"a""#, "a"));
    }
}
