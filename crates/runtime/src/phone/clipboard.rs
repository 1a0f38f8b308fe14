//! The clipboard, for text that no key types.

use super::answer::Answer;
use super::input::over;
use super::{CommandKind, CommandLine, KeyCode, Phone, PhoneError};
use crate::quote::quote;
use clawperator_adb::Deadline;

/// What phones say whose clipboard has no commands; most have none.
const UNSUPPORTED: &[&str] = &[
    "No shell command implementation",
    "Can't find service",
    "Unknown command",
];

impl Phone {
    /// Puts a text into the clipboard.
    ///
    /// # Errors
    /// [`PhoneError::Unsupported`] if the phone has no command for it, or what
    /// broke.
    pub async fn set_clipboard(&self, text: &str, deadline: Deadline) -> Result<(), PhoneError> {
        let line = CommandLine::new(CommandKind::Clipboard, set_line(text)?);
        supported(self.shell(&line, deadline).await?)?.acted().map(drop)
    }

    /// What is in the clipboard.
    ///
    /// # Errors
    /// As for [`Self::set_clipboard`].
    pub async fn get_clipboard(&self, deadline: Deadline) -> Result<String, PhoneError> {
        let line = CommandLine::new(CommandKind::Clipboard, "cmd clipboard get text").shown();
        contents(self.shell(&line, deadline).await?)
    }

    /// Pastes into the field that has the focus.
    ///
    /// # Errors
    /// As for [`Self::tap`].
    pub async fn paste(&self, deadline: Deadline) -> Result<(), PhoneError> {
        let line = CommandLine::new(CommandKind::Paste, paste_line()).shown();
        self.act(&line, deadline).await
    }

    /// Puts a text into the clipboard and pastes it, in one round trip; nothing
    /// is pasted if it did not get there.
    ///
    /// # Errors
    /// As for [`Self::set_clipboard`].
    pub async fn paste_text(&self, text: &str, deadline: Deadline) -> Result<(), PhoneError> {
        self.replace_by_paste(0, text, deadline).await
    }

    /// The same into a field that is emptied of so many letters first; it is
    /// not if there is nothing to paste.
    ///
    /// # Errors
    /// As for [`Self::set_clipboard`].
    pub async fn replace_by_paste(
        &self,
        letters: usize,
        text: &str,
        deadline: Deadline,
    ) -> Result<(), PhoneError> {
        // Some phones do not know the command and still end well, so what it
        // says decides too; it says nothing when it worked.
        // What the user had there comes back: he may want it, and what was
        // pasted may be nobody's business. The key is done when it returns.
        let line = format!(
            "b=$(cmd clipboard get text 2>/dev/null); o=$({} 2>&1) && [ -z \"$o\" ] && {{ {}; }} && \
             {{ cmd clipboard set text \"$b\" >/dev/null 2>&1; true; }} || {{ echo \"$o\" >&2; false; }}",
            set_line(text)?,
            over(letters, &paste_line())
        );
        let line = CommandLine::new(CommandKind::Paste, line);
        supported(self.shell(&line, deadline).await?)?.acted().map(drop)
    }
}

fn set_line(text: &str) -> Result<String, PhoneError> {
    Ok(format!("cmd clipboard set text {}", quote(text)?))
}

fn paste_line() -> String {
    format!("input keyevent {}", KeyCode::Paste.number())
}

/// What is in the clipboard. It may read like a complaint, which counts only
/// where complaints are; on the old protocol that is at the start.
fn contents(answer: Answer) -> Result<String, PhoneError> {
    let complaint = |text: &&str| match answer.exit_code {
        Some(_) => answer.err.contains(*text),
        None => answer.out.starts_with(*text) || answer.out.starts_with(&format!("cmd: {text}")),
    };
    if answer.is_missing() || UNSUPPORTED.iter().any(complaint) {
        return Err(PhoneError::Unsupported(CommandKind::Clipboard));
    }
    let answer = answer.told()?;
    let text = answer.out.strip_suffix('\n').unwrap_or(&answer.out);
    Ok(text.to_owned())
}

fn supported(answer: Answer) -> Result<Answer, PhoneError> {
    if answer.is_missing() || UNSUPPORTED.iter().any(|text| answer.says(text)) {
        return Err(PhoneError::Unsupported(CommandKind::Clipboard));
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(out: &str, err: &str, exit_code: Option<u8>) -> Answer {
        Answer {
            kind: CommandKind::Clipboard,
            out: out.to_owned(),
            err: err.to_owned(),
            exit_code,
        }
    }

    #[test]
    fn a_phone_without_a_clipboard_command_is_recognised() {
        for (err, exit_code) in [
            // This is what most phones say, and they end well.
            ("No shell command implementation.\n", Some(0)),
            ("No shell command implementation.\n", Some(255)),
            ("cmd: Can't find service: clipboard\n", Some(20)),
            ("sh: cmd: not found\n", None),
            ("sh: cmd: inaccessible or not found\n", Some(127)),
        ] {
            let answer = answer("", err, exit_code);
            let unsupported = |error| matches!(error, PhoneError::Unsupported(CommandKind::Clipboard));
            assert!(contents(merged(&answer)).is_err_and(unsupported), "{err}");
            assert!(supported(answer).is_err_and(unsupported), "{err}");
        }
    }

    /// The same without the new protocol, if there is no exit code.
    fn merged(answer: &Answer) -> Answer {
        let mut merged = answer.clone();
        if answer.exit_code.is_none() {
            merged.out = std::mem::take(&mut merged.err);
        }
        merged
    }

    #[test]
    fn what_is_in_the_clipboard_may_read_like_a_complaint() {
        for (exit_code, text) in [
            (Some(0), "No shell command implementation."),
            (Some(0), ""),
            (Some(0), "two\nlines\n"),
            (None, "He said: Unknown command"),
        ] {
            let answer = answer(&format!("{text}\n"), "", exit_code);
            assert_eq!(contents(answer).unwrap(), text);
        }
    }
}
