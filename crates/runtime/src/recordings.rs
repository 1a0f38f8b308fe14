//! Starting and stopping recordings. A recording outlives the execution that
//! starts it, so it belongs to the program around the runtime; this is what the
//! program must be able to do.

use clawperator_contract::ErrorCode;
use std::fmt;
use std::path::PathBuf;

/// Keeps recordings, one at a time on a phone.
pub trait Recordings: fmt::Debug + Send + Sync {
    /// Starts a recording of a phone, and waits until nothing is missed.
    ///
    /// # Errors
    /// Why there is none.
    fn start(&self, serial: &str, session: Option<&str>) -> Result<Kept, Refusal>;

    /// Ends the recording of a phone, and waits until it has ended.
    ///
    /// # Errors
    /// Why none was ended.
    fn stop(&self, serial: &str, session: Option<&str>) -> Result<Kept, Refusal>;
}

/// A recording that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its name.
    pub session_id: String,
    /// Its file.
    pub file: PathBuf,
    /// How many events it has.
    pub events: u64,
    /// What is odd about it.
    pub warning: Option<String>,
}

/// Why a recording is not started or not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of it.
    pub code: ErrorCode,
    /// What happened, for people.
    pub message: String,
    /// The recording that it is about, if there is one.
    pub recording: Option<Box<Kept>>,
}

impl Refusal {
    /// A refusal that is about no recording.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            recording: None,
        }
    }

    /// The same about a recording.
    #[must_use]
    pub fn about(self, recording: Kept) -> Self {
        Self {
            recording: Some(Box::new(recording)),
            ..self
        }
    }
}
