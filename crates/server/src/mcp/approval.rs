//! `approval`: a person is asked. The model never gets the link, because who
//! has it decides: the person's own client shows the question, or the person
//! answers in the terminal or on the request's page.

use super::answer::{self, Trouble};
use super::argument::Arguments;
use super::run::Call;
use crate::approvals::{apply_given, ask, desk, lease, screen};
use clawperator_agent::action::Capability;
use clawperator_agent::approval::{
    Decision, Desk, DeskError, NewRequest, Request, Screen, State, Submission, Verdict, Who,
};
use clawperator_contract::{ErrorCode, Failure};
use rmcp::model::{
    CallToolResult, ElicitRequestParams, ElicitationAction, ElicitationSchema, ProtocolVersion,
};
use rmcp::service::ElicitationMode;
use std::collections::BTreeMap;
use std::sync::Arc;

/// This surface, as a decision names it.
const SURFACE: &str = "mcp";

pub(super) async fn approval(call: &Call<'_>, arguments: &Arguments<'_>) -> Result<CallToolResult, Trouble> {
    let desk = desk(call.app)?;
    if let Some(id) = arguments.text("id")? {
        if !arguments.flag("apply")? {
            return Ok(answer::text(words(desk.get(id).await?)));
        }
        let mut done = apply_given(call.app, id).await?;
        if let Some(again) = done.get_mut("askedAgain").and_then(|it| it.as_object_mut()) {
            again.remove("link");
        }
        return Ok(answer::text(done.to_string()));
    }
    let instruction = arguments
        .text("ask")?
        .ok_or_else(|| arguments.missing("ask", "\"May I send the mail?\""))?;
    let capability = arguments.word("capability", Capability::WORDS)?;
    let capability = capability.and_then(Capability::from_word);
    let new = NewRequest {
        origin: "MCP client".to_owned(),
        screen: seen(call).await?,
        device: call.device.clone(),
        ..NewRequest::new(capability.unwrap_or(Capability::Unknown), instruction)
    };
    let asked = ask(call.app, new).await?;
    let request = desk.get(&asked.created.id).await?;
    Ok(answer::text(words(put_to_person(call, &desk, request).await?)))
}

/// The screen that the request is bound to; none if there is no phone.
async fn seen(call: &Call<'_>) -> Result<Option<Screen>, Failure> {
    let mut lease = match lease(call.app, call.device.as_deref()).await {
        Ok(lease) => lease,
        Err(failure) => {
            let is_none = matches!(
                failure.code,
                ErrorCode::NoDevices | ErrorCode::AdbNotFound | ErrorCode::AdbServerFailed
            );
            return match is_none && call.device.is_none() {
                true => Ok(None),
                false => Err(failure),
            };
        }
    };
    let seen = screen(&mut lease).await;
    lease.release().await;
    seen.map(Some)
}

/// Shows the question in the person's client, if that can, and waits for what
/// comes first: the answer there, or a decision elsewhere.
async fn put_to_person(call: &Call<'_>, desk: &Desk, request: Request) -> Result<Request, Trouble> {
    let peer = &call.context.peer;
    // The newest protocol has no requests from a server.
    let version = call.context.protocol_version();
    let can_ask = version.is_none_or(|version| version < ProtocolVersion::V_2026_07_28)
        && peer
            .supported_elicitation_modes()
            .contains(&ElicitationMode::Form);
    // What is given must not pass through the client, where a model may see it.
    let is_only_a_decision = matches!(
        request.asked.capability,
        Capability::Permission | Capability::Biometric | Capability::Nfc | Capability::Unknown
    );
    if !can_ask || !is_only_a_decision {
        return Ok(request);
    }
    let page = &request.asked.page;
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!(
            "{}: {}\nAccept to approve.",
            page.title, request.asked.instruction
        ),
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    };
    let said = tokio::select! {
        biased;
        () = call.context.ct.cancelled() => return Ok(desk.withdraw(&request.id).await?),
        decision = desk.wait(&request.id) => return Ok(decision?.request),
        said = peer.create_elicitation(params) => said,
    };
    let verdict = match said.map(|said| said.action) {
        Ok(ElicitationAction::Accept) => Verdict::Approve {
            answer: Submission::empty(),
            note: None,
        },
        Ok(ElicitationAction::Decline) => Verdict::Reject { note: None },
        // No word is no decision; the other ways are still open.
        _ => return Ok(request),
    };
    match desk.decide(&request.id, Who::User(SURFACE), verdict).await {
        Err(DeskError::Closed(_)) => Ok(desk.get(&request.id).await?),
        decided => Ok(decided?),
    }
}

/// A request as a model gets it.
fn words(request: Request) -> String {
    let id = request.id.clone();
    let next = match request.state {
        State::Pending => format!(
            " The user is asked, and can answer in a terminal: clawperator approvals approve {id} (or reject). Tell \
             them, and call approval with this id later."
        ),
        State::Approved | State::Rejected | State::Timeout => String::new(),
    };
    let said = Decision {
        request,
        artifacts: Arc::default(),
    };
    format!("{id}: {}.{next}", said.words())
}
