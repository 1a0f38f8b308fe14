//! Runs the execution of a recording step by step, and compares each screen
//! with the one that was recorded.

use crate::phone::{Phone, Views};
use crate::session::{self, Options};
use clawperator_adb::Deadline;
use clawperator_contract::{Envelope, Failure, Number, Status, StepResult, reconcile};
use clawperator_recording::{Comparison, Compiled, Likeness, compare};
use clawperator_ui::Tree;
use std::time::Duration;
use tokio::time::Instant;

/// How long a screen may take to become the one that was recorded, and how
/// often it is looked at.
const ARRIVAL: Duration = Duration::from_secs(4);
const AGAIN: Duration = Duration::from_millis(250);
/// How long one look may take.
const LOOK: Duration = Duration::from_secs(15);

/// What came of a replay.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The steps that were run, as one execution's.
    pub envelope: Envelope,
    /// Each step, and how the screen before it compares.
    pub steps: Vec<ReplayedStep>,
    /// How the last screen compares; none if a step failed or the recording
    /// does not show its end.
    pub end: Option<Comparison>,
}

/// A step that was run.
#[derive(Clone, Debug)]
pub struct ReplayedStep {
    /// The event it comes from.
    pub seq: Number,
    /// The action's id.
    pub action_id: String,
    /// The action's type.
    pub action_type: String,
    /// How the screen before it compares, where it was recorded.
    pub screen: Option<Comparison>,
}

/// Runs a recording's execution on a phone.
///
/// # Errors
/// As for [`session::run`].
pub async fn replay(phone: &Phone, compiled: &Compiled, options: &Options) -> Result<Replay, Failure> {
    let mut steps = Vec::new();
    let mut results: Vec<StepResult> = Vec::new();
    for step in &compiled.steps {
        let screen = match &step.before {
            Some(expected) => arrival(phone, expected).await,
            None => None,
        };
        let execution = &step.alone.execution;
        // On the heap: an execution's future is large.
        let envelope = Box::pin(session::run(phone, execution, options)).await?;
        let failed = envelope.status == Status::Failed;
        steps.extend(execution.actions().first().map(|action| ReplayedStep {
            seq: step.seq,
            action_id: action.id().as_str().to_owned(),
            action_type: action.kind().name().to_owned(),
            screen,
        }));
        results.extend(envelope.step_results);
        if failed {
            break;
        }
    }
    let execution = &compiled.checked.execution;
    let envelope = reconcile(Envelope {
        command_id: execution.command_id().as_str().to_owned(),
        task_id: execution.task_id().as_str().to_owned(),
        status: Status::Success,
        step_results: results,
        error: None,
        error_code: None,
        hint: None,
    });
    let end = match &compiled.end {
        Some(expected) if envelope.status == Status::Success => arrival(phone, expected).await,
        Some(_) | None => None,
    };
    Ok(Replay { envelope, steps, end })
}

/// Looks until the screen is the expected one, or for as long as it may take;
/// how it compares then.
async fn arrival(phone: &Phone, expected: &Tree) -> Option<Comparison> {
    let began = Instant::now();
    loop {
        let found = phone.capture(Views::All, Deadline::after(LOOK)).await;
        let compared = found.ok().map(|found| compare(expected, &found));
        let same = compared
            .as_ref()
            .is_some_and(|compared| compared.likeness == Likeness::Same);
        if same || began.elapsed() >= ARRIVAL {
            return compared;
        }
        tokio::time::sleep(AGAIN).await;
    }
}
