//! Approval requests for programs that have the bearer token: to ask, to see
//! what came of it, to decide as the user, and to have it applied.

use super::Api;
use super::answer::{HttpError, HttpResult, ok};
use super::ask::{Ask, BodyFields, Name};
use super::limits::HEARTBEAT;
use crate::approvals::{apply_given, ask as ask_person, desk, screen};
use crate::phone::lease;
use crate::web::answer_of;
use axum::extract::State;
use axum::response::IntoResponse as _;
use axum::response::sse::{Event, KeepAlive, Sse};
use clawperator_agent::action::{Capability, UiTemplate};
use clawperator_agent::approval::{NewRequest, PersonDecision, State as Stage, Who};
use clawperator_contract::{ErrorCode, Failure};
use futures_util::stream::unfold;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The most requests of a list.
pub(super) const MOST: u64 = 1000;
/// The surface, as a decision names it.
const SURFACE: &str = "http";

/// `POST /approvals`
pub(crate) async fn create(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let fields = ask.object()?;
    let invalid = |message: &str| HttpError::of(ErrorCode::ApprovalInvalid, message);
    let word = fields.name("capability", ErrorCode::ApprovalInvalid)?;
    let word = word.ok_or_else(|| invalid("capability is missing"))?;
    let capability = Capability::from_word(&word);
    let capability = capability
        .ok_or_else(|| invalid(&format!("capability must be one of {}", Capability::WORDS.join(", "))))?;
    let instruction = fields.name("instruction", ErrorCode::ApprovalInvalid)?;
    let instruction = instruction.ok_or_else(|| invalid("instruction is missing"))?;
    let (template, mut repairs) = match fields.get("uiTemplate") {
        None => (None, Vec::new()),
        Some(Value::Object(keys)) => {
            let (template, left_out) = UiTemplate::read(keys);
            (Some(template), left_out)
        }
        Some(_) => return Err(invalid("uiTemplate must be an object")),
    };
    let mut new = NewRequest {
        template,
        origin: fields.name("origin", ErrorCode::ApprovalInvalid)?.unwrap_or_default(),
        session: Some(ask.session()?),
        device: fields.name("deviceId", ErrorCode::InvalidDeviceId)?,
        ..NewRequest::new(capability, instruction)
    };
    if let Some(seconds) = fields.positive("timeoutSec", ErrorCode::ApprovalInvalid)? {
        new.timeout = Duration::from_secs(seconds);
    }
    if new.device.is_some() {
        let mut lease = lease(&api.app.engine, new.device.as_deref()).await?;
        let seen = screen(&mut lease).await;
        lease.release().await;
        new.screen = Some(seen?);
    }
    let asked = ask_person(&api.app, new).await?;
    repairs.extend(asked.created.repairs);
    let mut answer =
        json!({"id": asked.created.id, "link": asked.link, "expiresMs": asked.created.expires_ms});
    if !repairs.is_empty() {
        answer["repairs"] = json!(repairs);
    }
    Ok(ok(answer))
}

/// `GET /approvals`
pub(crate) async fn list(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let limit = ask.whole("limit").unwrap_or(50);
    let state = ask.word("state", Stage::from_word);
    let requests = desk(&api.app)?.list(state, limit).await.map_err(Failure::from)?;
    Ok(ok(json!({"count": requests.len(), "approvals": requests})))
}

/// `GET /approvals/{id}`
pub(crate) async fn get(State(api): State<Arc<Api>>, Name(id): Name) -> HttpResult {
    let request = desk(&api.app)?.get(&id).await.map_err(Failure::from)?;
    Ok(ok(request))
}

/// `POST /approvals/{id}/approve`
pub(crate) async fn approve(State(api): State<Arc<Api>>, Name(id): Name, ask: Ask) -> HttpResult {
    let fields = ask.object()?;
    let sent = json!({"answer": fields.get("answer")});
    let verdict = PersonDecision::Approve { answer: answer_of(&sent), note: note(&fields)? };
    decide(&api, &id, verdict).await
}

/// `POST /approvals/{id}/reject`
pub(crate) async fn reject(State(api): State<Arc<Api>>, Name(id): Name, ask: Ask) -> HttpResult {
    let note = note(&ask.object()?)?;
    decide(&api, &id, PersonDecision::Reject { note }).await
}

fn note(fields: &BodyFields) -> HttpResult<Option<String>> {
    fields.name("note", ErrorCode::ApprovalInvalid)
}

async fn decide(api: &Api, id: &str, verdict: PersonDecision) -> HttpResult {
    let decided = desk(&api.app)?.decide(id, Who::User(SURFACE), verdict).await;
    Ok(ok(decided.map_err(Failure::from)?))
}

/// `POST /approvals/{id}/apply`
pub(crate) async fn apply(State(api): State<Arc<Api>>, Name(id): Name, ask: Ask) -> HttpResult {
    let device = ask.fields_if_any()?.name("deviceId", ErrorCode::InvalidDeviceId)?;
    let vault = ask.vault(&api.app)?;
    Ok(ok(apply_given(&api.app, &id, device.as_deref(), &vault).await?))
}

/// `GET /approvals/events`
pub(crate) async fn changes(State(api): State<Arc<Api>>) -> HttpResult {
    let desk = desk(&api.app)?;
    let place = super::events::ReaderPermit::take(&api)
        .ok_or_else(|| HttpError::of(ErrorCode::ServerBusy, "too many readers are connected already"))?;
    let told = desk.last_change().await.map_err(Failure::from)?;
    let closing = api.app.closing.clone();
    let stream = unfold((desk, told, closing, place), async |(desk, told, closing, place)| {
        let (number, request) = tokio::select! {
            () = closing.closed() => return None,
            next = desk.next_change(told) => next.ok()?,
        };
        let data = json!({"id": request.id, "state": request.state, "capability": request.asked.capability,
            "instruction": request.asked.instruction});
        let event =
            Event::default().event("clawperator:approval").id(number.to_string()).data(data.to_string());
        Some((Ok::<_, std::convert::Infallible>(event), (desk, number, closing, place)))
    });
    let alive = KeepAlive::new().interval(HEARTBEAT);
    Ok(Sse::new(stream).keep_alive(alive).into_response())
}
