//! `record replay`: repeats a recording on a phone, and compares the screens.

use super::source::{recording, source, start_of};
use crate::args::Args;
use crate::device::block_on;
use crate::engine::engine;
use crate::live::{request, until_ended};
use crate::report;
use crate::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure, Status};
use clawperator_engine::{Outcome, Request, Work};
use clawperator_recording::{CompiledRecording, Likeness, ScreenComparison, compile};
use clawperator_run::operator::RouteWish;
use clawperator_run::{Replay, ReplayedStep};
use serde_json::{Value, json};
use std::sync::Arc;

/// The warning about a recording without an end.
const NO_END: &str = "the recording does not show its end, so only the steps were checked";

pub(crate) fn replay(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let input = source(args, world)?;
    let recording = recording(&input)?;
    let compiled = Arc::new(compile(&recording, start_of(args))?);
    let request = Request {
        work: Work::Replay(compiled.clone()),
        route: RouteWish::Host,
        vault: None,
        ..request(args, &compiled.checked, world)?
    };
    let engine = engine(world);
    let finished = block_on(until_ended(&engine, request, world))??;
    report::finish(args, finished.event_log.as_ref(), world);
    let (ran, replayed) = match (finished.outcome, finished.replay) {
        (Outcome::Ran(ran), Some(replayed)) => (ran, replayed),
        (Outcome::Error(failure), _) => return Err(*failure),
        (Outcome::Ran(_) | Outcome::Stored(_), _) => {
            return Err(Failure::new(ErrorCode::InternalError, "the replay has no result"));
        }
    };
    let status = ran.envelope.status;
    let ok = status == Status::Success && is_end_reached(&replayed, &compiled);
    let mut answer = json!({
        "ok": ok,
        "sessionId": recording.header.session_id,
        "deviceId": ran.device_id,
        "envelope": ran.envelope,
        "steps": replayed.steps.iter().map(step).collect::<Vec<_>>(),
        "end": end(&replayed, &compiled, status),
        "unsure": compiled.unsure,
    });
    let mut warnings = recording.warnings;
    if compiled.end.is_none() {
        warnings.push(NO_END.to_owned());
    }
    if !warnings.is_empty() {
        answer["warnings"] = json!(warnings);
    }
    Ok(Answer::value(&answer, args, world).succeeded(ok))
}

/// Whether the last screen is as it was recorded. A screen that was recorded but
/// not seen is not; if none was recorded, only the steps count.
fn is_end_reached(replayed: &Replay, compiled: &CompiledRecording) -> bool {
    match (&compiled.end, &replayed.end) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(_), Some(end)) => end.likeness != Likeness::Different,
    }
}

fn end(replayed: &Replay, compiled: &CompiledRecording, status: Status) -> Value {
    match (&compiled.end, &replayed.end) {
        (None, _) => json!("unknown"),
        (Some(_), Some(end)) => screen(end),
        // After a failed step there is no last look.
        (Some(_), None) if status == Status::Failed => Value::Null,
        (Some(_), None) => json!("unseen"),
    }
}

fn step(step: &ReplayedStep) -> Value {
    let mut shown = json!({"seq": step.seq, "actionId": step.action_id, "actionType": step.action_type});
    if let Some(compared) = &step.screen {
        shown["screen"] = screen(compared);
    }
    shown
}

fn screen(compared: &ScreenComparison) -> Value {
    json!(compared)
}
