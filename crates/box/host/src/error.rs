//! What can go wrong with simulated phones.

use clawperator_background::NotStarted;
use clawperator_background::control::Unanswered;
use clawperator_contract::{ErrorCode, Failure, Problem, Scope};
use std::fmt;
use std::io;
use std::path::PathBuf;

use super::app_file::BadApp;

/// What went wrong.
#[derive(Debug)]
pub enum SimError {
    NoneRunning,
    /// No phone of that name is running.
    NoneCalled {
        name: String,
        running: Vec<String>,
    },
    /// Several are running, and none was named.
    Several(Vec<String>),
    /// The registry's folder is not ours alone.
    Unsafe {
        folder: PathBuf,
        why: &'static str,
    },
    /// Others can read the registry's folder.
    Open(PathBuf),
    /// The registry cannot be read or written.
    Registry {
        folder: PathBuf,
        error: io::Error,
    },
    Port {
        port: u16,
        error: io::Error,
    },
    /// The process could not be started.
    Spawn(io::Error),
    /// It was started and ended, or said nothing in time; its last words.
    NotReady(Option<String>),
    /// It was started and said why it cannot run.
    Refused(serde_json::Value),
    Apps(Vec<BadApp>),
    /// The phone's process gives no answer.
    Unanswered(Unanswered),
    /// These phones' process is there and does not answer.
    Silent {
        phones: Vec<String>,
        pid: u32,
    },
    /// It was asked to end and did not.
    DoesNotEnd(String),
}

impl SimError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NoneRunning | Self::NoneCalled { .. } => ErrorCode::SimNotRunning,
            Self::Several(_) => ErrorCode::SimAmbiguous,
            Self::Unsafe { .. } | Self::Open(_) => ErrorCode::SimRegistryUnsafe,
            Self::Registry { error, .. } | Self::Port { error, .. } | Self::Spawn(error)
                if is_out_of_files(error) =>
            {
                ErrorCode::SimOutOfFiles
            }
            Self::Registry { .. } => ErrorCode::SimRegistryFailed,
            Self::Refused(said) => code_of(said),
            Self::Port { .. } | Self::Spawn(_) | Self::NotReady(_) => ErrorCode::SimStartFailed,
            Self::Apps(_) => ErrorCode::SimAppInvalid,
            Self::Unanswered(Unanswered::Refused(_)) => ErrorCode::SimRequestRefused,
            Self::Unanswered(_) | Self::Silent { .. } | Self::DoesNotEnd(_) => ErrorCode::SimControlFailed,
        }
    }
}

/// The code that another process of ours gave.
fn code_of(said: &serde_json::Value) -> ErrorCode {
    let code = said["code"].as_str().and_then(ErrorCode::from_name);
    // A step's code is none that a process ends with.
    code.filter(|code| code.row().scope == Scope::Host)
        .unwrap_or(ErrorCode::SimStartFailed)
}

#[cfg(unix)]
fn is_out_of_files(error: &io::Error) -> bool {
    use nix::errno::Errno;
    let number = error.raw_os_error().map(Errno::from_raw);
    matches!(number, Some(Errno::EMFILE | Errno::ENFILE))
}

#[cfg(not(unix))]
fn is_out_of_files(_: &io::Error) -> bool {
    false
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoneRunning => write!(f, "no simulated phone is running"),
            Self::NoneCalled { name, running } if running.is_empty() => {
                write!(f, "no simulated phone \"{name}\" is running; none is")
            }
            Self::NoneCalled { name, running } => {
                let running = running.join(", ");
                write!(
                    f,
                    "no simulated phone \"{name}\" is running; these are: {running}"
                )
            }
            Self::Several(running) => {
                write!(f, "several simulated phones are running: {}", running.join(", "))
            }
            Self::Unsafe { folder, why } => write!(f, "{} {why}", folder.display()),
            Self::Open(folder) => write!(f, "others can read the folder {}", folder.display()),
            Self::Registry { folder, error } => {
                write!(f, "cannot use the folder {}: {error}", folder.display())
            }
            Self::Port { port, error } => write!(f, "cannot listen on 127.0.0.1:{port}: {error}"),
            Self::Spawn(error) => write!(f, "cannot start the phone's process: {error}"),
            Self::NotReady(None) => write!(f, "the phone's process ended or was not ready in time"),
            Self::NotReady(Some(words)) => {
                write!(
                    f,
                    "the phone's process ended or was not ready in time; it said: {words}"
                )
            }
            Self::Refused(said) => match said["message"].as_str() {
                Some(message) => f.write_str(message),
                None => write!(f, "the phone's process said {said}"),
            },
            Self::Apps(bad) => match bad.first() {
                Some(first) => write!(f, "{first}"),
                None => write!(f, "there are no app files"),
            },
            Self::Unanswered(Unanswered::Refused(why)) => f.write_str(why),
            Self::Unanswered(why) => write!(f, "the phone's process {why}"),
            Self::Silent { phones, pid } => {
                write!(
                    f,
                    "the process {pid} of {} runs but does not answer",
                    phones.join(", ")
                )
            }
            Self::DoesNotEnd(name) => write!(f, "{name} was asked to end and still runs"),
        }
    }
}

impl From<NotStarted> for SimError {
    fn from(error: NotStarted) -> Self {
        match error {
            NotStarted::Log(folder, error) => Self::Registry { folder, error },
            NotStarted::Spawn(error) => Self::Spawn(error),
            NotStarted::Refused(said) => Self::Refused(said),
            NotStarted::NotReady(words) => Self::NotReady(words),
        }
    }
}

impl From<Vec<BadApp>> for SimError {
    fn from(bad: Vec<BadApp>) -> Self {
        Self::Apps(bad)
    }
}

impl From<Unanswered> for SimError {
    fn from(error: Unanswered) -> Self {
        Self::Unanswered(error)
    }
}

impl From<SimError> for Failure {
    fn from(error: SimError) -> Self {
        let mut failure = Failure::of(error.code(), error.to_string());
        match error {
            SimError::NoneCalled { name, running } => {
                let known = running.iter().map(String::as_str);
                failure.suggestion = clawperator_contract::text::closest(&name, known).map(str::to_owned);
                failure
            }
            SimError::Apps(bad) => failure.with(|details| {
                details.problems = bad.iter().map(problem).collect();
                if let Some(position) = bad.first().and_then(|first| first.problem.position) {
                    details.line = usize::try_from(position.line).ok();
                    details.column = usize::try_from(position.column).ok();
                }
            }),
            SimError::Open(folder) => failure.hint(format!(
                "Set CLAWPERATOR_SIM_DIR to a folder of its own, or close this one: chmod 700 {}",
                folder.display()
            )),
            SimError::Silent { pid, .. } => failure.hint(format!(
                "Let the process {pid} go on if it was stopped (kill -CONT {pid}), or end it (kill -KILL {pid})."
            )),
            _ => failure,
        }
    }
}

fn problem(bad: &BadApp) -> Problem {
    Problem {
        code: ErrorCode::SimAppInvalid,
        hint: bad.problem.hint.clone(),
        ..Problem::new(bad.place(), bad.message())
    }
}
