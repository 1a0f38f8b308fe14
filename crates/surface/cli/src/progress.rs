//! How far a run has come, in one line on a terminal.

use clawperator_contract::{Execution, text};
use clawperator_events::{Event, StreamItem, Subscriber};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// A run that is shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line is written again.
const PERIOD: Duration = Duration::from_millis(200);
pub(super) const CLEAR: &str = "\r\u{1b}[K";

/// Whether progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Shown,
    Hidden,
}

/// What is known of a run under way.
#[derive(Debug, Default)]
pub(super) struct RunProgress {
    pub(super) steps: usize,
    pub(super) limit: Duration,
    /// When the run began on the phone.
    pub(super) began: Option<Instant>,
    /// The step under way: its number, and what it is.
    pub(super) step: Option<(usize, String)>,
    pub(super) attempt: u32,
}

impl RunProgress {
    /// Takes what an event says of the step under way.
    pub(super) fn take(&mut self, event: &Event) {
        if let Event::StepBegin(step) = event {
            let about = format!("{} ({})", text::visible(&text::excerpt(&step.id)), step.action);
            (self.step, self.attempt) = (Some((step.step, about)), 1);
        }
        if let Event::Wait(wait) = event {
            self.attempt = wait.attempt.map_or(self.attempt, |failed| failed + 1);
        }
    }

    /// The step under way: which, which attempt, how much time is left.
    pub(super) fn now(&self) -> Option<String> {
        let (number, about) = self.step.as_ref()?;
        let attempt = match self.attempt {
            0 | 1 => String::new(),
            attempt => format!(", attempt {attempt}"),
        };
        let left = self.began.map(|began| self.limit.saturating_sub(began.elapsed()));
        let left = left.map_or(String::new(), |left| format!(", {} s left", left.as_secs()));
        Some(format!("step {} of {}: {about}{attempt}{left}", number + 1, self.steps))
    }
}

/// Shows a run until `outcome` has come.
pub(super) async fn show<T>(
    execution: &Execution,
    mut events: Subscriber,
    outcome: impl Future<Output = T>,
    note: &mut dyn FnMut(&str),
) -> T {
    let mut run = RunProgress {
        steps: execution.actions().len(),
        limit: execution.timeout(),
        ..RunProgress::default()
    };
    let mut ticks = interval_at(Instant::now() + PATIENCE, PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut shown, mut open) = (false, true);
    tokio::pin!(outcome);
    let outcome = loop {
        tokio::select! {
            biased;
            outcome = &mut outcome => break outcome,
            received = events.next(), if open => match received {
                Some(StreamItem::Event(event)) => {
                    if matches!(event.event, Event::Begin(_)) {
                        run.began = Some(Instant::now());
                    }
                    run.take(&event.event);
                }
                Some(StreamItem::Gap { .. }) => {}
                None => open = false,
            },
            _ = ticks.tick() => {
                let now = run.now();
                note(&format!("{CLEAR}{}", now.as_deref().unwrap_or("waiting for the phone")));
                shown = true;
            }
        }
    };
    if shown {
        note(CLEAR);
    }
    outcome
}
