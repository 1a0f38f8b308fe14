//! What a command printed and how it ended, and what that means. Pure.

use super::CommandLine;
use super::error::PhoneError;
use clawperator_adb::ShellOutput;
use clawperator_events::{CommandKind, EventLog};
use std::sync::Arc;

/// How much of a phone's output an error repeats.
const EXCERPT: usize = 200;

/// How complaints begin, whatever the exit code says.
const COMPLAINTS: &[&str] = &[
    "Error:",
    "Error type",
    "Exception occurred",
    "Security exception",
    "java.lang.",
    "android.os.",
    "Permission Denial",
    "cmd: Can't find service",
    "usage:",
    "Usage:",
    "** ",
    "Warning: Activity not started because",
];
/// What some phones print before anything that they run.
const LINKER: &str = "WARNING: linker:";
/// What a shell prints for a missing command.
const MISSING: &[&str] = &["not found", "inaccessible"];
/// The exit code of a missing command.
const MISSING_CODE: u8 = 127;

/// What a command printed, and how it ended.
#[derive(Clone, Debug)]
pub(super) struct CommandAnswer {
    pub(super) kind: CommandKind,
    pub(super) out: String,
    pub(super) err: String,
    pub(super) exit_code: Option<u8>,
    /// Takes what is not understood, if that may be shown.
    pub(super) event_log: Option<Arc<EventLog>>,
    asked: String,
}

impl CommandAnswer {
    pub(super) fn new(line: &CommandLine, output: &ShellOutput, event_log: Option<Arc<EventLog>>) -> Self {
        Self {
            kind: line.kind(),
            event_log: event_log.filter(|_| line.is_shown()),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            exit_code: output.exit_code,
            asked: String::new(),
        }
    }

    /// The lines of what it printed, errors first.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.err.lines().chain(self.out.lines()).map(str::trim)
    }

    /// Tells whether it printed this anywhere.
    pub(super) fn says(&self, text: &str) -> bool {
        self.err.contains(text) || self.out.contains(text)
    }

    /// Tells whether it ended badly, by its exit code alone.
    fn ended_badly(&self) -> bool {
        self.exit_code.is_some_and(|code| code != 0)
    }

    /// Tells whether the phone has no such command.
    pub(super) fn is_missing(&self) -> bool {
        let printed = || self.lines().any(|line| MISSING.iter().any(|word| line.ends_with(word)));
        match self.exit_code {
            Some(code) => code == MISSING_CODE,
            None => printed(),
        }
    }

    /// The answer of a command that acts and prints only complaints. Many
    /// complain and still exit with 0.
    pub(super) fn check_act(self) -> Result<Self, PhoneError> {
        if self.lines().any(complains) || (self.exit_code.is_none() && self.is_missing()) {
            return Err(self.refusal());
        }
        self.check_exit()
    }

    /// The answer of a command that prints information: it failed only if its
    /// exit code or the shell says so.
    pub(super) fn check_exit(self) -> Result<Self, PhoneError> {
        if self.ended_badly() {
            return Err(self.refusal());
        }
        Ok(self)
    }

    /// Succeeds if the command, which acts and prints only complaints, printed
    /// nothing: of what else it says it is not known what it did.
    pub(super) fn silent(self) -> Result<(), PhoneError> {
        let answer = self.check_act()?;
        let is_odd = |line: &str| !line.is_empty() && !line.starts_with(LINKER);
        if answer.lines().any(is_odd) {
            return Err(answer.unreadable());
        }
        Ok(())
    }

    /// The same, of a command with these words of the caller, which a phone may
    /// repeat: what is hidden in them would tell which guess of a secret is right.
    pub(super) fn about(self, asked: &str) -> Self {
        let asked = asked.to_owned();
        Self { asked, ..self }
    }

    fn excerpt(&self, text: &str) -> String {
        if self.asked.is_empty() {
            return excerpt(text);
        }
        excerpt(&text.replace(&self.asked, "…"))
    }

    /// The refusal, in the phone's words from its complaint on.
    pub(super) fn refusal(&self) -> PhoneError {
        let from = self.lines().skip_while(|line| !complains(line));
        let complaint: Vec<_> = from.take_while(|line| !line.starts_with("at ")).collect();
        let text = match (complaint.is_empty(), self.err.trim().is_empty()) {
            (false, _) => complaint.join("\n"),
            (true, true) => self.out.clone(),
            (true, false) => self.err.clone(),
        };
        PhoneError::Refused { command: self.kind, exit_code: self.exit_code, excerpt: self.excerpt(&text) }
    }

    /// The error of a script that has done nothing and does not say why.
    pub(super) fn not_begun(&self) -> PhoneError {
        let (command, exit_code) = (self.kind, self.exit_code);
        PhoneError::NotBegun { command, exit_code, excerpt: self.excerpt(&self.all_output()) }
    }

    pub(super) fn unreadable(&self) -> PhoneError {
        self.not_understood();
        PhoneError::Unreadable { command: self.kind, excerpt: self.excerpt(&self.all_output()) }
    }

    /// Notes what it printed: it is not understood, or not all of it.
    pub(super) fn not_understood(&self) {
        if let Some(log) = &self.event_log {
            log.not_understood(self.kind, &self.all_output());
        }
    }

    fn all_output(&self) -> String {
        format!("{}{}", self.err, self.out)
    }
}

fn complains(line: &str) -> bool {
    COMPLAINTS.iter().any(|start| line.starts_with(start))
}

pub(super) fn excerpt(text: &str) -> String {
    let start: String = text.trim().chars().take(EXCERPT).collect();
    start.trim_end().to_owned()
}

#[cfg(test)]
#[path = "../../tests/unit/answer.rs"]
mod tests;
