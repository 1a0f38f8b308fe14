//! What came of an execution in the few words that an agent reads: the same as over MCP. Pure.

use super::output::within;
use super::people;
use super::people::Colour;
use clawperator_contract::{ActionKind, DataKey, DeviceResult, Envelope, Status, StepResult, Warnings};
use clawperator_server::mcp::{FailureReader, failed_run_text, notes, query_lines, view};
use serde_json::Value;

/// How to see what a view or a list leaves out.
const MORE_VIEW: &str = "a larger --budget, or find";
const MORE_FOUND: &str = "a larger --limit lists more";

/// What works on a screen that cannot be read.
const UNREAD: &str = "take a picture (clawperator screenshot) and click its points (--coordinate), or leave with clawperator back; if the fast lane is not in use, it reads such screens: clawperator lane setup";

/// What came of an execution.
pub(super) struct Brief {
    pub(super) text: String,
    /// Whether all was done that changes the phone.
    pub(super) is_done: bool,
}

/// Reads the answer to an execution, or its failure; the last of its steps is a
/// look at what changed, if there is one.
pub(super) fn brief(answer: &Value, looks_after: bool) -> Brief {
    let envelope: Option<Envelope> =
        answer.get("envelope").and_then(|envelope| serde_json::from_value(envelope.clone()).ok());
    let Some(envelope) = envelope else {
        return Brief { text: within(people::failure(answer, Colour::Never)), is_done: false };
    };
    let warnings = answer["warnings"].as_array().into_iter().flatten();
    let warnings = warnings.filter_map(|warning| warning["message"].as_str());
    let result = DeviceResult::new(envelope, String::new(), Warnings::default());
    let steps = &result.envelope.step_results;
    if result.envelope.status == Status::Failed {
        let done = steps.len().saturating_sub(1);
        return Brief {
            text: failed_run_text(&result, done, steps.len(), FailureReader::CommandLine) + "\n",
            is_done: false,
        };
    }
    let is_view = steps.last().is_some_and(|step| step.get(DataKey::View).is_some());
    // A view says what came of the act before it.
    let told = if is_view && looks_after { 0 } else { steps.len() - usize::from(is_view) };
    let mut lines: Vec<_> = steps[..told].iter().map(step_text).collect();
    let mut last = match view(&result, MORE_VIEW).filter(|_| is_view) {
        Some(view) => vec![view],
        None => notes(steps),
    };
    if let (true, [act, ..]) = (looks_after && !is_view, &steps[..]) {
        // An act and the look after it are two things.
        let done = act.get(DataKey::Times).is_none().then(|| "done".to_owned());
        let said: Vec<_> = done.into_iter().chain(last).chain(warnings.map(str::to_owned)).collect();
        lines = vec![format!("{}: {}", act.action_type, said.join("; "))];
        last = vec![format!("hint: {UNREAD}")];
    } else {
        lines.extend(warnings.map(|warning| format!("({warning})")));
    }
    let parts = std::iter::once(within(lines.join("\n"))).chain(last);
    let parts: Vec<_> = parts.map(|part| part.trim_end().to_owned()).collect();
    Brief { text: parts.join("\n").trim_start().to_owned() + "\n", is_done: true }
}

/// What a step that succeeded found out, or that it was done.
fn step_text(step: &StepResult) -> String {
    if step.action_type == ActionKind::Query.name() {
        return query_lines(step, MORE_FOUND).unwrap_or_default();
    }
    let found = people::FOUND.iter().find_map(|key| step.get(*key));
    let found = found.filter(|found| !found.is_empty()).unwrap_or("done");
    let scale = match step.get(DataKey::Scale) {
        None => "",
        Some("1") => " (its pixels are the screen's: click --coordinate X Y)",
        Some(scale) => &format!(" (1 pixel is {scale} on the screen: click --coordinate X Y*{scale})"),
    };
    let warning = step.get(DataKey::Warn).map(|warning| format!("\n({warning})")).unwrap_or_default();
    format!("{}: {found}{scale}{warning}", step.action_type)
}
