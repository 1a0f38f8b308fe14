//! A recording's file: whole lines, each handed to the system as it is written.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// A recording's file. Whoever is killed while writing leaves every line but
/// the last whole.
#[derive(Debug)]
pub struct RecordingFile {
    file: File,
    bytes: u64,
    events: u64,
}

impl RecordingFile {
    /// Makes a new file; one that is there already is left alone.
    ///
    /// # Errors
    /// What is wrong with the path.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        // What is on a user's screen is nobody else's to read.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self {
            file: options.open(path)?,
            bytes: 0,
            events: 0,
        })
    }

    /// How many bytes it has.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many events it has.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
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
