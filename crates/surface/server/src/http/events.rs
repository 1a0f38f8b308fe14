//! The stream of events: what came of each execution, as it ends.
//!
//! Nothing is queued for a reader. It has a number, that of the last run it was
//! told of, and asks the engine for the next one when its socket takes more. So
//! one that never reads costs no more than its connection.

use super::Api;
use super::answer::{HttpError, HttpResult};
use super::ask::{Ask, invalid};
use super::execute::stored_answer;
use super::limits::{HEARTBEAT, MAX_READERS};
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse as _;
use axum::response::sse::{Event, Sse};
use clawperator_contract::ErrorCode;
use clawperator_engine::{EndedRun, OutcomeKind};
use futures_util::stream;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::time::{Instant, sleep_until};

/// What came of each execution.
pub(crate) async fn events(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let place = ReaderPermit::take(&api).ok_or_else(|| {
        HttpError::of(ErrorCode::ServerBusy, format!("{MAX_READERS} readers are connected already"))
    })?;
    let last = ask.header("last-event-id")?.map(str::to_owned);
    let reader = EventReader::new(api, &ask, last.as_deref(), place)?;
    let stream = stream::unfold(reader, async |mut reader| {
        let event = reader.next().await?;
        Some((Ok::<_, Infallible>(event), reader))
    });
    let response = Sse::new(stream).into_response();
    Ok(([(header::CACHE_CONTROL, "no-cache")], response).into_response())
}

/// The place of a reader among those that there may be.
pub(super) struct ReaderPermit(Arc<Api>);

impl ReaderPermit {
    pub(super) fn take(api: &Arc<Api>) -> Option<Self> {
        let before = api.readers.fetch_add(1, Ordering::Relaxed);
        // Dropping it counts it out again.
        let place = Self(api.clone());
        (before < MAX_READERS).then_some(place)
    }
}

impl Drop for ReaderPermit {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many readers there are.
pub(super) type Readers = AtomicUsize;

struct EventReader {
    api: Arc<Api>,
    device: Option<String>,
    run: Option<String>,
    /// The number of the last run that it was told of.
    told: u64,
    ready: VecDeque<Event>,
    heartbeat: Instant,
    _place: ReaderPermit,
}

impl EventReader {
    fn new(api: Arc<Api>, ask: &Ask, last: Option<&str>, place: ReaderPermit) -> HttpResult<Self> {
        let now = api.app.engine.last_ended();
        let mut reader = Self {
            told: now,
            device: ask.text("device").map(str::to_owned),
            run: ask.text("run").map(str::to_owned),
            ready: VecDeque::new(),
            heartbeat: Instant::now() + HEARTBEAT,
            _place: place,
            api,
        };
        let mut lost = None;
        if let Some(last) = last.filter(|last| !last.is_empty()) {
            let (began, number) =
                read_id(last).ok_or_else(|| invalid("Last-Event-ID is no id of this server"))?;
            if began == reader.api.began_ms && number <= now {
                reader.told = number;
            } else {
                // What an earlier server told of is not kept.
                reader.told = 0;
                lost = Some(
                    "the server was started again; what ended before that and was not told is not kept, \
                     but for runs with an Idempotency-Key, which GET /runs/ID finds",
                );
            }
        }
        let hello = json!({"code": "CONNECTED", "message": "events follow as executions end"});
        reader.ready.push_back(reader.event("heartbeat", &hello).id(reader.id(reader.told)));
        if let Some(message) = lost {
            let gap = json!({"code": "EVENTS_LOST", "message": message});
            reader.ready.push_back(reader.event("gap", &gap));
        }
        Ok(reader)
    }

    fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.api.began_ms)
    }

    fn event(&self, name: &str, data: &Value) -> Event {
        Event::default().event(name).data(data.to_string())
    }

    /// The next event; none when the server ends.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.take_next() {
                continue;
            }
            let app = &self.api.app;
            tokio::select! {
                () = app.closing.closed() => return None,
                () = app.engine.ended_beyond(self.told) => {}
                () = sleep_until(self.heartbeat) => {
                    self.heartbeat = Instant::now() + HEARTBEAT;
                    let alive = json!({"code": "ALIVE", "timeMs": app.engine.now_ms()});
                    return Some(self.event("heartbeat", &alive));
                }
            }
        }
    }

    /// Takes the next run that ended; tells whether there was one.
    fn take_next(&mut self) -> bool {
        let Some(next) = self.api.app.engine.next_ended(self.told) else {
            return false;
        };
        if next.lost > 0 {
            let message = "runs ended that are not kept any more";
            let gap = json!({"code": "EVENTS_LOST", "message": message, "lost": next.lost});
            self.ready.push_back(self.event("gap", &gap));
        }
        self.told = next.run.number;
        if self.wants(&next.run) {
            self.tell(&next.run);
        }
        true
    }

    fn wants(&self, run: &EndedRun) -> bool {
        let device = self.device.as_ref();
        let device = device.is_none_or(|device| run.info.device_id.as_ref() == Some(device));
        let id = self.run.as_ref();
        device && id.is_none_or(|id| run.info.run_id.to_string() == *id)
    }

    fn tell(&mut self, run: &EndedRun) {
        let info = &run.info;
        let (_, result) = stored_answer(&run.outcome);
        // We wrote it.
        let input: Value = serde_json::from_str(&run.execution).unwrap_or_default();
        let device = json!(info.device_id);
        if info.began_ms.is_some() {
            let envelope = match run.outcome.kind {
                OutcomeKind::Success | OutcomeKind::Failed => result["envelope"].clone(),
                OutcomeKind::Error => no_envelope(run, &result["error"]),
            };
            let data = json!({"deviceId": device, "runId": info.run_id, "envelope": envelope});
            self.ready.push_back(self.event("clawperator:result", &data));
        }
        let data = json!({"deviceId": device, "runId": info.run_id, "input": input, "result": result});
        let last = self.event("clawperator:execution", &data).id(self.id(run.number));
        self.ready.push_back(last);
    }
}

/// What stands for the envelope of a run that has none.
fn no_envelope(run: &EndedRun, error: &Value) -> Value {
    let mut envelope = json!({"commandId": run.info.command_id, "taskId": run.info.task_id, "status": "failed",
        "stepResults": [], "error": error["code"], "errorCode": error["code"]});
    if let Some(hint) = error["details"].get("hint") {
        envelope["hint"] = hint.clone();
    }
    envelope
}

/// The start of a server and the number of a run, from an id.
fn read_id(id: &str) -> Option<(u64, u64)> {
    let (began, number) = id.split_once('-')?;
    Some((began.parse().ok()?, number.parse().ok()?))
}
