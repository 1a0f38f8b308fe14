//! Starting and stopping recordings. A recording outlives the execution that starts it, so it
//! belongs to the program around the runtime; this is what the program must be able to do.

use clawperator_contract::ErrorCode;
use std::fmt;
use std::path::PathBuf;

/// Starts and stops recordings, one at a time on a phone.
pub trait Recordings: fmt::Debug + Send + Sync {
    /// Starts a recording of a phone, and waits until it captures everything.
    ///
    /// # Errors
    /// Why it did not start.
    fn start(&self, serial: &str, session: Option<&str>) -> Result<StoredRecording, Refusal>;

    /// Stops the recording of a phone, and waits until it has ended.
    ///
    /// # Errors
    /// Why none was stopped.
    fn stop(&self, serial: &str, session: Option<&str>) -> Result<StoredRecording, Refusal>;
}

/// A recording in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecording {
    pub session_id: String,
    pub file: PathBuf,
    pub events: u64,
    /// A problem that did not stop it.
    pub warning: Option<String>,
}

/// Why a recording was not started or not stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: ErrorCode,
    pub message: String,
    pub recording: Option<Box<StoredRecording>>,
}

impl Refusal {
    /// A refusal that concerns no recording.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), recording: None }
    }

    /// The same, with the recording it concerns.
    pub fn about(self, recording: StoredRecording) -> Self {
        Self { recording: Some(Box::new(recording)), ..self }
    }
}
