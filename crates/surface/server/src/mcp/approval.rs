//! `approval`: a person is asked. The model never gets the link, because who
//! has it decides: the person's own client shows the question, or the person
//! answers in the terminal or on the request's page.

use super::answer::{self, ToolResult};
use super::argument::Arguments;
use super::person::{Put, Question, put};
use super::run::McpCall;
use crate::approvals::{apply_given, ask, desk, screen};
use crate::phone::lease;
use clawperator_agent::action::Capability;
use clawperator_agent::approval::{ApprovalDecision, ApprovalRequest, ApprovalScreen, NewRequest, State};
use clawperator_contract::{ErrorCode, Failure};
use rmcp::model::CallToolResponse;
use std::sync::Arc;

pub(super) async fn approval(call: &McpCall<'_>, arguments: &Arguments<'_>) -> ToolResult<CallToolResponse> {
    let desk = desk(call.app)?;
    if let Some(request) = call.round.before.clone() {
        return Ok(answer::text(words(request)).into());
    }
    if let Some(id) = arguments.text("id")? {
        if !arguments.flag("apply")? {
            return Ok(answer::text(words(desk.get(id).await?)).into());
        }
        let device = call.device.as_deref();
        let mut done = apply_given(call.app, id, device, call.vault).await?;
        if let Some(again) = done.get_mut("askedAgain").and_then(|it| it.as_object_mut()) {
            again.remove("link");
        }
        return Ok(answer::text(done.to_string()).into());
    }
    let instruction =
        arguments.text("ask")?.ok_or_else(|| arguments.missing("ask", "\"May I send the mail?\""))?;
    let capability = arguments.word("capability", Capability::WORDS)?.and_then(Capability::from_word);
    let new = NewRequest {
        origin: "MCP client".to_owned(),
        session: Some(call.vault.session().to_owned()),
        screen: bound_screen(call).await?,
        device: call.device.clone(),
        ..NewRequest::new(capability.unwrap_or(Capability::Unknown), instruction)
    };
    let asked = ask(call.app, new).await?;
    let request = desk.get(&asked.created.id).await?;
    let question = Question::first(request, call.round.call);
    Ok(match put(call.app, call.context, &desk, question).await? {
        Put::Request(request) => answer::text(words(*request)).into(),
        Put::Input(input) => input.into(),
    })
}

/// The screen that the request is bound to; none if there is no phone.
async fn bound_screen(call: &McpCall<'_>) -> Result<Option<ApprovalScreen>, Failure> {
    let mut lease = match lease(&call.app.engine, call.device.as_deref()).await {
        Ok(lease) => lease,
        Err(failure) => {
            let is_none = matches!(
                failure.code,
                ErrorCode::NoDevices | ErrorCode::AdbNotFound | ErrorCode::AdbServerFailed
            );
            return if is_none && call.device.is_none() { Ok(None) } else { Err(failure) };
        }
    };
    let seen = screen(&mut lease).await;
    lease.release().await;
    seen.map(Some)
}

/// A request as a model gets it.
fn words(request: ApprovalRequest) -> String {
    let id = request.id.clone();
    let next = match request.state {
        State::Pending => format!(
            " The user is asked, and can answer in a terminal (clawperator approvals approve {id}, which asks for \
             what is to be given; or reject) or on top of the page of clawperator serve. Tell them, and call \
             approval with this id later."
        ),
        State::Approved | State::Rejected | State::Timeout => String::new(),
    };
    let said = ApprovalDecision { request, artifacts: Arc::default() };
    format!("{id}: {}.{next}", said.words())
}
