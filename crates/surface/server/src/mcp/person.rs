//! Puts a request to a person in their own client: by a request of the server's
//! own (elicitation), or in the newest protocol by an answer that asks for input,
//! after which the client sends the same call again.

use super::answer::ToolResult;
use crate::App;
use clawperator_agent::action::Capability;
use clawperator_agent::approval::{ApprovalRequest, Desk, DeskError, PersonDecision, Submission, Who};
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, ProtocolVersion,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// This surface, as a decision names it.
const SURFACE: &str = "mcp";
/// The name of the question in an answer that asks for input.
const QUESTION: &str = "approval";
/// The most calls that are waited for.
const MOST: usize = 128;

/// The calls that were answered with a question, by the request they wait for.
#[derive(Debug, Default)]
pub(crate) struct Rounds(Mutex<VecDeque<WaitingCall>>);

/// A call that was answered with a question.
#[derive(Debug)]
struct WaitingCall {
    request: String,
    call: String,
    done: usize,
}

impl Rounds {
    fn all(&self) -> MutexGuard<'_, VecDeque<WaitingCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request to put to a person, and the call that it comes from.
pub(super) struct Question<'q> {
    pub(super) request: ApprovalRequest,
    pub(super) call: &'q str,
    /// How many steps of the call are done.
    pub(super) done: usize,
}

impl<'q> Question<'q> {
    /// The question of a call that has done nothing yet.
    pub(super) fn first(request: ApprovalRequest, call: &'q str) -> Self {
        let done = 0;
        Self { request, call, done }
    }
}

/// A call, as often as the client has sent it.
pub(super) struct Round<'r> {
    pub(super) call: &'r str,
    /// The request that it comes back for.
    pub(super) before: Option<ApprovalRequest>,
    /// How many of its steps were done before the question.
    pub(super) done: usize,
}

/// What became of a request that was put to a person.
pub(super) enum Put {
    /// It is decided, or the client cannot ask.
    Request(Box<ApprovalRequest>),
    /// The client is asked to ask.
    Input(InputRequiredResult),
}

/// What identifies a call: the client repeats it to go on.
pub(super) fn fingerprint(call: &CallToolRequestParams) -> String {
    json!({"name": call.name, "arguments": call.arguments}).to_string()
}

/// Shows the question in the person's client, if that can, and waits for what
/// comes first: the answer there, or a decision elsewhere.
pub(super) async fn put(
    app: &App,
    context: &RequestContext<RoleServer>,
    desk: &Desk,
    question: Question<'_>,
) -> ToolResult<Put> {
    let Question { request, call, done } = question;
    if !can_ask(context) || !is_only_a_decision(&request) {
        return Ok(Put::Request(Box::new(request)));
    }
    let params = self::question(&request);
    // The newest protocol has no requests from a server.
    let version = context.protocol_version();
    if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
        let mut rounds = app.agent.rounds.all();
        if rounds.len() >= MOST {
            rounds.pop_front();
        }
        rounds.push_back(WaitingCall { request: request.id.clone(), call: call.to_owned(), done });
        let asks = InputRequest::Elicitation(ElicitRequest::new(params));
        let questions = BTreeMap::from([(QUESTION.to_owned(), asks)]);
        return Ok(Put::Input(InputRequiredResult::new(Some(questions), Some(request.id))));
    }
    let said = tokio::select! {
        biased;
        () = context.ct.cancelled() => {
            let withdrawn = desk.withdraw(&request.id, "The client cancelled the call.").await?;
            return Ok(Put::Request(Box::new(withdrawn)));
        }
        decision = desk.wait(&request.id) => return Ok(Put::Request(Box::new(decision?.request))),
        said = context.peer.create_elicitation(params) => said,
    };
    let decided = decide(desk, request, said.ok()).await?;
    Ok(Put::Request(Box::new(decided)))
}

/// The request that a call comes back for, decided if the person has said a word.
pub(super) async fn come_back(
    app: &App,
    desk: &Desk,
    call: &CallToolRequestParams,
) -> Result<Option<(ApprovalRequest, usize)>, ErrorData> {
    let Some(id) = &call.request_state else {
        return Ok(None);
    };
    // What a client sends back can be anything.
    let own = fingerprint(call);
    let known = {
        let mut rounds = app.agent.rounds.all();
        let at = rounds.iter().position(|waiting| waiting.request == *id && waiting.call == own);
        at.and_then(|at| rounds.remove(at))
    };
    let Some(WaitingCall { done, .. }) = known else {
        let message = "requestState is not one of this call, or the answer came back before";
        return Err(ErrorData::invalid_params(message, None));
    };
    let said = call.input_responses.as_ref().and_then(|all| all.get(QUESTION));
    let said = said.and_then(|said| serde_json::from_value::<ElicitResult>(said.clone()).ok());
    let failed = |error: DeskError| ErrorData::internal_error(error.to_string(), None);
    let request = desk.get(id).await.map_err(failed)?;
    decide(desk, request, said).await.map(|request| Some((request, done))).map_err(failed)
}

/// Whether the client can ask its user.
fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
    // Clients from before there were two kinds name none.
    elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// What is given must not pass through the client, where a model may see it.
fn is_only_a_decision(request: &ApprovalRequest) -> bool {
    let page = &request.asked.page;
    matches!(
        request.asked.capability,
        Capability::Permission | Capability::Biometric | Capability::Nfc | Capability::Unknown
    ) || !page.needs_artifact && page.fields.is_empty() && page.attachments.is_empty()
}

fn question(request: &ApprovalRequest) -> ElicitRequestParams {
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("{}\nAccept to approve.", request.asked.question_text()),
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    }
}

async fn decide(
    desk: &Desk,
    request: ApprovalRequest,
    said: Option<ElicitResult>,
) -> Result<ApprovalRequest, DeskError> {
    // A form that is sent and says anything but yes is a no.
    let content = said.as_ref().and_then(|said| said.content.as_ref()?.as_object());
    let says_no = content.is_some_and(|content| content.values().any(|value| *value != json!(true)));
    let verdict = match said.map(|said| said.action) {
        Some(ElicitationAction::Accept) if says_no => PersonDecision::Reject { note: None },
        Some(ElicitationAction::Accept) => {
            PersonDecision::Approve { answer: Submission::empty(), note: None }
        }
        Some(ElicitationAction::Decline) => PersonDecision::Reject { note: None },
        // No word is no decision; the other ways are still open.
        _ => return Ok(request),
    };
    match desk.decide(&request.id, Who::User(SURFACE), verdict).await {
        Err(DeskError::Closed(_)) => desk.get(&request.id).await,
        decided => decided,
    }
}
