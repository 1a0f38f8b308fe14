//! What agents did: their sessions, and a page of each.

use super::Api;
use super::answer::{HttpResult, ok};
use super::ask::{Ask, Name};
use super::records::{USUAL, as_report};
use crate::phone::blocking;
use axum::extract::State;
use clawperator_agent::session::{self, SessionError, SessionId, StoredSession};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// The sessions, the newest first.
pub(crate) async fn sessions(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let limit = ask.whole("limit").unwrap_or(USUAL);
    let folder = folder(&api);
    let listed = blocking(move || {
        let mut found = session::list(&folder)?;
        let count = found.len();
        found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(json!({"sessions": found, "count": count}))
    });
    Ok(ok(listed.await?))
}

pub(crate) async fn session(State(api): State<Arc<Api>>, Name(id): Name) -> HttpResult {
    let read = read(&api, id).await?;
    let mut shown = json!({"begin": read.begin, "steps": read.steps, "unreadable": read.unreadable});
    if let Some(end) = read.end {
        shown["end"] = json!(end);
    }
    Ok(ok(shown))
}

pub(crate) async fn report_page(State(api): State<Arc<Api>>, Name(id): Name) -> HttpResult {
    let read = read(&api, id).await?;
    let page = blocking(move || Ok(session::page(&read)));
    Ok(as_report(page.await?))
}

fn folder(api: &Api) -> PathBuf {
    session::folder(&api.app.state)
}

async fn read(api: &Api, name: String) -> HttpResult<StoredSession> {
    let folder = folder(api);
    let read = blocking(move || {
        let id = SessionId::parse(&name).ok_or(SessionError::NotFound(name))?;
        Ok(StoredSession::read(&folder, &id)?)
    });
    Ok(read.await?)
}
