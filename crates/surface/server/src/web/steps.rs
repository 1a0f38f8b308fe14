//! What happens in runs, step by step, as it happens.
//!
//! Nothing is queued for a reader beyond the engine's own stream: one that is
//! too slow hears how many events it missed.

use super::Page;
use axum::extract::{Query, State};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use clawperator_engine::RunUnderWay;
use clawperator_events::{
    BeginEvent, Event, FORMAT, RemovedJournals, RunEvent, StreamItem, Subscriber, digest,
};
use futures_util::stream::{Stream, unfold};
use serde::Deserialize;
use serde_json::json;
use std::collections::{BTreeSet, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// How often a reader hears something, whatever happens.
const ALIVE: Duration = Duration::from_secs(15);

/// Which runs; without either, all of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunFilter {
    /// Those on the phone of this serial.
    device: Option<String>,
    run: Option<String>,
}

/// One reader.
struct StepReader {
    page: Arc<Page>,
    wanted: RunFilter,
    events: Subscriber,
    /// The beginnings of runs that were under way when it came.
    before: VecDeque<RunEvent>,
    /// Those runs: their beginning may come a second time.
    known: BTreeSet<String>,
}

/// `GET /page/steps?device=&run=`: an event for the beginning and the end of a
/// run, of each step, and for each wait.
pub(super) async fn steps(
    State(page): State<Arc<Page>>,
    Query(wanted): Query<RunFilter>,
) -> Sse<impl Stream<Item = Result<Sent, Infallible>>> {
    // In this order no run is missed.
    let events = page.app.engine.events();
    let before: VecDeque<_> = page.app.engine.under_way().iter().map(|run| begin(&page, run)).collect();
    let reader = StepReader {
        known: before.iter().map(|event| event.run_id.clone()).collect(),
        page,
        wanted,
        events,
        before,
    };
    let stream = unfold(reader, async |mut reader| {
        let event = reader.next().await?;
        Some((Ok(event), reader))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(ALIVE))
}

impl StepReader {
    /// The next event; none when the server ends.
    async fn next(&mut self) -> Option<Sent> {
        while let Some(event) = self.before.pop_front() {
            if self.is_wanted(&event) {
                return Some(event_message(&event));
            }
        }
        loop {
            let received = tokio::select! {
                () = self.page.app.closing.closed() => return None,
                received = self.events.next() => received?,
            };
            match received {
                StreamItem::Gap { missed } => {
                    let data = json!({ "missed": missed });
                    return Some(Sent::default().event("gap").data(data.to_string()));
                }
                StreamItem::Event(event)
                    if matches!(event.event, Event::Begin(_)) && self.known.remove(&event.run_id) => {}
                StreamItem::Event(event) if self.is_wanted(&event) => {
                    // Who sees the steps wants to see what came of them.
                    if matches!(event.event, Event::StepEnd(_)) {
                        self.page.feeds.note_touch(&event.device);
                    }
                    return Some(event_message(&event));
                }
                StreamItem::Event(_) => {}
            }
        }
    }

    fn is_wanted(&self, event: &RunEvent) -> bool {
        let is = |wanted: &Option<String>, has: &str| wanted.as_deref().is_none_or(|wanted| wanted == has);
        is(&self.wanted.device, &event.device) && is(&self.wanted.run, &event.run_id) && matters(&event.event)
    }
}

fn event_message(event: &RunEvent) -> Sent {
    // Texts and numbers can always be written.
    let data = serde_json::to_string(event).unwrap_or_default();
    Sent::default().event("step").data(data)
}

/// The beginning of a run, for a reader that came later.
fn begin(page: &Page, run: &RunUnderWay) -> RunEvent {
    let info = &run.info;
    let device = info.device_id.clone().unwrap_or_default();
    let began_ms = info.began_ms.unwrap_or(info.accepted_ms);
    RunEvent {
        run_id: info.run_id.to_string(),
        device: device.clone(),
        seq: 0,
        at_us: page.app.engine.now_ms().saturating_sub(began_ms) * 1000,
        event: Event::Begin(Box::new(BeginEvent {
            format: FORMAT,
            version: page.app.version.to_owned(),
            command_id: info.command_id.clone(),
            task_id: info.task_id.clone(),
            device,
            through: None,
            lane: None,
            started_ms: began_ms,
            payload: digest(run.execution.as_bytes()),
            // We wrote it.
            execution: serde_json::from_str(&run.execution).unwrap_or_default(),
            skill_run: None,
            removed: RemovedJournals::default(),
        })),
    }
}

/// Whether an event is one of a step, not of how it is done.
fn matters(event: &Event) -> bool {
    match event {
        Event::Begin(_)
        | Event::StepBegin(_)
        | Event::Wait(_)
        | Event::StepEnd(_)
        | Event::End(_)
        | Event::SkillBegin(_)
        | Event::Checkpoint(_)
        | Event::SkillEnd(_) => true,
        Event::Command(_)
        | Event::NotUnderstood(_)
        | Event::Look(_)
        | Event::Blind(_)
        | Event::Choice(_)
        | Event::Touch(_)
        | Event::Picture(_)
        | Event::Full(_) => false,
    }
}
