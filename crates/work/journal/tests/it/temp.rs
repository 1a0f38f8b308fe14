//! A folder for the journals of one test.

use clawperator_journal::JournalFolder;
use std::fs;
use std::path::PathBuf;

/// A temporary folder that is removed after the test.
pub(crate) struct Temp(pub(crate) PathBuf);

impl Temp {
    pub(crate) fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("clawperator-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Self(folder)
    }

    pub(crate) fn folder(&self) -> JournalFolder {
        JournalFolder::new(&self.0)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
