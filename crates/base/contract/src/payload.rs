//! Writes payloads: an execution as a caller would send it, from typed values.
//! The command line, recordings and the Operator route all write through here;
//! [`accept`](crate::accept) checks what comes out like any other payload.

use crate::action::{ActionKind, ParamUse};
use crate::check::accept;
use crate::execution::CheckedExecution;
use crate::failure::Failure;
use crate::matcher::Matcher;
use crate::param::{Coordinate, ParamKey, ParamValue};
use crate::retry::RetryObject;
use crate::wire::{
    self, ACTIONS, COMMAND_ID, EXPECTED_FORMAT, FORMAT, ID, MODE, SOURCE, STRICT, TASK_ID, TIMEOUT, TYPE,
};
use crate::word::{Mode, ViewStyle};
use clawperator_document::Number;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
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

/// An action to be written: what every surface builds.
#[derive(Clone, Debug)]
pub struct PayloadAction {
    pub id: String,
    pub kind: ActionKind,
    /// The parameters, in the contract's order; without any, the key is left out.
    params: Option<Vec<(ParamKey, PayloadValue)>>,
}

/// The value of a parameter to be written.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum PayloadValue {
    Typed(ParamValue),
    /// JSON as a caller wrote it, for the check to judge.
    Json(Box<RawValue>),
    Value(Value),
    /// An object whose values may be JSON as a caller wrote it.
    Object(BTreeMap<&'static str, PayloadValue>),
}

impl<'a, A: Serialize> Payload<'a, A> {
    /// A payload of these actions under one id.
    pub fn new(id: &'a str, source: &'a str, timeout_ms: Number, actions: &'a [A]) -> Self {
        Self { command_id: id, task_id: id, source, timeout_ms, actions, mode: None, strict: None }
    }

    /// The payload, checked like any other.
    ///
    /// # Errors
    /// If it breaks a rule of the contract.
    pub fn check(&self) -> Result<CheckedExecution, Failure> {
        accept(self.to_json().as_bytes())
    }

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

impl PayloadAction {
    /// An action without parameters.
    pub fn new(id: impl Into<String>, kind: ActionKind) -> Self {
        Self { id: id.into(), kind, params: None }
    }

    /// An action whose parameters are read one by one, in the order of its row.
    ///
    /// # Errors
    /// What `read` says of the first parameter that it cannot read.
    pub fn build<E>(
        id: impl Into<String>,
        kind: ActionKind,
        mut read: impl FnMut(&'static ParamUse) -> Result<Option<PayloadValue>, E>,
    ) -> Result<Self, E> {
        let mut action = Self::new(id, kind).with_params();
        for used in kind.spec().params {
            action = action.with_some(used.key, read(used)?);
        }
        Ok(action)
    }

    /// A look that shows what changed, in so many tokens.
    pub fn changes(id: impl Into<String>, budget: u32) -> Self {
        Self::new(id, ActionKind::SnapshotUi)
            .with(ParamKey::View, ViewStyle::Compact.word())
            .with(ParamKey::Budget, budget)
            .with(ParamKey::Diff, true)
    }

    /// The same action under another id.
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: id.into(), ..self }
    }

    /// Writes the key of the parameters, even if there are none.
    pub fn with_params(mut self) -> Self {
        self.params.get_or_insert_default();
        self
    }

    /// Adds a parameter, or replaces its value.
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

    /// Adds a parameter that is true, if it is.
    pub fn with_flag(self, key: ParamKey, flag: bool) -> Self {
        self.with_some(key, flag.then_some(true))
    }

    /// Adds a parameter, or replaces its value.
    pub fn set(&mut self, key: ParamKey, value: impl Into<PayloadValue>) {
        let (value, params) = (value.into(), self.params.get_or_insert_default());
        match params.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(index) => params[index].1 = value,
            Err(index) => params.insert(index, (key, value)),
        }
    }

    /// The value of a parameter.
    pub fn get(&self, key: ParamKey) -> Option<&PayloadValue> {
        let mut params = self.params.iter().flatten();
        params.find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

macro_rules! values {
    ($($from:ty: $name:ident => $kind:ident($value:expr);)*) => {$(
        impl From<$from> for PayloadValue {
            fn from($name: $from) -> Self {
                Self::$kind($value)
            }
        }
    )*};
}

values! {
    ParamValue: value => Typed(value);
    &str: text => Typed(ParamValue::Text(text.into()));
    String: text => Typed(ParamValue::Text(text.into()));
    bool: flag => Typed(ParamValue::Flag(flag));
    u32: number => Typed(ParamValue::Number(number.into()));
    RetryObject: retry => Typed(ParamValue::Retry(Box::new(retry)));
    Number: number => Typed(ParamValue::Number(number));
    Matcher: matcher => Typed(ParamValue::Matcher(Arc::new(matcher)));
    Coordinate: point => Typed(ParamValue::Coordinate(point));
    Box<RawValue>: json => Json(json);
    Value: value => Value(value);
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
        let params = self.params.as_deref().map(WrittenParams);
        write_action(serializer, &self.id, self.kind, params.as_ref())
    }
}

/// Parameters as an object.
struct WrittenParams<'p>(&'p [(ParamKey, PayloadValue)]);

impl Serialize for WrittenParams<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key.name(), value)))
    }
}
