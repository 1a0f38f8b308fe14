//! Writes a session. An entry costs the same however long the session is: the
//! file is open for appending and is never read.

use super::entry::{BeginEntry, SessionEntry};
use super::stored::whole_lines;
use super::{FILE, FILES, MAX_LINE, SessionError, SessionId};
use clawperator_private::{self as private, Concurrency};
use clawperator_redact::Secrets;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// How many names are tried for a new session.
const TRIES: u64 = 16;

/// A session that is being written. Dropping it lets others write it.
#[derive(Debug)]
pub struct Session {
    id: SessionId,
    folder: PathBuf,
    file: File,
    secrets: Secrets,
}

impl Session {
    /// Begins a session in a folder of sessions. Its name is new, whatever else
    /// begins at the same time.
    pub fn begin(folder: &Path, random: u64, begin: BeginEntry) -> Result<Self, SessionError> {
        private::folder(folder).map_err(|error| SessionError::at(folder, error))?;
        let (id, place) = new_folder(folder, begin.started_ms, random)?;
        let files = place.join(FILES);
        private::new_folder(&files).map_err(|error| SessionError::at(&files, error))?;
        let file = open(&place, &id)?;
        let mut session = Self { file, folder: place, secrets: Secrets::default(), id };
        let begin = BeginEntry { session: session.id.to_string(), format: super::FORMAT, ..begin };
        session.append(&SessionEntry::Begin(Box::new(begin)))?;
        Ok(session)
    }

    /// Opens a session to go on with it. What was written of a last line that
    /// has no end is removed.
    pub fn open(folder: &Path, id: &SessionId) -> Result<Self, SessionError> {
        let place = folder.join(id.as_str());
        let path = place.join(FILE);
        if !path.is_file() {
            return Err(SessionError::NotFound(id.to_string()));
        }
        let file = open(&place, id)?;
        let bytes = fs::read(&path).map_err(|error| SessionError::at(&path, error))?;
        let whole = whole_lines(&bytes);
        if whole < bytes.len() {
            // A length fits into 64 bits.
            file.set_len(whole as u64).map_err(|error| SessionError::at(&path, error))?;
        }
        Ok(Self { id: id.clone(), folder: place, file, secrets: Secrets::default() })
    }

    /// Its name.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Adds an entry, without the secrets that are known.
    pub fn append(&mut self, entry: &SessionEntry) -> Result<(), SessionError> {
        let mut value = serde_json::to_value(entry).unwrap_or(Value::Null);
        self.secrets.hide_in_json(&mut value);
        let mut line = value.to_string();
        if line.len() > MAX_LINE {
            return Err(SessionError::TooLarge(line.len()));
        }
        line.push('\n');
        // In one piece: a line is there or not, or it is the torn last one.
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| SessionError::at(&self.folder.join(FILE), error))
    }

    /// Remembers a secret: nothing that is written from now on has it. If it was written before it
    /// was known to be one, such as in the task, it is removed there, too.
    pub fn hide(&mut self, secret: &str) -> Result<(), SessionError> {
        self.secrets.add(secret);
        let path = self.folder.join(FILE);
        let failed = |error| SessionError::at(&path, error);
        let text = fs::read_to_string(&path).map_err(failed)?;
        if !self.secrets.are_in(&text) {
            return Ok(());
        }
        let mut clean = String::with_capacity(text.len());
        for line in text.lines() {
            match serde_json::from_str::<Value>(line) {
                Ok(mut value) => {
                    self.secrets.hide_in_json(&mut value);
                    clean.push_str(&value.to_string());
                }
                Err(_) => clean.push_str(&self.secrets.hide(line)),
            }
            clean.push('\n');
        }
        private::replace(&path, clean.as_bytes(), Concurrency::None).map_err(failed)?;
        self.file = open(&self.folder, &self.id)?;
        Ok(())
    }

    /// Keeps a file under the hash of its bytes; the same bytes are kept once. Returns its name.
    pub fn keep(&self, bytes: &[u8], ending: &str) -> Result<String, SessionError> {
        let hash = Sha256::digest(bytes);
        let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let name = format!("{hex}.{ending}");
        let path = self.folder.join(FILES).join(&name);
        if !path.exists() {
            let kept = private::replace(&path, bytes, Concurrency::Processes);
            kept.map_err(|error| SessionError::at(&path, error))?;
        }
        Ok(name)
    }

    /// A text without the secrets that are known.
    pub fn without_secrets(&self, text: &str) -> String {
        self.secrets.hide(text)
    }

    /// Keeps a text without the secrets that are known, as [`Session::keep`].
    pub fn keep_text(&self, text: &str, ending: &str) -> Result<String, SessionError> {
        self.keep(self.without_secrets(text).as_bytes(), ending)
    }
}

impl SessionError {
    pub(super) fn at(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }
}

fn new_folder(folder: &Path, now_ms: u64, random: u64) -> Result<(SessionId, PathBuf), SessionError> {
    let mut last = None;
    for more in 0..TRIES {
        let id = SessionId::generate(now_ms, random.wrapping_add(more));
        let place = folder.join(id.as_str());
        match private::new_folder(&place) {
            Ok(()) => return Ok((id, place)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = Some((place, error)),
            Err(error) => return Err(SessionError::at(&place, error)),
        }
    }
    let (place, error) = last.unwrap_or_else(|| (folder.to_owned(), io::ErrorKind::AlreadyExists.into()));
    Err(SessionError::at(&place, error))
}

/// Opens the file for appending, for this process alone.
fn open(place: &Path, id: &SessionId) -> Result<File, SessionError> {
    let path = place.join(FILE);
    let file = private::append(&path).map_err(|error| SessionError::at(&path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(SessionError::InUse(id.to_string())),
        Err(TryLockError::Error(error)) => Err(SessionError::at(&path, error)),
    }
}
