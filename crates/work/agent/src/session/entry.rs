//! The lines of a session's file.

use crate::model::{Spending, Usage};
use clawperator_document::words;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the format.
pub const FORMAT: u32 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum SessionEntry {
    Begin(Box<BeginEntry>),
    Step(Box<StepEntry>),
    Resumed(ResumeEntry),
    End(Box<EndEntry>),
}

/// How a session begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BeginEntry {
    pub format: u32,
    pub session: String,
    pub task: String,
    pub model: String,
    pub device: String,
    pub started_ms: u64,
    pub max_steps: u32,
    /// The session whose steps these are, without a model.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub replay_of: Option<String>,
}

/// The session goes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResumeEntry {
    pub at_ms: u64,
    pub model: String,
    pub max_steps: u32,
}

/// One step: what the model saw, what it answered, what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepEntry {
    pub step: u32,
    pub at_ms: u64,
    pub took_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub screen: Option<ScreenEntry>,
    pub output: StepOutput,
    pub tool: String,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub repairs: Vec<String>,
    pub result: EntryResult,
    #[serde(default)]
    pub usage: Usage,
    #[serde(default)]
    pub attempts: u32,
}

/// The screen that a model was shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScreenEntry {
    pub app: String,
    pub hash: String,
    pub size: [u32; 2],
    pub scaled: [u32; 2],
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub picture: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tree: Option<String>,
}

/// The seed's `ModelStepOutput`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepOutput {
    pub thought: String,
    pub action: Value,
    pub raw: String,
}

/// What came of a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryResult {
    pub ok: bool,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
    /// Whether the phone acted: `no`, `unknown` or `yes`.
    pub dispatched: String,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndEntry {
    pub status: Status,
    pub message: String,
    pub steps: u32,
    pub spent: Spending,
    pub at_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub journal: Option<String>,
}

words! {
    /// How a session ended.
    pub Status {
        /// The model says that it is done.
        Finished = "finished",
        MaxSteps = "maxSteps",
        /// It did the same again and again.
        Stuck = "stuck",
        /// The budget is used up.
        OverBudget = "overBudget",
        ModelFailed = "modelFailed",
        PhoneFailed = "phoneFailed",
        Stopped = "stopped",
    }
}
