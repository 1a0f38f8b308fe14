//! The folder of recordings: their files, the name of the latest one, and the
//! running recorder of each phone.
//!
//! A recorder holds an operating-system lock, which ends with its process, however that ends.

use clawperator_background::control::Address;
use clawperator_background::{Life, ProcessFiles, ProcessState, read};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_phone::{lock, lock_within};
use clawperator_private::{self as private, Concurrency};
use clawperator_recording::RecordingId;
use clawperator_run::{Refusal, StoredRecording};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder's name under the state folder.
const RECORDINGS: &str = "recordings";
/// The file that names the latest recording.
const LATEST: &str = "latest";
/// The folder of the running recorders.
const RUNNING: &str = "running";
/// The extension of the entry of a recorder that ended by itself.
const ENDED: &str = "ended";
/// Why a recording ended if its recorder left no reason.
const UNFINISHED: &str = "its recorder was killed or could not finish";
/// How long a recorder that has just begun may take to write its entry.
const NAME_TIME: Duration = Duration::from_secs(1);
/// How long a process that only checks the lock may hold it.
const LOOKED_AT: Duration = Duration::from_millis(500);

/// The folder of recordings.
#[derive(Clone, Debug)]
pub(crate) struct RecordingFolder {
    folder: PathBuf,
}

/// The files of one phone's recorder.
#[derive(Clone, Debug)]
pub(crate) struct RecorderFiles {
    recordings: RecordingFolder,
    files: ProcessFiles,
}

/// The running recorder of a phone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecorderEntry {
    pub(crate) session_id: String,
    pub(crate) file: PathBuf,
    pub(crate) serial: String,
    /// The process, and where it is asked to stop.
    #[serde(flatten)]
    pub(crate) address: Address,
    /// Why it ended, if that was by itself.
    #[serde(default)]
    pub(crate) reason: String,
}

impl RecorderEntry {
    /// The warning about a recording that ended by itself, for the next command.
    pub(super) fn warning(&self) -> String {
        let (name, events, reason) = (&self.session_id, events_in(&self.file), &self.reason);
        format!("{name} ended by itself with {events} events: {reason}")
    }

    /// The recording as it is in its file now.
    pub(super) fn stored_recording(&self) -> StoredRecording {
        StoredRecording {
            session_id: self.session_id.clone(),
            file: self.file.clone(),
            events: events_in(&self.file),
            warning: None,
        }
    }
}

/// Held by a recorder while it records.
#[derive(Debug)]
pub(crate) struct Claim {
    files: RecorderFiles,
    life: Life,
}

/// The refusal of a recording that does not begin.
pub(super) fn not_started(message: impl Into<String>) -> Refusal {
    Refusal::new(ErrorCode::RecordingStartFailed, message)
}

pub(super) fn unusable(path: &Path, error: &io::Error) -> Refusal {
    Refusal::new(ErrorCode::RecordingStorageUnavailable, format!("{}: {error}", path.display()))
}

impl RecordingFolder {
    pub(crate) fn new(state: &Path) -> Self {
        Self { folder: state.join(RECORDINGS) }
    }

    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn file_of(&self, session: &RecordingId) -> PathBuf {
        self.folder.join(session.file_name())
    }

    /// The name of the latest recording, if there is one. One whose recorder was killed counts.
    pub(crate) fn latest(&self) -> Option<RecordingId> {
        self.tidy();
        RecordingId::new(read(&self.folder.join(LATEST))?.trim())
    }

    /// Refuses while a recording runs: this one, or any, whose end is not known yet.
    pub(crate) fn refuse_running(&self, session: Option<&RecordingId>) -> Result<(), Failure> {
        for files in ProcessFiles::all(&self.folder.join(RUNNING)).unwrap_or_default() {
            let Ok(ProcessState::Named(entry)) = files.running::<RecorderEntry>() else {
                continue;
            };
            let name = entry.session_id;
            if session.is_none_or(|session| session.as_str() == name) {
                let message = format!("the recording {name} on {} has not ended yet", entry.serial);
                return Err(Failure::new(ErrorCode::RecordingSessionNotFound, message).hint(
                    "Stop it with clawperator record stop, or name another recording with --session-id.",
                ));
            }
        }
        Ok(())
    }

    /// Removes a recording and what was made of it; the files that were removed.
    pub(crate) fn delete(&self, session: &RecordingId) -> io::Result<Vec<PathBuf>> {
        let is_latest = self.latest().is_some_and(|latest| latest == *session);
        let own = format!("{}.", session.as_str());
        let mut files = Vec::new();
        for file in fs::read_dir(&self.folder).into_iter().flatten() {
            let file = file?;
            if file.file_name().to_string_lossy().starts_with(&own) && file.file_type()?.is_file() {
                files.push(file.path());
            }
        }
        files.sort();
        files.iter().try_for_each(fs::remove_file)?;
        if is_latest {
            // The one before it is not the latest that was recorded.
            fs::remove_file(self.folder.join(LATEST))?;
        }
        Ok(files)
    }

    fn set_latest(&self, session_id: &str) -> io::Result<()> {
        // Each phone has its own recorder.
        private::replace(&self.folder.join(LATEST), session_id.as_bytes(), Concurrency::Processes)
    }

    /// Cleans up after recorders that were killed.
    fn tidy(&self) {
        // Where there are none, or none can be read, there is nothing to clean.
        for files in ProcessFiles::all(&self.folder.join(RUNNING)).unwrap_or_default() {
            // Held meanwhile, so that no recorder starts now.
            if let Ok(Some(life)) = files.claim(Duration::ZERO) {
                let recordings = self.clone();
                RecorderFiles { recordings, files }.clean_up();
                life.end();
            }
        }
    }

    /// The files of a phone's recorder. Creates the folders.
    pub(crate) fn recorder_files(&self, serial: &str) -> Result<RecorderFiles, Refusal> {
        let name = lock::file_name(serial);
        let name = name.ok_or_else(|| not_started(format!("{serial:?} is not a phone's serial")))?;
        let folder = self.folder.join(RUNNING);
        private::folder(&folder).map_err(|error| unusable(&folder, &error))?;
        Ok(RecorderFiles { recordings: self.clone(), files: ProcessFiles::at(folder.join(name)) })
    }
}

impl RecorderFiles {
    pub(super) fn running(&self) -> Result<ProcessState<RecorderEntry>, Refusal> {
        self.files.running().map_err(self.unusable())
    }

    /// The recorder that runs now, once it has had the time to write its entry.
    pub(super) fn current_recorder(&self) -> Result<ProcessState<RecorderEntry>, Refusal> {
        // A recorder that starts holds it until its entry is written.
        drop(lock_within(&self.files.file("start"), NAME_TIME).map_err(self.unusable())?);
        self.running()
    }

    /// Waits until the recorder has ended; tells whether it has.
    pub(super) fn ends_within(&self, limit: Duration) -> Result<bool, Refusal> {
        self.files.ends_within(limit).map_err(self.unusable())
    }

    fn unusable(&self) -> impl Fn(io::Error) -> Refusal {
        |error| unusable(&self.lock_file(), &error)
    }

    pub(super) fn lock_file(&self) -> PathBuf {
        self.files.lock_file()
    }

    pub(super) fn of_process(&self) -> &ProcessFiles {
        &self.files
    }

    /// A recording that ended by itself and was not reported yet.
    pub(super) fn unreported_end(&self) -> Option<RecorderEntry> {
        serde_json::from_str(&read(&self.files.file(ENDED))?).ok()
    }

    /// The same, to report it now.
    pub(super) fn take_ended(&self) -> Option<RecorderEntry> {
        let ended = self.unreported_end();
        // Mostly there is none.
        let _ = fs::remove_file(self.files.file(ENDED));
        ended
    }

    /// Takes the phone for a recording.
    pub(super) fn claim(&self, entry: &RecorderEntry) -> Result<Claim, Refusal> {
        let _starting = lock_within(&self.files.file("start"), LOOKED_AT).map_err(self.unusable())?;
        // A process that only checks the lock also holds it for a moment.
        let Some(life) = self.files.enter(LOOKED_AT, entry).map_err(self.unusable())? else {
            let message = format!("a recording is running on {}", entry.serial);
            return Err(Refusal::new(ErrorCode::RecordingAlreadyInProgress, message));
        };
        let files = self.clone();
        Ok(Claim { files, life })
    }

    /// Cleans up after a killed recorder: its recording becomes the latest, and
    /// the next command reports it.
    pub(super) fn clean_up(&self) {
        let entry: Option<RecorderEntry> = self.files.entry();
        let entry = entry.filter(|entry| entry.file.is_file());
        if let Some(entry) = entry {
            // Without it the recording can still be named.
            let _ = self.recordings.set_latest(&entry.session_id);
            let known = self.unreported_end().filter(|ended| ended.session_id == entry.session_id);
            if known.is_none() {
                let _ = self.store_end(&entry, UNFINISHED.to_owned());
            }
        }
        self.files.remove_entry();
    }

    /// Stores why a recording ended by itself, for the next command.
    fn store_end(&self, entry: &RecorderEntry, reason: String) -> io::Result<()> {
        let ended = RecorderEntry { reason, ..entry.clone() };
        let text = serde_json::to_string(&ended)?;
        private::replace(&self.files.file(ENDED), text.as_bytes(), Concurrency::Processes)
    }
}

impl Claim {
    /// The recording has ended and is the latest. If no command stopped it, the
    /// next one reports the reason.
    pub(super) fn finish(self, entry: &RecorderEntry, reason: Option<String>) -> io::Result<()> {
        if let Some(reason) = reason {
            self.files.store_end(entry, reason)?;
        }
        self.files.recordings.set_latest(&entry.session_id)?;
        // Only now: if something failed before, the entry is still there.
        self.life.end();
        Ok(())
    }

    pub(super) fn give_up(self) {
        self.life.end();
    }
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
