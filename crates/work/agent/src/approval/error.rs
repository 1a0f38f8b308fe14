//! Why the desk cannot do something.

use super::answer::AnswerFlaw;
use super::limits;
use super::request::State;
use clawperator_contract::{ErrorCode, Failure};
use std::io;
use std::path::PathBuf;

/// Why the desk cannot do something.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    #[error("there is no approval request \"{0}\"")]
    NotFound(String),
    /// The token is not that of the request. That there is no such request looks the same.
    #[error("the token is not the one of this request")]
    WrongToken,
    #[error("the request is {} already", .0.word())]
    Closed(State),
    #[error("the answer does not fit: {}", joined(.0))]
    Unfit(Vec<AnswerFlaw>),
    #[error("another process waits for the request \"{0}\"")]
    Elsewhere(String),
    #[error("another session made the request \"{0}\"")]
    NotYours(String),
    #[error("{} requests wait for a person already", limits::PENDING)]
    TooMany,
    #[error("{0}")]
    Invalid(&'static str),
    #[error("the system gives no random numbers")]
    NoRandomness,
    #[error("cannot use the approvals at {}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("cannot use the approvals at {}: {error}", path.display())]
    Database { path: PathBuf, error: rusqlite::Error },
    #[error("the approvals at {} have version {found}, which a newer program wrote", path.display())]
    Version { path: PathBuf, found: i64 },
}

fn joined(flaws: &[AnswerFlaw]) -> String {
    let flaws: Vec<String> = flaws.iter().map(ToString::to_string).collect();
    flaws.join("; ")
}

impl DeskError {
    /// The code of this error.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) => ErrorCode::ApprovalNotFound,
            Self::WrongToken => ErrorCode::ApprovalTokenRefused,
            Self::Closed(_) | Self::Elsewhere(_) => ErrorCode::ApprovalClosed,
            Self::NotYours(_) => ErrorCode::ApprovalNotYours,
            Self::Unfit(_) | Self::Invalid(_) => ErrorCode::ApprovalInvalid,
            Self::TooMany => ErrorCode::ServerBusy,
            Self::NoRandomness => ErrorCode::InternalError,
            Self::Io { .. } | Self::Database { .. } | Self::Version { .. } => ErrorCode::StateFolderUnusable,
        }
    }
}

impl From<DeskError> for Failure {
    fn from(error: DeskError) -> Self {
        Self::of(error.code(), error.to_string())
    }
}
