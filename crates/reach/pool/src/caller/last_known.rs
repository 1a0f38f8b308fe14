//! What is known of a job that a host has begun and whose end is not known.

use crate::account::Account;
use crate::broker::Bucket;
use crate::name::JobId;
use crate::record::{JobEvent, JobEventKind};
use clawperator_contract::{ErrorCode, Failure, OperatorDetails};

/// The failure of such a job: what it did last is known, not whether it was done.
pub(crate) async fn last_known(account: &Account, id: &JobId, said: String) -> Failure {
    let last = account.get::<JobEvent>(Bucket::Events, id.as_str()).await.unwrap_or_default();
    let command_id = last.as_ref().map(|event| event.value.command_id.clone());
    let (step, phase) = match last.map(|event| event.value.what) {
        Some(JobEventKind::StepBegan { id, action, .. }) => (Some((id, action)), "began"),
        Some(JobEventKind::StepEnded { id, action, .. }) => (Some((id, action)), "ended"),
        _ => (None, ""),
    };
    let message = match &step {
        Some((id, action)) => {
            format!("{said}; the last step that is known is \"{id}\" ({action}), which {phase}")
        }
        None => format!("{said}; no step is known to have begun"),
    };
    let known = OperatorDetails {
        command_id,
        last_action_phase: step.as_ref().map(|_| phase.to_owned()),
        last_action_id: step.as_ref().map(|(id, _)| id.clone()),
        last_action_type: step.map(|(_, action)| action),
        ..OperatorDetails::default()
    };
    Failure::of(ErrorCode::ExecutionOutcomeUnknown, message).with(|details| {
        details.dispatched = Some("unknown".to_owned());
        details.operator = Some(Box::new(known));
    })
}
