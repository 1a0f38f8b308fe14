//! How a run ended, as a log may say it. Pure.

use crate::EndEvent;
use crate::event_log::hash;
use clawperator_contract::{Envelope, Failure, Status};

impl EndEvent {
    /// How a run ended whose envelope or failure is redacted; what its log counts is not in it yet.
    pub(crate) fn of(redacted: &Result<Envelope, Failure>) -> Self {
        match redacted {
            Ok(envelope) => Self {
                status: match envelope.status {
                    Status::Success => "success".to_owned(),
                    Status::Failed => "failed".to_owned(),
                },
                code: envelope.error_code.clone(),
                message: envelope.error.clone(),
                envelope: hash(envelope),
                ..Self::default()
            },
            Err(failure) => Self {
                status: "failed".to_owned(),
                code: Some(failure.code.row().name.to_owned()),
                message: Some(failure.message.clone()),
                envelope: hash(failure),
                ..Self::default()
            },
        }
    }
}
