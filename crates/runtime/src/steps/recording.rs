//! Starts and stops recordings.

use super::{Outcome, data};
use crate::recordings::{Kept, Recordings, Refusal};
use crate::run::{Data, Run};
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, Recording};
use std::sync::Arc;

pub(super) async fn start(run: &mut Run<'_>, step: &Recording) -> Outcome {
    let wanted = step.session_id.as_deref().map(str::to_owned);
    let started = ask(run, move |recordings, serial| {
        recordings.start(serial, wanted.as_deref())
    });
    Ok(describe(started.await?))
}

pub(super) async fn stop(run: &mut Run<'_>, step: &Recording) -> Outcome {
    let wanted = step.session_id.as_deref().map(str::to_owned);
    let stopped = ask(run, move |recordings, serial| {
        recordings.stop(serial, wanted.as_deref())
    });
    let stopped = stopped.await?;
    let events = stopped.events.to_string();
    let mut said = describe(stopped);
    said.insert(DataKey::EventCount, events);
    Ok(said)
}

fn describe(recording: Kept) -> Data {
    let mut said = data([
        (DataKey::SessionId, recording.session_id),
        (DataKey::FilePath, recording.file.display().to_string()),
    ]);
    if let Some(warning) = recording.warning {
        said.insert(DataKey::Warn, warning);
    }
    said
}

/// Asks the keeper of recordings. It blocks while it waits for another process,
/// so it gets a thread of its own.
async fn ask(
    run: &mut Run<'_>,
    question: impl FnOnce(&dyn Recordings, &str) -> Result<Kept, Refusal> + Send + 'static,
) -> Result<Kept, StepFailure> {
    let Some(recordings) = &run.options.recordings else {
        let message = "recordings are not available here";
        return Err(StepFailure::new(ErrorCode::RecordingUnavailable, message).for_good());
    };
    let (recordings, serial) = (Arc::clone(recordings), run.phone().serial().to_owned());
    let asked = tokio::task::spawn_blocking(move || question(&*recordings, &serial)).await;
    let refusal = match asked {
        Ok(Ok(recording)) => return Ok(recording),
        Ok(Err(refusal)) => refusal,
        Err(error) => Refusal::new(ErrorCode::RecordingStartFailed, error.to_string()),
    };
    let mut failure = StepFailure::new(refusal.code, refusal.message).for_good();
    if let Some(recording) = refusal.recording {
        failure = failure
            .with(DataKey::SessionId, recording.session_id)
            .with(DataKey::FilePath, recording.file.display().to_string());
    }
    Err(failure)
}
