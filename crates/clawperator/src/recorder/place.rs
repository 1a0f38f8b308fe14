//! The folder of recordings: the files, which is the latest, and what records
//! right now on which phone.
//!
//! Whoever records holds a lock of the operating system's, which ends with his
//! process, however that ends.

use crate::background::until;
use clawperator_contract::ErrorCode;
use clawperator_journal::private::{self, Concurrency};
use clawperator_recording::SessionId;
use clawperator_runtime::{Kept, Refusal, lock};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder's name under the state folder.
const RECORDINGS: &str = "recordings";
/// The file that names the latest recording.
const LATEST: &str = "latest";
/// The folder of what records right now.
const RUNNING: &str = "running";
/// The end of the name of a file that tells of a recording that ended by itself.
const ENDED: &str = "ended.json";
/// Why a recording ended whose recorder cannot say it any more.
const UNFINISHED: &str = "its recorder was ended, or could not finish";
/// For so long at most a lock is held by somebody who only looks.
const LOOKED_AT: Duration = Duration::from_millis(500);
/// The most of a small file that is read.
const MAX_ENTRY: u64 = 1 << 16;

/// The folder of recordings.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    folder: PathBuf,
}

/// Where it stands what records on one phone.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    place: Place,
    /// Without its extension.
    path: PathBuf,
}

/// What records on a phone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    pub(crate) session_id: String,
    pub(crate) file: PathBuf,
    pub(crate) serial: String,
    /// Never zero: to a signal that is everybody around the one who sends it.
    pub(crate) pid: NonZeroU32,
}

/// A recording that ended by itself, until somebody asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ended {
    pub(crate) session_id: String,
    pub(crate) file: PathBuf,
    pub(crate) events: u64,
    pub(crate) reason: String,
}

impl Ended {
    /// What is said of it.
    pub(super) fn told(&self) -> String {
        let Self {
            session_id,
            events,
            reason,
            ..
        } = self;
        format!("{session_id} ended by itself with {events} events: {reason}")
    }

    pub(super) fn kept(&self) -> Kept {
        Kept {
            session_id: self.session_id.clone(),
            file: self.file.clone(),
            events: self.events,
            warning: None,
        }
    }
}

/// Who records on a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Recorder {
    Nobody,
    /// Somebody holds the lock and has no entry: he has only just begun, or is
    /// about to end, or his entry was taken away.
    Unnamed,
    Named(Entry),
}

/// Held by whoever records.
#[derive(Debug)]
pub(crate) struct Claim {
    spot: Spot,
    _lock: File,
}

fn unusable(path: &Path, error: &io::Error) -> Refusal {
    let message = format!("{}: {error}", path.display());
    Refusal::new(ErrorCode::RecordingStorageUnavailable, message)
}

impl Place {
    pub(crate) fn new(state: &Path) -> Self {
        Self {
            folder: state.join(RECORDINGS),
        }
    }

    /// The folder itself, where that is known already.
    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn file_of(&self, session: &SessionId) -> PathBuf {
        self.folder.join(session.file_name())
    }

    /// The name of the latest recording, if there is one. One whose recorder was
    /// killed counts.
    pub(crate) fn latest(&self) -> Option<SessionId> {
        self.tidy();
        SessionId::new(read(&self.folder.join(LATEST)).ok()?.trim())
    }

    fn set_latest(&self, session_id: &str) -> io::Result<()> {
        // Of several phones, each has its recorder.
        private::replace(
            &self.folder.join(LATEST),
            session_id.as_bytes(),
            Concurrency::Processes,
        )
    }

    /// Finishes what recorders left that were ended by force.
    fn tidy(&self) {
        let Ok(files) = fs::read_dir(self.folder.join(RUNNING)) else {
            return;
        };
        for file in files.flatten() {
            let name = file.file_name();
            let phone = name.to_str().and_then(|name| name.strip_suffix(".json"));
            let Some(phone) = phone.filter(|phone| !phone.ends_with(".ended")) else {
                continue;
            };
            let spot = Spot {
                place: self.clone(),
                path: self.folder.join(RUNNING).join(phone),
            };
            // Held meanwhile, so that nobody begins just now.
            if let Ok(lock) = spot.open_lock()
                && lock.try_lock().is_ok()
            {
                spot.clean_up();
            }
        }
    }

    /// Where it stands what records on a phone. The folders are made.
    pub(crate) fn spot(&self, serial: &str) -> Result<Spot, Refusal> {
        let name = lock::file_name(serial);
        let name = name.ok_or_else(|| {
            let message = format!("{serial:?} is no serial of a phone");
            Refusal::new(ErrorCode::RecordingStartFailed, message)
        })?;
        let folder = self.folder.join(RUNNING);
        private::folder(&folder).map_err(|error| unusable(&folder, &error))?;
        Ok(Spot {
            place: self.clone(),
            path: folder.join(name),
        })
    }
}

impl Spot {
    fn with(&self, extension: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{extension}"));
        name.into()
    }

    fn open_lock(&self) -> Result<File, Refusal> {
        let path = self.with("lock");
        let file = private::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        file.map_err(|error| unusable(&path, &error))
    }

    /// Who records there now.
    pub(super) fn running(&self) -> Result<Recorder, Refusal> {
        match self.open_lock()?.try_lock() {
            Ok(()) => Ok(Recorder::Nobody),
            Err(TryLockError::Error(error)) => Err(unusable(&self.with("lock"), &error)),
            Err(TryLockError::WouldBlock) => Ok(self.entry().map_or(Recorder::Unnamed, Recorder::Named)),
        }
    }

    /// The file that whoever records there has locked.
    pub(super) fn lock_file(&self) -> PathBuf {
        self.with("lock")
    }

    fn entry(&self) -> Option<Entry> {
        serde_json::from_str(&read(&self.with("json")).ok()?).ok()
    }

    /// A recording that ended here by itself and that nobody has asked about.
    pub(super) fn ended(&self) -> Option<Ended> {
        serde_json::from_str(&read(&self.with(ENDED)).ok()?).ok()
    }

    /// The same, which is told now.
    pub(super) fn take_ended(&self) -> Option<Ended> {
        let ended = self.ended();
        // Mostly there is none.
        let _ = fs::remove_file(self.with(ENDED));
        ended
    }

    /// Takes the phone for a recording.
    pub(super) fn claim(&self, entry: &Entry) -> Result<Claim, Refusal> {
        let lock = self.open_lock()?;
        let mut tried = Err(TryLockError::WouldBlock);
        // A process that only looks holds it for a moment, too.
        until(LOOKED_AT, || {
            tried = lock.try_lock();
            !matches!(tried, Err(TryLockError::WouldBlock))
        });
        match tried {
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(unusable(&self.with("lock"), &error)),
            Err(TryLockError::WouldBlock) => {
                let message = format!("a recording is running on {}", entry.serial);
                return Err(Refusal::new(ErrorCode::RecordingAlreadyInProgress, message));
            }
        }
        // Somebody may have asked the one before to end.
        let _ = fs::remove_file(self.with("stop"));
        let path = self.with("json");
        let text = serde_json::to_string(entry).unwrap_or_default();
        private::write(&path, text.as_bytes()).map_err(|error| unusable(&path, &error))?;
        Ok(Claim {
            spot: self.clone(),
            _lock: lock,
        })
    }

    pub(super) fn ask_to_end(&self) -> Result<(), Refusal> {
        let path = self.with("stop");
        private::write(&path, b"").map_err(|error| unusable(&path, &error))
    }

    /// Finishes what a recorder left that was ended by force: the recording is
    /// the latest, and whoever asks next is told of it.
    pub(super) fn clean_up(&self) {
        let entry = self.entry().filter(|entry| entry.file.is_file());
        if let Some(entry) = entry {
            // Without it the recording can still be named.
            let _ = self.place.set_latest(&entry.session_id);
            let known = self.ended().filter(|ended| ended.session_id == entry.session_id);
            if known.is_none() {
                let _ = self.tell(&entry, UNFINISHED.to_owned());
            }
        }
        for extension in ["json", "stop"] {
            // Mostly there is none.
            let _ = fs::remove_file(self.with(extension));
        }
    }

    /// Leaves word of a recording that ended by itself.
    fn tell(&self, entry: &Entry, reason: String) -> io::Result<()> {
        let ended = Ended {
            session_id: entry.session_id.clone(),
            file: entry.file.clone(),
            events: events_in(&entry.file),
            reason,
        };
        let text = serde_json::to_string(&ended)?;
        private::replace(&self.with(ENDED), text.as_bytes(), Concurrency::Processes)
    }

    /// What the recorder has to complain about, with nothing in it yet.
    pub(super) fn fresh_log(&self) -> Result<File, Refusal> {
        let path = self.with("log");
        let file = private::options()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path);
        file.map_err(|error| unusable(&path, &error))
    }
}

impl Claim {
    /// Whether somebody wants the recording to end.
    pub(super) fn is_to_end(&self) -> bool {
        self.spot.with("stop").exists()
    }

    /// The recording has ended and is the latest. Why is told to whoever asks
    /// next, if nobody asked it to.
    pub(super) fn done(self, entry: &Entry, reason: Option<String>) -> io::Result<()> {
        let _ = fs::remove_file(self.spot.with("stop"));
        if let Some(reason) = reason {
            self.spot.tell(entry, reason)?;
        }
        self.spot.place.set_latest(&entry.session_id)?;
        // Only now: where something failed, the entry still tells of it.
        let _ = fs::remove_file(self.spot.with("json"));
        Ok(())
    }

    /// There was no recording.
    pub(super) fn failed(self) {
        let _ = fs::remove_file(self.spot.with("json"));
    }
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(MAX_ENTRY).read_to_string(&mut text)?;
    Ok(text)
}

/// How many whole events a file has.
pub(super) fn events_in(file: &Path) -> u64 {
    let Ok(file) = File::open(file) else { return 0 };
    let mut reader = BufReader::new(file);
    let (mut lines, mut line) = (0_u64, Vec::new());
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(count) if count > 0 && line.ends_with(b"\n") => lines += 1,
            _ => return lines.saturating_sub(1),
        }
    }
}
