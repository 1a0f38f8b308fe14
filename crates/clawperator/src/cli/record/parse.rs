//! `record parse`: the step log of a recording.

use super::super::given::{Given, flag_failure};
use super::super::{Answer, World};
use super::{print, recording, target, write};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_recording::StepLog;
use serde_json::json;
use std::path::Path;

pub(super) fn parse(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let input = given.value("input").filter(|path| !path.is_empty());
    let input = input.ok_or_else(|| {
        flag_failure(ErrorCode::Usage, "input", "record parse needs --input")
            .hint(ErrorCode::Usage.row().hint)
    })?;
    let input = Path::new(input);
    let log = StepLog::from(&recording(input)?);
    let out = target(given, input, "steps.json");
    write(&out, &log)?;
    for step in &log.steps {
        (world.note)(&format!("{}\n", step.summary()));
    }
    let mut answer = json!({"ok": true, "outputFile": out, "stepCount": log.steps.len()});
    if !log.warnings.is_empty() {
        answer["warnings"] = json!(log.warnings);
    }
    Ok(print(&answer, 0, (given, world)))
}
