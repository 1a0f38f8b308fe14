//! The recorder of a case: in memory, so that it is the same
//! every time.

use clawperator_contract::ErrorCode;
use clawperator_recording::RecordingId;
use clawperator_run::{Recordings, Refusal, StoredRecording};
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// How it is with the shelf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It keeps what it is given.
    Kept,
    /// What records does not end.
    Stuck,
    /// Nothing can be written there.
    Unwritable,
}

/// Keeps one recording at a time.
#[derive(Debug)]
pub(crate) struct Shelf {
    state: State,
    running: Mutex<Option<StoredRecording>>,
}

impl Shelf {
    pub(crate) fn new(state: State) -> Self {
        Self { state, running: Mutex::default() }
    }
}

impl Recordings for Shelf {
    fn start(&self, _: &str, session: Option<&str>) -> Result<StoredRecording, Refusal> {
        if self.state == State::Unwritable {
            let code = ErrorCode::RecordingStorageUnavailable;
            return Err(Refusal::new(code, "/recordings: no space left"));
        }
        let name = RecordingId::new(session.unwrap_or("record-1-00000001"));
        let failed = || Refusal::new(ErrorCode::RecordingStartFailed, "that is no name of a recording");
        let name = name.ok_or_else(failed)?;
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = &*running {
            let code = ErrorCode::RecordingAlreadyInProgress;
            return Err(Refusal::new(code, "a recording is running").about(running.clone()));
        }
        let kept = StoredRecording {
            session_id: name.to_string(),
            file: PathBuf::from(format!("/recordings/{}", name.file_name())),
            events: 0,
            warning: None,
        };
        *running = Some(kept.clone());
        Ok(kept)
    }

    fn stop(&self, _: &str, session: Option<&str>) -> Result<StoredRecording, Refusal> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(kept) = running.take() else {
            let code = ErrorCode::RecordingNotInProgress;
            return Err(Refusal::new(code, "no recording is running"));
        };
        if self.state == State::Stuck {
            let code = ErrorCode::RecordingStopFailed;
            return Err(Refusal::new(code, "it did not end in time").about(kept));
        }
        let other = session.is_some_and(|wanted| wanted != kept.session_id);
        Ok(StoredRecording {
            events: 3,
            warning: other.then(|| "another recording was asked for".to_owned()),
            ..kept
        })
    }
}
