//! How a run ended, as a log may say it. Pure.

use crate::event_log::hash;
use crate::redacted;
use clawperator_contract::{DataKey, Envelope, Execution, Failure, Status, StepResult};
use clawperator_redact::Secrets;

/// How a run ended, without what was typed.
pub(crate) struct Outcome {
    pub(crate) status: &'static str,
    pub(crate) code: Option<String>,
    pub(crate) message: Option<String>,
    /// The SHA-256 of the redacted envelope or failure.
    pub(crate) hash: String,
}

impl Outcome {
    pub(crate) fn redacted(
        execution: &Execution,
        outcome: &Result<Envelope, Failure>,
        secrets: &Secrets,
    ) -> Self {
        let steps = |results: &[StepResult]| -> Vec<StepResult> {
            let actions = execution.actions().iter().zip(results);
            let redacted = actions.map(|(action, result)| StepResult {
                data: redacted::data(action.step(), result, secrets),
                ..result.clone()
            });
            redacted.collect()
        };
        let all = redacted::with_typed(execution, secrets);
        let message = |text: &str| all.hide(text);
        match outcome {
            Ok(envelope) => {
                let mut redacted = envelope.clone();
                redacted.step_results = steps(&envelope.step_results);
                redacted.error = envelope.error.as_ref().map(|error| {
                    // The error of a failed step is redacted as its step is.
                    let own = failed_message(&envelope.step_results).filter(|own| *own == error);
                    let own = own.and_then(|_| failed_message(&redacted.step_results));
                    own.cloned().unwrap_or_else(|| message(error))
                });
                Self {
                    status: match envelope.status {
                        Status::Success => "success",
                        Status::Failed => "failed",
                    },
                    code: envelope.error_code.clone(),
                    message: redacted.error.clone(),
                    hash: hash(&redacted),
                }
            }
            Err(failure) => {
                let mut redacted = failure.clone();
                redacted.message = message(&failure.message);
                if let Some(details) = &mut redacted.details {
                    details.step_results = steps(&details.step_results);
                }
                Self {
                    status: "failed",
                    code: Some(failure.code.row().name.to_owned()),
                    message: Some(redacted.message.clone()),
                    hash: hash(&redacted),
                }
            }
        }
    }
}

/// The message of the step that failed.
fn failed_message(steps: &[StepResult]) -> Option<&String> {
    let failed = steps.iter().find(|step| !step.success)?;
    failed.data.get(DataKey::Message.name())
}
