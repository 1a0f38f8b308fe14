//! The file that says where the server of a state folder is. Only its user can
//! read it. A lock beside it says whether that server lives.

use crate::cli::world::World;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_journal::private::{self, Concurrency};
use clawperator_runtime::{is_held, lock_within};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most of the file that is read.
const MAX_ENTRY: u64 = 1 << 16;

/// Where a server is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::cli) struct ServerEntry {
    pub(in crate::cli) pid: u32,
    /// The version of the program.
    pub(in crate::cli) version: String,
    /// What it takes from its environment: a command that takes something else
    /// does not use it.
    pub(in crate::cli) surroundings: String,
    pub(in crate::cli) url: String,
    /// Where commands of the same user reach it.
    pub(in crate::cli) socket: Option<PathBuf>,
    /// The port of its control channel, and what a caller must show there.
    pub(super) control: u16,
    pub(super) secret: String,
}

/// Held for as long as a server lives.
#[derive(Debug)]
pub(super) struct Life {
    file: PathBuf,
    _lock: File,
}

impl Drop for Life {
    fn drop(&mut self) {
        // Without the lock it means nothing.
        let _ = std::fs::remove_file(&self.file);
    }
}

fn file(state: &Path) -> PathBuf {
    state.join("serve.json")
}

fn lock_file(state: &Path) -> PathBuf {
    state.join("serve.lock")
}

/// What a command and a server must have in common.
pub(in crate::cli) fn surroundings(world: &World) -> String {
    let phones = &world.phones;
    #[cfg(feature = "sim")]
    let sim = &world.sim_folder;
    #[cfg(not(feature = "sim"))]
    let sim = Path::new("");
    format!(
        "{:?} {:?} {:?} {sim:?}",
        phones.environment, phones.key_file, phones.locks
    )
}

impl ServerEntry {
    /// Makes this the server of the state folder; nothing if there is one.
    pub(super) fn claim(&self, state: &Path) -> io::Result<Option<Life>> {
        private::folder(state)?;
        let Some(lock) = lock_within(&lock_file(state), Duration::ZERO)? else {
            return Ok(None);
        };
        let text = serde_json::to_string(self)?;
        private::replace(&file(state), text.as_bytes(), Concurrency::Processes)?;
        Ok(Some(Life {
            file: file(state),
            _lock: lock,
        }))
    }

    /// The server of the state folder, if it lives.
    pub(in crate::cli) fn find(state: &Path) -> Option<Self> {
        let mut text = String::new();
        let opened = private::open(&file(state)).ok()?;
        opened.take(MAX_ENTRY).read_to_string(&mut text).ok()?;
        let entry = serde_json::from_str(&text).ok()?;
        is_alive(state).then_some(entry)
    }

    /// As [`ServerEntry::find`].
    ///
    /// # Errors
    /// `SERVER_NOT_RUNNING`.
    pub(super) fn wanted(state: &Path) -> Result<Self, Failure> {
        Self::find(state).ok_or_else(|| {
            let message = format!("no server of {} is running", state.display());
            Failure::of(ErrorCode::ServerNotRunning, message)
        })
    }
}

/// Whether the server of a state folder lives.
pub(super) fn is_alive(state: &Path) -> bool {
    is_held(&lock_file(state)).unwrap_or(false)
}

/// Waits until the server of a state folder has ended.
pub(super) fn ends_within(state: &Path, limit: Duration) -> bool {
    matches!(lock_within(&lock_file(state), limit), Ok(Some(_)))
}
