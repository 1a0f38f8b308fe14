//! Recordings on this computer: each is made by a process of its own, which
//! outlives the command that starts it. It knows nothing of command lines.

mod place;
mod process;

pub(crate) use clawperator_journal::private::write as write_private;
pub(crate) use place::Place;
pub(crate) use process::{BACKGROUND, Order, run};

use crate::background::{Launch, until};
use clawperator_contract::{ErrorCode, Scope};
use clawperator_recording::SessionId;
use clawperator_runtime::{Kept, Recordings, Refusal};
use place::{Entry, Recorder, Spot};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// How long a recording may take to begin, and how long to end.
const START_TIME: Duration = Duration::from_secs(9);
const STOP_TIME: Duration = Duration::from_secs(12);
/// How long a process that was ended by force may take to be gone.
const KILL_TIME: Duration = Duration::from_secs(2);
/// How long a recorder that has just begun may take to write its entry.
const NAME_TIME: Duration = Duration::from_secs(1);

/// Keeps recordings in processes of their own.
#[derive(Clone, Debug)]
pub(crate) struct Keeper {
    /// Where recordings are.
    pub(crate) place: Place,
    /// This program.
    pub(crate) program: Option<PathBuf>,
    /// Milliseconds since 1970.
    pub(crate) now_ms: u64,
    /// A random number.
    pub(crate) random: u64,
}

impl Recordings for Keeper {
    fn start(&self, serial: &str, session: Option<&str>) -> Result<Kept, Refusal> {
        let failed = |message: String| Refusal::new(ErrorCode::RecordingStartFailed, message);
        let session = match session {
            Some(name) => SessionId::new(name).ok_or_else(|| {
                let rule = "a recording's name has letters, digits, - and _ only, and not too many; latest and \
                            running are no names";
                failed(rule.to_owned())
            })?,
            None => SessionId::made(self.now_ms, self.random),
        };
        let spot = self.place.spot(serial)?;
        let already = |message: String| Refusal::new(ErrorCode::RecordingAlreadyInProgress, message);
        match spot.running()? {
            Recorder::Nobody => {}
            Recorder::Unnamed => return Err(already(format!("a recording is running on {serial}"))),
            Recorder::Named(entry) => {
                let message = format!("the recording {} is running on {serial}", entry.session_id);
                return Err(already(message).about(entry.kept()));
            }
        }
        // What is left of one that was ended by force.
        spot.clean_up();
        let file = self.place.file_of(&session);
        if file.exists() {
            return Err(failed(format!("there is a recording {session} already")));
        }
        let order = Order {
            serial: serial.to_owned(),
            session_id: session.to_string(),
            folder: self.place.folder().to_path_buf(),
            now_ms: self.now_ms,
        };
        self.launch(&order, &spot)?;
        Ok(Kept {
            session_id: session.to_string(),
            file,
            events: 0,
            // It is told again when this one stops.
            warning: spot.ended().map(|ended| ended.told()),
        })
    }

    fn stop(&self, serial: &str, session: Option<&str>) -> Result<Kept, Refusal> {
        let spot = self.place.spot(serial)?;
        let none = |message: String| Refusal::new(ErrorCode::RecordingNotInProgress, message);
        let entry = match named(&spot)? {
            Recorder::Named(entry) => entry,
            Recorder::Unnamed => return Err(stop_unnamed(&spot)),
            Recorder::Nobody => {
                let message = format!("no recording is running on {serial}");
                spot.clean_up();
                return Err(match spot.take_ended() {
                    Some(ended) => none(format!("{message}; {}", ended.told())).about(ended.kept()),
                    None => none(message),
                });
            }
        };
        spot.ask_to_end()?;
        if !gone(&spot, STOP_TIME)? {
            return Err(stop_by_force(&spot, &entry));
        }
        let mut kept = entry.kept();
        let other = session.filter(|wanted| *wanted != kept.session_id).map(|wanted| {
            let wanted = clawperator_contract::text::excerpt(wanted);
            format!(
                "asked to stop {wanted}; {} was running and is stopped",
                kept.session_id
            )
        });
        // This one just now, or one before it.
        let ended = spot.take_ended().map(|ended| ended.told());
        let warnings: Vec<String> = other.into_iter().chain(ended).collect();
        kept.warning = Some(warnings.join("; ")).filter(|warning| !warning.is_empty());
        Ok(kept)
    }
}

impl Keeper {
    /// Starts the program again to record, and waits until it does.
    fn launch(&self, order: &Order, spot: &Spot) -> Result<(), Refusal> {
        let failed = |message: String| Refusal::new(ErrorCode::RecordingStartFailed, message);
        let Some(program) = &self.program else {
            return Err(failed("this program does not know where it is".to_owned()));
        };
        let written = order.written().map_err(|error| {
            let message = format!("{}: {error}", order.folder.display());
            Refusal::new(ErrorCode::RecordingStorageUnavailable, message)
        })?;
        let process = Launch {
            program,
            arguments: Vec::new(),
            variables: vec![(BACKGROUND, written.into())],
            log: spot.fresh_log()?,
            limit: START_TIME,
        };
        let process = process
            .start()
            .map_err(|error| failed(format!("cannot start a recorder: {error}")))?;
        let said = process.first_line.as_deref();
        let said: Option<Value> = said.and_then(|line| serde_json::from_str(line).ok());
        let refusal = match said {
            Some(said) if said["ok"] == true => return Ok(()),
            Some(said) => {
                let code = said["code"].as_str().and_then(ErrorCode::from_name);
                let code = code.filter(|code| code.row().scopes().any(|scope| scope == Scope::Step));
                let code = code.unwrap_or(ErrorCode::RecordingStartFailed);
                Refusal::new(code, said["message"].as_str().unwrap_or_default())
            }
            None => failed("the recorder did not become ready".to_owned()),
        };
        process.end();
        Err(refusal)
    }
}

/// The recorder there, once it has had the time to write its entry.
fn named(spot: &Spot) -> Result<Recorder, Refusal> {
    let mut running = spot.running();
    until(NAME_TIME, || {
        running = spot.running();
        !matches!(running, Ok(Recorder::Unnamed))
    });
    running
}

/// Ends a recording of which only the lock is known. Whose it is cannot be
/// told, so nobody is ended by force.
fn stop_unnamed(spot: &Spot) -> Refusal {
    let ended = spot.ask_to_end().and_then(|()| gone(spot, STOP_TIME));
    let what = match ended {
        Ok(true) => "it has ended now",
        Ok(false) => "it was asked to end and has not",
        Err(refusal) => return refusal,
    };
    let message = format!(
        "a recording was running and there is no entry that names it; {what}; its lock is {}",
        spot.lock_file().display()
    );
    Refusal::new(ErrorCode::RecordingStopFailed, message)
}

/// Ends a recorder that did not end when it was asked to.
fn stop_by_force(spot: &Spot, entry: &Entry) -> Refusal {
    // The number is still its own only as long as it holds the lock.
    let ended = match spot.running() {
        Ok(Recorder::Named(now)) if now == *entry => {
            entry.kill();
            gone(spot, KILL_TIME)
        }
        Ok(Recorder::Nobody) => Ok(true),
        Ok(Recorder::Named(_) | Recorder::Unnamed) => Ok(false),
        Err(refusal) => return refusal,
    };
    let name = &entry.session_id;
    let message = match ended {
        Ok(true) => {
            spot.clean_up();
            // It is told here.
            spot.take_ended();
            format!("{name} did not end in time and was ended by force")
        }
        Ok(false) => format!("{name} did not end; its lock is {}", spot.lock_file().display()),
        Err(refusal) => return refusal,
    };
    Refusal::new(ErrorCode::RecordingStopFailed, message).about(entry.kept())
}

/// Waits until nothing records there any more.
fn gone(spot: &Spot, time: Duration) -> Result<bool, Refusal> {
    let mut running = Ok(Recorder::Nobody);
    let ended = until(time, || {
        running = spot.running();
        !matches!(running, Ok(Recorder::Named(_) | Recorder::Unnamed))
    });
    running.map(|_| ended)
}

impl Entry {
    /// The recording as it is in its file now.
    fn kept(&self) -> Kept {
        Kept {
            session_id: self.session_id.clone(),
            file: self.file.clone(),
            events: place::events_in(&self.file),
            warning: None,
        }
    }

    #[cfg(unix)]
    fn kill(&self) {
        if let Ok(pid) = i32::try_from(self.pid.get()) {
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
            place: Place::new(folder),
            program: None,
            now_ms: 0,
            random: 0,
        }
    }

    /// A recording of one event that this process makes.
    fn claimed(keeper: &Keeper, name: &str) -> (place::Claim, Entry) {
        let spot = keeper.place.spot(SERIAL).unwrap();
        let entry = Entry {
            session_id: name.to_owned(),
            file: keeper.place.file_of(&SessionId::new(name).unwrap()),
            serial: SERIAL.to_owned(),
            pid: NonZeroU32::new(std::process::id()).unwrap(),
        };
        std::fs::write(&entry.file, "header\nevent\n").unwrap();
        (spot.claim(&entry).unwrap(), entry)
    }

    #[test]
    fn a_recording_that_ended_by_itself_is_told_once() {
        let folder = Folder::new();
        let keeper = keeper(&folder.0);
        let (claim, entry) = claimed(&keeper, "lost");
        claim
            .done(&entry, Some("the phone went away".to_owned()))
            .unwrap();
        let refusal = keeper.stop(SERIAL, None).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::RecordingNotInProgress);
        assert_eq!(
            refusal.message,
            "no recording is running on phone-1; lost ended by itself with 1 events: the phone went away"
        );
        assert_eq!(refusal.recording.unwrap().session_id, "lost");
        let refusal = keeper.stop(SERIAL, None).unwrap_err();
        assert_eq!(refusal.message, "no recording is running on phone-1");
        assert_eq!(keeper.place.latest().unwrap().as_str(), "lost");
    }

    #[test]
    fn a_killed_recorder_s_recording_is_the_latest() {
        let folder = Folder::new();
        let keeper = keeper(&folder.0);
        let (claim, entry) = claimed(&keeper, "older");
        claim.done(&entry, None).unwrap();
        let (claim, _) = claimed(&keeper, "killed");
        // As long as it records it is not.
        assert_eq!(keeper.place.latest().unwrap().as_str(), "older");
        drop(claim);
        assert_eq!(keeper.place.latest().unwrap().as_str(), "killed");
    }

    #[test]
    fn what_cannot_become_the_latest_keeps_its_entry() {
        let folder = Folder::new();
        let keeper = keeper(&folder.0);
        let (claim, entry) = claimed(&keeper, "stuck");
        // Nothing can take the place of a folder that has something in it.
        let latest = keeper.place.folder().join("latest");
        std::fs::create_dir_all(latest.join("x")).unwrap();
        claim.done(&entry, None).unwrap_err();
        let left = std::fs::read_dir(keeper.place.folder()).unwrap();
        let mut left: Vec<_> = left.map(|file| file.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["latest", "running", "stuck.ndjson"]);
        std::fs::remove_dir_all(latest).unwrap();
        assert_eq!(keeper.place.latest().unwrap().as_str(), "stuck");
    }
}
