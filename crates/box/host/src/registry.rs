//! Which phones run: a folder of our own with two files for each process: what
//! it has, and a lock that it holds while it lives. No daemon keeps them; who
//! finds files of a process that is gone removes them.

use super::SimError;
use super::limits::LOCK_TIME;
use clawperator_background::control::Address;
use clawperator_background::folder_of_user;
use clawperator_background::{Life, ProcessFiles, read};
use clawperator_phone::lock_within;
use clawperator_private::{self as private, Concurrency};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A process that has phones, as its file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessEntry {
    /// The process, and where it answers questions.
    #[serde(flatten)]
    pub address: Address,
    /// When it was started, in milliseconds since 1970.
    pub started_ms: u64,
    /// The seed of the phone it began with; the others count on from it.
    pub seed: u64,
    pub latency: String,
    pub time: String,
    pub phones: Vec<PhoneEntry>,
    #[serde(skip)]
    pub files: ProcessFiles,
}

/// One phone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhoneEntry {
    /// Its number: `sim-3` has 3.
    pub number: u32,
    pub name: String,
    pub serial: String,
    /// Its port of `127.0.0.1`.
    pub port: u16,
    /// What is random about it comes from this.
    pub seed: u64,
}

impl PhoneEntry {
    /// The phone of that number on that port, from that seed.
    pub fn new(number: u32, port: u16, seed: u64) -> Self {
        Self { number, name: format!("sim-{number}"), serial: format!("127.0.0.1:{port}"), port, seed }
    }

    /// What `getprop ro.serialno` says.
    pub fn device_serial(&self) -> String {
        format!("SIM{:04}", self.number)
    }

    /// Tells whether a name means this phone.
    pub fn is_called(&self, name: &str) -> bool {
        [&self.name, &self.serial, &self.device_serial(), &self.port.to_string()]
            .iter()
            .any(|known| **known == name)
    }
}

impl ProcessEntry {
    /// What its phones are called.
    pub fn names(&self) -> Vec<String> {
        self.phones.iter().map(|phone| phone.name.clone()).collect()
    }

    /// Waits until the process has ended; tells whether it has.
    pub fn ends_within(&self, limit: Duration) -> bool {
        let ended = matches!(self.files.ends_within(limit), Ok(true));
        if ended {
            self.files.remove_lock();
        }
        ended
    }

    /// Removes what is left of the process, unless its files are another's by now.
    pub fn remove(&self) {
        let found = self.files.entry::<Self>();
        if found.is_some_and(|found| found.address == self.address) {
            self.files.remove_entry();
            self.files.remove_lock();
        }
    }
}

/// Where the registry is, unless somebody says otherwise.
pub fn default_folder(environment: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let named = |name: &str| environment(name).filter(|value| !value.is_empty());
    if let Some(folder) = named("CLAWPERATOR_SIM_DIR") {
        return std::path::absolute(&folder).unwrap_or_else(|_| folder.into());
    }
    folder_of_user("sim")
}

/// The name of the log that background phones share: it is there to say why one
/// has just not started.
const LOG: &str = "stderr";
/// The file that names the phone that was used last.
const LAST: &str = "last";

/// Locked by who gives phones their numbers.
const NUMBERS: &str = "lock";
/// Locked by who starts a phone because none runs, while the phone's process takes the other.
pub const START: &str = "start.lock";

/// The folder.
#[derive(Clone, Debug)]
pub struct Registry {
    folder: PathBuf,
}

impl Registry {
    /// Makes the folder if it is not there, and refuses one that others could
    /// have prepared or can read.
    pub fn open(folder: &Path) -> Result<Self, SimError> {
        let registry = Self::at(folder);
        let parent = registry.folder.parent().map_or(Ok(()), private::folder);
        // The last folder must be new: one that is there may be anybody's.
        match parent.and_then(|()| private::new_folder(&registry.folder)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(registry.registry_error(error)),
            Ok(()) | Err(_) => Self::look(folder),
        }
    }

    /// As [`Registry::open`], for who starts nothing: makes no folder.
    pub fn look(folder: &Path) -> Result<Self, SimError> {
        let registry = Self::at(folder);
        match fs::symlink_metadata(&registry.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            about => registry.check(&about.map_err(|error| registry.registry_error(error))?)?,
        }
        Ok(registry)
    }

    fn at(folder: &Path) -> Self {
        Self {
            // Without a slash or a dot at its end, which would lead through a symbolic link.
            folder: folder.components().collect(),
        }
    }

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn registry_error(&self, error: io::Error) -> SimError {
        SimError::Registry { folder: self.folder.clone(), error }
    }

    fn check(&self, about: &fs::Metadata) -> Result<(), SimError> {
        let unsafe_because = |why| Err(SimError::Unsafe { folder: self.folder.clone(), why });
        if about.is_symlink() {
            return unsafe_because("is a symbolic link, which somebody else could have made");
        }
        if !about.is_dir() {
            return unsafe_because("is not a folder");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            if about.uid() != nix::unistd::getuid().as_raw() {
                return unsafe_because("belongs to somebody else");
            }
            if about.mode() & 0o077 != 0 {
                // Not ours to change: somebody may need it so.
                return Err(SimError::Open(self.folder.clone()));
            }
        }
        Ok(())
    }

    /// What its files say, in the order of their names. A file that is not
    /// ours, or is half written, is passed over.
    pub fn entries(&self) -> Result<Vec<ProcessEntry>, SimError> {
        let all = ProcessFiles::all(&self.folder).map_err(|error| self.registry_error(error))?;
        let entry = |files: ProcessFiles| {
            let entry: ProcessEntry = files.entry()?;
            Some(ProcessEntry { files, ..entry })
        };
        Ok(all.into_iter().filter_map(entry).collect())
    }

    /// Writes the file of a new process, which must keep what it gets for as long as it lives. Its
    /// phones get the lowest numbers that are free, on these ports, and no two processes the same.
    pub fn claim(&self, mut entry: ProcessEntry, ports: &[u16]) -> Result<(ProcessEntry, Life), SimError> {
        let _lock = self.lock(NUMBERS)?;
        self.remove_drafts();
        // A process id alone is not enough: in another namespace it is another process's.
        let name = format!("{}-{}", entry.address.pid, entry.address.control);
        entry.files = ProcessFiles::at(self.folder.join(name));
        let claimed = entry.files.claim(Duration::ZERO);
        let life = self.require_lock(claimed)?;
        let mut taken = BTreeSet::new();
        for other in self.entries()? {
            if other.files.is_gone() {
                other.remove();
            } else {
                taken.extend(other.phones.iter().map(|phone| phone.number));
            }
        }
        let free = (1..).filter(|number| !taken.contains(number));
        let seeds = (0..).map(|index| entry.seed.wrapping_add(index));
        entry.phones = free
            .zip(ports)
            .zip(seeds)
            .map(|((number, port), seed)| PhoneEntry::new(number, *port, seed))
            .collect();
        self.write(&entry)?;
        Ok((entry, life))
    }

    /// Writes a process's file, all of it or nothing.
    pub fn write(&self, entry: &ProcessEntry) -> Result<(), SimError> {
        entry.files.write(entry).map_err(|error| self.registry_error(error))
    }

    /// Remembers the phone that is used now.
    pub fn remember(&self, phone: &PhoneEntry) {
        let path = self.folder.join(LAST);
        if read(&path).as_deref() != Some(&*phone.serial) {
            // Without it the phone that was started last is taken.
            let _ = private::replace(&path, phone.serial.as_bytes(), Concurrency::Processes);
        }
    }

    /// The serial of the phone that was used last.
    pub fn last_used(&self) -> Option<String> {
        read(&self.folder.join(LAST))
    }

    /// Waits until no other process has this lock. It is held as long as the file.
    pub fn lock(&self, name: &str) -> Result<File, SimError> {
        self.require_lock(lock_within(&self.folder.join(name), LOCK_TIME))
    }

    fn require_lock<T>(&self, locked: io::Result<Option<T>>) -> Result<T, SimError> {
        let busy = || io::Error::from(io::ErrorKind::ResourceBusy);
        let had = locked.and_then(|lock| lock.ok_or_else(busy));
        had.map_err(|error| self.registry_error(error))
    }

    /// Where background phones write what goes wrong with them.
    pub fn log(&self) -> ProcessFiles {
        ProcessFiles::at(self.folder.join(LOG))
    }

    /// Removes what was half written by processes that are gone.
    fn remove_drafts(&self) {
        for path in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = path.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(process) = name.and_then(|name| name.strip_suffix(".json.draft")) else {
                continue;
            };
            if ProcessFiles::at(self.folder.join(process)).is_gone() {
                // Somebody else may have been faster.
                let _ = fs::remove_file(path);
            }
        }
    }
}
