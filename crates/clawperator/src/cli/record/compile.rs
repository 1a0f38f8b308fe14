//! `record compile`: the execution of a recording.

use super::super::given::Given;
use super::super::{Answer, World};
use super::{recording, source, start_of, target, write};
use clawperator_contract::Failure;
use serde_json::json;

pub(super) fn compile(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let input = source(given, world)?;
    let recording = recording(&input)?;
    let compiled = clawperator_recording::compile(&recording, start_of(given))?;
    let execution = &compiled.checked.execution;
    let out = target(given, &input, "execution.json");
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
    Ok(Answer::json(&answer, given, world))
}
