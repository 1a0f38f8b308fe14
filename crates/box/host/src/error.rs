//! What can go wrong with simulated phones.

use clawperator_background::LaunchError;
use clawperator_background::control::ControlError;
use clawperator_contract::{CodeScope, ErrorCode, Failure, Problem};
use std::io;
use std::path::PathBuf;
use thiserror::Error;

use super::app_file::BadApp;

/// What went wrong.
#[derive(Debug, Error)]
pub enum SimError {
    #[error("no simulated phone is running")]
    NoneRunning,
    #[error("no simulated phone \"{name}\" is running; {}", others(running))]
    NoneCalled { name: String, running: Vec<String> },
    /// None was named.
    #[error("several simulated phones are running: {}", .0.join(", "))]
    Several(Vec<String>),
    /// The registry's folder is not ours alone.
    #[error("{} {why}", folder.display())]
    Unsafe { folder: PathBuf, why: &'static str },
    #[error("others can read the folder {}", .0.display())]
    Open(PathBuf),
    #[error("cannot use the folder {}: {error}", folder.display())]
    Registry { folder: PathBuf, error: io::Error },
    #[error("cannot listen on 127.0.0.1:{port}: {error}")]
    Port { port: u16, error: io::Error },
    #[error("cannot start the phone's process: {0}")]
    Spawn(io::Error),
    /// It was started and ended, or said nothing in time; its last words.
    #[error("the phone's process ended or was not ready in time{}", last_words(.0.as_deref()))]
    NotReady(Option<String>),
    /// It was started and said why it cannot run.
    #[error("{}", words(.0))]
    Refused(serde_json::Value),
    #[error("{}", first(.0))]
    Apps(Vec<BadApp>),
    #[error("{}", no_answer(.0))]
    Unanswered(#[from] ControlError),
    #[error("the process {pid} of {} runs but does not answer", phones.join(", "))]
    Silent { phones: Vec<String>, pid: u32 },
    #[error("{0} was asked to end and still runs")]
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
            Self::Unanswered(ControlError::Refused(_)) => ErrorCode::SimRequestRefused,
            Self::Unanswered(_) | Self::Silent { .. } | Self::DoesNotEnd(_) => ErrorCode::SimControlFailed,
        }
    }
}

/// The code that another process of ours gave.
fn code_of(said: &serde_json::Value) -> ErrorCode {
    let code = said["code"].as_str().and_then(ErrorCode::from_name);
    // A step's code is none that a process ends with.
    code.filter(|code| code.row().scope == CodeScope::Host).unwrap_or(ErrorCode::SimStartFailed)
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

fn others(running: &[String]) -> String {
    match running.join(", ") {
        names if names.is_empty() => "none is".to_owned(),
        names => format!("these are: {names}"),
    }
}

fn last_words(words: Option<&str>) -> String {
    words.map_or_else(String::new, |words| format!("; it said: {words}"))
}

fn words(said: &serde_json::Value) -> String {
    let message = said["message"].as_str().map(str::to_owned);
    message.unwrap_or_else(|| format!("the phone's process said {said}"))
}

fn no_answer(why: &ControlError) -> String {
    match why {
        ControlError::Refused(why) => why.clone(),
        _ => format!("the phone's process {why}"),
    }
}

fn first(bad: &[BadApp]) -> String {
    bad.first().map_or_else(|| "there are no app files".to_owned(), BadApp::to_string)
}

impl From<LaunchError> for SimError {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Log(folder, error) => Self::Registry { folder, error },
            LaunchError::Spawn(error) => Self::Spawn(error),
            LaunchError::Refused(said) => Self::Refused(said),
            LaunchError::NotReady(words) => Self::NotReady(words),
        }
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
                let problem = |bad: &BadApp| Problem {
                    code: ErrorCode::SimAppInvalid,
                    hint: bad.problem.hint.clone(),
                    ..Problem::new(bad.place(), bad.message())
                };
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
