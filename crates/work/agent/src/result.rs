//! What came of a tool call, for the model and for the session's log.

use crate::policy::Decision;
use clawperator_contract::{ERROR_CODES, ErrorCode, Failure};
use clawperator_document::words;
use clawperator_phone::DispatchState;
use serde::Serialize;
use serde_json::Value;

words! {
    /// Whether a phone acted.
    #[derive(Default)]
    pub Dispatched {
        #[default]
        No = "no",
        Unknown = "unknown",
        Yes = "yes",
    }
}

impl From<DispatchState> for Dispatched {
    fn from(state: DispatchState) -> Self {
        match state {
            DispatchState::No => Self::No,
            DispatchState::Unknown => Self::Unknown,
        }
    }
}

/// What came of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolResult {
    /// Whether what was asked for was done, and seen to be done where it can be seen.
    pub ok: bool,
    /// What happened, in plain words, for the model.
    pub text: String,
    #[serde(skip_serializing_if = "Value::is_null")]
    pub data: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<ResultPicture>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    pub dispatched: Dispatched,
}

/// A picture of a tool's result.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultPicture {
    pub media_type: &'static str,
    pub base64: String,
}

/// Why a tool call failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolError {
    pub code: ErrorCode,
    pub message: String,
    pub hint: String,
    /// The request that a person has to decide first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// What the policy said of the screen that held the call back.
    #[serde(skip)]
    pub decision: Option<Decision>,
}

impl std::fmt::Debug for ResultPicture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({}, {} letters)", self.media_type, self.base64.len())
    }
}

impl ToolError {
    /// A failure with the hint of its code's row.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let row = ERROR_CODES.iter().find(|row| row.code == code);
        Self {
            code,
            message: message.into(),
            hint: row.map_or_else(String::new, |row| row.hint.to_owned()),
            approval: None,
            decision: None,
        }
    }

    /// The same failure with a hint of its own.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    pub(crate) fn by(mut self, decision: Decision) -> Self {
        self.decision = Some(decision);
        self
    }
}

impl ToolResult {
    /// Something that was done, without a phone.
    pub fn success(text: impl Into<String>) -> Self {
        Self {
            ok: true,
            text: text.into(),
            data: Value::Null,
            picture: None,
            error: None,
            dispatched: Dispatched::No,
        }
    }

    /// Something that was not done. The text for the model says what and what next.
    pub fn failure(error: ToolError) -> Self {
        Self {
            ok: false,
            text: format!("{} {}", error.message, error.hint).trim_end().to_owned(),
            error: Some(error),
            ..Self::success("")
        }
    }

    /// The same with data.
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }

    /// The same with a word about the phone.
    pub fn with_dispatched(mut self, dispatched: Dispatched) -> Self {
        self.dispatched = dispatched;
        self
    }
}

impl From<Box<Failure>> for ToolError {
    fn from(failure: Box<Failure>) -> Self {
        let hint = failure.details.and_then(|details| details.hint);
        Self::new(failure.code, failure.message).with_hint(hint.unwrap_or_default())
    }
}

impl From<ToolError> for ToolResult {
    fn from(error: ToolError) -> Self {
        Self::failure(error)
    }
}
