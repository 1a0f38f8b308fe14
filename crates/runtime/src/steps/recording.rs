//! Recordings start and stop.

use super::{Outcome, data};
use crate::recordings::{Kept, Recordings, Refusal};
use crate::session::Session;
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, Recording};
use std::sync::Arc;

pub(super) async fn start(session: &Session<'_>, step: &Recording) -> Outcome {
    let wanted = step.session_id.as_deref().map(str::to_owned);
    let kept = ask(session, move |recordings, serial| {
        recordings.start(serial, wanted.as_deref())
    });
    let kept = kept.await?;
    let mut said = data([
        (DataKey::SessionId, kept.session_id),
        (DataKey::FilePath, kept.file.display().to_string()),
    ]);
    if let Some(warning) = kept.warning {
        said.insert(DataKey::Warn, warning);
    }
    Ok(said)
}

pub(super) async fn stop(session: &Session<'_>, step: &Recording) -> Outcome {
    let wanted = step.session_id.as_deref().map(str::to_owned);
    let kept = ask(session, move |recordings, serial| {
        recordings.stop(serial, wanted.as_deref())
    });
    let kept = kept.await?;
    let mut said = data([
        (DataKey::SessionId, kept.session_id),
        (DataKey::FilePath, kept.file.display().to_string()),
        (DataKey::EventCount, kept.events.to_string()),
    ]);
    if let Some(warning) = kept.warning {
        said.insert(DataKey::Warn, warning);
    }
    Ok(said)
}

/// Asks whoever keeps recordings. He waits for another process, so he is asked
/// where waiting disturbs nobody.
async fn ask(
    session: &Session<'_>,
    question: impl FnOnce(&dyn Recordings, &str) -> Result<Kept, Refusal> + Send + 'static,
) -> Result<Kept, StepFailure> {
    let Some(recordings) = &session.options.recordings else {
        let message = "nobody here keeps recordings";
        return Err(StepFailure::new(ErrorCode::RecordingUnavailable, message).for_good());
    };
    let (recordings, serial) = (Arc::clone(recordings), session.phone.serial().to_owned());
    let asked = tokio::task::spawn_blocking(move || question(&*recordings, &serial)).await;
    let refusal = match asked {
        Ok(Ok(kept)) => return Ok(kept),
        Ok(Err(refusal)) => refusal,
        Err(error) => Refusal::new(ErrorCode::RecordingStartFailed, error.to_string()),
    };
    let mut failure = StepFailure::new(refusal.code, refusal.message).for_good();
    if let Some(kept) = refusal.recording {
        failure = failure
            .with(DataKey::SessionId, kept.session_id)
            .with(DataKey::FilePath, kept.file.display().to_string());
    }
    Err(failure)
}
