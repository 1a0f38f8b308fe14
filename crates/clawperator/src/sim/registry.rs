//! Which phones run: a folder of our own with two files for each process: what
//! it has, and a lock that it holds while it lives. No daemon keeps them; who
//! finds files of a process that is gone removes them.

use super::SimError;
use super::limits::{LOCK_TIME, MAX_ENTRIES, MAX_ENTRY};
use crate::environment::folder_of_user;
use clawperator_contract::text::excerpt;
use clawperator_journal::private::{self, Concurrency};
use clawperator_runtime::{HeldFile, is_held, lock_within};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A process that has phones, as its file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The process.
    pub(crate) pid: u32,
    /// The port of `127.0.0.1` where it answers questions.
    pub(crate) control: u16,
    /// Proves that a question comes from somebody who can read this file.
    pub(crate) token: String,
    /// When it was started, in milliseconds since 1970.
    pub(crate) started_ms: u64,
    /// The seed of the phone it began with; the others count on from it.
    pub(crate) seed: u64,
    /// How slow its phones are.
    pub(crate) latency: String,
    /// How their time passes.
    pub(crate) time: String,
    /// The phones.
    pub(crate) phones: Vec<PhoneEntry>,
    /// What it locks while it lives.
    #[serde(skip)]
    pub(crate) lock_file: PathBuf,
}

/// One phone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PhoneEntry {
    /// Its number: `sim-3` has 3.
    pub(crate) number: u32,
    /// Its name.
    pub(crate) name: String,
    /// Its name in adb.
    pub(crate) serial: String,
    /// Its port of `127.0.0.1`.
    pub(crate) port: u16,
    /// What is random about it comes from this.
    pub(crate) seed: u64,
}

impl PhoneEntry {
    /// The phone of that number on that port, from that seed.
    pub(crate) fn new(number: u32, port: u16, seed: u64) -> Self {
        Self {
            number,
            name: format!("sim-{number}"),
            serial: format!("127.0.0.1:{port}"),
            port,
            seed,
        }
    }

    /// What `getprop ro.serialno` says.
    pub(crate) fn device_serial(&self) -> String {
        format!("SIM{:04}", self.number)
    }

    /// Tells whether a name means this phone.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        [
            &self.name,
            &self.serial,
            &self.device_serial(),
            &self.port.to_string(),
        ]
        .iter()
        .any(|known| **known == name)
    }
}

impl Entry {
    /// Tells whether the process has surely ended: it holds a lock while it
    /// lives, whatever its number means here.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(is_held(&self.lock_file), Ok(false))
    }

    /// The file of the entry itself.
    fn file(&self) -> PathBuf {
        self.lock_file.with_extension("json")
    }

    /// Waits until the process has ended; tells whether it has.
    pub(crate) fn ends_within(&self, limit: Duration) -> bool {
        let Ok(Some(file)) = lock_within(&self.lock_file, limit) else {
            return false;
        };
        if let Some(free) = HeldFile::new(&self.lock_file, file) {
            free.remove();
        }
        true
    }
}

/// Where the registry is, unless somebody says otherwise.
pub(crate) fn default_folder(environment: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let named = |name: &str| environment(name).filter(|value| !value.is_empty());
    if let Some(folder) = named("CLAWPERATOR_SIM_DIR") {
        return std::path::absolute(&folder).unwrap_or_else(|_| folder.into());
    }
    folder_of_user("sim")
}

/// The extension of the file that a process locks while it lives.
const LIFE: &str = "lock";
/// The file for what background phones write on standard error.
const LOG: &str = "stderr.log";
/// The file that names the phone that was used last.
const LAST: &str = "last";

/// What only one process does at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lock {
    /// Giving phones their numbers.
    Numbers,
    /// Starting a phone because none runs: held by who starts it, while the
    /// phone's process takes the other.
    Start,
}

/// The folder.
#[derive(Clone, Debug)]
pub(crate) struct Registry {
    folder: PathBuf,
}

impl Registry {
    /// Makes the folder if it is not there, and refuses one that others could
    /// have prepared or can read.
    pub(crate) fn open(folder: &Path) -> Result<Self, SimError> {
        let registry = Self::at(folder);
        match make_private(&registry.folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(registry.failed(error)),
            Ok(()) | Err(_) => {
                registry.look_at_owner()?;
                Ok(registry)
            }
        }
    }

    /// As [`Registry::open`], for who starts nothing: makes no folder.
    pub(crate) fn look(folder: &Path) -> Result<Self, SimError> {
        let registry = Self::at(folder);
        match fs::symlink_metadata(&registry.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Ok(_) | Err(_) => registry.look_at_owner()?,
        }
        Ok(registry)
    }

    fn at(folder: &Path) -> Self {
        Self {
            // Without a slash or a dot at its end, which would lead through a
            // symbolic link.
            folder: folder.components().collect(),
        }
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn failed(&self, error: io::Error) -> SimError {
        SimError::Registry {
            folder: self.folder.clone(),
            error,
        }
    }

    fn look_at_owner(&self) -> Result<(), SimError> {
        let about = fs::symlink_metadata(&self.folder).map_err(|error| self.failed(error))?;
        let unsafe_because = |why| {
            Err(SimError::Unsafe {
                folder: self.folder.clone(),
                why,
            })
        };
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
    pub(crate) fn entries(&self) -> Result<Vec<Entry>, SimError> {
        let mut paths = Vec::new();
        let files = match fs::read_dir(&self.folder) {
            // Nobody has started a phone yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            files => files.map_err(|error| self.failed(error))?,
        };
        for found in files {
            let path = found.map_err(|error| self.failed(error))?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                paths.push(path);
            }
        }
        paths.sort();
        paths.truncate(MAX_ENTRIES);
        Ok(paths.iter().filter_map(|path| read(path)).collect())
    }

    /// Writes the file of a new process, which must keep what it gets for as
    /// long as it lives. Its phones get the lowest numbers that are free, on
    /// these ports, and no two processes the same.
    pub(crate) fn claim(&self, mut entry: Entry, ports: &[u16]) -> Result<(Entry, Life), SimError> {
        let _lock = self.lock(Lock::Numbers)?;
        self.remove_drafts();
        // A process id alone is not enough: in another namespace it is another
        // process's.
        let name = format!("{}-{}.{LIFE}", entry.pid, entry.control);
        entry.lock_file = self.folder.join(name);
        let life = self.life(&entry).map_err(|error| self.failed(error))?;
        let mut taken = BTreeSet::new();
        for other in self.entries()? {
            if other.is_gone() {
                self.remove(&other);
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

    fn life(&self, entry: &Entry) -> io::Result<Life> {
        let folder = File::open(&self.folder)?;
        // Who cleans folders of temporary files leaves a locked one alone.
        // Elsewhere it may not be possible, and is not needed.
        let _ = folder.try_lock_shared();
        let lock = HeldFile::try_lock(&entry.lock_file)?.ok_or(io::ErrorKind::ResourceBusy)?;
        Ok(Life {
            lock,
            _folder: folder,
        })
    }

    /// Writes a process's file, all of it or nothing.
    pub(crate) fn write(&self, entry: &Entry) -> Result<(), SimError> {
        let text = serde_json::json!(entry).to_string();
        // No other process writes the file of this one.
        let written = private::replace(&entry.file(), text.as_bytes(), Concurrency::None);
        written.map_err(|error| self.failed(error))
    }

    /// Remembers the phone that is used now.
    pub(crate) fn remember(&self, phone: &PhoneEntry) {
        let path = self.folder.join(LAST);
        if read_text(&path).as_deref() != Some(&*phone.serial) {
            // Without it the phone that was started last is taken.
            let _ = private::replace(&path, phone.serial.as_bytes(), Concurrency::Processes);
        }
    }

    /// The serial of the phone that was used last.
    pub(crate) fn last_used(&self) -> Option<String> {
        read_text(&self.folder.join(LAST))
    }

    /// Waits until nobody else has this lock. It is held as long as the file.
    pub(crate) fn lock(&self, lock: Lock) -> Result<File, SimError> {
        let name = match lock {
            Lock::Numbers => "lock",
            Lock::Start => "start.lock",
        };
        let locked = lock_within(&self.folder.join(name), LOCK_TIME);
        let busy = || io::Error::from(io::ErrorKind::ResourceBusy);
        locked
            .and_then(|file| file.ok_or_else(busy))
            .map_err(|error| self.failed(error))
    }

    /// Where background phones write what goes wrong with them, emptied. They
    /// share it: it is there to say why one has just not started.
    pub(crate) fn fresh_log(&self) -> Result<File, SimError> {
        let path = self.folder.join(LOG);
        let open = || {
            open_private(&path)?.set_len(0)?;
            // A process that has it open goes on at its new end.
            OpenOptions::new().append(true).open(&path)
        };
        open().map_err(|error| self.failed(error))
    }

    /// What a background phone wrote there last.
    pub(crate) fn last_words(&self) -> Option<String> {
        let mut bytes = Vec::new();
        let mut file = private::open(&self.folder.join(LOG)).ok()?;
        let length = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MAX_ENTRY)))
            .ok()?;
        file.take(MAX_ENTRY).read_to_end(&mut bytes).ok()?;
        last_words(&String::from_utf8_lossy(&bytes))
    }

    /// Removes what was half written by processes that are gone.
    fn remove_drafts(&self) {
        for path in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = path.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(process) = name.and_then(|name| name.strip_suffix(".json.draft")) else {
                continue;
            };
            let life = self.folder.join(process).with_added_extension(LIFE);
            if matches!(is_held(&life), Ok(false)) {
                // Somebody else may have been faster.
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Removes a process's file, unless it is another's by now.
    pub(crate) fn remove(&self, entry: &Entry) {
        let path = entry.file();
        if read(&path).is_some_and(|found| found.token == entry.token) {
            // Somebody else may have been faster.
            let _ = fs::remove_file(path);
            // One that is held stays until its process ends.
            if let Ok(Some(free)) = HeldFile::try_lock(&entry.lock_file) {
                free.remove();
            }
        }
    }
}

/// Held by a process with phones while it lives.
#[derive(Debug)]
pub(crate) struct Life {
    lock: HeldFile,
    _folder: File,
}

impl Drop for Life {
    fn drop(&mut self) {
        self.lock.remove();
    }
}

/// What says most of why a process ended: where it panicked and over what, else
/// its last line. Behind a panic there is only advice.
fn last_words(text: &str) -> Option<String> {
    const PANIC: &str = "panicked at ";
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let panic = lines
        .iter()
        .enumerate()
        .rev()
        .find_map(|(number, line)| Some((number, &line[line.find(PANIC)?..])));
    let Some((number, place)) = panic else {
        return Some(excerpt(lines.last()?).into_owned());
    };
    let over = lines.get(number + 1).copied().unwrap_or_default();
    Some(
        format!("{} {}", excerpt(place), excerpt(over))
            .trim_end()
            .to_owned(),
    )
}

fn read(path: &Path) -> Option<Entry> {
    let entry: Entry = serde_json::from_str(&read_text(path)?).ok()?;
    let lock_file = path.with_extension(LIFE);
    Some(Entry { lock_file, ..entry })
}

fn read_text(path: &Path) -> Option<String> {
    let mut text = String::new();
    private::open(path)
        .ok()?
        .take(MAX_ENTRY)
        .read_to_string(&mut text)
        .ok()?;
    Some(text)
}

/// Makes the last folder of a path, which must be new: one that is there may be
/// anybody's.
fn make_private(folder: &Path) -> io::Result<()> {
    if let Some(parent) = folder.parent() {
        private::folder(parent)?;
    }
    private::new_folder(folder)
}

/// Opens a file for writing as it is, or makes it.
fn open_private(path: &Path) -> io::Result<File> {
    private::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_say_what_went_wrong() {
        let panic = "\nthread 'main' (12) panicked at src/sim/host.rs:216:9:\nattempt to add with overflow\n\
            note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        for (text, wanted) in [
            ("", None),
            (" \n\n", None),
            ("one\ntwo\n\n", Some("two")),
            (
                panic,
                Some("panicked at src/sim/host.rs:216:9: attempt to add with overflow"),
            ),
            (
                &format!("before\n{panic}stack backtrace:\n   0: main\n"),
                Some("panicked at src/sim/host.rs:216:9: attempt to add with overflow"),
            ),
            (
                &format!("thread 'a' panicked at a.rs:1:1:\nfirst\n{panic}"),
                Some("panicked at src/sim/host.rs:216:9: attempt to add with overflow"),
            ),
            (
                "thread 'main' panicked at a.rs:1:1:",
                Some("panicked at a.rs:1:1:"),
            ),
        ] {
            assert_eq!(last_words(text).as_deref(), wanted, "{text}");
        }
    }
}
