//! The tools of an agent, instead of those for a phone: listed from the same
//! catalogue and carried out by the same function as `POST /agent/act`.

use super::answer::{self, ToolResult};
use super::person::{Put, Question, Round, put};
use crate::App;
use crate::agent::{Bench, Caller, carry_out};
use crate::approvals::desk;
use clawperator_agent::act::{ToolOrder, ToolOutcome};
use clawperator_agent::approval::State;
use clawperator_agent::tool::{Format, tools};
use clawperator_agent::toolbox::Approval;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_phone::REACH;
use clawperator_phone::vault::Vault;
use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, JsonObject, Tool};
use rmcp::service::RequestContext;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::Notify;

/// What a client reads when it connects.
pub(super) const INSTRUCTIONS: &str = "Drives one Android phone with the tools of an agent. Points are pixels of \
    the phone. What the user's policy asks about waits for the user: send the same call again once they have decided. Errors say whether something was sent (dispatched).";

/// Every tool, as clients see it.
pub(super) fn list() -> Vec<Tool> {
    let described = tools(Format::Mcp).into_iter();
    // A test counts them.
    described.filter_map(|tool| serde_json::from_value(tool).ok()).collect()
}

/// Who calls.
#[derive(Clone, Copy)]
pub(super) struct ToolCaller<'a> {
    pub(super) app: &'a Arc<App>,
    pub(super) bench: &'a Bench,
    pub(super) vault: &'a Arc<Vault>,
    pub(super) context: &'a RequestContext<RoleServer>,
}

/// Does what a call asks for. What the policy asks about is put to the person in
/// the client, if that can; else the answer says how to go on.
pub(super) async fn call(
    asked: ToolCaller<'_>,
    tool: &str,
    given: JsonObject,
    round: Round<'_>,
) -> ToolResult<CallToolResponse> {
    let args = Value::Object(given);
    let told = match carry(asked, tool, &args).await {
        Ok(told) => told,
        Err(failure) => return Ok(failure_answer(&failure).into()),
    };
    let (Some(id), None) = (told.pending(), &round.before) else {
        return Ok(tool_answer(&told).into());
    };
    let desk = desk(asked.app)?;
    let request = desk.get(id).await?;
    let question = Question::first(request, round.call);
    match put(asked.app, asked.context, &desk, question).await? {
        Put::Input(input) => Ok(input.into()),
        Put::Request(request) if request.state == State::Pending => Ok(tool_answer(&told).into()),
        Put::Request(_) => Ok(match carry(asked, tool, &args).await {
            Ok(told) => tool_answer(&told).into(),
            Err(failure) => failure_answer(&failure).into(),
        }),
    }
}

/// Carries a call out, unless the client cancels it.
async fn carry(asked: ToolCaller<'_>, tool: &str, args: &Value) -> Result<ToolOutcome, Failure> {
    let stop = Notify::new();
    let order = ToolOrder {
        tool,
        args,
        is_strict: false,
        is_dry: false,
        approval: Approval::Ask,
        journal: asked.app.journal,
        limit: None,
        stop: &stop,
    };
    let caller =
        Caller { bench: asked.bench, vault: asked.vault, name: "MCP client", device: None, reach: REACH };
    // On the heap: it is large, and the stack of a thread is not.
    let mut doing = Box::pin(carry_out(asked.app, caller, order));
    tokio::select! {
        biased;
        told = &mut doing => told,
        () = asked.context.ct.cancelled() => {
            stop.notify_one();
            doing.await
        }
    }
}

fn failure_answer(failure: &Failure) -> CallToolResult {
    let hint = match failure.code {
        ErrorCode::MultipleDevices => Some("Start the server with --device and one of these."),
        _ => None,
    };
    answer::error(answer::failure_text(failure, hint))
}

fn tool_answer(told: &ToolOutcome) -> CallToolResult {
    let Some(result) = &told.result else {
        return answer::text("");
    };
    let mut text = match &result.error {
        None => result.text.clone(),
        Some(error) => {
            let sent = result.dispatched.word();
            format!("{}: {}\nhint: {}\ndispatched: {sent}", error.code, error.message, error.hint)
        }
    };
    if !told.call.repairs.is_empty() {
        text = format!("{text}\nrepaired: {}", told.call.repairs.join(", "));
    }
    let mut answer = if result.ok { answer::text(text) } else { answer::error(text) };
    let picture = result.picture.as_ref();
    answer.content.extend(picture.map(|it| ContentBlock::image(it.base64.clone(), it.media_type)));
    answer
}
