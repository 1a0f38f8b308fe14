//! An execution that a flat command builds: one action, written out as the
//! payload a caller would have sent.

use super::World;
use clawperator_contract::{ActionKind, EXPECTED_FORMAT, Mode, ParamKey};
use serde_json::{Value, json};

/// An execution with one action, before it has ids.
#[derive(Debug)]
pub(crate) struct Draft {
    /// What the generated ids start with.
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    pub(super) timeout_ms: f64,
    pub(super) action_id: &'static str,
    pub(super) kind: ActionKind,
    pub(super) params: Option<Vec<(ParamKey, JsonText)>>,
    pub(super) mode: Option<Mode>,
}

/// A piece of JSON, written out.
#[derive(Clone, Debug)]
pub(crate) struct JsonText(String);

impl JsonText {
    /// Takes a text that is known to be one JSON value.
    pub(crate) fn checked(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl<T: Into<Value>> From<T> for JsonText {
    fn from(value: T) -> Self {
        Self(value.into().to_string())
    }
}

impl Draft {
    /// The payload, with ids made of the time and a random number.
    pub(crate) fn payload(&self, world: &World) -> Vec<u8> {
        let id = format!("{}-{}-{}", self.name, world.now_ms, base36(world.random));
        let mut action = format!(
            r#""id":{},"type":{}"#,
            json!(self.action_id),
            json!(self.kind.name())
        );
        if let Some(params) = &self.params {
            let params: Vec<_> = params
                .iter()
                .map(|(key, JsonText(json))| format!(r#""{}":{json}"#, key.name()))
                .collect();
            action.push_str(&format!(r#","params":{{{}}}"#, params.join(",")));
        }
        let mode = self
            .mode
            .map_or(String::new(), |mode| format!(r#","mode":{}"#, json!(mode.word())));
        format!(
            r#"{{"commandId":{id},"taskId":{id},"source":{},"expectedFormat":{},"timeoutMs":{},"actions":[{{{action}}}]{mode}}}"#,
            json!(self.source),
            json!(EXPECTED_FORMAT),
            json!(self.timeout_ms),
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

/// The parameters that are there, in the order they are given here.
pub(super) fn params<const N: usize>(
    entries: [(ParamKey, Option<JsonText>); N],
) -> Option<Vec<(ParamKey, JsonText)>> {
    let given = entries.into_iter().filter_map(|(key, value)| Some((key, value?)));
    Some(given.collect())
}
