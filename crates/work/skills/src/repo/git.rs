//! Runs the `git` program: bounded in time and output, without questions, hooks or background work.

use super::limits::{GIT_TIME, MAX_GIT_OUTPUT, MAX_GIT_TROUBLE};
use super::source::without_secrets;
use crate::process::{self, ProcessChannel, ProgramLaunch};
use clawperator_sandbox::Ending;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

/// What a caller's environment says of another repository than ours.
const LEFT_OUT: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
];

/// git must not ask questions, and its messages must be in English.
const SET: &[(&str, &str)] = &[
    ("GIT_ASKPASS", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("SSH_ASKPASS_REQUIRE", "never"),
];

/// The settings of a git that works alone, whatever the user's own are.
pub(super) const UNATTENDED: &[&str] = &[
    "advice.detachedHead=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "credential.interactive=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
];

pub(super) struct Git<'g> {
    pub(super) variables: Vec<(OsString, OsString)>,
    /// Settings that win over the user's own.
    pub(super) settings: &'static [&'static str],
    pub(super) limit: Option<Duration>,
    pub(super) live: Option<&'g mut (dyn FnMut(&str) + Send + 'g)>,
    pub(super) stop: Option<StopSignal<'g>>,
}

/// What ends a command early, when it is ready.
pub(super) type StopSignal<'s> = Pin<Box<dyn Future<Output = ()> + 's>>;

#[derive(Debug, thiserror::Error)]
pub(super) enum GitFault {
    #[error("the git program cannot be found")]
    NoGit,
    #[error("git {what} cannot be started: {error}")]
    NotStarted { what: String, error: io::Error },
    #[error("git {what} failed: {said}")]
    Failed { what: String, said: String },
    #[error("git {what} did not end within {} ms and was stopped", limit.as_millis())]
    TimedOut { what: String, limit: Duration },
    #[error("git {what} was interrupted")]
    Stopped { what: String },
    #[error("git {what} printed more than {MAX_GIT_OUTPUT} bytes")]
    TooMuch { what: String },
}

/// The environment of git, from the caller's.
pub(super) fn variables(all: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let is_ours =
        |name: &OsStr| LEFT_OUT.iter().any(|out| name == *out) || SET.iter().any(|(set, _)| name == *set);
    let has_ssh = all.iter().any(|(name, _)| name == "GIT_SSH_COMMAND" || name == "GIT_SSH");
    let mut kept: Vec<_> = all.into_iter().filter(|(name, _)| !is_ours(name)).collect();
    kept.extend(SET.iter().map(|(name, value)| ((*name).into(), (*value).into())));
    if !has_ssh {
        kept.push(("GIT_SSH_COMMAND".into(), "ssh -oBatchMode=yes".into()));
    }
    kept
}

impl Git<'_> {
    /// Runs one command in a folder, and returns what it printed.
    pub(super) async fn run(&mut self, folder: &Path, words: &[&str]) -> Result<Vec<u8>, GitFault> {
        let what = words[0].to_owned();
        let limit = self.limit.unwrap_or(GIT_TIME);
        let mut arguments: Vec<OsString> = vec!["-C".into(), folder.into()];
        for setting in self.settings {
            arguments.extend(["-c".into(), setting.into()]);
        }
        arguments.extend(words.iter().map(Into::into));
        let launch = ProgramLaunch {
            program: PathBuf::from("git"),
            arguments,
            variables: self.variables.clone(),
            limit,
            grace: process::GRACE,
        };
        let mut heard = GitOutput::default();
        let (live, stop) = (&mut self.live, &mut self.stop);
        let mut listen = |channel: ProcessChannel, bytes: &[u8]| match channel {
            ProcessChannel::Out => heard.out(bytes),
            ProcessChannel::Err => {
                heard.err(bytes);
                if let Some(live) = live {
                    live(&printable(bytes));
                }
            }
        };
        let stop = async {
            match stop {
                Some(stop) => stop.await,
                None => std::future::pending().await,
            }
        };
        let ran = process::run(launch, &mut listen, stop).await;
        match ran.map(|ran| ran.ending) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(GitFault::NoGit),
            Err(error) => Err(GitFault::NotStarted { what, error }),
            Ok(Ending::TimedOut) => Err(GitFault::TimedOut { what, limit }),
            Ok(Ending::Stopped | Ending::Flooded) => Err(GitFault::Stopped { what }),
            Ok(Ending::Exited(0)) if heard.too_much => Err(GitFault::TooMuch { what }),
            Ok(Ending::Exited(0)) => Ok(heard.out),
            Ok(Ending::Exited(code)) => Err(heard.git_fault(what, &format!("exit code {code}"))),
            Ok(Ending::Signalled(signal)) => Err(heard.git_fault(what, &format!("signal {signal}"))),
        }
    }

    pub(super) async fn line(&mut self, folder: &Path, words: &[&str]) -> Result<String, GitFault> {
        let out = self.run(folder, words).await?;
        Ok(String::from_utf8_lossy(&out).trim().to_owned())
    }

    /// The same for a command that fails if the answer is no.
    pub(super) async fn ask(&mut self, folder: &Path, words: &[&str]) -> Result<Option<String>, GitFault> {
        match self.line(folder, words).await {
            Ok(line) => Ok(Some(line)),
            Err(GitFault::Failed { .. }) => Ok(None),
            Err(fault) => Err(fault),
        }
    }
}

#[derive(Default)]
struct GitOutput {
    out: Vec<u8>,
    too_much: bool,
    /// The end of what it said of its trouble.
    trouble: Vec<u8>,
}

impl GitOutput {
    fn out(&mut self, bytes: &[u8]) {
        let room = MAX_GIT_OUTPUT - self.out.len();
        self.too_much |= bytes.len() > room;
        self.out.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn err(&mut self, bytes: &[u8]) {
        self.trouble.extend_from_slice(bytes);
        let too_many = self.trouble.len().saturating_sub(MAX_GIT_TROUBLE);
        self.trouble.drain(..too_many);
    }

    fn git_fault(&self, what: String, ending: &str) -> GitFault {
        let text = printable(&self.trouble);
        // Progress comes before the reason, each in a line or after a return.
        let mut lines = text.split(['\n', '\r']).map(str::trim);
        let is_reason = |line: &&str| ["fatal:", "error:", "ssh:"].iter().any(|word| line.starts_with(word));
        let reasons: Vec<&str> = lines.clone().filter(is_reason).collect();
        let last = lines.rfind(|line| !line.is_empty());
        let said = match (reasons.is_empty(), last) {
            (false, _) => reasons.join("; "),
            (true, Some(last)) => last.to_owned(),
            (true, None) => ending.to_owned(),
        };
        GitFault::Failed { what, said }
    }
}

/// What git said, without secrets and without what a terminal would obey.
fn printable(bytes: &[u8]) -> String {
    let text = without_secrets(&String::from_utf8_lossy(bytes));
    text.replace(|c: char| c.is_control() && c != '\n' && c != '\r', "")
}
