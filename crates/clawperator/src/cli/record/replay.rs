//! `record replay`: does what a recording shows, and compares the screens.

use super::super::given::Given;
use super::super::{Answer, World, live, reach};
use super::{recording, source, start_of};
use clawperator_contract::{FAILURE_EXIT_CODE, Failure, Status};
use clawperator_recording::{Comparison, Compiled, Likeness, compile};
use clawperator_runtime::{Replay, ReplayedStep};
use serde_json::{Value, json};

/// What is said of a recording without an end.
const NO_END: &str = "the recording does not show its end, so only the steps were checked";

pub(super) fn replay(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let input = source(given, world)?;
    let recording = recording(&input)?;
    let compiled = compile(&recording, start_of(given))?;
    let wait = reach::waiting(given)?;
    let wanted = reach::wanted(given, world)?;
    let strictness = live::strictness(given);
    let (replayed, serial) = reach::block_on(async {
        let command_id = compiled.checked.execution.command_id().as_str();
        let leased = reach::visit(wanted.as_deref(), wait, world)
            .leased(command_id)
            .await;
        let mut lease = leased.map_err(|failure| reach::with_sims(failure, world))?;
        let serial = lease.phone().serial().to_owned();
        let options = live::options(strictness, world);
        let stop = reach::asked_to_end()?;
        let replayed = clawperator_runtime::replay(&mut lease, &compiled, &options, stop).await;
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
    let exit_code = if ok { 0 } else { FAILURE_EXIT_CODE };
    Ok(Answer::json(&answer, given, world).exit(exit_code))
}

/// Whether the last screen is as it was recorded. One that is expected and was
/// not seen is not; where none is expected the steps are all there is.
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
        // Nobody looks where a step has failed.
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
