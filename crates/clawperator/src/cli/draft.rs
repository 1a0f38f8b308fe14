//! An execution that a flat command builds: one action, written out as the
//! payload a caller would have sent.

use super::World;
use super::build::Frame;
use clawperator_contract::{EXPECTED_FORMAT, ParamKey};
use serde_json::{Value, json};

/// An execution with one action, before it has ids.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(super) frame: Frame,
    pub(super) params: Params,
}

/// The parameters of an action; none where it has none to show.
pub(super) type Params = Option<Vec<(ParamKey, JsonText)>>;

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
        let frame = &self.frame;
        let id = format!("{}-{}-{}", frame.name, world.now_ms, base36(world.random));
        let mut action = format!(
            r#""id":{},"type":{}"#,
            json!(frame.action_id),
            json!(frame.kind.name())
        );
        if let Some(params) = &self.params {
            let params: Vec<_> = params
                .iter()
                .map(|(key, JsonText(json))| format!(r#""{}":{json}"#, key.name()))
                .collect();
            action.push_str(&format!(r#","params":{{{}}}"#, params.join(",")));
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

/// The parameters that are there, in the order they are given here.
pub(super) fn params<const N: usize>(entries: [(ParamKey, Option<JsonText>); N]) -> Params {
    let given = entries.into_iter().filter_map(|(key, value)| Some((key, value?)));
    Some(given.collect())
}
