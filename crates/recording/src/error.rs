//! Why a recording cannot be read.

use clawperator_contract::{ErrorCode, Failure, Number, text};
use std::fmt;

/// Why a recording cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadError {
    /// There is nothing in it.
    Empty,
    /// It is larger than can be read.
    TooLarge,
    /// Its first line is not a recording's.
    Header,
    /// Its format is another version.
    Version(Number),
    /// A line is not an event. Lines count from one, blank ones not at all.
    Line(usize, LineFault),
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq)]
pub enum LineFault {
    /// It is not JSON.
    Malformed,
    /// It is `null`.
    Null,
    /// It has no `ts`, `seq` or `type` of the right kind.
    NoEvent,
    /// An event of this type lacks something, or has it wrong.
    Fields(&'static str),
    /// There is no event of this type.
    UnknownType(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the recording is empty"),
            Self::TooLarge => f.write_str("the recording is too large to be read"),
            Self::Header => f.write_str("the first line is not the header of a recording"),
            Self::Version(version) => write!(f, "schema version {version} is not supported; 1 is"),
            Self::Line(line, LineFault::Malformed) => write!(f, "line {line} is not JSON"),
            Self::Line(line, LineFault::Null) => write!(f, "line {line} is null and not an event"),
            Self::Line(line, LineFault::NoEvent) => {
                write!(f, "line {line} is not an event: it needs ts, seq and type")
            }
            Self::Line(line, LineFault::Fields(kind)) => {
                write!(f, "line {line} lacks a field that {kind} needs, or has it wrong")
            }
            Self::Line(line, LineFault::UnknownType(kind)) => {
                let kind = text::excerpt(kind);
                write!(f, "line {line} is of the unknown type \"{kind}\"")
            }
        }
    }
}

impl std::error::Error for ReadError {}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let code = match &error {
            ReadError::Version(_) => ErrorCode::RecordingSchemaVersionUnsupported,
            // The contract's cases have a code of their own for it.
            ReadError::Line(_, LineFault::Null) => ErrorCode::Unknown,
            ReadError::Empty | ReadError::TooLarge | ReadError::Header | ReadError::Line(..) => {
                ErrorCode::RecordingParseFailed
            }
        };
        let failure = Self::of(code, error.to_string());
        match error {
            ReadError::Line(line, _) => failure.with(|details| details.line = Some(line)),
            _ => failure,
        }
    }
}
