//! For which phones the user has set up the resident server: a small file for
//! each, in the state folder.

use crate::lock::file_name;
use clawperator_private::{self as private, Concurrency};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const FOLDER: &str = "lanes";

/// Whether the user has set up the resident server for a phone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResidentSetup {
    /// No: it is used where it runs, and never started.
    #[default]
    None,
    Done,
}

/// The phones for which the server was set up.
#[derive(Clone, Debug)]
pub struct SetupMarks {
    folder: PathBuf,
}

impl SetupMarks {
    /// Those of a state folder.
    pub fn new(state: &Path) -> Self {
        Self { folder: state.join(FOLDER) }
    }

    /// Whether the server was set up for a phone. A mark that cannot be read
    /// counts as none: then nothing is started.
    pub fn of(&self, serial: &str) -> ResidentSetup {
        if self.file(serial).is_ok_and(|file| file.is_file()) {
            ResidentSetup::Done
        } else {
            ResidentSetup::None
        }
    }

    /// Notes that the server was set up for a phone.
    pub fn add(&self, serial: &str) -> io::Result<()> {
        let file = self.file(serial)?;
        private::folder(&self.folder)?;
        private::replace(&file, b"", Concurrency::Processes)
    }

    /// Forgets a phone. Whether it was known.
    pub fn remove(&self, serial: &str) -> io::Result<bool> {
        match fs::remove_file(self.file(serial)?) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn file(&self, serial: &str) -> io::Result<PathBuf> {
        let name = file_name(serial);
        let name = name.ok_or_else(|| io::Error::other("the phone's name is too long for a file"))?;
        Ok(self.folder.join(name))
    }
}
