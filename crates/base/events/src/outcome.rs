//! How a run ended, as a log may say it. Pure.

use crate::event_log::hash;
use clawperator_contract::{Envelope, Failure, Status};

/// How a run ended.
pub(crate) struct RunOutcome {
    pub(crate) status: &'static str,
    pub(crate) code: Option<String>,
    pub(crate) message: Option<String>,
    /// The SHA-256 of the envelope or failure.
    pub(crate) hash: String,
}

impl RunOutcome {
    /// How a run ended whose envelope or failure is redacted.
    pub(crate) fn of(redacted: &Result<Envelope, Failure>) -> Self {
        match redacted {
            Ok(envelope) => Self {
                status: match envelope.status {
                    Status::Success => "success",
                    Status::Failed => "failed",
                },
                code: envelope.error_code.clone(),
                message: envelope.error.clone(),
                hash: hash(envelope),
            },
            Err(failure) => Self {
                status: "failed",
                code: Some(failure.code.row().name.to_owned()),
                message: Some(failure.message.clone()),
                hash: hash(failure),
            },
        }
    }
}
