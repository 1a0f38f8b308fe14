//! A tool call made into an action. Every field gets a value, and what had to be
//! repaired for that is named.

use super::coerce::{as_number, as_text, is_truthy};
use super::{ArgumentNeed, ArgumentShape, Executor, Tool, ToolField, by_name, of_kind};
use crate::action::{AgentAction, Wait};
use crate::result::ToolError;
use clawperator_contract::{ErrorCode, Number, text};
use serde::Serialize;
use serde_json::{Map, Value};

/// What a model says to itself; no field of any action.
const THOUGHT: &str = "thought";
/// How long an unknown tool waits, in milliseconds.
const UNKNOWN_WAITS: u32 = 1_000;

/// A tool call made into an action.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NormalizedCall {
    pub action: AgentAction,
    /// The arguments that were missing, were not what they have to be, or have no use here.
    pub repairs: Vec<String>,
}

/// Makes an action of a call. The tool's name decides its type, and nothing else.
pub fn normalize(name: &str, args: &Value) -> NormalizedCall {
    let nothing = Map::new();
    match by_name(text::trim(name)) {
        Some(tool) => fill(tool, args.as_object().unwrap_or(&nothing), &[THOUGHT]),
        None => unknown_call("tool"),
    }
}

/// Makes an action of an object with a `type`, as a model writes it in a text.
pub fn normalize_object(value: &Value) -> NormalizedCall {
    let kind = value.get("type").filter(|kind| !kind.is_null()).map(as_text);
    let tool = kind.and_then(|kind| of_kind(text::trim(&kind)));
    match (tool, value) {
        (Some(tool), Value::Object(args)) => fill(tool, args, &[THOUGHT, "type"]),
        _ => unknown_call("type"),
    }
}

impl NormalizedCall {
    /// The action, unless something had to be repaired for it.
    ///
    /// # Errors
    ///
    /// Names the arguments.
    pub fn strict(self, tool: &str) -> Result<AgentAction, ToolError> {
        if self.repairs.is_empty() {
            return Ok(self.action);
        }
        let fields = self.repairs.join(", ");
        let message = format!("The call of {tool} is not as its schema says: {fields}.");
        let hint = "Send each of these as the tool's schema says, and nothing else.";
        Err(ToolError::new(ErrorCode::ExecutionValidationFailed, message).with_hint(hint))
    }

    /// Why this is not done on a phone, if it may be something else than what was meant: what the
    /// tool needs is missing, and something was sent that it does not know.
    pub fn doubt(&self) -> Option<ToolError> {
        let tool = of_kind(self.action.kind()).filter(|tool| tool.executor == Executor::Phone)?;
        let of = |key: &String| tool.fields.iter().find(|field| field.key == key);
        let action = serde_json::to_value(&self.action).unwrap_or_default();
        let is_needed = |key: &&String| {
            let is_filled_in = |field: &ToolField| {
                let (sent, default) = (action.get(field.key), field.default());
                sent == default.as_ref() || sent.and_then(Value::as_f64) == default.and_then(|it| it.as_f64())
            };
            of(key).is_some_and(|field| field.need == ArgumentNeed::Required && is_filled_in(field))
        };
        let unknown = self.repairs.iter().find(|key| of(key).is_none())?;
        let missing = self.repairs.iter().find(is_needed)?;
        let unknown = text::excerpt(unknown);
        let message = format!("The argument {missing} is missing, and there is no argument {unknown}.");
        let hint = format!("Nothing was done. Send {missing} as the tool's schema says.");
        Some(ToolError::new(ErrorCode::ExecutionValidationFailed, message).with_hint(hint))
    }
}

fn unknown_call(repaired: &str) -> NormalizedCall {
    NormalizedCall {
        action: AgentAction::Wait(Wait { duration_ms: Number::from(UNKNOWN_WAITS), reason: None }),
        repairs: vec![repaired.to_owned()],
    }
}

fn fill(tool: &Tool, sent: &Map<String, Value>, known: &[&str]) -> NormalizedCall {
    let mut sent = sent.clone();
    for key in known {
        sent.shift_remove(*key);
    }
    let moved = moved_keys(tool, &mut sent);
    let mut action = Map::from_iter([("type".to_owned(), Value::from(tool.kind))]);
    let mut repairs = Vec::new();
    for field in tool.fields {
        let (value, repaired) = field.read(sent.get(field.key));
        if repaired || moved.contains(&field.key) {
            repairs.push(field.key.to_owned());
        }
        if let Some(value) = value {
            action.insert(field.key.to_owned(), value);
        }
    }
    let is_field = |key: &str| tool.fields.iter().any(|field| field.key == key);
    repairs.extend(sent.keys().filter(|key| !is_field(key)).cloned());
    match serde_json::from_value(Value::Object(action)) {
        Ok(action) => NormalizedCall { action, repairs },
        // Cannot be: each shape gives what its field takes, and a test reads all of them.
        Err(_) => unknown_call(tool.name),
    }
}

/// Moves what was sent under another key to where it belongs, and says where to.
fn moved_keys(tool: &Tool, sent: &mut Map<String, Value>) -> Vec<&'static str> {
    let is_missing = |sent: &Map<String, Value>, key: &str| sent.get(key).is_none_or(Value::is_null);
    match tool.kind {
        "tap" => moved_point(sent),
        "request_human_auth" => {
            let mut moved = Vec::new();
            if is_missing(sent, "instruction") && !is_missing(sent, "reason") {
                sent.insert("instruction".to_owned(), sent["reason"].clone());
                moved.push("instruction");
            }
            let other = sent.shift_remove("templateFile");
            if let Some(other) = other.filter(|_| is_missing(sent, "templatePath")) {
                sent.insert("templatePath".to_owned(), other);
                moved.push("templatePath");
            }
            moved
        }
        _ => Vec::new(),
    }
}

/// A point that was sent as a pair, where the two numbers are not there.
fn moved_point(sent: &mut Map<String, Value>) -> Vec<&'static str> {
    let is_number = |key: &str| sent.get(key).and_then(as_number).is_some();
    if is_number("x") && is_number("y") {
        return Vec::new();
    }
    let pair = ["coordinate", "position"].into_iter().find(|key| sent.get(*key).is_some_and(Value::is_array));
    let Some((key, Value::Array(pair))) = pair.map(|key| (key, sent[key].clone())) else {
        return Vec::new();
    };
    let [x, y, ..] = pair.as_slice() else {
        return Vec::new();
    };
    sent.shift_remove(key);
    sent.insert("x".to_owned(), x.clone());
    sent.insert("y".to_owned(), y.clone());
    vec!["x", "y"]
}

impl ToolField {
    /// The value to use, and whether it is a repair of what was sent.
    fn read(&self, sent: Option<&Value>) -> (Option<Value>, bool) {
        let Some(sent) = sent else {
            return (self.default(), self.need == ArgumentNeed::Required);
        };
        let value = self.coerce(sent);
        let is_as_sent = match (&value, sent) {
            // A number is the same number however it is written.
            (Some(value), Value::Number(_)) => value.as_f64() == sent.as_f64(),
            (Some(value), Value::Null) => {
                self.need == ArgumentNeed::Optional && Some(value) == self.default().as_ref()
            }
            (Some(value), sent) => value == sent,
            (None, Value::Null) => true,
            (None, Value::String(blank)) => text::is_blank(blank),
            (None, _) => false,
        };
        (value, !is_as_sent)
    }

    fn default(&self) -> Option<Value> {
        match self.shape {
            ArgumentShape::Number(number) => Some(Value::from(number)),
            ArgumentShape::Text(text) | ArgumentShape::Word(_, text) => Some(Value::from(text)),
            ArgumentShape::Flag => Some(Value::Bool(false)),
            ArgumentShape::Given | ArgumentShape::Trimmed | ArgumentShape::Object => None,
        }
    }

    fn coerce(&self, sent: &Value) -> Option<Value> {
        match self.shape {
            ArgumentShape::Number(_) => {
                as_number(sent).map(|number| Value::from(number.get())).or_else(|| self.default())
            }
            ArgumentShape::Text(_) if sent.is_null() => self.default(),
            ArgumentShape::Text(_) => Some(Value::from(as_text(sent))),
            ArgumentShape::Flag => Some(Value::Bool(is_truthy(sent))),
            ArgumentShape::Given => is_truthy(sent).then(|| Value::from(as_text(sent))),
            ArgumentShape::Trimmed if sent.is_null() => None,
            ArgumentShape::Trimmed => {
                let text = as_text(sent);
                let text = text::trim(&text);
                (!text.is_empty()).then(|| Value::from(text))
            }
            ArgumentShape::Word(words, _) => {
                let word = text::fold(&as_text(sent)).into_owned();
                words.contains(&word.as_str()).then(|| Value::from(word)).or_else(|| self.default())
            }
            ArgumentShape::Object => sent.is_object().then(|| sent.clone()),
        }
    }
}
