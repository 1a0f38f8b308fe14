//! A command that a caller wrote, for the phone's shell.

use super::{CommandKind, CommandLine, Phone, PhoneError};
use crate::quote::quote;
use clawperator_adb::Deadline;

/// What a command printed, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellRan {
    pub out: String,
    /// What it printed as errors, where the phone tells them apart.
    pub err: String,
    /// Its exit code, where the phone tells it.
    pub exit_code: Option<u8>,
}

impl Phone {
    /// Runs a command in a shell of its own, so that nothing of it gets into a command of ours.
    pub(crate) async fn run_shell(&self, command: &str, deadline: Deadline) -> Result<ShellRan, PhoneError> {
        let command = quote(command).map_err(PhoneError::Nul)?;
        let line = CommandLine::new(CommandKind::Shell, format!("sh -c {command}"));
        let answer = self.shell(&line, deadline).await?;
        Ok(ShellRan { out: answer.out, err: answer.err, exit_code: answer.exit_code })
    }
}
