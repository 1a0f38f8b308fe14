//! What a failure says of a run through the Operator app, beside what every
//! failure says.

use schemars::JsonSchema;
use serde::Serialize;

/// How far a payload got on its way to the Operator app and back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dispatch {
    /// The app's last lines in the phone's log since the payload was sent, the
    /// oldest first.
    pub last_correlated_events: Vec<String>,
    /// What became of the broadcast: `not sent`, `pending`, `sent`, or `failed: `
    /// and why.
    pub broadcast_dispatch_status: String,
    /// The phone's serial.
    pub device_id: String,
    /// The package the payload was sent to.
    pub operator_package: String,
}

/// Data about a run that was not done, and about the Operator app where it was to run through it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperatorDetails {
    /// The caller's id for the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_id: Option<String>,
    /// The caller's id for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The last action that was sent and not answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_action_id: Option<String>,
    /// Its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_action_type: Option<String>,
    /// Whether it `began` or `ended`, where only that is known of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_action_phase: Option<String>,
    /// What that does not mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_action_caveat: Option<String>,
    /// How long was waited, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// How long would have been waited at most, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The file with everything that was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_path: Option<String>,
    /// The check that was not passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_id: Option<String>,
    /// What was found, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The command that mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install_command: Option<String>,
}
