//! What a script's end and its output mean: a result, or a failure that says
//! what was printed. Pure.

use super::capture::{OutputCapture, TextSearch};
use super::choice::SkillScript;
use super::frame::{CheckpointStatus, FrameError, FrameScanner, ResultFrame, SkillStatus, checkpoints};
use super::{ScriptCall, ScriptSkill, choice};
use crate::process::{ProcessChannel, ProcessResult};
use clawperator_contract::{ErrorCode, Failure, SkillFailure, text};
use clawperator_sandbox::{Ending, SandboxError};
use serde::Serialize;
use serde_json::{Value, json};
use std::io;
use std::time::Duration;

/// What a skill that succeeded is answered with.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScriptResult {
    pub skill_id: String,
    pub output: String,
    /// How many bytes in the middle of that are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_omitted_bytes: Option<u64>,
    pub exit_code: i32,
    pub duration_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What the caller wanted its output to contain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_substring: Option<String>,
    /// What it says of its run, and who says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_result: Option<Value>,
    /// The id of the run, for journals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_run: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct ScriptOutput {
    out: OutputCapture,
    err: OutputCapture,
    frame: FrameScanner,
    expected: Option<TextSearch>,
}

impl ScriptOutput {
    pub(super) fn new(expected: Option<&str>) -> Self {
        Self { expected: expected.map(TextSearch::new), ..Self::default() }
    }

    pub(super) fn push(&mut self, channel: ProcessChannel, bytes: &[u8]) {
        match channel {
            ProcessChannel::Out => {
                self.out.push(bytes);
                self.frame.push(bytes);
                if let Some(expected) = &mut self.expected {
                    expected.push(bytes);
                }
            }
            ProcessChannel::Err => self.err.push(bytes),
        }
    }
}

pub(super) fn failure(skill: &ScriptSkill<'_>, code: ErrorCode, message: impl Into<String>) -> Failure {
    Failure::of(code, message).of_skill(|about| about.skill_id = Some(skill.id().to_owned()))
}

pub(super) fn not_confined(skill: &ScriptSkill<'_>, error: &SandboxError) -> Failure {
    let code = match error {
        SandboxError::Unsupported | SandboxError::Refused(_) => ErrorCode::SandboxUnavailable,
        SandboxError::Path { .. }
        | SandboxError::TooLong(_)
        | SandboxError::NotStarted(_)
        | SandboxError::Launcher(_) => ErrorCode::SandboxFailed,
    };
    let message = format!("the script of the skill {} did not run: {error}", skill.id());
    failure(skill, code, message)
}

pub(super) fn not_started(skill: &ScriptSkill<'_>, script: &SkillScript, error: &io::Error) -> Failure {
    let program = script.program().display();
    let message = format!("cannot start {program} for the skill {}: {error}", skill.id());
    let hint = match error.kind() {
        io::ErrorKind::NotFound if script.is_for_node() => {
            "Install Node.js, or add its folder to PATH.".to_owned()
        }
        io::ErrorKind::NotFound => {
            "Its first line, the one that begins with #!, names a program that is not there.".to_owned()
        }
        io::ErrorKind::PermissionDenied => format!("Make it executable: chmod +x {program}"),
        _ => "A script needs a first line such as #!/bin/sh.".to_owned(),
    };
    failure(skill, ErrorCode::SkillExecutionFailed, message).hint(hint)
}

pub(super) fn judge(
    skill: &ScriptSkill<'_>,
    call: &ScriptCall<'_>,
    heard: ScriptOutput,
    ran: &ProcessResult,
) -> Result<ScriptResult, Failure> {
    let ScriptOutput { out, err, frame, expected } = heard;
    let exit_code = match ran.ending {
        Ending::Exited(code) => Some(code),
        Ending::Signalled(_) | Ending::TimedOut | Ending::Stopped | Ending::Flooded => None,
    };
    let fail = |code: ErrorCode, message: String| {
        failure(skill, code, message).of_skill(|about| {
            add_output(about, &out, &err);
            about.exit_code = exit_code;
            about.duration_ms = Some(ms(ran.took));
            about.skill_run.clone_from(&call.variables.run);
        })
    };
    let id = skill.id();
    match ran.ending {
        Ending::TimedOut => {
            let limit = ms(choice::limit(skill, call));
            let message = format!("the skill {id} did not end within {limit} ms; its processes were ended");
            return Err(fail(ErrorCode::SkillExecutionTimeout, message)
                .of_skill(|about| about.timeout_ms = Some(limit)));
        }
        Ending::Stopped | Ending::Flooded => {
            let message = format!("the skill {id} was interrupted; its processes were ended");
            return Err(fail(ErrorCode::ExecutionCancelled, message));
        }
        Ending::Exited(_) | Ending::Signalled(_) => {}
    }
    let frame = frame.finish(id).and_then(|frame| require_frame(skill, exit_code, frame));
    let frame = frame.map_err(|error| fail(ErrorCode::SkillResultParseFailed, error.to_string()))?;
    let status = frame.as_ref().map_or(SkillStatus::Success, |frame| frame.status);
    let skill_result = frame.map(|frame| with_source(skill, frame));
    let fail =
        |code, message| fail(code, message).of_skill(|about| about.skill_result = skill_result.clone());
    let exit_code = exited_well(id, ran.ending, status).map_err(|why| {
        fail(ErrorCode::SkillExecutionFailed, why + &checkpoint_text(skill_result.as_ref()))
    })?;
    if expected.is_some_and(|expected| !expected.found) {
        let message = format!("the output of the skill {id} does not contain the expected text");
        return Err(fail(ErrorCode::SkillOutputAssertionFailed, message).of_skill(|about| {
            about.output = about.stdout.take().or_else(|| Some(String::new()));
            about.expected_substring = call.expect.map(str::to_owned);
            about.timeout_ms = call.timeout.map(ms);
        }));
    }
    Ok(ScriptResult {
        skill_id: id.to_owned(),
        output: out.text(),
        output_omitted_bytes: Some(out.dropped).filter(|dropped| *dropped > 0),
        exit_code,
        duration_ms: ms(ran.took),
        timeout_ms: call.timeout.map(ms),
        expected_substring: call.expect.map(str::to_owned),
        skill_result,
        skill_run: call.variables.run.clone(),
        warnings: warnings(ran),
    })
}

/// A skill of an agent must end with a frame, unless it failed anyway.
fn require_frame(
    skill: &ScriptSkill<'_>,
    exit_code: Option<i32>,
    frame: Option<ResultFrame>,
) -> Result<Option<ResultFrame>, FrameError> {
    match frame {
        None if skill.agent.is_some() && exit_code == Some(0) => Err(FrameError::Missing),
        frame => Ok(frame),
    }
}

/// The exit code of a success, or why it is none.
fn exited_well(id: &str, ending: Ending, status: SkillStatus) -> Result<i32, String> {
    match (ending, status) {
        (Ending::Signalled(signal), _) => {
            Err(format!("the script of the skill {id} was ended by signal {signal}"))
        }
        (Ending::Exited(0), SkillStatus::Success) => Ok(0),
        (Ending::Exited(0), SkillStatus::Failed) => Err(format!("the skill {id} reports that it failed")),
        (Ending::Exited(0), SkillStatus::Indeterminate) => {
            Err(format!("the skill {id} reports that it does not know whether it succeeded"))
        }
        (Ending::Exited(code), _) => Err(format!("the script of the skill {id} exited with code {code}")),
        // These were answered before.
        (Ending::TimedOut | Ending::Stopped | Ending::Flooded, _) => Err(format!("the skill {id} was ended")),
    }
}

/// The checkpoint that failed and what the verification came to, as the script tells them.
fn checkpoint_text(frame: Option<&Value>) -> String {
    let mut all = checkpoints(frame).into_iter();
    let failed = all.find(|each| each.status == CheckpointStatus::Failed);
    let failed = failed.map(|each| format!("; checkpoint \"{}\" is failed", text::excerpt(&each.id)));
    let last = frame.and_then(|frame| frame["terminalVerification"]["status"].as_str());
    let last = last.filter(|status| *status != "verified");
    let last = last.map(|status| format!("; its terminal verification is {status}"));
    failed.unwrap_or_default() + &last.unwrap_or_default()
}

/// What was printed, where it is not nothing.
fn add_output(about: &mut SkillFailure, out: &OutputCapture, err: &OutputCapture) {
    let said = |capture: &OutputCapture| Some(capture.text()).filter(|text| !text.is_empty());
    about.stdout = said(out);
    about.stderr = said(err);
}

/// The skill's own words, and who says them.
fn with_source(skill: &ScriptSkill<'_>, frame: ResultFrame) -> Value {
    let mut object = frame.object;
    let source = match &skill.agent {
        None => json!({"kind": "script"}),
        Some(agent) => json!({"kind": "agent", "agentCli": agent.cli}),
    };
    object.insert("source".to_owned(), source);
    Value::Object(object)
}

fn warnings(ran: &ProcessResult) -> Vec<String> {
    let left = "the script left processes running when it ended; they were ended";
    ran.left_others.then(|| left.to_owned()).into_iter().collect()
}

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
