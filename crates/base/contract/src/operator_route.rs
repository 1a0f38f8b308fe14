//! What a failure says of a run through the Operator app, beside what every failure says.

use crate::sparse::sparse;
use schemars::JsonSchema;
use serde::Serialize;

/// How far a payload got on its way to the Operator app and back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dispatch {
    /// The app's last lines in the phone's log since the payload was sent, the oldest first.
    pub last_correlated_events: Vec<String>,
    /// What became of the broadcast: `not sent`, `pending`, `sent`, or `failed: ` and why.
    pub broadcast_dispatch_status: String,
    /// The phone's serial.
    pub device_id: String,
    /// The package the payload was sent to.
    pub operator_package: String,
}

sparse! {
    /// Data about a run that was not done, and about the Operator app where it was to run through it.
    pub struct OperatorDetails {
        /// The caller's id for the run.
        pub command_id: Option<String>,
        /// The caller's id for the task.
        pub task_id: Option<String>,
        /// The last action that was sent and not answered.
        pub last_action_id: Option<String>,
        /// Its type.
        pub last_action_type: Option<String>,
        /// Whether it `began` or `ended`, where only that is known of a run.
        pub last_action_phase: Option<String>,
        /// What that does not mean.
        pub last_action_caveat: Option<String>,
        /// How long was waited, in milliseconds.
        pub elapsed_ms: Option<u64>,
        /// How long would have been waited at most, in milliseconds.
        pub timeout_ms: Option<u64>,
        /// The file with everything that was done.
        pub log_path: Option<String>,
        /// The check that was not passed.
        pub check_id: Option<String>,
        /// What was found, in a few words.
        pub summary: Option<String>,
        /// What was found.
        pub detail: Option<String>,
        /// The command that mends it.
        pub install_command: Option<String>,
    }
}
