//! `record compile`: the execution of a recording.

use super::source::{recording, source, start_of, target, write};
use crate::args::Args;
use crate::world::{Answer, World};
use clawperator_contract::Failure;
use serde_json::json;

pub(crate) fn compile(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let input = source(args, world)?;
    let recording = recording(&input)?;
    let compiled = clawperator_recording::compile(&recording, start_of(args))?;
    let execution = &compiled.checked.execution;
    let out = target(args, &input, "execution.json")?;
    write(&out, execution)?;
    let mut answer = json!({
        "ok": true,
        "sessionId": recording.header.session_id,
        "outputFile": out.display().to_string(),
        "actionCount": execution.actions().len(),
        "execution": execution,
        "unsure": compiled.unsure,
    });
    if !recording.warnings.is_empty() {
        answer["warnings"] = json!(recording.warnings);
    }
    Ok(Answer::value(&answer, args, world))
}
