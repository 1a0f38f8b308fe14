//! Runs a checked execution on a phone that is ours for a while.
//!
//! It knows neither how the execution came in nor which phone it got, and names no
//! command of a phone.

pub mod doctor;
mod execution;
mod look;
pub mod operator;
mod outcome;
mod over_screen;
mod recorder;
mod recordings;
mod refs;
mod replay;
mod retry;
mod run;
mod steps;

pub use execution::run;
pub use recorder::{
    RecordError, RecordingEnd, RecordingFile, RecordingHooks, RecordingRequest, RecordingSummary,
    begin_recording, look_to_record, record,
};
pub use recordings::{Recordings, Refusal, StoredRecording};
pub use replay::{Replay, ReplayedStep, replay};
pub use run::{AGENT_LOOK, Judge, JudgeFuture, LastStep, Route, RunOptions, Strictness};
