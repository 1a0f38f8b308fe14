//! Starts and stops recordings.

use crate::outcome::{Data, StepFailure, StepOutcome, data};
use crate::recordings::{Recordings, Refusal, StoredRecording};
use crate::run::{Run, StepAct};
use clawperator_contract::{DataKey, ErrorCode, Recording};
use std::sync::Arc;

/// What the recorder is asked to do with a phone's recording of this id.
type Question = fn(&dyn Recordings, &str, Option<&str>) -> Result<StoredRecording, Refusal>;

pub(super) async fn start(run: &mut Run<'_>, step: &Recording) -> StepOutcome {
    Ok(describe(ask(run, step, |recordings, serial, id| recordings.start(serial, id)).await?))
}

pub(super) async fn stop(run: &mut Run<'_>, step: &Recording) -> StepOutcome {
    let stopped = ask(run, step, |recordings, serial, id| recordings.stop(serial, id)).await?;
    let events = stopped.events.to_string();
    let mut details = describe(stopped);
    details.insert(DataKey::EventCount, events);
    Ok(details)
}

fn describe(recording: StoredRecording) -> Data {
    let mut details = data([
        (DataKey::SessionId, recording.session_id),
        (DataKey::FilePath, recording.file.display().to_string()),
    ]);
    details.extend(recording.warning.map(|warning| (DataKey::Warn, warning)));
    details
}

/// Calls the recorder on another thread: the call blocks while it waits for the recording process.
async fn ask(
    run: &mut Run<'_>,
    step: &Recording,
    question: Question,
) -> Result<StoredRecording, StepFailure> {
    let Some(recordings) = &run.options.recordings else {
        let message = "recordings are not available here";
        return Err(StepFailure::new(ErrorCode::RecordingUnavailable, message).for_good());
    };
    let (recordings, serial) = (Arc::clone(recordings), run.phone().serial().to_owned());
    let wanted = step.session_id.as_deref().map(str::to_owned);
    // The call goes on if this future is dropped, so it may still take effect.
    let act_before = std::mem::replace(&mut run.act, StepAct::Sent);
    let asked = tokio::task::spawn_blocking(move || question(&*recordings, &serial, wanted.as_deref())).await;
    run.act = act_before;
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
