//! Why a step failed.

use crate::phone::PhoneError;
use crate::session::Data;
use clawperator_contract::{DataKey, ErrorCode};

/// Why a step failed.
#[derive(Debug)]
pub(crate) struct StepFailure {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
    pub(crate) data: Data,
    /// Whether trying again can help.
    pub(crate) again: bool,
}

impl StepFailure {
    /// A failure that another look at the screen may mend.
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: Data::new(),
            again: true,
        }
    }

    /// The same, and trying again cannot help.
    pub(crate) fn for_good(self) -> Self {
        Self { again: false, ..self }
    }

    /// The same failure once more, to be told later.
    pub(crate) fn copy(&self) -> Self {
        Self {
            code: self.code,
            message: self.message.clone(),
            data: self.data.clone(),
            again: self.again,
        }
    }

    /// The same with a value in its data.
    pub(crate) fn with(mut self, key: DataKey, value: impl Into<String>) -> Self {
        self.data.insert(key, value.into());
        self
    }

    /// What the phone's trouble is to a step whose failure has that code.
    pub(crate) fn of(code: ErrorCode, error: &PhoneError) -> Self {
        let again = matches!(error, PhoneError::Capture(_));
        let code = match error {
            PhoneError::Lost { .. } => ErrorCode::DeviceShellUnavailable,
            // Whether it is there, nobody has seen.
            PhoneError::Capture(_) => ErrorCode::SnapshotExtractionFailed,
            _ => code,
        };
        Self {
            again,
            ..Self::new(code, error.to_string())
        }
    }
}
