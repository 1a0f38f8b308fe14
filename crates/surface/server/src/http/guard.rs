//! The checks in front of every route: the names, the token, the size and the
//! time of a request, and how many there are.

use super::answer::{HttpError, HttpResult};
use super::ask::invalid;
use super::crowd::{Answering, ClientConnection};
use super::limits::{BODY_TIME, MAX_BODY, MAX_REQUESTS};
use super::token::Token;
use crate::App;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use clawperator_contract::{ErrorCode, Failure};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Where a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    /// The same user, over the local socket.
    Local,
    Network,
}

/// What is checked.
#[derive(Debug)]
pub(crate) struct Guard {
    app: Arc<App>,
    token: Option<Token>,
    places: Semaphore,
}

impl Guard {
    pub(crate) fn new(app: &Arc<App>) -> Arc<Self> {
        Arc::new(Self {
            app: app.clone(),
            token: app.token.as_deref().map(Token::new),
            places: Semaphore::new(MAX_REQUESTS),
        })
    }
}

/// Checks what is asked of every request.
pub(crate) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    // Who sends many requests at once gets them answered in turn with others.
    tokio::task::yield_now().await;
    let line = request.extensions().get::<Arc<ClientConnection>>().cloned();
    let response = match admit(&guard, request).await {
        Ok((request, _place)) => {
            // From now on it is this server that takes its time, and not the client.
            let answering = line.map(Answering::new);
            let response = next.run(request).await;
            match answering {
                Some(answering) => answering.until_end_of(response),
                None => response,
            }
        }
        Err(refused) => refused.into_response(),
    };
    with_usual_headers(response)
}

async fn admit(guard: &Guard, request: Request) -> HttpResult<(Request, tokio::sync::SemaphorePermit<'_>)> {
    guard.app.hosts.check(request.uri(), request.headers())?;
    let busy = |_| HttpError::of(ErrorCode::ServerBusy, "the server has too many requests");
    let place = || guard.places.try_acquire().map_err(busy);
    // Its route sees the token before it reads anything.
    if crate::web::reads_its_body(request.uri().path()) {
        return Ok((request, place()?));
    }
    let (parts, body) = request.into_parts();
    // A client that sends slowly takes the place of no request.
    let bytes = read(&parts.headers, body).await?;
    Ok((Request::from_parts(parts, Body::from(bytes)), place()?))
}

/// Reads a body whole: never more than is allowed, never for longer.
async fn read(headers: &HeaderMap, body: Body) -> HttpResult<Bytes> {
    let announced = headers.get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > MAX_BODY as u64) {
        return Err(too_large());
    }
    match timeout(BODY_TIME, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        // A client that breaks off does not read this.
        Ok(Err(_)) => Err(too_large()),
        Err(_) => {
            let message = format!("the body did not come within {} s", BODY_TIME.as_secs());
            Err(HttpError::of(ErrorCode::RequestTimeout, message))
        }
    }
}

fn too_large() -> HttpError {
    let message = format!("the body is larger than {MAX_BODY} bytes; nothing past that was read");
    Failure::of(ErrorCode::PayloadTooLarge, message).with(|details| details.limit = Some(MAX_BODY)).into()
}

/// Lets only those in that know the token, or come over the local socket.
pub(crate) async fn require_token(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let is_local = request.extensions().get() == Some(&Peer::Local);
    let is_known = |token: &Token| token.is_shown(request.headers());
    if is_local || guard.token.as_ref().is_none_or(is_known) {
        return next.run(request).await;
    }
    HttpError::of(ErrorCode::Unauthorized, "the request shows no valid token").into_response()
}

/// Gives a browser the cookie for a token.
pub(crate) async fn sign_in(State(guard): State<Arc<Guard>>, headers: HeaderMap, body: Bytes) -> Response {
    let Some(token) = &guard.token else {
        return axum::http::StatusCode::NO_CONTENT.into_response();
    };
    let sent: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    if sent.get("token").is_some_and(|token| !token.is_string()) {
        return invalid("token must be a string").into_response();
    }
    let shown = super::token::bearer(&headers).or(sent["token"].as_str());
    if !shown.is_some_and(|shown| token.is(shown)) {
        return HttpError::of(ErrorCode::Unauthorized, "the request shows no valid token").into_response();
    }
    let cookie = [(header::SET_COOKIE, token.set_cookie())];
    (axum::http::StatusCode::NO_CONTENT, cookie).into_response()
}

/// The headers that every response has, unless it says otherwise: nothing of it
/// is stored, guessed at, framed or loaded by others.
fn with_usual_headers(mut response: Response) -> Response {
    const USUAL: [(HeaderName, &str); 5] = [
        (header::CACHE_CONTROL, "no-store"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        ),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in USUAL {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
