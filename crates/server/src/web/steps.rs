//! What happens in runs, step by step, as it happens.
//!
//! Nothing is queued for a reader beyond the engine's own stream: one that is
//! too slow is told how many events it missed.

use super::Page;
use axum::extract::{Query, State};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use clawperator_journal::{Event, Received, RunEvent, Subscriber};
use futures_util::stream::{Stream, unfold};
use serde::Deserialize;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// How often a reader hears something, whatever happens.
const ALIVE: Duration = Duration::from_secs(15);

/// Which runs; without either, all of them.
#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    /// Those on the phone of this serial.
    device: Option<String>,
    /// This one.
    run: Option<String>,
}

/// One reader.
struct Reader {
    page: Arc<Page>,
    wanted: Wanted,
    events: Subscriber,
}

/// `GET /page/steps?device=&run=`: an event for the beginning and the end of a
/// run, of each step, and for each wait.
pub(super) async fn steps(
    State(page): State<Arc<Page>>,
    Query(wanted): Query<Wanted>,
) -> Sse<impl Stream<Item = Result<Sent, Infallible>>> {
    let events = page.app.engine.events();
    let reader = Reader { page, wanted, events };
    let stream = unfold(reader, async |mut reader| {
        let event = reader.next().await?;
        Some((Ok(event), reader))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(ALIVE))
}

impl Reader {
    /// The next event; none when the server ends.
    async fn next(&mut self) -> Option<Sent> {
        loop {
            let received = tokio::select! {
                () = self.page.app.closing.closed() => return None,
                received = self.events.next() => received?,
            };
            match received {
                Received::Gap { missed } => {
                    let data = json!({ "missed": missed });
                    return Some(Sent::default().event("gap").data(data.to_string()));
                }
                Received::Event(event) if self.is_wanted(&event) => {
                    // Who sees the steps wants to see what came of them.
                    if matches!(event.event, Event::StepEnd(_)) {
                        self.page.feeds.touched(&event.device);
                    }
                    // Texts and numbers can always be written.
                    let data = serde_json::to_string(&*event).unwrap_or_default();
                    return Some(Sent::default().event("step").data(data));
                }
                Received::Event(_) => {}
            }
        }
    }

    fn is_wanted(&self, event: &RunEvent) -> bool {
        let is = |wanted: &Option<String>, has: &str| wanted.as_deref().is_none_or(|wanted| wanted == has);
        is(&self.wanted.device, &event.device) && is(&self.wanted.run, &event.run_id) && matters(&event.event)
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
        | Event::Look(_)
        | Event::Blind(_)
        | Event::Choice(_)
        | Event::Touch(_)
        | Event::Picture(_)
        | Event::Full(_) => false,
    }
}
