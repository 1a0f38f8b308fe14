//! Keyboards of the phone: which there are, and those that type what a broadcast says.

use super::input::{Typing, typing_script};
use super::{CommandKind, Phone, PhoneError};
use crate::quote::quote;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clawperator_adb::Deadline;

/// What comes between the list and the current one; no id has a space.
const BETWEEN: &str = "-- current --";

/// Keyboards that type the text of a broadcast, in base64: their package, the
/// broadcast's action, and the name of the text in it.
const TYPING: &[(&str, &str, &str)] = &[
    ("com.android.adbkeyboard", "ADB_INPUT_B64", "msg"),
    ("com.github.uiautomator", "ADB_KEYBOARD_INPUT_TEXT", "text"),
];

/// The keyboards of a phone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keyboards {
    /// The ids of all that are installed.
    pub installed: Vec<String>,
    /// The id of the one in use.
    pub current: Option<String>,
}

/// A keyboard that types what broadcasts say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypingKeyboard {
    pub id: String,
    package: &'static str,
    action: &'static str,
    extra: &'static str,
}

impl Keyboards {
    /// The first that types what broadcasts say.
    pub fn typing(&self) -> Option<TypingKeyboard> {
        self.installed.iter().find_map(|id| {
            let (package, _) = id.split_once('/')?;
            let (package, action, extra) = *TYPING.iter().find(|row| row.0 == package)?;
            Some(TypingKeyboard { id: id.clone(), package, action, extra })
        })
    }
}

impl Phone {
    /// Which keyboards there are, and which is used.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn keyboards(&self, deadline: Deadline) -> Result<Keyboards, PhoneError> {
        let line =
            format!("ime list -a -s; echo '{BETWEEN}'; settings get secure default_input_method 2>/dev/null");
        let answer = self.ask(CommandKind::Keyboards, line, deadline).await?.check_exit()?;
        parse(&answer.out).ok_or_else(|| answer.unreadable())
    }

    /// Makes a keyboard the one in use, allowing it first if need be. The phone
    /// needs a moment until it is there.
    ///
    /// # Errors
    /// As for [`Self::keyboards`].
    pub async fn set_keyboard(&self, id: &str, deadline: Deadline) -> Result<(), PhoneError> {
        let id = quote(id)?;
        let line = format!("ime enable {id} >/dev/null && ime set {id}");
        let answer = self.ask(CommandKind::Keyboard, line, deadline).await?.check_act()?;
        if answer.says("selected") && !answer.says("cannot be") { Ok(()) } else { Err(answer.refusal()) }
    }

    /// Has a keyboard that is in use type a text, if the check passes. The phone does not say
    /// whether it did: read the field to know.
    ///
    /// # Errors
    /// As for [`Self::keyboards`].
    pub async fn broadcast_text(
        &self,
        keyboard: &TypingKeyboard,
        typing: Typing<'_>,
        deadline: Deadline,
    ) -> Result<(), PhoneError> {
        let TypingKeyboard { package, action, extra, .. } = keyboard;
        let text = STANDARD.encode(typing.text);
        let words = ["am", "broadcast", "-a", action, "-p", package, "--es", extra, &text];
        let script = typing_script(typing.check, 0)?.words(words)?;
        self.type_checked(script.line(CommandKind::Broadcast), deadline).await
    }
}

fn parse(text: &str) -> Option<Keyboards> {
    let (list, current) = text.split_once(BETWEEN)?;
    let is_id = |line: &&str| line.contains('/') && !line.contains(' ');
    let installed = list.lines().map(str::trim).filter(is_id).map(str::to_owned);
    let installed: Vec<_> = installed.collect();
    if installed.is_empty() && !list.trim().is_empty() {
        return None;
    }
    Some(Keyboards { installed, current: Some(current.trim()).filter(is_id).map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyboards_are_read_as_phones_print_them() {
        let text = "com.x/.Latin\r\ncom.github.uiautomator/.AdbKeyboard\n-- current --\ncom.x/.Latin\n";
        let keyboards = parse(text).unwrap();
        assert_eq!(keyboards.current.as_deref(), Some("com.x/.Latin"));
        assert_eq!(keyboards.installed.len(), 2);
        let typing = keyboards.typing().unwrap();
        assert_eq!((typing.action, typing.extra), ("ADB_KEYBOARD_INPUT_TEXT", "text"));
        assert_eq!(parse("\n-- current --\nnull\n"), Some(Keyboards::default()));
        assert_eq!(parse("ime: not found"), None);
        assert_eq!(parse("Error: no service\n-- current --\nnull\n"), None);
    }
}
