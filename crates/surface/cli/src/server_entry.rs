//! What a server says of itself to the commands of its user.

use crate::world::World;
use clawperator_background::control::Address;
use clawperator_background::{ProcessFiles, ProcessState};
use clawperator_contract::{ErrorCode, Failure};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Where a server is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ServerEntry {
    /// The process, and where it is asked to end.
    #[serde(flatten)]
    pub(crate) address: Address,
    pub(crate) version: String,
    /// What it takes from its environment: a command that takes something else does not use it.
    pub(crate) surroundings: String,
    pub(crate) url: String,
    /// Where commands of the same user reach it.
    pub(crate) socket: Option<PathBuf>,
}

/// The error of a server that cannot have what it needs.
pub(crate) fn listen_failure(what: &str, error: &std::io::Error) -> Failure {
    Failure::of(ErrorCode::ServeFailed, format!("cannot listen on {what}: {error}"))
}

/// What a command and a server must have in common.
pub(crate) fn surroundings(world: &World) -> String {
    let phones = &world.phones;
    #[cfg(feature = "sim")]
    let sim = &world.sim_folder;
    #[cfg(not(feature = "sim"))]
    let sim = Path::new("");
    format!("{:?} {:?} {:?} {sim:?}", phones.environment, phones.key_file, phones.locks)
}

impl ServerEntry {
    pub(crate) fn files(state: &Path) -> ProcessFiles {
        ProcessFiles::at(state.join("serve"))
    }

    /// The server of the state folder, if it lives.
    pub(crate) fn find(state: &Path) -> Option<Self> {
        match Self::files(state).running() {
            Ok(ProcessState::Named(entry)) => Some(entry),
            Ok(ProcessState::Absent | ProcessState::Unnamed) | Err(_) => None,
        }
    }

    /// As [`ServerEntry::find`].
    ///
    /// # Errors
    /// `SERVER_NOT_RUNNING`.
    pub(crate) fn require(state: &Path) -> Result<Self, Failure> {
        Self::find(state).ok_or_else(|| {
            Failure::of(ErrorCode::ServerNotRunning, format!("no server of {} is running", state.display()))
        })
    }
}
