//! The jobs of the pool: sent, listed, shown and cancelled.

use super::{limit, unnamed};
use crate::agent::judge;
use crate::http::Api;
use crate::http::answer::{HttpResult, ok};
use crate::http::ask::{Ask, BodyFields, Name, invalid};
use crate::http::execute::{lane, payload_of, stored_answer};
use crate::http::records::as_report;
use crate::pool::pool;
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use clawperator_agent::policy::Level;
use clawperator_contract::{ErrorCode, Failure, accept};
use clawperator_engine::Request;
use clawperator_pool::{
    Caller, JobId, JobResult, JobStatus, JobWish, Name as PoolName, PhoneName, Priority, Target, WaitingJob,
};
use clawperator_run::Strictness;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// How many jobs are listed without a limit, and at most.
pub(in crate::http) const USUAL: u64 = 100;
pub(in crate::http) const MOST: u64 = 10_000;
/// The longest that a job may wait, in milliseconds.
pub(in crate::http) const MAX_DEADLINE_MS: u64 = 7 * 86_400_000;
/// How long a host has to send a report.
const REPORT: Duration = Duration::from_secs(30);

/// `GET /pool/jobs`
pub(crate) async fn list(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let mut jobs = pool(&api.app)?.jobs().await?;
    let (waiting, running) = (jobs.waiting.len(), jobs.running.len());
    let most = limit(&ask, USUAL);
    jobs.waiting.truncate(most);
    jobs.running.truncate(most);
    let shown: Vec<Value> = jobs.waiting.iter().map(waiting_job).collect();
    Ok(ok(
        json!({"waitingCount": waiting, "runningCount": running, "waiting": shown, "running": jobs.running}),
    ))
}

/// A job that waits, with the reason in words beside its code.
fn waiting_job(job: &WaitingJob) -> Value {
    let mut shown = json!(job);
    shown["why"]["text"] = job.why.text().into();
    shown
}

/// `GET /pool/jobs/{id}`
pub(crate) async fn get(State(api): State<Arc<Api>>, Name(id): Name) -> HttpResult {
    let id = pool(&api.app)?.find(&id).await?;
    let mut shown = match pool(&api.app)?.job(&id).await? {
        JobStatus::Waiting(job) => with_state(waiting_job(&job), "waiting"),
        JobStatus::Running(run) => {
            let stage = run.state;
            let run = json!({"stage": stage, "host": run.host, "phone": run.phone, "starts": run.starts});
            with_state(run, "running")
        }
        JobStatus::Ended(result) => with_state(ended(&result), "ended"),
    };
    shown["id"] = json!(id);
    Ok(ok(shown))
}

fn with_state(mut shown: Value, state: &str) -> Value {
    shown["state"] = state.into();
    shown
}

fn ended(result: &JobResult) -> Value {
    let (status, body) = stored_answer(&result.ended.outcome);
    let mut shown = json!(result);
    if let Some(fields) = shown.as_object_mut() {
        for own in ["digest", "journal", "lost", "ended"] {
            fields.remove(own);
        }
    }
    shown["status"] = json!(result.ended.outcome.kind);
    (shown["httpStatus"], shown["result"]) = (status.as_u16().into(), body);
    shown
}

/// `DELETE /pool/jobs/{id}`
pub(crate) async fn cancel(State(api): State<Arc<Api>>, Name(id): Name) -> HttpResult {
    let pool = pool(&api.app)?;
    let id = pool.find(&id).await?;
    let is_asked = pool.cancel(&id).await?;
    Ok(ok(json!({"id": id, "cancelled": is_asked})))
}

/// `GET /pool/jobs/{id}/report`
pub(crate) async fn report(State(api): State<Arc<Api>>, Name(id): Name) -> HttpResult {
    let pool = pool(&api.app)?;
    let page = pool.report(&pool.find(&id).await?, REPORT).await?;
    Ok(as_report(String::from_utf8_lossy(&page).into_owned()))
}

/// What a caller sends.
struct JobOrder {
    request: Request,
    wish: JobWish,
    waits: bool,
}

/// `POST /pool/jobs`
pub(crate) async fn submit(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let pool = pool(&api.app)?;
    let mut order = JobOrder::read(&api, &ask, &ask.object()?)?;
    order.request.judge = judge(&api.app, Level::None, "HTTP client", &ask.session()?).await?;
    if let Target::All(class) = &order.wish.target {
        return submit_to_all(&api, &order, class).await;
    }
    let id = pool.submit(order.request.clone(), &order.wish).await?;
    if order.waits
        && let Some(result) = wait(&api, pool, &id, &order).await?
    {
        let (status, mut body) = stored_answer(&result.ended.outcome);
        body["jobId"] = json!(id);
        body["phone"] = json!(result.phone);
        return Ok((status, Json(body)).into_response());
    }
    let command_id = order.request.work.command_id();
    let place = place(&id);
    let body = json!({"ok": true, "jobId": id, "commandId": command_id, "location": place});
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, place)], Json(body)).into_response())
}

fn place(id: &JobId) -> String {
    format!("/pool/jobs/{id}")
}

/// Waits for a result; none if the server ends first.
async fn wait(api: &Api, pool: &Caller, id: &JobId, order: &JobOrder) -> HttpResult<Option<JobResult>> {
    let limit = order.request.work.timeout();
    tokio::select! {
        () = api.app.closing.closed() => Ok(None),
        waited = pool.result_in_time(id, order.wish.deadline, limit) => Ok(Some(waited?)),
    }
}

/// One job for each phone of a class. Their ids are the caller's own and the phone's name.
async fn submit_to_all(api: &Api, order: &JobOrder, class: &PoolName) -> HttpResult {
    let pool = pool(&api.app)?;
    let phones = pool.phones_for(class, &order.request, &order.wish).await?;
    let jobs = join_all(phones.iter().map(async |phone| {
        let wish = order.wish.on(phone);
        let id = pool.submit(order.request.clone(), &wish).await?;
        let command_id = order.request.work.command_id();
        let mut job = json!({"phone": phone, "jobId": id, "commandId": command_id, "location": place(&id)});
        if order.waits
            && let Ok(Some(result)) = wait(api, pool, &id, order).await
        {
            let (status, body) = stored_answer(&result.ended.outcome);
            (job["httpStatus"], job["result"]) = (status.as_u16().into(), body);
        }
        Ok::<_, Failure>(job)
    }));
    let jobs = jobs.await;
    if let (Some(Err(failure)), true) = (jobs.first(), jobs.iter().all(Result::is_err)) {
        return Err(failure.clone().into());
    }
    let are_all_over = jobs.iter().all(|job| job.as_ref().is_ok_and(|job| job.get("result").is_some()));
    let shown = |(phone, job): (&PhoneName, Result<Value, Failure>)| {
        job.unwrap_or_else(|failure| json!({"phone": phone, "error": failure}))
    };
    let jobs: Vec<Value> = phones.iter().zip(jobs).map(shown).collect();
    let status = if are_all_over { StatusCode::OK } else { StatusCode::ACCEPTED };
    Ok((status, Json(json!({"ok": true, "jobs": jobs}))).into_response())
}

impl JobOrder {
    fn read(api: &Api, ask: &Ask, fields: &BodyFields) -> HttpResult<Self> {
        let code = ErrorCode::InvalidRequest;
        let on = fields.name("on", code)?;
        let on = on.ok_or_else(|| invalid("on is missing: any:CLASS, all:CLASS or HOST/SERIAL"))?;
        let mut wish = JobWish::new(on.parse().map_err(unnamed)?);
        if let Some(word) = fields.name("priority", code)? {
            let unknown = || invalid(&format!("priority must be one of: {}", Priority::WORDS.join(", ")));
            wish.priority = Priority::from_word(&word).ok_or_else(unknown)?;
        }
        if let Some(ms) = fields.positive("deadlineMs", code)? {
            if ms > MAX_DEADLINE_MS {
                return Err(invalid(&format!("deadlineMs must be at most {MAX_DEADLINE_MS}")));
            }
            wish.deadline = Duration::from_millis(ms);
        }
        wish.label = fields.name("label", code)?;
        wish.repeatable = fields.flag("repeatable", code)?.unwrap_or_default();
        let payload = payload_of(api, ask, fields)?;
        let request = Request {
            lane: lane(fields)?.unwrap_or(api.app.lane),
            strictness: if ask.flag("strict") { Strictness::Unique } else { Strictness::First },
            journal: api.app.journal,
            vault: Some(ask.vault(&api.app)?),
            ..Request::new(accept(payload.to_string().as_bytes())?)
        };
        Ok(Self { request, wish, waits: fields.flag("wait", code)?.unwrap_or(true) })
    }
}
