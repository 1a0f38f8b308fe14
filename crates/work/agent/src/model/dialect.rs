//! The three dialects that servers speak: where a request goes, what is in it,
//! and how an answer is read, whole or as a stream. Pure.

use super::conversation::Conversation;
use super::reply::ModelReply;
use super::{anthropic, chat, responses};
use serde_json::Value;

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// OpenAI's chat completions, and every server that speaks like it.
    Chat,
    Responses,
    Anthropic,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ModelRequest<'m> {
    pub(super) model: &'m str,
    pub(super) stream: bool,
    pub(super) answer_tokens: u64,
}

impl Dialect {
    /// Where requests go, below the base address.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Chat => "chat/completions",
            Self::Responses => "responses",
            Self::Anthropic => "messages",
        }
    }

    /// The base address of the company whose dialect it is.
    pub fn usual_base(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
        }
    }

    /// The environment variable that has the key, and the one that has the base address.
    pub fn variables(self) -> (&'static str, &'static str) {
        match self {
            Self::Chat | Self::Responses => ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
            Self::Anthropic => ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
        }
    }

    pub(super) fn request(self, conversation: &Conversation, wish: ModelRequest<'_>) -> Value {
        match self {
            Self::Chat => chat::request(conversation, wish),
            Self::Responses => responses::request(conversation, wish),
            Self::Anthropic => anthropic::request(conversation, wish),
        }
    }

    pub(super) fn read(self, body: &Value) -> Result<ModelReply, String> {
        match self {
            Self::Chat => chat::read(body),
            Self::Responses => responses::read(body),
            Self::Anthropic => anthropic::read(body),
        }
    }

    /// Adds one event of a stream to an answer.
    pub(super) fn event(self, reply: &mut ModelReply, data: &str) -> Result<(), StreamError> {
        if data.trim() == "[DONE]" {
            reply.complete = true;
            return Ok(());
        }
        let event: Value =
            serde_json::from_str(data).map_err(|error| StreamError::Unreadable(error.to_string()))?;
        match self {
            Self::Chat => chat::event(reply, &event),
            Self::Responses => responses::event(reply, &event),
            Self::Anthropic => anthropic::event(reply, &event),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StreamError {
    Unreadable(String),
    /// The server says that it failed; the same request may succeed later.
    Failed(String),
}

pub(super) fn text_at<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn count_at(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

pub(super) fn error_text(value: &Value) -> String {
    for pointer in ["/error/message", "/message", "/error"] {
        let text = text_at(value, pointer);
        if !text.is_empty() {
            return text.to_owned();
        }
    }
    value.to_string()
}
