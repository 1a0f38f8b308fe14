//! The lines of a session's file.

use crate::model::{Spent, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the format.
pub const FORMAT: u32 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Entry {
    /// The first line.
    Begin(Box<Begin>),
    /// One step.
    Step(Box<Step>),
    /// The session goes on after a pause.
    Resumed(Resumed),
    /// The session ended.
    End(Box<End>),
}

/// How a session begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Begin {
    /// The version of the format.
    pub format: u32,
    /// The session's name.
    pub session: String,
    /// What is to be done.
    pub task: String,
    /// The model.
    pub model: String,
    /// The phone.
    pub device: String,
    /// When, in milliseconds since 1970.
    pub started_ms: u64,
    /// The most steps.
    pub max_steps: u32,
}

/// The session goes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resumed {
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// The model from here on.
    pub model: String,
    /// The most steps from here on.
    pub max_steps: u32,
}

/// One step: what the model saw, what it answered, what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Its number, from one.
    pub step: u32,
    /// When it began, in milliseconds since 1970.
    pub at_ms: u64,
    /// How long it took.
    pub took_ms: u64,
    /// The screen before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub screen: Option<Screen>,
    /// What the model answered.
    pub output: StepOutput,
    /// The tool that it called.
    pub tool: String,
    /// The arguments that were filled in or corrected.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub repairs: Vec<String>,
    /// What came of it.
    pub result: StepResult,
    /// What the answer cost.
    #[serde(default)]
    pub usage: Usage,
    /// How often the model was asked.
    #[serde(default)]
    pub attempts: u32,
}

/// The screen that a model was shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Screen {
    /// The package in front.
    pub app: String,
    /// The name of the tree.
    pub hash: String,
    /// The size of the phone's screen.
    pub size: [u32; 2],
    /// The size of the picture that the model saw.
    pub scaled: [u32; 2],
    /// The file of the picture.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub picture: Option<String>,
    /// The file of the tree.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tree: Option<String>,
}

/// The seed's `ModelStepOutput`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepOutput {
    /// Why.
    pub thought: String,
    /// The action.
    pub action: Value,
    /// Tool and arguments as they came.
    pub raw: String,
}

/// What came of a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepResult {
    /// Whether it was done.
    pub ok: bool,
    /// What happened.
    pub text: String,
    /// The code of its failure.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
    /// Whether the phone acted: `no`, `unknown` or `yes`.
    pub dispatched: String,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct End {
    /// In one word.
    pub status: Status,
    /// In the model's words, or why it ended.
    pub message: String,
    /// How many steps there were, in all.
    pub steps: u32,
    /// What they cost, in all.
    pub spent: Spent,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// The name of the journal of what was done to the phone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub journal: Option<String>,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// The model says that it is done.
    Finished,
    /// It had no steps left.
    MaxSteps,
    /// It did the same again and again.
    Stuck,
    /// The budget is used up.
    OverBudget,
    /// The model gave no answer.
    ModelFailed,
    /// The phone could not be used.
    PhoneFailed,
    /// The user stopped it.
    Stopped,
}

impl Status {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::MaxSteps => "maxSteps",
            Self::Stuck => "stuck",
            Self::OverBudget => "overBudget",
            Self::ModelFailed => "modelFailed",
            Self::PhoneFailed => "phoneFailed",
            Self::Stopped => "stopped",
        }
    }
}
