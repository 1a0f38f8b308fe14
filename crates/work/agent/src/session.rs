//! Sessions: what a model was shown, what it thought and what it did, one line
//! per step in a file that only grows.
//!
//! A session is a folder: `session.jsonl`, and files for pictures and trees that
//! are named after what is in them. It knows no phone and no model.

mod entry;
mod id;
mod page;
mod replay;
mod stored;
mod writer;

pub use entry::{
    BeginEntry, EndEntry, EntryResult, FORMAT, ResumeEntry, ScreenEntry, SessionEntry, Status, StepEntry,
    StepOutput,
};
pub use id::SessionId;
pub use page::{page, touch};
pub use replay::{phone_place, script, tree_of};
pub use stored::{StoredSession, Summary, list};
pub use writer::Session;

use clawperator_contract::{ErrorCode, Failure};
use std::io;
use std::path::{Path, PathBuf};

const MAX_LINE: usize = 4 * 1024 * 1024;
const MAX_SESSION: u64 = 256 * 1024 * 1024;
const FILE: &str = "session.jsonl";
/// The folder with pictures and trees.
const FILES: &str = "files";

/// Why a session cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("there is no session {0:?}")]
    NotFound(String),
    #[error("{path}: {error}")]
    File { path: PathBuf, error: io::Error },
    #[error("the session {0} is in use by another process")]
    InUse(String),
    #[error("the session {0} has no beginning: line 1 cannot be read")]
    Empty(String),
    #[error("an entry has {0} bytes, and the most is {MAX_LINE}")]
    TooLarge(usize),
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        let code = match error {
            SessionError::NotFound(_) => ErrorCode::AgentSessionNotFound,
            SessionError::File { .. }
            | SessionError::InUse(_)
            | SessionError::Empty(_)
            | SessionError::TooLarge(_) => ErrorCode::AgentSessionUnusable,
        };
        Self::new(code, error.to_string())
    }
}

/// Where sessions are, in the state folder.
pub fn folder(state: &Path) -> PathBuf {
    state.join("agent").join("sessions")
}
