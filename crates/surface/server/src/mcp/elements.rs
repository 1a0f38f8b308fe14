//! `find`: the elements that fit, a line each.

use super::act::element;
use super::answer::{self, ToolResult, is_unread};
use super::argument::Arguments;
use super::run::McpCall;
use clawperator_contract::text::visible;
use clawperator_contract::{ActionKind, DataKey, ParamKey, PayloadAction, StepResult, Visibility};
use clawperator_run::AGENT_LOOK;
use serde_json::Value;

/// How many elements are listed if the caller does not say.
const LIMIT: u64 = 20;

pub(super) async fn find(call: &McpCall<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let limit = arguments.whole("limit", 1..=100)?.unwrap_or(LIMIT);
    let everywhere = arguments.flag("off_screen")?.then(|| Visibility::All.word());
    let action = PayloadAction::new("find", ActionKind::Query)
        .with(ParamKey::Matcher, element(arguments)?)
        .with(ParamKey::Limit, Value::from(limit))
        .with_some(ParamKey::Visibility, everywhere);
    let result = call.run(vec![action]).await?;
    let step = result.envelope.step_results.last();
    if let Some(lines) = step.and_then(|step| query_lines(step, "a larger limit lists more")) {
        return Ok(answer::text(lines));
    }
    let said = answer::failed_run_text(&result, 0, 1, answer::FailureReader::Agent(""));
    Ok(if is_unread(&result) { call.picture_answer(said, AGENT_LOOK).await } else { answer::error(said) })
}

/// The elements that a query found, a line each, and how to see the rest.
pub fn query_lines(step: &StepResult, more: &str) -> Option<String> {
    let found = serde_json::from_str::<Value>(step.get(DataKey::Query)?).ok()?;
    let nodes = found["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut lines: Vec<String> = nodes.iter().map(line).collect();
    let total = found["totalMatches"].as_u64().unwrap_or(0);
    if total > nodes.len() as u64 {
        lines.push(format!("{} of {total}; {more}", nodes.len()));
    }
    if lines.is_empty() {
        let warning = step.get(DataKey::SelectionWarning).map(|warning| format!("; {warning}"));
        lines.push(format!("nothing fits{}", warning.unwrap_or_default()));
    }
    Some(lines.join("\n"))
}

/// An element: its ref, role, label, id, state and centre.
fn line(node: &Value) -> String {
    let text = |key: &str| node[key].as_str().filter(|text| !text.is_empty());
    let mut words: Vec<String> =
        ["ref", "role"].iter().filter_map(|key| text(key)).map(str::to_owned).collect();
    words.extend(text("label").map(|label| format!("{label:?}")));
    let id = text("resourceId").and_then(|id| id.rsplit('/').next());
    words.extend(id.map(|id| format!("#{}", visible(id))));
    let state = node["state"].as_array().map(Vec::as_slice).unwrap_or_default();
    // Where a finger may go matters less than what is special about it.
    let told = |word: &&str| !matches!(*word, "focusable" | "checkable");
    words.extend(state.iter().filter_map(Value::as_str).filter(told).map(str::to_owned));
    let side = |key: &str| node["bounds"][key].as_i64().unwrap_or(0);
    let centre = ((side("left") + side("right")) / 2, (side("top") + side("bottom")) / 2);
    if node["onScreen"] == false {
        words.push("off-screen".to_owned());
    } else {
        words.push(format!("at {},{}", centre.0, centre.1));
    }
    words.join(" ")
}
