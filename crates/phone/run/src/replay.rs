//! Runs the execution of a recording step by step, and compares each screen
//! with the one that was recorded.

use crate::execution::run;
use crate::outcome;
use crate::run::RunOptions;
use clawperator_adb::Deadline;
use clawperator_contract::{Envelope, ErrorCode, Execution, Failure, Number, Status, StepResult, reconcile};
use clawperator_events::RunPlace;
use clawperator_phone::{Phone, PhoneLease, Views};
use clawperator_recording::{CompiledRecording, Likeness, ScreenComparison, compare};
use clawperator_ui::Tree;
use futures_core::future::BoxFuture;
use std::time::Duration;
use tokio::time::Instant;

/// How long a screen may take to become the one that was recorded, and how often it is looked at.
const ARRIVAL: Duration = Duration::from_secs(4);
const AGAIN: Duration = Duration::from_millis(250);
/// How long one look may take.
const LOOK: Duration = Duration::from_secs(15);

/// How the screens of a replay were.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Each step, and how the screen before it compares.
    pub steps: Vec<ReplayedStep>,
    /// How the last screen compares; none if a step failed or the recording does not show its end.
    pub end: Option<ScreenComparison>,
}

/// A step that was run.
#[derive(Clone, Debug)]
pub struct ReplayedStep {
    pub seq: Number,
    pub action_id: String,
    pub action_type: String,
    /// How the screen before it compares, where it was recorded.
    pub screen: Option<ScreenComparison>,
}

/// Runs a recording's execution on a phone, until `stop` comes. The envelope has
/// the steps that were run, as one execution's.
///
/// # Errors
/// As for [`run`].
pub fn replay<'f>(
    lease: &'f mut PhoneLease,
    compiled: &'f CompiledRecording,
    options: &'f RunOptions,
    stop: BoxFuture<'f, ()>,
) -> BoxFuture<'f, Result<(Envelope, Replay), Failure>> {
    Box::pin(async move {
        let execution = &compiled.checked.execution;
        let Some(log) = &options.event_log else {
            return steps(lease, compiled, options, stop).await;
        };
        let place = RunPlace { device: lease.phone().serial(), ..RunPlace::default() };
        log.begin(execution, &place);
        let replayed = steps(lease, compiled, options, stop).await;
        match &replayed {
            Ok((envelope, _)) => log.end(execution, &Ok(envelope.clone())),
            Err(failure) => log.end(execution, &Err(failure.clone())),
        }
        replayed
    })
}

async fn steps(
    lease: &mut PhoneLease,
    compiled: &CompiledRecording,
    options: &RunOptions,
    mut stop: BoxFuture<'_, ()>,
) -> Result<(Envelope, Replay), Failure> {
    let mut steps = Vec::new();
    let mut results: Vec<StepResult> = Vec::new();
    for (number, step) in compiled.steps.iter().enumerate() {
        let execution = &step.alone.execution;
        let screen = match &step.before {
            Some(expected) => tokio::select! {
                biased;
                screen = arrival(lease.phone(), expected) => screen,
                () = stop.as_mut() => return Err(stopped_before(execution, results)),
            },
            None => None,
        };
        let options = RunOptions {
            // Each has its own time.
            began: None,
            part_after: Some(number),
            ..options.clone()
        };
        let envelope = run(lease, execution, &options, Box::pin(stop.as_mut())).await?;
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
    let envelope = reconcile(outcome::envelope(&compiled.checked.execution, results));
    let end = match &compiled.end {
        Some(expected) if envelope.status == Status::Success => tokio::select! {
            biased;
            screen = arrival(lease.phone(), expected) => screen,
            // Every step was run; the last screen was not seen.
            () = stop.as_mut() => None,
        },
        Some(_) | None => None,
    };
    Ok((envelope, Replay { steps, end }))
}

/// The failure of a replay that was stopped before a step.
fn stopped_before(execution: &Execution, done: Vec<StepResult>) -> Failure {
    let action = execution.actions().first();
    let id = action.map_or("", |action| action.id().as_str());
    let message = format!("the replay was interrupted before step \"{id}\"");
    Failure::of(ErrorCode::ExecutionCancelled, message).with(|details| {
        details.action_id = Some(id.to_owned());
        details.step_results = done;
        details.dispatched = Some("no".to_owned());
    })
}

/// Looks until the screen is the expected one or the time is up, and compares it.
async fn arrival(phone: &Phone, expected: &Tree) -> Option<ScreenComparison> {
    let began = Instant::now();
    loop {
        let found = phone.capture(Views::All, Deadline::after(LOOK)).await;
        let compared = found.ok().map(|found| compare(expected, &found));
        let same = compared.as_ref().is_some_and(|compared| compared.likeness == Likeness::Same);
        if same || began.elapsed() >= ARRIVAL {
            return compared;
        }
        tokio::time::sleep(AGAIN).await;
    }
}
