//! A command line for a phone's shell. The place that builds one says what it
//! is for and whether it may be recorded.

use clawperator_events::CommandKind;

/// Whether a command line may be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Secrecy {
    /// Only its kind and length: it may carry a text that was typed.
    Secret,
    Shown,
}

/// A command line for a phone's shell.
#[derive(Clone, Debug)]
pub struct CommandLine {
    kind: CommandKind,
    text: String,
    /// What a log has of it, if that is shorter: a script by its name.
    shown: Option<String>,
    secrecy: Secrecy,
}

impl CommandLine {
    /// A line that is secret.
    pub fn new(kind: CommandKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), shown: None, secrecy: Secrecy::Secret }
    }

    /// The same line, of which a log has this.
    pub(crate) fn recorded_as(self, shown: String) -> Self {
        Self { shown: Some(shown), ..self }
    }

    /// The same line, which carries nothing secret.
    pub fn without_secrets(self) -> Self {
        Self { secrecy: Secrecy::Shown, ..self }
    }

    pub(crate) fn kind(&self) -> CommandKind {
        self.kind
    }

    /// What the phone gets. Never write this to a log.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_shown(&self) -> bool {
        self.secrecy == Secrecy::Shown
    }

    pub(crate) fn recorded(&self) -> String {
        match self.secrecy {
            Secrecy::Secret => format!("{} [{} bytes]", self.kind.name(), self.text.len()),
            Secrecy::Shown => self.shown.as_ref().unwrap_or(&self.text).clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_secret_until_it_says_otherwise() {
        let line = CommandLine::new(CommandKind::Text, "input text 'hunter2'");
        assert_eq!(line.recorded(), "text [20 bytes]");
        let line = CommandLine::new(CommandKind::Tap, "input tap 1 2").without_secrets();
        assert_eq!(line.recorded(), "input tap 1 2");
    }
}
