//! Reads sessions. A last line without an end was cut by a crash and does not
//! count; a line that cannot be read is counted and left out.

use super::entry::{BeginEntry, EndEntry, SessionEntry, StepEntry};
use super::{FILE, FILES, MAX_SESSION, SessionError, SessionId};
use clawperator_private as private;
use serde::Serialize;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// A session as it was stored.
#[derive(Clone, Debug)]
pub struct StoredSession {
    pub begin: BeginEntry,
    pub steps: Vec<StepEntry>,
    /// How it ended; nothing if it runs, was killed, or was resumed since.
    pub end: Option<EndEntry>,
    pub unreadable: usize,
    folder: PathBuf,
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub session: String,
    pub task: String,
    pub model: String,
    pub device: String,
    pub started_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<String>,
    pub steps: usize,
    pub status: &'static str,
}

impl StoredSession {
    /// Reads a session.
    pub fn read(folder: &Path, id: &SessionId) -> Result<Self, SessionError> {
        let place = folder.join(id.as_str());
        let path = place.join(FILE);
        let mut bytes = Vec::new();
        let opened = private::open(&path);
        let read = opened.and_then(|file| file.take(MAX_SESSION).read_to_end(&mut bytes));
        read.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => SessionError::NotFound(id.to_string()),
            _ => SessionError::at(&path, error),
        })?;
        let whole = &bytes[..whole_lines(&bytes)];
        let mut lines = whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let first = lines.next().and_then(|line| serde_json::from_slice(line).ok());
        let Some(SessionEntry::Begin(begin)) = first else {
            return Err(SessionError::Empty(id.to_string()));
        };
        let mut session = Self { begin: *begin, steps: Vec::new(), end: None, unreadable: 0, folder: place };
        for line in lines {
            match serde_json::from_slice(line) {
                Ok(SessionEntry::Step(step)) => session.steps.push(*step),
                Ok(SessionEntry::End(end)) => session.end = Some(*end),
                Ok(SessionEntry::Resumed(_)) => session.end = None,
                Ok(SessionEntry::Begin(_)) | Err(_) => session.unreadable += 1,
            }
        }
        Ok(session)
    }

    /// The file of a picture or a tree. A name that is no hash names none.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        let (hash, ending) = name.split_once('.')?;
        let good = hash.len() == 64
            && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        good.then(|| self.folder.join(FILES).join(name))
    }

    /// It in a list.
    pub fn summary(&self) -> Summary {
        let begin = &self.begin;
        Summary {
            session: begin.session.clone(),
            task: begin.task.clone(),
            model: begin.model.clone(),
            device: begin.device.clone(),
            started_ms: begin.started_ms,
            replay_of: begin.replay_of.clone(),
            steps: self.steps.len(),
            status: self.end.as_ref().map_or("open", |end| end.status.word()),
        }
    }
}

/// The sessions of a folder, the newest first. What cannot be read is left out.
///
/// # Errors
/// The folder cannot be read; one that is missing has no sessions.
pub fn list(folder: &Path) -> Result<Vec<Summary>, SessionError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(SessionError::at(folder, error)),
    };
    let ids = entries.flatten().filter_map(|entry| SessionId::parse(entry.file_name().to_str()?));
    let mut found: Vec<Summary> =
        ids.filter_map(|id| StoredSession::read(folder, &id).ok()).map(|session| session.summary()).collect();
    found.sort_by(|one, other| {
        let key = |summary: &Summary| (summary.started_ms, summary.session.clone());
        key(other).cmp(&key(one))
    });
    Ok(found)
}

/// How many bytes belong to lines that have an end.
pub(super) fn whole_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}
