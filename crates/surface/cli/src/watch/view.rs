//! What is shown of runs: a line for each thing that ended, and one that
//! changes for the step under way.

use crate::progress::{CLEAR, RunProgress};
use clawperator_contract::text;
use clawperator_events::{BeginEvent, Event, RunEvent, StepEnd};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// The most runs that are followed at a time.
const MAX_RUNS: usize = 256;

/// What is known of the runs.
#[derive(Debug)]
pub(super) struct WatchView {
    is_json: bool,
    /// The phone of each, and how far it has come.
    runs: BTreeMap<String, (String, RunProgress)>,
    /// How the last run ended.
    ended: Option<String>,
}

impl WatchView {
    pub(super) fn text() -> Self {
        Self { is_json: false, runs: BTreeMap::new(), ended: None }
    }

    /// A view for programs: the events as they are.
    pub(super) fn json() -> Self {
        Self { is_json: true, ..Self::text() }
    }

    /// Takes an event; gives the lines to print, each with its end.
    pub(super) fn take(&mut self, event: &RunEvent, data: &str) -> String {
        let lines = self.lines(event);
        if self.is_json { format!("{data}\n") } else { lines }
    }

    /// How the last run ended, if one has.
    pub(super) fn last_end(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// The line about the steps under way.
    pub(super) fn now(&self) -> String {
        let steps = self.runs.values();
        let steps = steps.filter_map(|(device, run)| Some(format!("{device}: {}", run.now()?)));
        let steps: Vec<_> = steps.collect();
        match (self.is_json, steps.split_first()) {
            (true, _) => String::new(),
            (false, None) => format!("{CLEAR}waiting for a run"),
            (false, Some((first, []))) => format!("{CLEAR}{first}"),
            (false, Some((first, others))) => format!("{CLEAR}{first} (and {} more)", others.len()),
        }
    }

    fn lines(&mut self, event: &RunEvent) -> String {
        let run = event.run_id.as_str();
        let said = match &event.event {
            Event::Begin(begin) => self.begin(event, begin),
            Event::StepBegin(_) | Event::Wait(_) => {
                if let Some((_, run)) = self.runs.get_mut(run) {
                    run.take(&event.event);
                }
                return String::new();
            }
            Event::StepEnd(end) => self.step_end(run, end),
            Event::End(end) => {
                self.runs.remove(run);
                self.ended = Some(end.status.clone());
                let why = end.code.as_ref().map_or(String::new(), |code| format!(" {code}"));
                format!("{}{why} after {} ms", end.status, end.took_us / 1000)
            }
            Event::SkillBegin(begin) => format!("skill {}", text::excerpt(&begin.skill_id)),
            Event::SkillEnd(end) => format!("skill {}", text::excerpt(&end.status)),
            Event::Checkpoint(_)
            | Event::Command(_)
            | Event::NotUnderstood(_)
            | Event::Look(_)
            | Event::Blind(_)
            | Event::Choice(_)
            | Event::Touch(_)
            | Event::Picture(_)
            | Event::Full(_) => return String::new(),
        };
        let line = format!("{}: {said}", text::excerpt(&event.device));
        format!("{}\n", text::visible(&line))
    }

    fn begin(&mut self, event: &RunEvent, begin: &BeginEvent) -> String {
        let actions = begin.execution["actions"].as_array().map_or(0, Vec::len);
        let limit_ms = begin.execution["timeoutMs"].as_f64().unwrap_or(0.0).max(0.0);
        if self.runs.len() >= MAX_RUNS {
            self.runs.clear();
        }
        let run = RunProgress {
            steps: actions,
            limit: Duration::from_millis(limit_ms as u64),
            began: Some(began(event.at_us)),
            ..RunProgress::default()
        };
        let device = text::excerpt(&event.device).to_string();
        self.runs.insert(event.run_id.clone(), (device, run));
        let id = text::excerpt(&begin.command_id);
        format!("{id} ({}), {actions} steps", event.run_id)
    }

    fn step_end(&mut self, run: &str, end: &StepEnd) -> String {
        let run = self.runs.get_mut(run).map(|(_, run)| run);
        // The beginning was not seen.
        let steps = run.as_ref().map_or(String::new(), |run| format!("/{}", run.steps));
        let step = run.and_then(|run| Some((run.step.take()?.1, run.attempt)));
        let (about, tries) = step.map_or((String::new(), 1), |(about, tries)| (format!(" {about}"), tries));
        let tries = if tries > 1 { format!(" in {tries} attempts") } else { String::new() };
        let took = end.took_us.map_or(String::new(), |us| format!(" {} ms", us / 1000));
        let why = ["message", "error"].iter().find_map(|key| end.data.get(*key));
        let how = match (end.success, why) {
            (true, _) => "done".to_owned(),
            (false, None) => "failed".to_owned(),
            (false, Some(why)) => format!("failed ({})", text::excerpt(why)),
        };
        format!("  {}{steps}{about} {how}{tries}{took}", end.step + 1)
    }
}

/// When a run began, from how long ago that is: longer than it takes to hear of
/// it if the run was under way before.
fn began(ago_us: u64) -> Instant {
    let now = Instant::now();
    now.checked_sub(Duration::from_micros(ago_us)).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn event(mut event: Value) -> RunEvent {
        let common = json!({"runId": "r1", "deviceId": "phone-1", "seq": 0, "atUs": 0});
        let (Value::Object(event_fields), Value::Object(common)) = (&mut event, common) else {
            panic!("not an object");
        };
        event_fields.extend(common);
        serde_json::from_value(event).unwrap()
    }

    fn begin() -> RunEvent {
        event(json!({"event": "begin", "format": 1, "version": "", "commandId": "c1", "taskId": "t",
            "device": "phone-1", "startedMs": 0, "payload": "", "execution": {"timeoutMs": 30_000, "actions": [{}, {}]}}))
    }

    #[tokio::test(start_paused = true)]
    async fn the_step_under_way_its_attempt_and_the_time_left_are_shown() {
        let mut view = WatchView::text();
        assert_eq!(view.now(), format!("{CLEAR}waiting for a run"));
        assert_eq!(view.take(&begin(), ""), "phone-1: c1 (r1), 2 steps\n");
        let step = event(json!({"event": "step_begin", "step": 0, "id": "a", "action": "click"}));
        assert_eq!(view.take(&step, ""), "");
        tokio::time::advance(Duration::from_secs(4)).await;
        assert_eq!(view.now(), format!("{CLEAR}phone-1: step 1 of 2: a (click), 26 s left"));
        view.take(&event(json!({"event": "wait", "ms": 500, "why": "x", "attempt": 2})), "");
        assert!(view.now().contains(", attempt 3, 26 s left"), "{}", view.now());
        let end = event(json!({"event": "step_end", "step": 0, "success": false, "tookUs": 5_000_000,
            "data": {"error": "NODE_NOT_FOUND"}}));
        assert_eq!(
            view.take(&end, ""),
            "phone-1:   1/2 a (click) failed (NODE_NOT_FOUND) in 3 attempts 5000 ms\n"
        );
        let over = event(json!({"event": "end", "status": "failed", "code": "NODE_NOT_FOUND", "steps": 1,
            "tookUs": 5_100_000, "envelope": "", "lines": 9}));
        assert_eq!(view.take(&over, ""), "phone-1: failed NODE_NOT_FOUND after 5100 ms\n");
        assert_eq!(view.last_end(), Some("failed"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_that_began_before_has_the_time_that_is_left() {
        let mut view = WatchView::text();
        let earlier = RunEvent { at_us: 9_000_000, ..begin() };
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(view.take(&earlier, ""), "phone-1: c1 (r1), 2 steps\n");
        let step = event(json!({"event": "step_begin", "step": 1, "id": "b", "action": "click"}));
        view.take(&step, "");
        assert!(view.now().ends_with("step 2 of 2: b (click), 21 s left"), "{}", view.now());
    }

    #[tokio::test(start_paused = true)]
    async fn for_programs_the_events_are_as_they_came() {
        let mut view = WatchView::json();
        assert_eq!(view.take(&begin(), "{\"raw\":1}"), "{\"raw\":1}\n");
        assert_eq!(view.now(), "");
    }
}
