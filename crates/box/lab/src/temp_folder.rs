//! A folder among the system's temporary files, for one run.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// The path of a folder that is removed with this, once it was made.
pub(crate) struct TempFolder(pub(crate) PathBuf);

impl TempFolder {
    pub(crate) fn new(what_for: &str) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("clawperator-{what_for}-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        // What stays behind is in the folder of temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
