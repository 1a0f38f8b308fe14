//! What is kept on this computer: journals, their reports, and recordings.

use super::Api;
use super::answer::{HttpError, HttpResult, ok};
use super::ask::{Ask, Name};
use crate::phone::blocking;
use axum::extract::State;
use axum::http::header;
use axum::response::{Html, IntoResponse as _, Response};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_journal::report::{self, SkillRun};
use clawperator_journal::{JournalError, JournalFolder, StoredJournal};
use clawperator_private as private;
use clawperator_recording::RecordingId;
use serde_json::{Value, json};
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;

/// How many journals or recordings are listed without a limit, and at most.
pub(super) const USUAL: u64 = 50;
pub(super) const MOST: u64 = 1000;
/// The largest recording that is sent.
const MAX_RECORDING: u64 = 64 << 20;
/// The ending of a recording's file.
const ENDING: &str = ".ndjson";

/// The journals, the newest first.
pub(crate) async fn journals(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let limit = ask.whole("limit").unwrap_or(USUAL);
    let folder = folder(&api);
    let listed = blocking(move || {
        let found = folder.list().map_err(|error| journal_failure(&error))?;
        let shown = report::list(&found, usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(json!({"journals": shown, "count": found.len()}))
    });
    Ok(ok(listed.await?))
}

pub(crate) async fn journal(State(api): State<Arc<Api>>, Name(id): Name) -> HttpResult {
    let run = read(&api, id).await?;
    let events = |kept: &StoredJournal| -> Vec<Value> {
        let text = String::from_utf8_lossy(&kept.text);
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    let shown = |kept: &StoredJournal| {
        json!({"name": kept.name, "status": report::status(kept), "verdict": kept.judgement().word(),
            "events": events(kept)})
    };
    let mut answer = shown(&run.journal);
    if !run.executions.is_empty() {
        answer["executions"] = run.executions.iter().map(shown).collect();
    }
    Ok(ok(answer))
}

pub(crate) async fn report_page(State(api): State<Arc<Api>>, Name(id): Name) -> HttpResult {
    let run = read(&api, id).await?;
    let page = blocking(move || {
        Ok(match run.journal.skill_begin() {
            Some(_) => report::skill_page(&run),
            None => report::page(&run.journal),
        })
    });
    Ok(as_report(page.await?))
}

/// A report, which nothing may frame.
pub(super) fn as_report(page: String) -> Response {
    let policy = format!("{}; frame-ancestors 'none'", report::policy());
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response()
}

fn folder(api: &Api) -> JournalFolder {
    JournalFolder::new(api.app.state.join("journal"))
}

/// A journal by its name or its command id; never one that is elsewhere.
async fn read(api: &Api, id: String) -> Result<SkillRun, Failure> {
    let folder = folder(api);
    let run = blocking(move || {
        let found = folder.by_name(&id).map_err(|error| journal_failure(&error))?;
        let kept = StoredJournal::open(&found).map_err(|error| journal_failure(&error))?;
        SkillRun::of(kept, &folder).map_err(|error| journal_failure(&error))
    });
    run.await
}

fn journal_failure(error: &JournalError) -> Failure {
    let code = match error {
        JournalError::None(_) => ErrorCode::JournalNotFound,
        JournalError::Io { .. } => ErrorCode::JournalUnusable,
    };
    Failure::of(code, error.to_string())
}

pub(crate) async fn recordings(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let limit = ask.whole("limit").unwrap_or(USUAL);
    let folder = recording_folder(&api);
    let listed = blocking(move || {
        let mut names = names(&folder)?;
        let count = names.len();
        names.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let shown = |name: &String| {
            let file = folder.join(format!("{name}{ENDING}"));
            let bytes = std::fs::metadata(file).map_or(0, |found| found.len());
            json!({"sessionId": name, "bytes": bytes})
        };
        Ok(json!({"recordings": names.iter().map(shown).collect::<Vec<_>>(), "count": count}))
    });
    Ok(ok(listed.await?))
}

pub(crate) async fn recording(State(api): State<Arc<Api>>, Name(id): Name) -> HttpResult {
    let unknown = || {
        let message = format!("there is no recording \"{}\"", text::excerpt(&id));
        HttpError::of(ErrorCode::RecordingSessionNotFound, message)
    };
    // Nothing but a plain name is one.
    let session = RecordingId::new(&id).ok_or_else(unknown)?;
    let file = recording_folder(&api).join(format!("{session}{ENDING}"));
    let read = blocking(move || {
        let mut text = Vec::new();
        let read = private::open(&file).and_then(|file| file.take(MAX_RECORDING).read_to_end(&mut text));
        Ok(read.is_ok().then_some(text))
    });
    let text = read.await?.ok_or_else(unknown)?;
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], text).into_response())
}

fn recording_folder(api: &Api) -> PathBuf {
    api.app.state.join("recordings")
}

/// The names of the recordings, in the order of the alphabet.
fn names(folder: &PathBuf) -> Result<Vec<String>, Failure> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            let message = format!("cannot read {}: {error}", folder.display());
            return Err(Failure::of(ErrorCode::StateFolderUnusable, message));
        }
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<_> =
        names.filter_map(|name| Some(RecordingId::new(name.strip_suffix(ENDING)?)?.to_string())).collect();
    names.sort();
    Ok(names)
}
