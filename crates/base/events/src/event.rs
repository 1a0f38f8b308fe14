//! What a journal can say: one type per kind of line. Pure.
//!
//! The names of fields and events are the format of the files; docs/journal.md describes them.

use crate::CommandKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Something that happened in an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    Begin(Box<BeginEvent>),
    StepBegin(StepBegin),
    /// A command was sent to the phone, and this came of it.
    Command(CommandEvent),
    /// What a command printed is not understood, or not all of it.
    NotUnderstood(NotUnderstood),
    Look(LookEvent),
    /// The screen was looked at and not seen.
    Blind(Blind),
    /// A matcher was asked of the screen last seen.
    Choice(ChoiceEvent),
    /// A finger is about to touch the screen.
    Touch(TouchEvent),
    Wait(Wait),
    /// A picture of the screen was kept.
    Picture(PictureEvent),
    StepEnd(StepEnd),
    /// The journal is as large as one may be: what follows is left out, but for the ends of steps.
    Full(Full),
    End(EndEvent),
    /// A run of a skill begins; its executions have journals of their own.
    SkillBegin(Box<SkillBegin>),
    /// What became of a checkpoint of the skill.
    Checkpoint(CheckpointEvent),
    SkillEnd(SkillEnd),
}

/// What an execution begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BeginEvent {
    pub format: u32,
    pub version: String,
    pub command_id: String,
    pub task_id: String,
    pub device: String,
    /// The package of the Operator app, if the execution went through it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// Where the trees come from, unless that is the phone's own command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// When, in milliseconds since 1970.
    pub started_ms: u64,
    /// The SHA-256 of `execution` as recorded here.
    pub payload: String,
    /// The execution, with what it types replaced by how long that is.
    pub execution: Value,
    /// The run of the skill that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_run: Option<String>,
    /// The journals that were removed to make room for this one.
    #[serde(default, skip_serializing_if = "RemovedJournals::is_empty")]
    pub removed: RemovedJournals,
}

/// Journals that were removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedJournals {
    pub journals: usize,
    /// The name of the newest of them.
    pub newest: Option<String>,
}

impl RemovedJournals {
    fn is_empty(&self) -> bool {
        self.journals == 0
    }
}

/// A step that begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepBegin {
    pub step: usize,
    /// The caller's id for it.
    pub id: String,
    pub action: String,
    /// Whether the Operator app ran it: then it is noted when the app's answer
    /// has come, and only that is known of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_app: bool,
}

/// A command that was sent to the phone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandEvent {
    /// What it is for. Older journals do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<CommandKind>,
    /// Its line; of one that may carry a secret, only its kind and length.
    pub line: String,
    pub took_us: u64,
    /// Its exit code, if the phone reports one.
    pub exit_code: Option<u8>,
    /// How many bytes it printed.
    pub out_bytes: usize,
    /// How many it printed as errors.
    pub err_bytes: usize,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What is not understood of a phone's words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotUnderstood {
    pub kind: CommandKind,
    pub printed: String,
}

/// The screen, as it was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LookEvent {
    /// The SHA-256 of its tree, which is kept under that name.
    pub tree: String,
    /// How many elements it has.
    pub nodes: usize,
    pub package: String,
    pub took_us: u64,
    /// Whether the tree is kept: there may be too many.
    pub kept: bool,
}

/// A look that saw nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Blind {
    pub why: String,
    pub took_us: u64,
}

/// What a matcher found on the screen last seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChoiceEvent {
    pub matcher: Value,
    pub fits: usize,
    /// The number of the one that was chosen, in the tree's order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
    /// That one in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
}

/// A touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TouchEvent {
    pub kind: TouchKind,
    /// Where, in pixels from the left and from the top.
    pub at: [i32; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<[i32; 2]>,
}

/// What a finger does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TouchKind {
    Tap,
    LongPress,
    Swipe,
}

/// A wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wait {
    pub ms: u64,
    pub why: String,
    /// How many attempts have failed, where one is to be made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
}

/// A picture that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureEvent {
    /// Its SHA-256, which is its name.
    pub picture: String,
    pub bytes: usize,
    pub after: PictureMoment,
}

/// What a picture was taken after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureMoment {
    Look,
    Step,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepEnd {
    pub step: usize,
    pub success: bool,
    /// How long it took, in microseconds, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_us: Option<u64>,
    /// What it found out; long values are cut, and what was typed is left out.
    pub data: BTreeMap<String, String>,
}

/// Where a journal stops for want of room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Full {
    pub most: u64,
}

/// How an execution ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndEvent {
    /// `success` or `failed`.
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    pub steps: usize,
    pub took_us: u64,
    /// The SHA-256 of the envelope, or of the failure if there is none, with
    /// what was typed left out.
    pub envelope: String,
    /// How many lines the journal has, this one included.
    pub lines: u64,
}

/// What a run of a skill begins with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillBegin {
    pub format: u32,
    pub version: String,
    /// The id of the run; its executions name it.
    pub skill_run: String,
    pub skill_id: String,
    /// The phone, if the caller named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// When, in milliseconds since 1970.
    pub started_ms: u64,
    /// The journals that were removed to make room for this one.
    #[serde(default, skip_serializing_if = "RemovedJournals::is_empty")]
    pub removed: RemovedJournals,
}

/// A checkpoint of a skill, as the skill reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointEvent {
    pub id: String,
    /// `ok`, `failed` or `skipped`.
    pub status: String,
    /// What the skill says about it, without what it was given; long texts are cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How a run of a skill ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillEnd {
    /// `success` or `failed`.
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    pub took_us: u64,
    /// How many lines the journal has, this one included.
    pub lines: u64,
}
