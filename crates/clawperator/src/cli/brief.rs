//! What came of an execution in the few words that an agent reads: the same as
//! over MCP. Pure.

use super::output::{Colour, within};
use super::people;
use clawperator_contract::{ActionKind, DataKey, DeviceResult, Envelope, Status, StepResult, Warnings};
use clawperator_server::mcp::{Caller, failed, found, notes, view};
use serde_json::Value;

/// How to see what a view or a list leaves out.
const MORE_VIEW: &str = "a larger --budget, or find";
const MORE_FOUND: &str = "a larger --limit lists more";

/// What works on a screen that cannot be read.
const UNREAD: &str = "take a picture (clawperator screenshot) and click its points (--coordinate), or leave with clawperator back; clawperator lane setup sets up the fast lane, which reads such screens";

/// What came of an execution.
pub(super) struct Brief {
    pub(super) text: String,
    /// Whether all was done that changes the phone.
    pub(super) is_done: bool,
}

/// Reads the answer to an execution, or its failure; the last of its steps is a
/// look at what changed, if there is one.
pub(super) fn brief(answer: &Value, looks_after: bool) -> Brief {
    let envelope: Option<Envelope> = answer
        .get("envelope")
        .and_then(|envelope| serde_json::from_value(envelope.clone()).ok());
    let Some(envelope) = envelope else {
        let done = answer["details"]["stepResults"].as_array();
        let acted = looks_after.then_some(done).flatten().and_then(|done| done.last());
        let failure = Brief {
            text: within(people::failure(answer, Colour::Never)),
            is_done: false,
        };
        return match acted {
            Some(step) => match serde_json::from_value(step.clone()) {
                Ok(step) => unseen(&step, &answer["message"]),
                Err(_) => failure,
            },
            None => failure,
        };
    };
    let warnings = answer["warnings"].as_array().into_iter().flatten();
    let warnings = warnings.filter_map(|warning| Some(format!("({})", warning["message"].as_str()?)));
    let result = DeviceResult::new(envelope, String::new(), Warnings::default());
    let steps = &result.envelope.step_results;
    if result.envelope.status == Status::Failed {
        return match &steps[..] {
            [act, look] if looks_after && act.success && !look.success => {
                unseen(act, &result.envelope.error.clone().into())
            }
            _ => Brief {
                text: failed(
                    &result,
                    (steps.len().saturating_sub(1), steps.len()),
                    Caller::CommandLine,
                ) + "\n",
                is_done: false,
            },
        };
    }
    let mut lines: Vec<String> = warnings.collect();
    let is_view = steps.last().is_some_and(|step| step.get(DataKey::View).is_some());
    let told = steps.len() - usize::from(is_view);
    // A view says what came of the act before it.
    let told = if looks_after && is_view { 0 } else { told };
    lines.extend(steps[..told].iter().map(said));
    let mut text = within(lines.join("\n"));
    let last = match view(&result, MORE_VIEW).filter(|_| is_view) {
        Some(view) => vec![view],
        None => notes(steps),
    };
    for line in last {
        text = format!("{}\n{line}", text.trim_end()).trim_start().to_owned();
    }
    Brief {
        text: text.trim_end().to_owned() + "\n",
        is_done: true,
    }
}

/// An act and the look after it are two things.
fn unseen(act: &StepResult, why: &Value) -> Brief {
    let mut told = notes(std::slice::from_ref(act)).join("; ");
    if act.get(DataKey::Times).is_none() {
        told = ["done", &told].join("; ").trim_end_matches("; ").to_owned();
    }
    let (action, why) = (&act.action_type, why.as_str().unwrap_or_default());
    Brief {
        text: format!("{action}: {told}; the screen could not be read: {why}\nhint: {UNREAD}\n"),
        is_done: true,
    }
}

/// What a step that succeeded found out, or that it was done.
fn said(step: &StepResult) -> String {
    if step.action_type == ActionKind::Query.name() {
        return found(step, MORE_FOUND).unwrap_or_default();
    }
    let found = people::FOUND.iter().find_map(|key| step.get(*key));
    let found = found.filter(|found| !found.is_empty()).unwrap_or("done");
    format!("{}: {found}", step.action_type)
}
