//! What a run says: the results of its steps, the envelope, and why it was interrupted.

use super::{Blindness, EARLY, Interruption, NOT_GUARDED, OVERTIME, Run, StepAct};
use crate::outcome::{self, Data, StepFailure, StepOutcome};
use clawperator_contract::{
    Action, ActionKind, DataKey, Envelope, ErrorCode, Failure, OperatorDetails, StepResult, WarningCode,
    reconcile,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

impl Run<'_> {
    /// The result of a step; `before` is the action before it.
    pub(crate) fn result(
        &self,
        action: &Action,
        before: Option<&Action>,
        outcome: StepOutcome,
    ) -> StepResult {
        let mut result = StepResult {
            id: action.id().as_str().to_owned(),
            action_type: action.kind().spec().name.to_owned(),
            success: outcome.is_ok(),
            data: BTreeMap::new(),
        };
        self.insert_toasts(&mut result);
        let failure = match outcome {
            Ok(mut data) => {
                if self.is_unguarded {
                    let covered = data.get(&DataKey::TouchWarning).map(|it| format!("{it}; "));
                    let warning = format!("{}{NOT_GUARDED}", covered.unwrap_or_default());
                    data.insert(DataKey::TouchWarning, warning);
                }
                insert_all(&mut result, data);
                let after_click = before.is_some_and(is_click);
                // A view of what changed waits for a change by itself.
                let waits = result.get(DataKey::Change).is_some();
                if action.kind() == ActionKind::SnapshotUi && after_click && !waits {
                    result.insert(DataKey::Warn, EARLY);
                }
                return result;
            }
            Err(failure) => failure,
        };
        let told = self.safe_message(&failure);
        insert_all(&mut result, failure.data);
        result.insert(DataKey::Error, failure.code.row().name);
        result.insert(DataKey::Message, told);
        result.insert(DataKey::Dispatched, self.dispatched());
        result
    }

    /// The message of a failure, without what must not be seen.
    fn safe_message(&self, failure: &StepFailure) -> String {
        self.lease.hide(&failure.message) + &failure.asked
    }

    fn insert_toasts(&self, result: &mut StepResult) {
        let seen = self.phone().take_toasts();
        for (key, toasts) in [(DataKey::Toasts, &seen.own), (DataKey::EarlierToasts, &seen.earlier)] {
            let mut shown: Vec<_> = toasts.iter().map(|it| self.lease.hide(it)).collect();
            if seen.left_out > 0 && key == DataKey::Toasts {
                shown.insert(0, format!("({} before these)", seen.left_out));
            }
            if !shown.is_empty() {
                result.insert(key, json!(shown).to_string());
                let age = seen.none_at.map(|at| at.elapsed().as_millis().to_string());
                if let Some(age) = age {
                    result.insert(DataKey::ToastsAgeMs, age);
                }
            }
        }
    }

    /// The answer. Why a look failed that only shows what was done is beside it.
    pub(crate) fn envelope(&mut self) -> Envelope {
        let look = self.done.get(self.step);
        if self.only_shows() && look.is_none_or(|look| !look.success) {
            let late = || {
                let ms = self.execution.timeout().as_millis();
                format!("the execution's {ms} ms were over{}", self.blindness_text())
            };
            let why = look.and_then(|look| look.get(DataKey::Message));
            let why = why.map_or_else(late, str::to_owned);
            let message = format!("the screen could not be read: {why}");
            self.phone().warn(WarningCode::NotShown, message);
            self.done.truncate(self.step);
        }
        let mut envelope = reconcile(outcome::envelope(self.execution, self.done.clone()));
        if let (Some(why), [before @ .., failed]) = (&mut envelope.error, &self.done[..])
            && !before.is_empty()
        {
            let (number, all) = (self.done.len(), self.execution.actions().len());
            let (done, kind) = (steps_done(before), &failed.action_type);
            *why = format!("{done}step {number} of {all} ({kind}) failed: {why}");
        }
        envelope
    }

    /// The failure of an execution that ended in the middle of a step.
    pub(crate) fn interruption_failure(&self, why: Interruption) -> Failure {
        let (action, timeout) = (self.execution.actions().get(self.step), self.execution.timeout());
        let often = self.repetition.as_ref().map(|all| all.often(self.act));
        let named = action.map_or_else(String::new, |action| {
            let (id, kind) = (action.id().as_str(), action.kind().name());
            format!("step \"{id}\" ({kind}{})", often.unwrap_or_default())
        });
        let done = steps_done(&self.done);
        let (code, message, elapsed) = match why {
            Interruption::Timeout => {
                let (ms, last, blind) = (timeout.as_millis(), self.last_attempt(), self.blindness_text());
                let message = format!(
                    "{done}the execution did not finish within {ms} ms; {named} was running{last}{blind}"
                );
                (ErrorCode::ResultEnvelopeTimeout, message, timeout)
            }
            Interruption::Stop => (
                ErrorCode::ExecutionCancelled,
                format!("{done}the execution was interrupted in {named}"),
                (timeout + OVERTIME).saturating_sub(self.deadline.left()),
            ),
        };
        let ms = |time: Duration| u64::try_from(time.as_millis()).ok();
        // The same details as on the way through the Operator app, so that a caller can read both.
        let same = OperatorDetails {
            elapsed_ms: ms(elapsed),
            timeout_ms: ms(timeout),
            ..outcome::run_details(self.execution, action)
        };
        Failure::of(code, message).with(|details| {
            details.action_id.clone_from(&same.last_action_id);
            details.action_type.clone_from(&same.last_action_type);
            details.operator = Some(Box::new(same));
            details.step_results = self.done.clone();
            // Of the whole execution: "no" is for one that can be sent again.
            details.dispatched = Some(match self.act {
                StepAct::None if self.first_act.is_some() => "yes".to_owned(),
                _ => self.dispatched().to_owned(),
            });
        })
    }

    /// Why the last attempt of the step under way failed, if there was one that saw the screen.
    fn last_attempt(&self) -> String {
        match (&self.last_failure, &self.blind) {
            (Some(failure), None | Some(Blindness::Looking(_))) => {
                format!("; {}", self.safe_message(failure))
            }
            _ => String::new(),
        }
    }

    /// Why the step under way has not seen the screen, if it has not.
    pub(crate) fn blindness_text(&self) -> String {
        match &self.blind {
            None => String::new(),
            Some(Blindness::Looking(since)) => {
                let ms = since.elapsed().as_millis();
                format!("; reading the screen had taken {ms} ms and was not done")
            }
            Some(Blindness::Failed(why)) => format!("; the screen could not be read: {why}"),
        }
    }
}

/// Which steps were done before one that was not, for its message.
fn steps_done(done: &[StepResult]) -> String {
    match done {
        [] => String::new(),
        [one] => format!("{}: done; ", one.action_type),
        [_, _] => "steps 1 and 2: done; ".to_owned(),
        more => format!("steps 1 to {}: done; ", more.len()),
    }
}

/// Whether a snapshot right after an action may be too early.
pub(crate) fn is_click(action: &Action) -> bool {
    matches!(action.kind(), ActionKind::Click | ActionKind::ScrollAndClick)
}

fn insert_all(result: &mut StepResult, data: Data) {
    for (key, value) in data {
        result.insert(key, value);
    }
}
