//! `record parse`: the step log of a recording.

use super::source::{recording, source, target, write};
use crate::args::Args;
use crate::world::{Answer, World};
use clawperator_contract::{Failure, text};
use clawperator_recording::StepLog;
use serde_json::json;

pub(crate) fn parse(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let input = source(args, world)?;
    let recording = recording(&input)?;
    let log = StepLog::from(&recording);
    let out = target(args, &input, "steps.json")?;
    write(&out, &log)?;
    for step in &log.steps {
        (world.note)(&format!("{}\n", text::visible(&step.summary())));
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
    Ok(Answer::value(&answer, args, world))
}
