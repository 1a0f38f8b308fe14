//! How far a run has come, in one line on a terminal.

use clawperator_contract::Execution;
use clawperator_journal::{Event, Received, Subscriber};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// A run that is shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line is written again.
const PERIOD: Duration = Duration::from_millis(200);
/// Removes the line.
pub(super) const CLEAR: &str = "\r\u{1b}[K";

/// Whether progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Shown,
    Hidden,
}

/// What is known of a run.
struct Line {
    steps: usize,
    limit: Duration,
    /// When the run began on the phone.
    began: Option<Instant>,
    now: String,
    attempt: u32,
}

impl Line {
    fn take(&mut self, event: &Event) {
        match event {
            Event::Begin(_) => self.began = Some(Instant::now()),
            Event::StepBegin(step) => {
                self.now = format!(
                    "step {} of {}: {} ({})",
                    step.step + 1,
                    self.steps,
                    step.id,
                    step.action
                );
                self.attempt = 1;
            }
            Event::Wait(wait) => self.attempt = wait.attempt.map_or(self.attempt, |failed| failed + 1),
            Event::Command(_)
            | Event::Look(_)
            | Event::Blind(_)
            | Event::Choice(_)
            | Event::Touch(_)
            | Event::Picture(_)
            | Event::StepEnd(_)
            | Event::Full(_)
            | Event::End(_)
            | Event::SkillBegin(_)
            | Event::Checkpoint(_)
            | Event::SkillEnd(_) => {}
        }
    }

    fn text(&self) -> String {
        let attempt = match self.attempt {
            0 | 1 => String::new(),
            attempt => format!(", attempt {attempt}"),
        };
        let left = self.began.map(|began| self.limit.saturating_sub(began.elapsed()));
        let left = left.map_or(String::new(), |left| format!(", {} s left", left.as_secs()));
        format!("{CLEAR}{}{attempt}{left}", self.now)
    }
}

/// Shows a run until `outcome` has come.
pub(super) async fn show<T>(
    execution: &Execution,
    mut events: Subscriber,
    outcome: impl Future<Output = T>,
    note: &mut dyn FnMut(&str),
) -> T {
    let mut line = Line {
        steps: execution.actions().len(),
        limit: execution.timeout(),
        began: None,
        now: "waiting for the phone".to_owned(),
        attempt: 0,
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
                Some(Received::Event(event)) => line.take(&event.event),
                Some(Received::Gap { .. }) => {}
                None => open = false,
            },
            _ = ticks.tick() => {
                note(&line.text());
                shown = true;
            }
        }
    };
    if shown {
        note(CLEAR);
    }
    outcome
}
