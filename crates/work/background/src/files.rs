//! The files of one background process, beside each other: `NAME.lock`, which it
//! holds while it lives, however it ends and in every pid namespace; `NAME.json`,
//! its entry; and `NAME.log`, its standard error.

use clawperator_contract::text::excerpt;
use clawperator_phone::{HeldFile, is_held, lock_within};
use clawperator_private::{self as private, Concurrency};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most of a file that is read.
const MAX_FILE: u64 = 1 << 18;
/// The most entries of a folder that are read.
const MAX_ENTRIES: usize = 1024;
const LIFE: &str = "lock";
const ENTRY: &str = "json";
const LOG: &str = "log";

/// The files of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessFiles {
    path: PathBuf,
}

/// Held by a process while it lives. If it is only dropped, as when the process is
/// killed, the entry stays.
#[derive(Debug)]
pub struct Life {
    files: ProcessFiles,
    lock: HeldFile,
    _folder: Option<File>,
}

impl Life {
    /// Removes the files: the process ends.
    pub fn end(self) {
        self.files.remove_entry();
        self.lock.remove();
    }
}

/// What the files say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessState<T> {
    Absent,
    /// One lives, but there is no entry: it is starting or ending, or its entry was removed.
    Unnamed,
    /// The entry of the one that lives.
    Named(T),
}

impl ProcessFiles {
    /// The files of this name.
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Those in a folder that have an entry, in the order of their names.
    pub fn all(folder: &Path) -> io::Result<Vec<Self>> {
        let mut all = Vec::new();
        match fs::read_dir(folder) {
            // No process was started yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            files => {
                for file in files? {
                    let path = file?.path();
                    if path.extension().is_some_and(|extension| extension == ENTRY) {
                        all.push(path.with_extension(""));
                    }
                }
            }
        }
        all.sort();
        all.truncate(MAX_ENTRIES);
        Ok(all.into_iter().map(Self::at).collect())
    }

    /// The file of this process that ends so.
    pub fn file(&self, extension: &str) -> PathBuf {
        self.path.with_added_extension(extension)
    }

    /// What the process holds while it lives.
    pub fn lock_file(&self) -> PathBuf {
        self.file(LIFE)
    }

    /// Its standard error.
    pub fn log_file(&self) -> PathBuf {
        self.file(LOG)
    }

    /// Whether the process lives, and its entry.
    pub fn running<T: DeserializeOwned>(&self) -> io::Result<ProcessState<T>> {
        Ok(if is_held(&self.lock_file())? {
            self.entry().map_or(ProcessState::Unnamed, ProcessState::Named)
        } else {
            ProcessState::Absent
        })
    }

    /// Tells whether the process has surely ended.
    pub fn is_gone(&self) -> bool {
        matches!(is_held(&self.lock_file()), Ok(false))
    }

    /// Makes this process the one that these files are about; nothing if another
    /// still is after this time.
    pub fn claim(&self, wait: Duration) -> io::Result<Option<Life>> {
        let folder = self.path.parent().and_then(|folder| File::open(folder).ok());
        // Who cleans folders of temporary files leaves a locked one alone.
        // Elsewhere it may not be possible, and is not needed.
        let _ = folder.as_ref().map(File::try_lock_shared);
        while let Some(file) = lock_within(&self.lock_file(), wait)? {
            // The process that had it before may have removed it meanwhile.
            if let Some(lock) = HeldFile::new(&self.lock_file(), file) {
                return Ok(Some(Life { files: self.clone(), lock, _folder: folder }));
            }
        }
        Ok(None)
    }

    /// The same, with the entry that says so.
    pub fn enter(&self, wait: Duration, entry: &impl Serialize) -> io::Result<Option<Life>> {
        let life = self.claim(wait)?;
        if life.is_some() {
            self.write(entry)?;
        }
        Ok(life)
    }

    /// Waits until the process has ended; tells whether it has.
    pub fn ends_within(&self, limit: Duration) -> io::Result<bool> {
        Ok(lock_within(&self.lock_file(), limit)?.is_some())
    }

    /// The entry. One that is half written or not ours is none.
    pub fn entry<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(&read(&self.file(ENTRY))?).ok()
    }

    /// Writes the entry, all of it or nothing. Only the process itself does.
    pub fn write(&self, entry: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(entry)?;
        private::replace(&self.file(ENTRY), text.as_bytes(), Concurrency::None)
    }

    /// Removes the entry; the lock stays.
    pub fn remove_entry(&self) {
        // It may be gone already.
        let _ = fs::remove_file(self.file(ENTRY));
    }

    /// Removes the lock of a process that has ended.
    pub fn remove_lock(&self) {
        // One that is held stays until its process ends.
        if let Ok(Some(free)) = HeldFile::try_lock(&self.lock_file()) {
            free.remove();
        }
    }

    /// A private log, emptied. A process that has it open goes on at its new end.
    pub(super) fn fresh_log(&self) -> io::Result<File> {
        let path = self.log_file();
        let made = private::options().write(true).create(true).truncate(true).open(&path);
        drop(made?);
        OpenOptions::new().append(true).open(&path)
    }

    /// The end of the log: what says most of why a process ended.
    pub(super) fn last_words(&self) -> Option<String> {
        let mut bytes = Vec::new();
        let mut file = private::open(&self.log_file()).ok()?;
        let length = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MAX_FILE))).ok()?;
        file.take(MAX_FILE).read_to_end(&mut bytes).ok()?;
        last_words(&String::from_utf8_lossy(&bytes))
    }
}

/// A file of ours, as far as a process reads one.
pub fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = private::open(path).ok()?;
    file.take(MAX_FILE).read_to_string(&mut text).ok()?;
    Some(text)
}

/// What says most of why a process ended: where it panicked and over what, else
/// its last line. Behind a panic there is only advice.
fn last_words(text: &str) -> Option<String> {
    const PANIC: &str = "panicked at ";
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let panic =
        lines.iter().enumerate().rev().find_map(|(number, line)| Some((number, &line[line.find(PANIC)?..])));
    let Some((number, place)) = panic else {
        return Some(excerpt(lines.last()?).into_owned());
    };
    let over = lines.get(number + 1).copied().unwrap_or_default();
    Some(format!("{} {}", excerpt(place), excerpt(over)).trim_end().to_owned())
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
            (panic, Some("panicked at src/sim/host.rs:216:9: attempt to add with overflow")),
            (
                &format!("before\n{panic}stack backtrace:\n   0: main\n"),
                Some("panicked at src/sim/host.rs:216:9: attempt to add with overflow"),
            ),
            (
                &format!("thread 'a' panicked at a.rs:1:1:\nfirst\n{panic}"),
                Some("panicked at src/sim/host.rs:216:9: attempt to add with overflow"),
            ),
            ("thread 'main' panicked at a.rs:1:1:", Some("panicked at a.rs:1:1:")),
        ] {
            assert_eq!(last_words(text).as_deref(), wanted, "{text}");
        }
    }
}
