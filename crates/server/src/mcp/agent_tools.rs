//! The tools of an agent, instead of those for a phone: listed from the same
//! catalogue and carried out by the same function as `POST /agent/act`.

use super::answer;
use crate::App;
use crate::http::carry_out;
use clawperator_agent::act::{Order, Told};
use clawperator_agent::tool::{Format, tools};
use clawperator_agent::toolbox::Approval;
use clawperator_contract::ErrorCode;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool};
use serde_json::Value;
use std::sync::Arc;

/// What a client is told when it connects.
pub(super) const INSTRUCTIONS: &str = "Drives one Android phone with the tools of an agent. Points are pixels of \
    the phone. What the user's policy asks about is refused. Errors say whether something was sent (dispatched).";

/// Every tool, as clients see it.
pub(super) fn list() -> Vec<Tool> {
    let described = tools(Format::Mcp).into_iter();
    // A test counts them.
    described
        .filter_map(|tool| serde_json::from_value(tool).ok())
        .collect()
}

/// Does what a call asks for, as far as the policy allows it.
pub(super) async fn call(app: &Arc<App>, tool: &str, given: JsonObject) -> CallToolResult {
    let args = Value::Object(given);
    let order = Order {
        tool,
        args: &args,
        is_strict: false,
        is_dry: false,
        approval: Approval::None,
        journal: app.journal,
    };
    match carry_out(app, None, order).await {
        Ok(told) => said(&told),
        Err(failure) => {
            let hint = match failure.code {
                ErrorCode::MultipleDevices => Some("Start the server with --device and one of these."),
                _ => None,
            };
            answer::error(answer::failure_text(&failure, hint))
        }
    }
}

fn said(told: &Told) -> CallToolResult {
    let Some(result) = &told.result else {
        return answer::text("");
    };
    let mut text = match &result.error {
        None => result.text.clone(),
        Some(error) => {
            let sent = result.dispatched.word();
            format!(
                "{}: {}\nhint: {}\ndispatched: {sent}",
                error.code, error.message, error.hint
            )
        }
    };
    if !told.call.repairs.is_empty() {
        text = format!("{text}\nrepaired: {}", told.call.repairs.join(", "));
    }
    let mut answer = match result.ok {
        true => answer::text(text),
        false => answer::error(text),
    };
    let picture = result.picture.as_ref();
    answer
        .content
        .extend(picture.map(|it| ContentBlock::image(it.base64.clone(), it.media_type)));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawperator_agent::tool::TOOLS;

    #[test]
    fn every_tool_of_the_catalogue_is_listed() {
        assert_eq!(list().len(), TOOLS.len());
    }
}
