//! Why a recording cannot be read.

use clawperator_contract::{ErrorCode, Failure, Number, text};

/// Why a recording cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecordingReadError {
    #[error("the recording is empty")]
    Empty,
    /// It is larger than can be read.
    #[error("the recording is too large")]
    TooLarge,
    /// Its first line is not a recording's.
    #[error("the first line is not the header of a recording")]
    Header,
    /// Its format is another version.
    #[error("schema version {0} is not supported; use version 1")]
    Version(Number),
    /// A line is not an event. Lines count from one, without blank ones.
    #[error("line {0} {1}")]
    Line(usize, LineFault),
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LineFault {
    #[error("is not JSON")]
    Malformed,
    /// It is `null`.
    #[error("is null, not an event")]
    Null,
    /// It has no `ts`, `seq` or `type` of the right kind.
    #[error("is not an event: it needs ts, seq and type")]
    NoEvent,
    /// A field is missing or wrong in an event of this type.
    #[error("has a missing or wrong field for {0}")]
    Fields(&'static str),
    /// There is no event of this type.
    #[error("has the unknown type \"{}\"", text::excerpt(.0))]
    UnknownType(String),
}

impl From<RecordingReadError> for Failure {
    fn from(error: RecordingReadError) -> Self {
        let code = match &error {
            RecordingReadError::Version(_) => ErrorCode::RecordingSchemaVersionUnsupported,
            // The contract's cases have a code of their own for it.
            RecordingReadError::Line(_, LineFault::Null) => ErrorCode::Unknown,
            RecordingReadError::Empty
            | RecordingReadError::TooLarge
            | RecordingReadError::Header
            | RecordingReadError::Line(..) => ErrorCode::RecordingParseFailed,
        };
        let failure = Self::of(code, error.to_string());
        match error {
            RecordingReadError::Line(line, _) => failure.with(|details| details.line = Some(line)),
            _ => failure,
        }
    }
}
