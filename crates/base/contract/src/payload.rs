//! Writes payloads: an execution as a caller would send it, from typed values.
//! The command line, recordings and the Operator route all write through here;
//! [`accept`](crate::accept) checks what comes out like any other payload.

use crate::action::ActionKind;
use crate::matcher::Matcher;
use crate::param::{Coordinate, ParamKey, ParamValue};
use crate::wire::{
    self, ACTIONS, COMMAND_ID, EXPECTED_FORMAT, FORMAT, ID, MODE, SOURCE, STRICT, TASK_ID, TIMEOUT, TYPE,
};
use crate::word::Mode;
use clawperator_document::Number;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An execution to be written. Its keys come out in the contract's order.
#[derive(Clone, Debug)]
pub struct Payload<'a, A = PayloadAction> {
    pub command_id: &'a str,
    pub task_id: &'a str,
    /// The label of the caller.
    pub source: &'a str,
    /// How long the whole execution may take.
    pub timeout_ms: Number,
    pub actions: &'a [A],
    /// Where the execution comes from, if known.
    pub mode: Option<Mode>,
    /// Whether every matcher must fit exactly one element; left out if `None`.
    pub strict: Option<bool>,
}

/// An action to be written.
#[derive(Clone, Debug)]
pub struct PayloadAction {
    pub id: String,
    pub kind: ActionKind,
    /// The parameters; without any, the key is left out.
    pub params: Option<PayloadParams>,
}

/// Parameters to be written, in the contract's order.
#[derive(Clone, Debug, Default)]
pub struct PayloadParams(Vec<(ParamKey, PayloadValue)>);

/// The value of a parameter to be written.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum PayloadValue {
    Typed(ParamValue),
    /// JSON as a caller wrote it, for the check to judge.
    Json(Box<RawValue>),
    /// An object whose values may be JSON as a caller wrote it.
    Object(BTreeMap<&'static str, PayloadValue>),
}

impl<A: Serialize> Payload<'_, A> {
    /// The payload as compact JSON.
    pub fn to_json(&self) -> String {
        let mut json = Vec::with_capacity((self.actions.len() + 1) * TYPICAL_ACTION_BYTES);
        // Strings, numbers and maps with string keys are always written, as
        // UTF-8; an empty payload would be refused.
        let written = serde_json::to_writer(&mut json, self).is_ok();
        let json = String::from_utf8(json).ok().filter(|_| written);
        json.unwrap_or_default()
    }
}

/// Room for one action, so that the text rarely has to grow.
const TYPICAL_ACTION_BYTES: usize = 384;

impl PayloadParams {
    /// Adds a parameter.
    pub fn with(mut self, key: ParamKey, value: impl Into<PayloadValue>) -> Self {
        self.set(key, value);
        self
    }

    /// Adds a parameter if it has a value.
    pub fn with_some(self, key: ParamKey, value: Option<impl Into<PayloadValue>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Adds a parameter, or replaces its value.
    pub fn set(&mut self, key: ParamKey, value: impl Into<PayloadValue>) {
        let value = value.into();
        match self.0.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(index) => self.0[index].1 = value,
            Err(index) => self.0.insert(index, (key, value)),
        }
    }

    /// Whether there is no parameter.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(ParamKey, PayloadValue)> for PayloadParams {
    fn from_iter<I: IntoIterator<Item = (ParamKey, PayloadValue)>>(values: I) -> Self {
        let mut params = Self::default();
        for (key, value) in values {
            params.set(key, value);
        }
        params
    }
}

macro_rules! values {
    ($($from:ty: $name:ident => $value:expr;)*) => {$(
        impl From<$from> for PayloadValue {
            fn from($name: $from) -> Self {
                Self::Typed($value)
            }
        }
    )*};
}

values! {
    ParamValue: value => value;
    &str: text => ParamValue::Text(text.into());
    String: text => ParamValue::Text(text.into());
    bool: flag => ParamValue::Flag(flag);
    u32: number => ParamValue::Number(number.into());
    Number: number => ParamValue::Number(number);
    Matcher: matcher => ParamValue::Matcher(Arc::new(matcher));
    Coordinate: point => ParamValue::Coordinate(point);
}

impl From<Box<RawValue>> for PayloadValue {
    fn from(json: Box<RawValue>) -> Self {
        Self::Json(json)
    }
}

impl<A: Serialize> Serialize for Payload<'_, A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry(COMMAND_ID.name, self.command_id)?;
        object.serialize_entry(TASK_ID.name, self.task_id)?;
        object.serialize_entry(SOURCE.name, self.source)?;
        object.serialize_entry(FORMAT.name, EXPECTED_FORMAT)?;
        object.serialize_entry(TIMEOUT.name, &self.timeout_ms)?;
        object.serialize_entry(ACTIONS.name, self.actions)?;
        if let Some(mode) = self.mode {
            object.serialize_entry(MODE.name, mode.word())?;
        }
        if let Some(strict) = self.strict {
            object.serialize_entry(STRICT.name, &strict)?;
        }
        object.end()
    }
}

/// Writes an action; a checked one has the same form.
pub(crate) fn write_action<S: Serializer, P: Serialize>(
    serializer: S,
    id: &str,
    kind: ActionKind,
    params: Option<&P>,
) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_map(None)?;
    object.serialize_entry(ID.name, id)?;
    object.serialize_entry(TYPE.name, kind.name())?;
    if let Some(params) = params {
        object.serialize_entry(wire::PARAMS.name, params)?;
    }
    object.end()
}

impl Serialize for PayloadAction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_action(serializer, &self.id, self.kind, self.params.as_ref())
    }
}

impl Serialize for PayloadParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key.name(), value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accept;

    #[test]
    fn a_payload_is_the_canonical_form_of_itself() {
        let json = RawValue::from_string(r#"{"textEquals":"a"}"#.to_owned()).unwrap();
        let params = PayloadParams::default()
            .with(ParamKey::Clear, true)
            .with(ParamKey::Text, "b")
            .with(ParamKey::Matcher, json)
            .with_some(ParamKey::Submit, None::<bool>);
        let actions = [
            PayloadAction {
                id: "a1".to_owned(),
                kind: ActionKind::EnterText,
                params: Some(params),
            },
            PayloadAction {
                id: "a2".to_owned(),
                kind: ActionKind::SnapshotUi,
                params: None,
            },
        ];
        let payload = Payload {
            command_id: "c",
            task_id: "t",
            source: "s",
            timeout_ms: Number::from(5_000_u32),
            actions: &actions,
            mode: Some(Mode::Direct),
            strict: Some(true),
        };
        let text = payload.to_json();
        let checked = accept(text.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&checked.execution).unwrap(), text);
    }
}
