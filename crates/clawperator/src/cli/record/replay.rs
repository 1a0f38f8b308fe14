//! `record replay`: does what a recording shows, and compares the screens.

use super::super::given::Given;
use super::super::{Answer, World, live};
use super::{print, recording, source, start_of};
use clawperator_contract::{FAILURE_EXIT_CODE, Failure, Status};
use clawperator_recording::{Comparison, Compiled, Likeness, compile};
use clawperator_runtime::{Replay, ReplayedStep};
use serde_json::{Value, json};

pub(super) fn replay(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let input = source(given, world)?;
    let compiled = compile(&recording(&input)?, start_of(given))?;
    let wanted = live::wanted(given, world)?;
    let wait = live::waiting(given)?;
    let strictness = live::strictness(given);
    let (replayed, serial) = live::block_on(async {
        let phone = live::reached(wanted.as_deref(), world).await?;
        let command_id = compiled.checked.execution.command_id().as_str();
        let _turn = live::turn(&phone, (command_id, wait), world).await?;
        let options = live::options(strictness, world);
        let replayed = clawperator_runtime::replay(&phone, &compiled, &options).await?;
        Ok::<_, Failure>((replayed, phone.serial().to_owned()))
    })??;
    let same = replayed
        .end
        .as_ref()
        .map(|end| end.likeness != Likeness::Different);
    let ok = replayed.envelope.status == Status::Success && same != Some(false);
    let answer = shown(&replayed, &compiled, (ok, &serial));
    let exit_code = if ok { 0 } else { FAILURE_EXIT_CODE };
    Ok(print(&answer, exit_code, (given, world)))
}

fn shown(replayed: &Replay, compiled: &Compiled, (ok, serial): (bool, &str)) -> Value {
    let steps: Vec<Value> = replayed.steps.iter().map(step).collect();
    json!({
        "ok": ok,
        "deviceId": serial,
        "envelope": replayed.envelope,
        "steps": steps,
        "end": replayed.end.as_ref().map(screen),
        "unsure": compiled.unsure,
    })
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
