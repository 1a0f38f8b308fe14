//! The clipboard, for text that no key types.

use super::answer::Answer;
use super::guard::{checked, checker};
use super::input::{Typing, over};
use super::{CommandKind, CommandLine, KeyCode, Phone, PhoneError};
use crate::quote::quote;
use clawperator_adb::Deadline;

const GET: &str = "cmd clipboard get text";
const SET: &str = "cmd clipboard set text";
/// What is printed if the pasted text may be still in the clipboard.
const LEFT: &str = "clawperator: left in the clipboard";

/// What phones say whose clipboard has no commands; most have none.
const UNSUPPORTED: &[&str] = &[
    "No shell command implementation",
    "Can't find service",
    "Unknown command",
];

impl Phone {
    /// Empties the field that has the focus and pastes a text into it, in one
    /// round trip, while what is wanted is in front. Nothing changes if the text did
    /// not get into the clipboard. Tells whether the text may be still there
    /// afterwards.
    ///
    /// # Errors
    /// [`PhoneError::Unsupported`] if the phone has no command for the clipboard,
    /// or what broke.
    pub async fn replace_by_paste(
        &self,
        typing: Typing<'_>,
        deadline: Deadline,
    ) -> Result<LeftThere, PhoneError> {
        let text = quote(typing.text)?;
        let parts = over(typing.replaces, vec![paste_line()]);
        // Some phones do not know the command and still end well, so what it
        // says decides too; it says nothing when it worked.
        // What the user had there comes back: it may be needed, and what was
        // pasted may be secret. The key is done when it returns.
        let (check, paste) = (checker(), checked(&typing.check.wanted()?, &parts));
        let line = format!(
            "{check}v={text}; b=$({GET} 2>/dev/null); o=$({SET} \"$v\" 2>&1) && [ -z \"$o\" ] && \
             {{ {{ {paste}; }}; r=$?; s=$({SET} \"$b\" 2>&1); \
             [ -z \"$s\" ] && [ \"$({GET} 2>&1)\" = \"$b\" ] || echo '{LEFT}'; [ $r = 0 ]; }} || \
             {{ echo \"$o\" >&2; false; }}",
        );
        let line = CommandLine::new(CommandKind::Paste, line);
        let answer = self.run_checked(&line, deadline).await?;
        let answer = supported(answer)?.acted()?;
        Ok(match answer.out.contains(LEFT) {
            true => LeftThere::Text,
            false => LeftThere::Nothing,
        })
    }

    /// Whether the phone has a command for the clipboard.
    ///
    /// # Errors
    /// As for [`Self::replace_by_paste`].
    pub(crate) async fn require_clipboard(&self, deadline: Deadline) -> Result<(), PhoneError> {
        let line = CommandLine::new(CommandKind::Clipboard, format!("{GET} >/dev/null"));
        supported(self.shell(&line, deadline).await?).map(drop)
    }

    /// Empties the clipboard if it holds a text of ours. One that may not be read
    /// may hold it.
    ///
    /// # Errors
    /// As for [`Self::replace_by_paste`]; also if the text is still there.
    pub(crate) async fn clear_clipboard(
        &self,
        is_ours: impl Fn(&str) -> bool,
        deadline: Deadline,
    ) -> Result<(), PhoneError> {
        let get = CommandLine::new(CommandKind::Clipboard, GET);
        let held = supported(self.shell(&get, deadline).await?)?;
        if !held.out.trim_end().is_empty() && !is_ours(&held.out) {
            return Ok(());
        }
        let clear = CommandLine::new(CommandKind::Clipboard, format!("{SET} ''; {GET}"));
        let held = supported(self.shell(&clear, deadline).await?)?;
        match held.out.trim_end().is_empty() {
            true => Ok(()),
            false => Err(PhoneError::Refused {
                command: CommandKind::Clipboard,
                exit_code: held.exit_code,
                excerpt: "it still holds a text that was pasted".to_owned(),
            }),
        }
    }
}

/// Whether a text may be still in the clipboard after it was pasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftThere {
    Nothing,
    /// The phone does not show what was there before.
    Text,
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
