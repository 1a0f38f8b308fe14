//! The result envelope, the wrappers each surface puts around it, and the
//! rules that keep its status and its steps from contradicting each other.

use crate::data_key::DataKey;
use crate::error_code::ERROR_CODES;
use crate::execution::{CheckedExecution, Execution, ExecutionPlan};
use crate::problem::Warnings;
use crate::word::Lane;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;

/// The one structured answer to one execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Envelope")]
pub struct Envelope {
    /// The caller's id for the run.
    pub command_id: String,
    /// The caller's id for the task.
    pub task_id: String,
    /// The outcome as a whole.
    pub status: Status,
    /// The steps that ran, in order. The one that failed is the last.
    pub step_results: Vec<StepResult>,
    /// What went wrong, for people; null when nothing did.
    pub error: Option<String>,
    /// The kind of failure, when one is known. Usually a code of our table; an
    /// Operator app may send one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The outcome of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Every step succeeded.
    Success,
    /// A step failed, or the run did before it had steps.
    Failed,
}

/// The result of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepResult {
    /// The caller's id for the step.
    pub id: String,
    /// The canonical action type.
    pub action_type: String,
    /// Whether the step succeeded.
    pub success: bool,
    /// What the step found out. Keys and values are strings.
    pub data: BTreeMap<String, String>,
}

impl StepResult {
    /// Adds a value to the step's data, as a string.
    pub fn insert(&mut self, key: DataKey, value: impl Display) {
        self.data.insert(key.name().to_owned(), value.to_string());
    }

    /// A value of the step's data.
    pub fn get(&self, key: DataKey) -> Option<&str> {
        self.data.get(key.name()).map(String::as_str)
    }
}

/// Makes an envelope's status agree with its steps.
///
/// A failed step makes the whole a failure that says what the first failed step said. If there are
/// steps and all succeeded, the whole is a success and carries no error, code or hint. With no
/// steps the envelope keeps its status: a run can fail before its first step.
pub fn reconcile(mut envelope: Envelope) -> Envelope {
    let failed = envelope.step_results.iter().find(|step| !step.success);
    if let Some(step) = failed {
        let code = step.get(DataKey::Error).map(str::to_owned);
        let said = step.get(DataKey::Message).or(step.get(DataKey::Error));
        let fallback = || format!("step {} ({}) failed", step.id, step.action_type);
        let said = said.map_or_else(fallback, str::to_owned);
        // An error that ends with it also says what was done before.
        if !envelope.error.as_ref().is_some_and(|error| error.ends_with(&said)) {
            envelope.error = Some(said);
        }
        envelope.error_code = envelope.error_code.or(code);
        envelope.status = Status::Failed;
    } else if !envelope.step_results.is_empty() {
        envelope.status = Status::Success;
        envelope.error = None;
        envelope.error_code = None;
        envelope.hint = None;
    }
    envelope
}

/// What ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TerminalSource {
    /// A result envelope.
    ClawperatorResult,
}

/// What a command prints after it ran on a phone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceResult {
    /// The envelope.
    pub envelope: Envelope,
    /// The phone's serial.
    pub device_id: String,
    /// What ended the run.
    pub terminal_source: TerminalSource,
    /// Whether that is the regular way for a run to end.
    pub is_canonical_terminal: bool,
    /// Where the trees came from, unless that is the phone's own command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<Lane>,
    /// What was odd about the payload.
    #[serde(flatten)]
    pub warnings: Warnings,
}

impl DeviceResult {
    /// Wraps an envelope, reconciled and with the hint of its error code, and what was odd about its payload.
    pub fn new(envelope: Envelope, device_id: String, warnings: Warnings) -> Self {
        let mut envelope = reconcile(envelope);
        let code = envelope.error_code.as_deref();
        let row = ERROR_CODES.iter().find(|row| Some(row.name) == code);
        envelope.hint = envelope.hint.or(row.map(|row| row.hint.to_owned()));
        Self {
            envelope,
            device_id,
            terminal_source: TerminalSource::ClawperatorResult,
            is_canonical_terminal: true,
            lane: None,
            warnings,
        }
    }

    /// The same result of a run whose trees came from there. The phone's own command is not named.
    pub fn on(self, lane: Lane) -> Self {
        let lane = (lane != Lane::Dump).then_some(lane);
        Self { lane, ..self }
    }
}

/// What the HTTP server answers after a run on a phone.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServeResult {
    /// Always true; a failure has another shape.
    pub ok: bool,
    /// The phone's serial.
    pub device_id: String,
    /// What ended the run.
    pub terminal_source: TerminalSource,
    /// The envelope.
    pub envelope: Envelope,
    /// Where the trees came from, unless that is the phone's own command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<Lane>,
    /// What was odd about the payload.
    #[serde(flatten)]
    pub warnings: Warnings,
}

impl From<DeviceResult> for ServeResult {
    fn from(result: DeviceResult) -> Self {
        Self {
            ok: true,
            device_id: result.device_id,
            terminal_source: result.terminal_source,
            envelope: result.envelope,
            lane: result.lane,
            warnings: result.warnings,
        }
    }
}

/// What `--validate-only` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValidationReport<'c> {
    ok: bool,
    validated: bool,
    execution: &'c Execution,
    #[serde(flatten)]
    warnings: &'c Warnings,
}

impl<'c> From<&'c CheckedExecution> for ValidationReport<'c> {
    fn from(checked: &'c CheckedExecution) -> Self {
        Self { ok: true, validated: true, execution: &checked.execution, warnings: &checked.warnings }
    }
}

/// What `--dry-run` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DryRun<'c> {
    ok: bool,
    dry_run: bool,
    plan: ExecutionPlan<'c>,
    #[serde(flatten)]
    warnings: &'c Warnings,
}

impl<'c> From<&'c CheckedExecution> for DryRun<'c> {
    fn from(checked: &'c CheckedExecution) -> Self {
        Self { ok: true, dry_run: true, plan: checked.execution.plan(), warnings: &checked.warnings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Whether a step succeeded, and its data.
    type Step<'s> = (bool, &'s [(&'s str, &'s str)]);

    fn envelope(status: Status, steps: &[Step<'_>]) -> Envelope {
        let step = |(index, (success, data)): (usize, &Step<'_>)| StepResult {
            id: format!("s{index}"),
            action_type: "click".to_owned(),
            success: *success,
            data: data.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        };
        Envelope {
            command_id: "c".to_owned(),
            task_id: "t".to_owned(),
            status,
            step_results: steps.iter().enumerate().map(step).collect(),
            error: Some("old".to_owned()),
            error_code: None,
            hint: Some("old".to_owned()),
        }
    }

    #[test]
    fn a_failed_step_fails_the_whole() {
        let steps: &[Step<'_>] = &[
            (true, &[]),
            (false, &[("error", "NODE_NOT_FOUND"), ("message", "nothing fits")]),
            (false, &[("error", "GESTURE_FAILED")]),
        ];
        let fixed = reconcile(envelope(Status::Success, steps));
        assert_eq!(fixed.status, Status::Failed);
        assert_eq!(fixed.error.as_deref(), Some("nothing fits"));
        assert_eq!(fixed.error_code.as_deref(), Some("NODE_NOT_FOUND"));
        let silent = reconcile(envelope(Status::Success, &[(false, &[])]));
        assert_eq!(silent.error.as_deref(), Some("step s0 (click) failed"));
    }

    #[test]
    fn all_steps_fine_clears_every_complaint() {
        let fixed = reconcile(envelope(Status::Failed, &[(true, &[])]));
        assert_eq!(fixed.status, Status::Success);
        assert_eq!((fixed.error, fixed.error_code, fixed.hint), (None, None, None));
    }

    #[test]
    fn without_steps_a_failure_stays() {
        let mut failed = envelope(Status::Failed, &[]);
        failed.error_code = Some("SERVICE_UNAVAILABLE".to_owned());
        assert_eq!(reconcile(failed.clone()), failed);
    }

    #[test]
    fn wrappers_have_the_documented_shapes() {
        let mut done = envelope(Status::Success, &[(true, &[("text", "<hierarchy/>")])]);
        done.step_results[0].id = "snap-1".to_owned();
        done.step_results[0].action_type = "snapshot_ui".to_owned();
        let result = DeviceResult::new(done, "serial".to_owned(), Warnings::default());
        let inner = json!({
            "commandId": "c", "taskId": "t", "status": "success",
            "stepResults": [{"id": "snap-1", "actionType": "snapshot_ui", "success": true,
                "data": {"text": "<hierarchy/>"}}],
            "error": null
        });
        assert_eq!(
            serde_json::to_value(&result).unwrap(),
            json!({"envelope": inner, "deviceId": "serial",
                "terminalSource": "clawperator_result", "isCanonicalTerminal": true})
        );
        assert_eq!(
            serde_json::to_value(ServeResult::from(result)).unwrap(),
            json!({"ok": true, "deviceId": "serial",
                "terminalSource": "clawperator_result", "envelope": inner})
        );
    }

    #[test]
    fn only_a_lane_that_is_not_usual_is_named() {
        for lane in [Lane::Dump, Lane::Resident] {
            let done = envelope(Status::Success, &[]);
            let result = DeviceResult::new(done, "serial".to_owned(), Warnings::default()).on(lane);
            let named = (lane == Lane::Resident).then(|| json!(lane.word()));
            assert_eq!(serde_json::to_value(&result).unwrap().get("lane"), named.as_ref());
            let served = serde_json::to_value(ServeResult::from(result)).unwrap();
            assert_eq!(served.get("lane"), named.as_ref());
        }
    }

    #[test]
    fn step_data_is_strings_whatever_goes_in() {
        let mut step = envelope(Status::Success, &[(true, &[])]).step_results.remove(0);
        step.insert(DataKey::Submit, false);
        step.insert(DataKey::Text, 21.5);
        assert_eq!(serde_json::to_value(&step.data).unwrap(), json!({"submit": "false", "text": "21.5"}));
    }
}
