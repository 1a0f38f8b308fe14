//! `record replay`: repeats a recording on a phone, and compares the screens.

use super::source::{recording, source, start_of};
use crate::args::Args;
use crate::engine::engine;
use crate::world::{Answer, World};
use crate::{device, live};
use clawperator_contract::{Failure, Status};
use clawperator_engine::Wanted;
use clawperator_phone::REACH;
use clawperator_recording::{Comparison, Compiled, Likeness, compile};
use clawperator_run::{Replay, ReplayedStep, RunOptions};
use serde_json::{Value, json};

/// The warning about a recording without an end.
const NO_END: &str = "the recording does not show its end, so only the steps were checked";

pub(crate) fn replay(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let input = source(args, world)?;
    let recording = recording(&input)?;
    let compiled = compile(&recording, start_of(args))?;
    let wait = device::waiting(args)?;
    let wanted = device::wanted(args, world)?;
    let strictness = live::strictness(args);
    let (replayed, serial) = device::block_on(async {
        let wanted = Wanted {
            device: wanted.as_deref(),
            wait,
            owner: compiled.checked.execution.command_id().as_str(),
            reach: compiled.checked.execution.timeout().min(REACH),
        };
        let engine = engine(world);
        let mut lease = engine.lease(wanted).await?;
        let serial = lease.phone().serial().to_owned();
        let options = RunOptions {
            strictness,
            ..engine.run_options(lease.phone())
        };
        let stop = device::asked_to_end()?;
        let replayed = clawperator_run::replay(&mut lease, &compiled, &options, stop).await;
        lease.release().await;
        Ok::<_, Failure>((replayed?, serial))
    })??;
    let ok = replayed.envelope.status == Status::Success && is_end_reached(&replayed, &compiled);
    let mut answer = json!({
        "ok": ok,
        "sessionId": recording.header.session_id,
        "deviceId": serial,
        "envelope": replayed.envelope,
        "steps": replayed.steps.iter().map(step).collect::<Vec<_>>(),
        "end": end(&replayed, &compiled),
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
fn is_end_reached(replayed: &Replay, compiled: &Compiled) -> bool {
    match (&compiled.end, &replayed.end) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(_), Some(end)) => end.likeness != Likeness::Different,
    }
}

fn end(replayed: &Replay, compiled: &Compiled) -> Value {
    match (&compiled.end, &replayed.end) {
        (None, _) => json!("unknown"),
        (Some(_), Some(end)) => screen(end),
        // After a failed step there is no last look.
        (Some(_), None) if replayed.envelope.status == Status::Failed => Value::Null,
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

fn screen(compared: &Comparison) -> Value {
    json!(compared)
}
