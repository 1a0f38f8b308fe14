//! The page of an approval request. Its own token opens it, for this request
//! only; it is in a header, never in an address that somebody could log.

use crate::App;
use crate::approvals::desk;
use crate::http::answer::{HttpError, HttpResult, ok};
use crate::http::ask::Name;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use clawperator_agent::approval::{
    ApprovalPage, ApprovalRequest, Attachment, Desk, DeskError, PersonDecision, State as Stage, Submission,
    Who, limits,
};
use clawperator_contract::{ErrorCode, Failure};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

const TOKEN: &str = "x-approval-token";
/// The largest answer without files.
const SMALL: usize = 256 << 10;
/// How long an answer may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(120);

/// The routes of the pages. They need no bearer token.
pub(super) fn routes(app: &Arc<App>) -> Router {
    Router::new()
        .route("/approve/{id}/request", get(request))
        .route("/approve/{id}/picture", get(picture))
        .route("/approve/{id}/decision", post(decision))
        .with_state(app.clone())
}

/// Whether a route reads its body itself, after it has seen the token.
pub(crate) fn reads_its_body(path: &str) -> bool {
    path.starts_with("/approve/") && path.ends_with("/decision")
}

/// A request that was opened with its token.
struct OpenRequest<'a> {
    desk: Desk,
    request: ApprovalRequest,
    token: &'a str,
}

async fn open<'a>(app: &App, id: &str, headers: &'a HeaderMap) -> HttpResult<OpenRequest<'a>> {
    let token = headers.get(TOKEN).and_then(|token| token.to_str().ok()).unwrap_or_default();
    let desk = desk(app)?;
    let opened = desk.with_token(id, token).await;
    let is_wrong = matches!(opened, Err(DeskError::WrongToken));
    if !app.approvals.pace.take((!is_wrong).then_some(id)) {
        return Err(HttpError::of(ErrorCode::ApprovalTooFast, "too many tries in a short time"));
    }
    let request = opened.map_err(Failure::from)?;
    Ok(OpenRequest { desk, request, token })
}

/// `GET /approve/{id}/request`
async fn request(State(app): State<Arc<App>>, Name(id): Name, headers: HeaderMap) -> HttpResult {
    Ok(ok(open(&app, &id, &headers).await?.request))
}

/// `GET /approve/{id}/picture`
async fn picture(State(app): State<Arc<App>>, Name(id): Name, headers: HeaderMap) -> HttpResult {
    let picture = open(&app, &id, &headers).await?.desk.picture(&id).await.map_err(Failure::from)?;
    let picture = picture
        .ok_or_else(|| HttpError::of(ErrorCode::ApprovalNotFound, "there is no picture of the screen"))?;
    Ok(([(header::CONTENT_TYPE, picture.media_type)], picture.bytes).into_response())
}

/// `POST /approve/{id}/decision`: `verdict`, `note`, `answer`.
async fn decision(State(app): State<Arc<App>>, Name(id): Name, headers: HeaderMap, body: Body) -> HttpResult {
    let opened = open(&app, &id, &headers).await?;
    if opened.request.state != Stage::Pending {
        return Err(Failure::from(DeskError::Closed(opened.request.state)).into());
    }
    let bytes = read(&opened.request.asked.page, body).await?;
    let decided = opened.desk.decide(&id, Who::Token(opened.token), verdict(&bytes)?).await;
    let decided = decided.map_err(Failure::from)?;
    Ok(ok(serde_json::json!({"id": decided.id, "state": decided.state})))
}

/// `POST /page/approvals/{id}/link`: a new link, for a page of this server.
pub(super) async fn link(State(page): State<Arc<super::Page>>, Name(id): Name) -> HttpResult {
    let link = desk(&page.app)?.renew(&id).await.map_err(Failure::from)?.link(&page.app.approvals.base);
    Ok(ok(serde_json::json!({ "link": link })))
}

/// Reads an answer: never more than its page can have sent, never for longer.
async fn read(page: &ApprovalPage, body: Body) -> HttpResult<axum::body::Bytes> {
    let has_files = [Attachment::Photo, Attachment::Audio, Attachment::File]
        .iter()
        .any(|kind| page.attachments.contains(kind));
    let most = if has_files { limits::ANSWER } else { SMALL };
    match timeout(ARRIVAL, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => {
            let message = format!("the answer is larger than {most} bytes; nothing past that was read");
            let failure = Failure::of(ErrorCode::PayloadTooLarge, message);
            Err(failure.with(|details| details.limit = Some(most)).into())
        }
        Err(_) => {
            let message = format!("the answer did not come within {} s", ARRIVAL.as_secs());
            Err(HttpError::of(ErrorCode::RequestTimeout, message))
        }
    }
}

/// What a person decided, as JSON has it.
fn verdict(bytes: &[u8]) -> HttpResult<PersonDecision> {
    let invalid = |message| HttpError::of(ErrorCode::ApprovalInvalid, message);
    let sent: Value = serde_json::from_slice(bytes).map_err(|_| invalid("the answer is not valid JSON"))?;
    let note = sent["note"].as_str().map(str::to_owned);
    match sent["verdict"].as_str() {
        Some("reject") => Ok(PersonDecision::Reject { note }),
        Some("approve") => Ok(PersonDecision::Approve { answer: answer_of(&sent), note }),
        Some(_) | None => Err(invalid("verdict must be approve or reject")),
    }
}

/// What was given; nothing where there is no `answer`.
pub(crate) fn answer_of(sent: &Value) -> Submission {
    match sent.get("answer") {
        None | Some(Value::Null) => Submission::empty(),
        Some(answer) => Submission::new(answer.to_string()),
    }
}
