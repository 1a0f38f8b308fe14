//! What a command printed and how it ended, and what that means. Pure.

use super::error::PhoneError;
use clawperator_adb::ShellOutput;
use clawperator_journal::CommandKind;

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
];
/// What a shell prints for a missing command.
const MISSING: &[&str] = &["not found", "inaccessible"];
/// The exit code of a missing command.
const MISSING_CODE: u8 = 127;

/// What a command printed, and how it ended.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) kind: CommandKind,
    pub(super) out: String,
    pub(super) err: String,
    pub(super) exit_code: Option<u8>,
}

impl Answer {
    pub(super) fn new(kind: CommandKind, output: &ShellOutput) -> Self {
        Self {
            kind,
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            exit_code: output.exit_code,
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
        let printed = || {
            self.lines()
                .any(|line| MISSING.iter().any(|word| line.ends_with(word)))
        };
        match self.exit_code {
            Some(code) => code == MISSING_CODE,
            None => printed(),
        }
    }

    /// The answer of a command that acts and prints only complaints. Many
    /// complain and still exit with 0.
    pub(super) fn acted(self) -> Result<Self, PhoneError> {
        let complains = |line: &str| COMPLAINTS.iter().any(|start| line.starts_with(start));
        if self.lines().any(complains) || (self.exit_code.is_none() && self.is_missing()) {
            return Err(self.refusal());
        }
        self.printed()
    }

    /// The answer of a command that prints information: it failed only if its
    /// exit code or the shell says so.
    pub(super) fn printed(self) -> Result<Self, PhoneError> {
        if self.ended_badly() {
            return Err(self.refusal());
        }
        Ok(self)
    }

    pub(super) fn refusal(&self) -> PhoneError {
        let text = if self.err.trim().is_empty() {
            &self.out
        } else {
            &self.err
        };
        PhoneError::Refused {
            command: self.kind,
            exit_code: self.exit_code,
            excerpt: excerpt(text),
        }
    }

    pub(super) fn unreadable(&self) -> PhoneError {
        PhoneError::Unreadable {
            command: self.kind,
            excerpt: excerpt(&self.out),
        }
    }
}

pub(super) fn excerpt(text: &str) -> String {
    let start: String = text.trim().chars().take(EXCERPT).collect();
    start.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(out: &str, err: &str, exit_code: Option<u8>) -> Answer {
        Answer {
            kind: CommandKind::Tap,
            out: out.to_owned(),
            err: err.to_owned(),
            exit_code,
        }
    }

    #[test]
    fn a_complaint_is_a_refusal_whatever_the_exit_code() {
        for (out, err, code, refused) in [
            ("", "", Some(0), false),
            ("", "", Some(1), true),
            ("", "", None, false),
            ("Starting: Intent { }\nError type 3\n", "", None, true),
            (
                "",
                "java.lang.SecurityException: Injecting to another application",
                Some(0),
                true,
            ),
            (
                "",
                "Warning: Activity not started, its current task has been brought to the front",
                Some(0),
                false,
            ),
            ("/system/bin/sh: input: not found\n", "", None, true),
            ("cmd: Can't find service: activity\n", "", None, true),
        ] {
            let given = answer(out, err, code);
            assert_eq!(given.acted().is_err(), refused, "{out} {err}");
        }
    }

    #[test]
    fn an_excerpt_is_short_whatever_the_text() {
        let excerpt = excerpt(&"é".repeat(1_000));
        assert_eq!(excerpt.chars().count(), EXCERPT);
    }
}
