//! What is remembered of one reader: the phone it chose and what it saw last.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most phones of which a reader's last view is remembered.
const MAX_PHONES: usize = 64;

/// One reader.
#[derive(Debug, Default)]
pub(super) struct McpSession(Mutex<SessionState>);

#[derive(Debug, Default)]
struct SessionState {
    device: Option<String>,
    /// The last view of each phone, by its snapshot id.
    seen: BTreeMap<Option<String>, String>,
    /// The phones whose fast lane was offered.
    offered: BTreeSet<String>,
}

impl McpSession {
    /// The phone that was chosen.
    pub(super) fn device(&self) -> Option<String> {
        self.state().device.clone()
    }

    pub(super) fn choose(&self, device: String) {
        self.state().device = Some(device);
    }

    /// What the reader saw last of a phone.
    pub(super) fn last_snapshot(&self, device: Option<&str>) -> Option<String> {
        self.state().seen.get(&device.map(str::to_owned)).cloned()
    }

    /// Remembers what the reader is shown.
    pub(super) fn shows(&self, device: Option<&str>, snapshot_id: &str) {
        let mut state = self.state();
        if state.seen.len() >= MAX_PHONES {
            state.seen.clear();
        }
        state.seen.insert(device.map(str::to_owned), snapshot_id.to_owned());
    }

    /// Whether the fast lane of a phone is to be offered: once.
    pub(super) fn offers_lane(&self, serial: &str) -> bool {
        let offered = &mut self.state().offered;
        offered.len() < MAX_PHONES && offered.insert(serial.to_owned())
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
