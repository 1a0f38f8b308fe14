//! `record parse`: the step log of a recording.

use super::super::given::Given;
use super::super::{Answer, World};
use super::{recording, source, target, write};
use clawperator_contract::Failure;
use clawperator_recording::StepLog;
use serde_json::json;

pub(super) fn parse(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let input = source(given, world)?;
    let recording = recording(&input)?;
    let log = StepLog::from(&recording);
    let out = target(given, &input, "steps.json");
    write(&out, &log)?;
    for step in &log.steps {
        (world.note)(&format!("{}\n", step.summary()));
    }
    let mut answer = json!({
        "ok": true,
        "sessionId": recording.header.session_id,
        "outputFile": out.display().to_string(),
        "stepCount": log.steps.len(),
    });
    if !log.warnings.is_empty() {
        answer["warnings"] = json!(log.warnings);
    }
    Ok(Answer::json(&answer, given, world))
}
