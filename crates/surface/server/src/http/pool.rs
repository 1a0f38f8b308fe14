//! The pool: its phones and hosts, what people want of them, and what happens there.

pub(super) mod jobs;
pub(super) mod metrics;

use super::Api;
use super::answer::{HttpError, HttpResult, ok};
use super::ask::{Ask, Name, invalid};
use super::events::ReaderPermit;
use super::limits::HEARTBEAT;
use crate::pool::pool;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::response::IntoResponse as _;
use axum::response::sse::{Event, KeepAlive, Sse};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_pool::{MOST_LETTERS, Name as PoolName, PhoneName, PoolNews};
use futures_util::stream::unfold;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// How many phones are listed without a limit, and at most.
pub(super) const USUAL_PHONES: u64 = 1_000;
pub(super) const MOST_PHONES: u64 = 10_000;
/// The longest reservation, in milliseconds: wishes live for seven days.
pub(super) const MAX_RESERVATION_MS: u64 = 7 * 86_400_000;

/// The failure of a value in a path or a body that is no name.
pub(super) fn unnamed(failure: Failure) -> HttpError {
    Failure { code: ErrorCode::InvalidRequest, ..failure }.into()
}

/// As many as a query asks for, or as many as usual.
pub(super) fn limit(ask: &Ask, usual: u64) -> usize {
    usize::try_from(ask.whole("limit").unwrap_or(usual)).unwrap_or(usize::MAX)
}

/// `GET /pool/phones`
pub(crate) async fn phones(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let mut phones = pool(&api.app)?.phones().await?;
    let count = phones.len();
    phones.truncate(limit(&ask, USUAL_PHONES));
    Ok(ok(json!({"count": count, "phones": phones})))
}

/// `GET /pool/hosts`
pub(crate) async fn hosts(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let mut hosts = pool(&api.app)?.hosts().await?;
    let count = hosts.len();
    hosts.truncate(limit(&ask, USUAL_PHONES));
    Ok(ok(json!({"count": count, "hosts": hosts})))
}

/// A phone of the pool, of the two variable parts of a path.
pub(crate) struct PhoneInPath(PhoneName);

impl<S: Send + Sync> FromRequestParts<S> for PhoneInPath {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> HttpResult<Self> {
        let named = Path::<(String, String)>::from_request_parts(parts, state).await;
        let Path((host, serial)) = named.map_err(|_| invalid("the path is not valid UTF-8"))?;
        format!("{host}/{serial}").parse().map(Self).map_err(unnamed)
    }
}

/// `PUT /pool/phones/{host}/{serial}/reservation`
pub(crate) async fn reserve(
    State(api): State<Arc<Api>>,
    PhoneInPath(phone): PhoneInPath,
    ask: Ask,
) -> HttpResult {
    let pool = pool(&api.app)?;
    let fields = ask.object()?;
    let code = ErrorCode::InvalidRequest;
    let for_ms = fields.positive("forMs", code)?.filter(|ms| *ms <= MAX_RESERVATION_MS);
    let for_ms = for_ms
        .ok_or_else(|| invalid(&format!("forMs must be a whole number from 1 to {MAX_RESERVATION_MS}")))?;
    let why = fields.name("why", code)?.filter(|why| why.chars().count() <= MOST_LETTERS);
    let why = why.ok_or_else(|| invalid(&format!("why must be a text of 1 to {MOST_LETTERS} letters")))?;
    pool.reserve(&phone, Duration::from_millis(for_ms), &why).await?;
    Ok(ok(json!({"phone": phone, "forMs": for_ms, "why": why})))
}

/// `DELETE /pool/phones/{host}/{serial}/reservation`
pub(crate) async fn end_reservation(
    State(api): State<Arc<Api>>,
    PhoneInPath(phone): PhoneInPath,
) -> HttpResult {
    pool(&api.app)?.reserve(&phone, Duration::ZERO, "").await?;
    Ok(ok(json!({ "phone": phone })))
}

/// `PUT /pool/hosts/{host}/drain`
pub(crate) async fn drain(State(api): State<Arc<Api>>, Name(host): Name) -> HttpResult {
    set_drain(&api, &host, true).await
}

/// `DELETE /pool/hosts/{host}/drain`
pub(crate) async fn end_drain(State(api): State<Arc<Api>>, Name(host): Name) -> HttpResult {
    set_drain(&api, &host, false).await
}

async fn set_drain(api: &Api, host: &str, drains: bool) -> HttpResult {
    let pool = pool(&api.app)?;
    let host: PoolName = host.parse().map_err(unnamed)?;
    pool.drain(&host, drains).await?;
    Ok(ok(json!({"host": host, "drains": drains})))
}

/// `GET /pool/events`
pub(crate) async fn events(State(api): State<Arc<Api>>) -> HttpResult {
    let pool = pool(&api.app)?;
    let place = ReaderPermit::take(&api)
        .ok_or_else(|| HttpError::of(ErrorCode::ServerBusy, "too many readers are connected already"))?;
    let feed = pool.news(None).await?;
    let closing = api.app.closing.clone();
    let stream = unfold((feed, closing, place), async |(mut feed, closing, place)| {
        let news = tokio::select! {
            () = closing.closed() => return None,
            news = feed.next() => news,
        };
        Some((Ok::<_, Infallible>(event(&news)), (feed, closing, place)))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response())
}

fn event(news: &PoolNews) -> Event {
    let (name, data) = match news {
        PoolNews::Job(job) => ("clawperator:job", json!(job)),
        PoolNews::Phone(phone) => ("clawperator:phone", json!(phone)),
        PoolNews::Gap => {
            let message = "the broker had lost this reader; list the phones and jobs again";
            ("gap", json!({"code": "EVENTS_LOST", "message": message}))
        }
    };
    Event::default().event(name).data(data.to_string())
}
