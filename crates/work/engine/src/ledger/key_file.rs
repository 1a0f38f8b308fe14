//! The file of a key whose request is running. Its lock says that the process
//! is alive, in whatever namespace that is; its lines say how far the run is.

use clawperator_contract::words;
use clawperator_phone::{HeldFile, Waiters};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

/// The most bytes of a file that are read for its last line. A line is short:
/// the ids of steps are bounded.
const MAX_READ: u64 = 4 << 20;

#[derive(Debug)]
pub(super) struct KeyFile(HeldFile);

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepMark {
    /// The step's number, from 0.
    pub step: usize,
    pub id: String,
    pub action: String,
    pub phase: Phase,
}

words! {
    /// How far a step is.
    pub Phase {
        /// Its commands may have reached the phone.
        Began = "began",
        Ended = "ended",
    }
}

impl KeyFile {
    pub(super) fn name(key: &str) -> String {
        let digest = Sha256::digest(key.as_bytes());
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{hex}.run")
    }

    /// Locks the file, and waits for it; nothing if it is still locked then.
    pub(super) async fn lock(path: &Path, waiters: &Waiters, wait: Duration) -> io::Result<Option<Self>> {
        let until = tokio::time::Instant::now() + wait;
        loop {
            let left = until.saturating_duration_since(tokio::time::Instant::now());
            let Some(file) = waiters.lock(path, left).await? else {
                return Ok(None);
            };
            // The one before may have removed the file that we waited for.
            if let Some(held) = HeldFile::new(path, file) {
                return Ok(Some(Self(held)));
            }
        }
    }

    /// Locks the file if it is free.
    pub(super) fn try_lock(path: &Path) -> io::Result<Option<Self>> {
        Ok(HeldFile::try_lock(path)?.map(Self))
    }

    /// Adds a line. What a killed process wrote stays in the file.
    pub(super) fn mark(&self, step: &StepMark) {
        // Texts and numbers can always be written as JSON.
        let mut line = serde_json::to_vec(step).unwrap_or_default();
        line.push(b'\n');
        // A line that is missing makes the last known step an earlier one, which is still true.
        let _ = self.0.file().write_all(&line);
    }

    /// The last step that was marked whole.
    pub(super) fn last_step(&self) -> Option<StepMark> {
        let mut text = String::new();
        let file = clawperator_private::open(self.0.path()).ok()?;
        file.take(MAX_READ).read_to_string(&mut text).ok()?;
        let whole = text.rsplit_once('\n')?.0;
        serde_json::from_str(whole.lines().next_back()?).ok()
    }

    /// Removes the file while it is still locked.
    pub(super) fn remove(&self) {
        self.0.remove();
    }
}
