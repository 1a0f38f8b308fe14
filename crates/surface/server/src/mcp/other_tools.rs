//! `execute` and `record`.

use super::answer::{self, ToolResult, last};
use super::argument::Arguments;
use super::person::Put;
use super::run::{McpCall, TIMEOUT_MS};
use clawperator_contract::{ActionKind, DataKey, ParamKey, PayloadAction, Status, ValidationReport, accept};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, JsonObject};
use serde_json::{Value, json};

/// Runs a whole payload and answers with its envelope.
pub(super) async fn execute(call: &McpCall<'_>, arguments: &Arguments<'_>) -> ToolResult<CallToolResponse> {
    let payload = arguments.object("payload")?;
    let payload = payload.ok_or_else(|| arguments.missing("payload", r#"{"actions": [...]}"#))?;
    let checked = accept(filled(payload, &call.command_id()).to_string().as_bytes())?;
    if arguments.flag("validate_only")? {
        return Ok(structured(json!(ValidationReport::from(&checked))).into());
    }
    let result = call.run_checked(checked).await?;
    let failed = result.envelope.status == Status::Failed;
    // What was done before the question is the caller's to leave out.
    if failed && let Some(Put::Input(input)) = call.put(&result, 0).await? {
        return Ok(input.into());
    }
    let mut answer = structured(json!(result));
    answer.is_error = failed.then_some(true);
    Ok(answer.into())
}

/// A payload with what every execution of this surface has, where the caller says nothing.
fn filled(payload: &JsonObject, id: &str) -> Value {
    let mut filled = json!({
        "commandId": id, "taskId": "mcp", "source": "mcp",
        "expectedFormat": "android-ui-automator", "timeoutMs": TIMEOUT_MS,
    });
    for (key, value) in payload {
        filled[key] = value.clone();
    }
    filled
}

/// JSON, as text and as data.
pub(super) fn structured(value: Value) -> CallToolResult {
    let mut answer = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    (answer.structured_content, answer.is_error) = (Some(value), None);
    answer
}

pub(super) async fn record(call: &McpCall<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let word = arguments.word("do", &["start", "stop"])?.ok_or_else(|| arguments.missing("do", "start"))?;
    let kind = match word {
        "start" => ActionKind::StartRecording,
        _ => ActionKind::StopRecording,
    };
    let action = PayloadAction::new("record", kind).with_some(ParamKey::SessionId, arguments.text("name")?);
    let result = call.run(vec![action]).await?;
    if result.envelope.status == Status::Failed {
        return Ok(answer::failed_step(&result));
    }
    let said = [
        (DataKey::SessionId, "recording"),
        (DataKey::EventCount, "events"),
        (DataKey::FilePath, "file"),
        (DataKey::Warn, "warning"),
    ];
    let lines = said.into_iter().filter_map(|(key, word)| Some(format!("{word}: {}", last(&result, key)?)));
    Ok(answer::text(lines.collect::<Vec<_>>().join("\n")))
}
