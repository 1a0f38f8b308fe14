//! A log that is no execution's: what somebody does to a phone act by act, until they let go of it.

use super::{EventLog, LogStart, RunPlace, cut, hash, micros};
use crate::{EndEvent, Event, StepBegin, StepEnd};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

/// An act that ended.
pub struct EndedAct<'a> {
    pub step: usize,
    pub success: bool,
    pub took: Duration,
    pub data: BTreeMap<String, String>,
    /// What it typed: events do not show it.
    pub typed: Option<&'a str>,
}

impl EventLog {
    /// Records that acts under this name begin on the phone with this serial.
    pub fn begin_acts(&self, name: &str, source: &str, device: &str) {
        let begun = LogStart {
            command_id: name,
            task_id: name,
            // There is no list of what is to be done.
            execution: json!({"commandId": name, "taskId": name, "source": source}),
            place: RunPlace { device, ..RunPlace::default() },
        };
        self.open(begun, |_| {});
    }

    /// Records that an act begins, and gives its number.
    pub fn act_begin(&self, action: &str) -> usize {
        self.lock(|state| {
            let step = state.steps;
            // An act that is cut off has no end, and counts.
            state.steps += 1;
            let begin =
                StepBegin { step, id: format!("a{}", step + 1), action: action.to_owned(), by_app: false };
            self.hand_on(state, &Event::StepBegin(begin));
            step
        })
    }

    /// Records what came of an act, without what it typed.
    pub fn act_end(&self, ended: EndedAct<'_>) {
        self.lock(|state| {
            let mut secrets = state.known.own.clone();
            secrets.add(ended.typed.unwrap_or_default());
            let shown = |(key, value): (String, String)| (key, cut(secrets.hide(&value)));
            let end = StepEnd {
                step: ended.step,
                success: ended.success,
                took_us: Some(micros(ended.took)),
                data: ended.data.into_iter().map(shown).collect(),
            };
            self.hand_on(state, &Event::StepEnd(end));
        });
    }

    /// Records that the acts are over, and how: the error is a code and a message.
    pub fn end_acts(&self, outcome: Result<(), (&str, &str)>) {
        self.lock(|state| {
            if state.end.is_some() {
                return;
            }
            let message = outcome.err().map(|(_, message)| state.known.own.hide(message));
            let end = EndEvent {
                status: if outcome.is_ok() { "success" } else { "failed" }.to_owned(),
                code: outcome.err().map(|(code, _)| code.to_owned()),
                envelope: hash(&message),
                message,
                ..EndEvent::default()
            };
            self.close(state, end);
        });
    }

    /// The name of the journal, once it has begun.
    pub fn journal(&self) -> Option<String> {
        let path = self.path()?;
        Some(path.file_name()?.to_string_lossy().into_owned())
    }
}
