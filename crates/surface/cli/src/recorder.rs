//! Recordings on this computer: each has its own process, which outlives the
//! command that starts it. It knows nothing about command lines.

mod folder;
mod process;

pub(crate) use folder::RecordingFolder;
pub(crate) use process::{BACKGROUND, RecorderOrder, run};

use clawperator_background::{LaunchError, ProcessLaunch, ProcessState};
use clawperator_contract::{CodeScope, ErrorCode};
use clawperator_engine::Ids;
use clawperator_events::Clock;
use clawperator_recording::RecordingId;
use clawperator_run::{Recordings, Refusal, StoredRecording};
use folder::{RecorderEntry, RecorderFiles, not_started};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a recording may take to begin, and how long to end.
const START_TIME: Duration = Duration::from_secs(9);
const STOP_TIME: Duration = Duration::from_secs(12);
/// How long a killed process may take to end.
const KILL_TIME: Duration = Duration::from_secs(2);

/// Runs each recording in its own process.
#[derive(Clone, Debug)]
pub(crate) struct Keeper {
    pub(crate) recordings: RecordingFolder,
    pub(crate) program: Option<PathBuf>,
    pub(crate) clock: Arc<Clock>,
    pub(crate) ids: Ids,
}

impl Recordings for Keeper {
    fn start(&self, serial: &str, session: Option<&str>) -> Result<StoredRecording, Refusal> {
        let session = match session {
            Some(name) => RecordingId::new(name).ok_or_else(|| {
                let rule = "a recording's name may contain only letters, digits, - and _, and must be short; \
                            latest and running are reserved";
                not_started(rule)
            })?,
            None => RecordingId::generate(self.clock.now_ms(), self.ids.next()),
        };
        let files = self.recordings.recorder_files(serial)?;
        let already = |message: String| Refusal::new(ErrorCode::RecordingAlreadyInProgress, message);
        match files.running()? {
            ProcessState::Absent => {}
            ProcessState::Unnamed => return Err(already(format!("a recording is running on {serial}"))),
            ProcessState::Named(entry) => {
                let message = format!("the recording {} is running on {serial}", entry.session_id);
                return Err(already(message).about(entry.stored_recording()));
            }
        }
        // Left by a killed recorder.
        files.clean_up();
        let file = self.recordings.file_of(&session);
        if file.exists() {
            return Err(not_started(format!("the recording {session} already exists; choose another name")));
        }
        let order = RecorderOrder {
            serial: serial.to_owned(),
            session_id: session.to_string(),
            folder: self.recordings.folder().to_path_buf(),
            now_ms: self.clock.now_ms(),
        };
        self.launch(&order, &files)?;
        Ok(StoredRecording {
            session_id: session.to_string(),
            file,
            events: 0,
            // Reported again when this one stops.
            warning: files.unreported_end().map(|ended| ended.warning()),
        })
    }

    fn stop(&self, serial: &str, session: Option<&str>) -> Result<StoredRecording, Refusal> {
        let files = self.recordings.recorder_files(serial)?;
        let none = |message: String| Refusal::new(ErrorCode::RecordingNotInProgress, message);
        let entry = match files.current_recorder()? {
            ProcessState::Named(entry) => entry,
            ProcessState::Unnamed => return Err(stop_unnamed(&files)),
            ProcessState::Absent => {
                let message = format!("no recording is running on {serial}");
                files.clean_up();
                return Err(match files.take_ended() {
                    Some(ended) => {
                        none(format!("{message}; {}", ended.warning())).about(ended.stored_recording())
                    }
                    None => none(message),
                });
            }
        };
        // Without an answer it may be ending already.
        entry.address.ask_to_end();
        if !files.ends_within(STOP_TIME)? {
            return Err(stop_by_force(&files, &entry));
        }
        let mut kept = entry.stored_recording();
        let other = session.filter(|wanted| *wanted != kept.session_id).map(|wanted| {
            let wanted = clawperator_contract::text::excerpt(wanted);
            format!("{wanted} was not running; stopped {} instead", kept.session_id)
        });
        // This one just now, or one before it.
        let ended = files.take_ended().map(|ended| ended.warning());
        let warnings: Vec<String> = other.into_iter().chain(ended).collect();
        kept.warning = Some(warnings.join("; ")).filter(|warning| !warning.is_empty());
        Ok(kept)
    }
}

impl Keeper {
    /// Starts the program again to record, and waits until it does.
    fn launch(&self, order: &RecorderOrder, files: &RecorderFiles) -> Result<(), Refusal> {
        let Some(program) = &self.program else {
            return Err(not_started("cannot start a recorder: the path of this program is unknown"));
        };
        // A folder whose name is not UTF-8 cannot be written.
        let written = serde_json::to_string(order);
        let written = written.map_err(|error| folder::unusable(&order.folder, &error.into()))?;
        let process = ProcessLaunch {
            program,
            arguments: Vec::new(),
            variables: vec![(BACKGROUND, written.into())],
            files: files.of_process(),
            limit: START_TIME,
        };
        let refusal = match process.start() {
            Ok(_) => return Ok(()),
            Err(LaunchError::Log(path, error)) => folder::unusable(&path, &error),
            Err(LaunchError::Spawn(error)) => not_started(format!("cannot start a recorder: {error}")),
            Err(LaunchError::Refused(said)) => {
                let code = said["code"].as_str().and_then(ErrorCode::from_name);
                let code = code.filter(|code| code.row().scopes().any(|scope| scope == CodeScope::Step));
                let code = code.unwrap_or(ErrorCode::RecordingStartFailed);
                Refusal::new(code, said["message"].as_str().unwrap_or_default())
            }
            Err(LaunchError::NotReady(None)) => not_started("the recorder did not become ready"),
            Err(LaunchError::NotReady(Some(words))) => {
                not_started(format!("the recorder did not become ready; it said: {words}"))
            }
        };
        Err(refusal)
    }
}

/// Refuses to stop a recording of which only the lock is known: without its
/// entry its process cannot be asked, and none is killed.
fn stop_unnamed(files: &RecorderFiles) -> Refusal {
    let what = match files.ends_within(KILL_TIME) {
        Ok(true) => "it has stopped now",
        Ok(false) => "its entry is missing, so it cannot be asked to stop",
        Err(refusal) => return refusal,
    };
    let message =
        format!("an unnamed recording was running; {what}; its lock is {}", files.lock_file().display());
    Refusal::new(ErrorCode::RecordingStopFailed, message)
}

/// Kills a recorder that did not stop when asked.
fn stop_by_force(files: &RecorderFiles, entry: &RecorderEntry) -> Refusal {
    // The process id is certainly its own only while it holds the lock.
    let ended = match files.running() {
        Ok(ProcessState::Named(now)) if now == *entry => {
            entry.kill();
            files.ends_within(KILL_TIME)
        }
        Ok(ProcessState::Absent) => Ok(true),
        Ok(ProcessState::Named(_) | ProcessState::Unnamed) => Ok(false),
        Err(refusal) => return refusal,
    };
    let name = &entry.session_id;
    let message = match ended {
        Ok(true) => {
            files.clean_up();
            // Reported here.
            files.take_ended();
            format!("{name} did not stop in time and was killed")
        }
        Ok(false) => format!("{name} did not stop; its lock is {}", files.lock_file().display()),
        Err(refusal) => return refusal,
    };
    Refusal::new(ErrorCode::RecordingStopFailed, message).about(entry.stored_recording())
}

impl RecorderEntry {
    #[cfg(unix)]
    fn kill(&self) {
        if let Ok(pid) = i32::try_from(self.address.pid.get()) {
            // It holds the lock, so the number is still its own.
            let _ =
                nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL);
        }
    }

    #[cfg(not(unix))]
    fn kill(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawperator_background::control::Address;
    use std::num::NonZeroU32;
    use std::path::Path;
    use std::sync::atomic::{AtomicU32, Ordering};

    const SERIAL: &str = "phone-1";

    /// A folder that no other test knows.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            static NUMBER: AtomicU32 = AtomicU32::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("clawperator-recorder-{}-{number}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            std::fs::create_dir(&folder).unwrap();
            Self(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn keeper(folder: &Path) -> Keeper {
        Keeper {
            recordings: RecordingFolder::new(folder),
            program: None,
            clock: Arc::new(Clock::new(|| 0)),
            ids: Ids::new(|| 0),
        }
    }

    /// A recording of one event that this process makes.
    fn claimed(keeper: &Keeper, name: &str) -> (folder::Claim, RecorderEntry) {
        let files = keeper.recordings.recorder_files(SERIAL).unwrap();
        let entry = RecorderEntry {
            session_id: name.to_owned(),
            file: keeper.recordings.file_of(&RecordingId::new(name).unwrap()),
            serial: SERIAL.to_owned(),
            address: Address {
                pid: NonZeroU32::new(std::process::id()).unwrap(),
                control: 1,
                token: String::new(),
            },
            reason: String::new(),
        };
        std::fs::write(&entry.file, "header\nevent\n").unwrap();
        (files.claim(&entry).unwrap(), entry)
    }

    #[test]
    fn a_recording_that_ended_by_itself_is_told_once() {
        let folder = Folder::new();
        let keeper = keeper(&folder.0);
        let (claim, entry) = claimed(&keeper, "lost");
        claim.finish(&entry, Some("the phone went away".to_owned())).unwrap();
        let refusal = keeper.stop(SERIAL, None).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::RecordingNotInProgress);
        assert_eq!(
            refusal.message,
            "no recording is running on phone-1; lost ended by itself with 1 events: the phone went away"
        );
        assert_eq!(refusal.recording.unwrap().session_id, "lost");
        let refusal = keeper.stop(SERIAL, None).unwrap_err();
        assert_eq!(refusal.message, "no recording is running on phone-1");
        assert_eq!(keeper.recordings.latest().unwrap().as_str(), "lost");
    }

    #[test]
    fn what_cannot_become_the_latest_keeps_its_entry() {
        let folder = Folder::new();
        let keeper = keeper(&folder.0);
        let (claim, entry) = claimed(&keeper, "stuck");
        // Nothing can take the place of a folder that has something in it.
        let latest = keeper.recordings.folder().join("latest");
        std::fs::create_dir_all(latest.join("x")).unwrap();
        claim.finish(&entry, None).unwrap_err();
        let left = std::fs::read_dir(keeper.recordings.folder()).unwrap();
        let mut left: Vec<_> = left.map(|file| file.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["latest", "running", "stuck.ndjson"]);
        std::fs::remove_dir_all(latest).unwrap();
        assert_eq!(keeper.recordings.latest().unwrap().as_str(), "stuck");
    }
}
