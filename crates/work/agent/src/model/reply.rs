//! What comes back from a model: the pieces of an answer, and the step that is made of a whole one.

use super::conversation::{ToolCall, ToolSpec};
use super::error::{ModelError, beginning};
use super::text_call::text_call;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::AddAssign;

/// One step of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelStep {
    pub thought: String,
    pub said: String,
    pub call: ToolCall,
    /// Tool and arguments as they came, as JSON.
    pub raw: String,
    /// What the answer cost; with attempts that failed midway where the server told of their cost.
    pub usage: Usage,
    /// How many further calls were in the answer. They are not run.
    pub ignored_calls: usize,
    pub attempts: u32,
}

/// Tokens of one or several answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Tokens read, those from a cache included.
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}

/// A whole answer, whatever the dialect.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ModelReply {
    pub(super) text: String,
    pub(super) calls: Vec<RawCall>,
    pub(super) usage: Usage,
    /// The end of the answer was seen.
    pub(super) complete: bool,
    /// The server says that the answer was cut at its length limit.
    pub(super) cut: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RawCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

impl ModelReply {
    /// The step in it. Text is read for a call only if the answer has no call.
    pub(super) fn step(self, tools: &[ToolSpec], attempts: u32) -> Result<ModelStep, ModelError> {
        let usage = self.usage;
        let ignored_calls = self.calls.len().saturating_sub(1);
        let call = match self.calls.into_iter().next() {
            Some(raw) => parsed(raw),
            None => text_call(&self.text, tools).ok_or_else(|| {
                if self.cut {
                    "the model's answer was cut at its length limit before it called a tool".to_owned()
                } else {
                    format!("the model called no tool; it said: {}", beginning(&self.text))
                }
            }),
        };
        let call = call.map_err(|why| ModelError::Mistake { why, usage })?;
        Ok(ModelStep { ignored_calls, attempts, usage, ..ModelStep::of(call, self.text) })
    }
}

impl ModelStep {
    /// A step with nothing but a call. A `thought` among its arguments becomes
    /// the step's; without one the thought is what was said.
    pub fn of(mut call: ToolCall, said: String) -> Self {
        let raw = json!({"tool": call.name, "args": call.args}).to_string();
        let thought = match &mut call.args {
            Value::Object(args) => args.shift_remove("thought"),
            _ => None,
        };
        let thought = match thought {
            Some(Value::String(text)) => text,
            _ => said.clone(),
        };
        Self { thought, said, call, raw, usage: Usage::default(), ignored_calls: 0, attempts: 1 }
    }
}

fn parsed(raw: RawCall) -> Result<ToolCall, String> {
    let text = raw.arguments.trim();
    let args = if text.is_empty() {
        json!({})
    } else {
        let read = serde_json::from_str(text);
        read.map_err(|error| format!("the arguments of {} are not JSON: {error}", raw.name))?
    };
    let id = if raw.id.is_empty() { "call".to_owned() } else { raw.id };
    Ok(ToolCall { id, name: raw.name, args })
}
