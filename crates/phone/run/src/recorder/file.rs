//! A recording's file: whole lines, each handed to the system as it is written.

use clawperator_private as private;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

/// A recording's file. If the process is killed while it writes, every line but the last is whole.
#[derive(Debug)]
pub struct RecordingFile {
    file: File,
    pub(super) bytes: u64,
    pub(super) events: u64,
}

impl RecordingFile {
    /// Makes a new file; one that is there already is left alone.
    ///
    /// # Errors
    /// What is wrong with the path.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = private::options().append(true).create_new(true).open(path)?;
        Ok(Self { file, bytes: 0, events: 0 })
    }

    /// Writes a line that has its end, at once.
    pub(super) fn write(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(line.as_bytes())?;
        self.bytes += line.len() as u64;
        Ok(())
    }

    pub(super) fn write_event(&mut self, line: &str) -> io::Result<()> {
        self.write(line)?;
        self.events += 1;
        Ok(())
    }

    /// Makes certain that all of it is kept.
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.file.sync_all()
    }
}
