//! The clipboard, for text that no key types.

use super::answer::Answer;
use super::guard::{checked, checker};
use super::input::{Typing, over};
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
    /// Empties the field that has the focus and pastes a text into it, in one
    /// round trip, while what is wanted is in front. Nothing changes if the text did
    /// not get into the clipboard.
    ///
    /// # Errors
    /// [`PhoneError::Unsupported`] if the phone has no command for the clipboard,
    /// or what broke.
    pub async fn replace_by_paste(&self, typing: Typing<'_>, deadline: Deadline) -> Result<(), PhoneError> {
        let set = set_line(typing.text)?;
        let parts = over(typing.replaces, vec![paste_line()]);
        // Some phones do not know the command and still end well, so what it
        // says decides too; it says nothing when it worked.
        // What the user had there comes back: it may be needed, and what was
        // pasted may be secret. The key is done when it returns.
        let line = |wanted: &str| {
            let (check, paste) = (checker(), checked(wanted, &parts));
            let line = format!(
                "{check}b=$(cmd clipboard get text 2>/dev/null); o=$({set} 2>&1) && [ -z \"$o\" ] && \
             {{ {{ {paste}; }}; r=$?; cmd clipboard set text \"$b\" >/dev/null 2>&1; [ $r = 0 ]; }} || \
             {{ echo \"$o\" >&2; false; }}",
            );
            Ok(CommandLine::new(CommandKind::Paste, line))
        };
        let answer = self.run_checked(&typing.check.wanted()?, line, deadline).await?;
        supported(answer)?.acted().map(drop)
    }
}

fn set_line(text: &str) -> Result<String, PhoneError> {
    Ok(format!("cmd clipboard set text {}", quote(text)?))
}

fn paste_line() -> String {
    format!("input keyevent {}", KeyCode::Paste.number())
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
            assert!(supported(answer).is_err_and(unsupported), "{err}");
        }
    }
}
