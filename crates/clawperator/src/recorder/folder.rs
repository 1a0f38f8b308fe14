//! The folder of recordings: their files, the name of the latest one, and the
//! running recorder of each phone.
//!
//! A recorder holds an operating-system lock, which ends with its process,
//! however that ends.

use clawperator_contract::ErrorCode;
use clawperator_journal::private::{self, Concurrency};
use clawperator_recording::SessionId;
use clawperator_runtime::{Refusal, StoredRecording, is_held, lock, lock_within};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder's name under the state folder.
const RECORDINGS: &str = "recordings";
/// The file that names the latest recording.
const LATEST: &str = "latest";
/// The folder of the running recorders.
const RUNNING: &str = "running";
/// The extension of the file that describes a recording that ended by itself.
const ENDED: &str = "ended.json";
/// Why a recording ended if its recorder left no reason.
const UNFINISHED: &str = "its recorder was killed or could not finish";
/// How long a recorder that has just begun may take to write its entry.
const NAME_TIME: Duration = Duration::from_secs(1);
/// How long a process that only checks the lock may hold it.
const LOOKED_AT: Duration = Duration::from_millis(500);
/// The most of a small file that is read.
const MAX_ENTRY: u64 = 1 << 16;

/// The folder of recordings.
#[derive(Clone, Debug)]
pub(crate) struct RecordingFolder {
    folder: PathBuf,
}

/// The files of one phone's recorder.
#[derive(Clone, Debug)]
pub(crate) struct RecorderFiles {
    recordings: RecordingFolder,
    /// Without its extension.
    path: PathBuf,
}

/// The running recorder of a phone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecorderEntry {
    pub(crate) session_id: String,
    pub(crate) file: PathBuf,
    pub(crate) serial: String,
    /// Never zero: a signal to 0 goes to the sender's whole process group.
    pub(crate) pid: NonZeroU32,
    /// The port of its control channel.
    pub(crate) control: u16,
    /// What a caller there must show.
    pub(crate) token: String,
}

/// A recording that ended by itself and was not reported yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EndedRecording {
    pub(crate) session_id: String,
    pub(crate) file: PathBuf,
    pub(crate) events: u64,
    pub(crate) reason: String,
}

impl EndedRecording {
    /// The warning for the next command.
    pub(super) fn warning(&self) -> String {
        let Self {
            session_id,
            events,
            reason,
            ..
        } = self;
        format!("{session_id} ended by itself with {events} events: {reason}")
    }

    pub(super) fn kept(&self) -> StoredRecording {
        StoredRecording {
            session_id: self.session_id.clone(),
            file: self.file.clone(),
            events: self.events,
            warning: None,
        }
    }
}

/// The state of a phone's recorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Recorder {
    Absent,
    /// The lock is held, but there is no entry: the recorder is starting or
    /// ending, or its entry was removed.
    Unnamed,
    Named(RecorderEntry),
}

/// Held by a recorder while it records.
#[derive(Debug)]
pub(crate) struct Claim {
    files: RecorderFiles,
    _lock: File,
}

fn unusable(path: &Path, error: &io::Error) -> Refusal {
    let message = format!("{}: {error}", path.display());
    Refusal::new(ErrorCode::RecordingStorageUnavailable, message)
}

impl RecordingFolder {
    pub(crate) fn new(state: &Path) -> Self {
        Self {
            folder: state.join(RECORDINGS),
        }
    }

    /// The folder at this path.
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
        // Each phone has its own recorder.
        private::replace(
            &self.folder.join(LATEST),
            session_id.as_bytes(),
            Concurrency::Processes,
        )
    }

    /// Cleans up after recorders that were killed.
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
            let files = RecorderFiles {
                recordings: self.clone(),
                path: self.folder.join(RUNNING).join(phone),
            };
            // Held meanwhile, so that no recorder starts now.
            if let Ok(Some(_lock)) = files.lock("lock", Duration::ZERO) {
                files.clean_up();
            }
        }
    }

    /// The files of a phone's recorder. Creates the folders.
    pub(crate) fn recorder_files(&self, serial: &str) -> Result<RecorderFiles, Refusal> {
        let name = lock::file_name(serial);
        let name = name.ok_or_else(|| {
            let message = format!("{serial:?} is not a phone's serial");
            Refusal::new(ErrorCode::RecordingStartFailed, message)
        })?;
        let folder = self.folder.join(RUNNING);
        private::folder(&folder).map_err(|error| unusable(&folder, &error))?;
        Ok(RecorderFiles {
            recordings: self.clone(),
            path: folder.join(name),
        })
    }
}

impl RecorderFiles {
    fn with(&self, extension: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{extension}"));
        name.into()
    }

    /// The recorder that runs now.
    pub(super) fn running(&self) -> Result<Recorder, Refusal> {
        let path = self.lock_file();
        match is_held(&path).map_err(|error| unusable(&path, &error))? {
            true => Ok(self.entry().map_or(Recorder::Unnamed, Recorder::Named)),
            false => Ok(Recorder::Absent),
        }
    }

    /// The recorder that runs now, once it has had the time to write its entry.
    pub(super) fn named(&self) -> Result<Recorder, Refusal> {
        // A recorder that starts holds it until its entry is written.
        drop(self.lock("start", NAME_TIME)?);
        self.running()
    }

    /// Waits until the recorder has ended; tells whether it has.
    pub(super) fn ends_within(&self, limit: Duration) -> Result<bool, Refusal> {
        Ok(self.lock("lock", limit)?.is_some())
    }

    fn lock(&self, extension: &str, limit: Duration) -> Result<Option<File>, Refusal> {
        let path = self.with(extension);
        lock_within(&path, limit).map_err(|error| unusable(&path, &error))
    }

    /// The file that the recorder locks.
    pub(super) fn lock_file(&self) -> PathBuf {
        self.with("lock")
    }

    fn entry(&self) -> Option<RecorderEntry> {
        serde_json::from_str(&read(&self.with("json")).ok()?).ok()
    }

    /// A recording that ended by itself and was not reported yet.
    pub(super) fn ended(&self) -> Option<EndedRecording> {
        serde_json::from_str(&read(&self.with(ENDED)).ok()?).ok()
    }

    /// The same, to report it now.
    pub(super) fn take_ended(&self) -> Option<EndedRecording> {
        let ended = self.ended();
        // Mostly there is none.
        let _ = fs::remove_file(self.with(ENDED));
        ended
    }

    /// Takes the phone for a recording.
    pub(super) fn claim(&self, entry: &RecorderEntry) -> Result<Claim, Refusal> {
        let _starting = self.lock("start", LOOKED_AT)?;
        // A process that only checks the lock also holds it for a moment.
        let Some(lock) = self.lock("lock", LOOKED_AT)? else {
            let message = format!("a recording is running on {}", entry.serial);
            return Err(Refusal::new(ErrorCode::RecordingAlreadyInProgress, message));
        };
        let path = self.with("json");
        let text = serde_json::to_string(entry).unwrap_or_default();
        private::replace(&path, text.as_bytes(), Concurrency::None)
            .map_err(|error| unusable(&path, &error))?;
        Ok(Claim {
            files: self.clone(),
            _lock: lock,
        })
    }

    /// Cleans up after a killed recorder: its recording becomes the latest, and
    /// the next command reports it.
    pub(super) fn clean_up(&self) {
        let entry = self.entry().filter(|entry| entry.file.is_file());
        if let Some(entry) = entry {
            // Without it the recording can still be named.
            let _ = self.recordings.set_latest(&entry.session_id);
            let known = self.ended().filter(|ended| ended.session_id == entry.session_id);
            if known.is_none() {
                let _ = self.store_end(&entry, UNFINISHED.to_owned());
            }
        }
        // Mostly there is none.
        let _ = fs::remove_file(self.with("json"));
    }

    /// Stores why a recording ended by itself, for the next command.
    fn store_end(&self, entry: &RecorderEntry, reason: String) -> io::Result<()> {
        let ended = EndedRecording {
            session_id: entry.session_id.clone(),
            file: entry.file.clone(),
            events: events_in(&entry.file),
            reason,
        };
        let text = serde_json::to_string(&ended)?;
        private::replace(&self.with(ENDED), text.as_bytes(), Concurrency::Processes)
    }

    /// A new, empty file for the recorder's standard error.
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
    /// The recording has ended and is the latest. If no command stopped it, the
    /// next one reports the reason.
    pub(super) fn done(self, entry: &RecorderEntry, reason: Option<String>) -> io::Result<()> {
        if let Some(reason) = reason {
            self.files.store_end(entry, reason)?;
        }
        self.files.recordings.set_latest(&entry.session_id)?;
        // Only now: if something failed before, the entry is still there.
        let _ = fs::remove_file(self.files.with("json"));
        Ok(())
    }

    /// The recording did not start.
    pub(super) fn failed(self) {
        let _ = fs::remove_file(self.files.with("json"));
    }
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    private::open(path)?.take(MAX_ENTRY).read_to_string(&mut text)?;
    Ok(text)
}

/// How many whole events a file has.
pub(super) fn events_in(file: &Path) -> u64 {
    let Ok(file) = private::open(file) else { return 0 };
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
