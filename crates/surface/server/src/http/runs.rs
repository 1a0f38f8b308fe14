//! The runs: listed, shown and cancelled.

use super::Api;
use super::answer::{HttpError, HttpResult, ok};
use super::ask::{Ask, Name};
use super::execute::stored_answer;
use axum::extract::State;
use clawperator_contract::{ErrorCode, text};
use clawperator_engine::{FoundRun, RunInfo, StoredOutcome};
use serde_json::{Value, json};
use std::sync::Arc;

/// How many runs are listed without a limit, and at most.
pub(super) const USUAL: u64 = 50;
pub(super) const MOST: u64 = 1024;

/// The runs, the newest first.
pub(crate) async fn list(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let limit = ask.whole("limit").unwrap_or(USUAL);
    let wanted = |run: &RunInfo| {
        let device = ask.text("device").is_none_or(|device| run.device_id.as_deref() == Some(device));
        let state = ask.text("state").is_none_or(|state| json!(run.state) == state);
        device && state
    };
    let runs = api.app.engine.runs().into_iter().filter(wanted);
    let runs: Vec<_> = runs.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect();
    Ok(ok(json!({"count": runs.len(), "runs": runs})))
}

/// One run, and its outcome if it has one.
pub(crate) async fn get(State(api): State<Arc<Api>>, Name(id): Name) -> HttpResult {
    Ok(ok(match find(&api, &id).await? {
        FoundRun::Active(info) => json!(info),
        FoundRun::Ended(run) => with_outcome(json!(run.info), &run.outcome),
        FoundRun::Recorded(outcome) => {
            let info = json!({"runId": id, "state": "ended", "status": outcome.kind});
            with_outcome(info, &outcome)
        }
        FoundRun::Elsewhere => json!({"runId": id, "state": "running"}),
    }))
}

/// Adds what a caller that had waited would have got.
fn with_outcome(mut info: Value, outcome: &StoredOutcome) -> Value {
    let (status, body) = stored_answer(outcome);
    info["httpStatus"] = status.as_u16().into();
    info["result"] = body;
    info
}

/// Cancels a run. Its outcome comes all the same.
pub(crate) async fn cancel(State(api): State<Arc<Api>>, Name(id): Name) -> HttpResult {
    let cancelled = match find(&api, &id).await? {
        FoundRun::Active(info) => api.app.engine.cancel(&info.run_id),
        FoundRun::Ended(_) | FoundRun::Recorded(_) => false,
        FoundRun::Elsewhere => {
            let message = "another process is running it; only that process can cancel it";
            return Err(HttpError::of(ErrorCode::ExecutionConflict, message));
        }
    };
    Ok(ok(json!({"runId": id, "cancelled": cancelled})))
}

async fn find(api: &Api, id: &str) -> HttpResult<FoundRun> {
    api.app.engine.find_run(id).await?.ok_or_else(|| {
        HttpError::of(ErrorCode::RunNotFound, format!("there is no run \"{}\"", text::excerpt(id)))
    })
}
