//! An execution that a flat command builds: one action, written as the payload
//! a caller would have sent.

use clawperator_contract::{ActionKind, EXPECTED_FORMAT, Mode, ParamKey};
use serde_json::{Value, json};

/// What every execution of a flat command has: everything but its parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// What the generated ids start with.
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    pub(super) action_id: &'static str,
    pub(super) kind: ActionKind,
    /// The time limit if none is given.
    pub(super) timeout_ms: f64,
    pub(super) mode: Option<Mode>,
}

/// An execution with one action, before it has ids.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(super) frame: Frame,
    /// In the order they are written.
    pub(super) params: Vec<(ParamKey, JsonText)>,
}

/// A parameter, if it is there.
pub(super) type Param = (ParamKey, Option<JsonText>);

/// A piece of JSON, written out.
#[derive(Clone, Debug)]
pub(super) struct JsonText(String);

impl JsonText {
    /// Takes a text that is known to be one JSON value.
    pub(super) fn checked(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// An object with these fields.
    pub(super) fn object(fields: impl IntoIterator<Item = (&'static str, Self)>) -> Self {
        let fields: Vec<_> = fields
            .into_iter()
            .map(|(key, Self(json))| format!(r#""{key}":{json}"#))
            .collect();
        Self(format!("{{{}}}", fields.join(",")))
    }
}

impl<T: Into<Value>> From<T> for JsonText {
    fn from(value: T) -> Self {
        Self(value.into().to_string())
    }
}

impl Draft {
    /// The payload, with ids made of a time and a random number.
    pub(crate) fn payload(&self, now_ms: u64, random: u64) -> Vec<u8> {
        let frame = &self.frame;
        let id = format!("{}-{now_ms}-{}", frame.name, base36(random));
        let mut action = format!(
            r#""id":{},"type":{}"#,
            json!(frame.action_id),
            json!(frame.kind.name())
        );
        // Only a snapshot is written without an empty `params`.
        if frame.kind != ActionKind::SnapshotUi || !self.params.is_empty() {
            let params = self.params.iter().map(|(key, json)| (key.name(), json.clone()));
            let JsonText(params) = JsonText::object(params);
            action.push_str(&format!(r#","params":{params}"#));
        }
        let mode = frame
            .mode
            .map_or(String::new(), |mode| format!(r#","mode":{}"#, json!(mode.word())));
        format!(
            r#"{{"commandId":{id},"taskId":{id},"source":{},"expectedFormat":{},"timeoutMs":{},"actions":[{{{action}}}]{mode}}}"#,
            json!(frame.source),
            json!(EXPECTED_FORMAT),
            json!(frame.timeout_ms),
            id = json!(id),
        )
        .into_bytes()
    }
}

/// Seven letters and digits from a number.
fn base36(mut number: u64) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    (0..7)
        .map(|_| {
            let digit = DIGITS[(number % 36) as usize];
            number /= 36;
            char::from(digit)
        })
        .collect()
}
