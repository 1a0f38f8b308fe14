//! Keys and text.

use super::guard::{Precondition, check_arrival};
use super::script::{KEYS, PRESS, Script};
use super::{CommandKind, CommandLine, Phone, PhoneError};
use clawperator_adb::Deadline;
use clawperator_contract::{key_names, key_number};

/// The most letters that are typed between two looks at what is in front.
const PIECE: usize = 100;
/// More letters than any field has that is worth emptying key by key.
const MOST_DELETED: usize = 2_000;

macro_rules! key_codes {
    ($($(#[doc = $doc:literal])* $key:ident = $code:literal,)+) => {
        /// A key, as phones number them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum KeyCode {
            $($(#[doc = $doc])* $key,)+
            /// Any key, by its number.
            Numbered(u16),
        }

        impl KeyCode {
            /// The key of a name, with or without `KEYCODE_` before it.
            pub fn from_name(name: &str) -> Option<Self> {
                key_number(name).map(|number| match number {
                    $($code => Self::$key,)+
                    other => Self::Numbered(other),
                })
            }

            /// Its name in Android.
            pub fn name(self) -> String {
                let name = key_names().nth(usize::from(self.number()));
                format!("KEYCODE_{}", name.unwrap_or("UNKNOWN"))
            }

            /// Its number.
            pub fn number(self) -> u16 {
                match self {
                    $(Self::$key => $code,)+
                    Self::Numbered(number) => number,
                }
            }
        }
    };
}

key_codes! {
    Home = 3,
    Back = 4,
    Up = 19,
    Down = 20,
    Left = 21,
    Right = 22,
    /// What has the focus is clicked.
    Center = 23,
    VolumeUp = 24,
    VolumeDown = 25,
    /// The power key: the screen goes on or off.
    Power = 26,
    A = 29,
    Tab = 61,
    Space = 62,
    /// The end of a line, or what the keyboard's action is.
    Enter = 66,
    /// Deletes what is before the cursor, or what is selected.
    Delete = 67,
    Menu = 82,
    Search = 84,
    PlayPause = 85,
    PageUp = 92,
    PageDown = 93,
    /// Away from what is open.
    Escape = 111,
    /// Deletes what is behind the cursor.
    ForwardDelete = 112,
    /// Held with other keys.
    Control = 113,
    /// To the start of a line.
    MoveHome = 122,
    /// To the end of a line.
    MoveEnd = 123,
    /// To the list of recent apps.
    Recents = 187,
    Sleep = 223,
    Wake = 224,
    Paste = 279,
}

impl KeyCode {
    /// Whether it does the same whatever app is in front.
    pub fn is_global(self) -> bool {
        use KeyCode::{Back, Home, Recents, Search};
        self.works_locked() || matches!(self, Home | Back | Recents | Search)
    }

    /// Whether it does something on a phone that is locked or off: power, sound,
    /// calls, media and light, and what wakes it or takes it to its lock.
    pub(super) fn works_locked(self) -> bool {
        matches!(self.number(), 6 | 24..=26 | 79 | 82 | 85..=91 | 126..=128 | 130 | 164 | 220..=224 | 276)
    }
}

/// What keys do with the field that has the focus.
#[derive(Clone, Copy)]
pub struct Typing<'t> {
    /// How many letters it holds before; they are deleted.
    pub replaces: usize,
    pub text: &'t str,
    /// What must be in front all the time.
    pub check: &'t Precondition,
}

impl From<clawperator_contract::Key> for KeyCode {
    fn from(key: clawperator_contract::Key) -> Self {
        use clawperator_contract::Key;
        match key {
            Key::Back => Self::Back,
            Key::Home => Self::Home,
            Key::Recents => Self::Recents,
        }
    }
}

/// Tells whether keys can type a text: every letter is on every keyboard.
pub fn can_type_ascii(text: &str) -> bool {
    first_not_typable(text).is_none()
}

fn first_not_typable(text: &str) -> Option<char> {
    // The ends of lines and tabs are left out: as keys they leave the field.
    text.chars().find(|letter| !matches!(letter, ' '..='~'))
}

impl Phone {
    /// Presses a key, if the check passes, by the phone's own command on either
    /// lane: only that checks in the same round trip. A key that works on a phone
    /// that is locked or off is pressed in any case.
    ///
    /// # Errors
    /// [`PhoneError::ScreenChanged`] if something else is in front, or came there
    /// and the key may have gone there; [`PhoneError::Locked`];
    /// [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn key(
        &self,
        key: KeyCode,
        check: &Precondition,
        deadline: Deadline,
    ) -> Result<(), PhoneError> {
        if key.works_locked() {
            let press = format!("input keyevent {}", key.number());
            return self.ask(CommandKind::Key, press, deadline).await?.silent();
        }
        let global = if key.is_global() { "1" } else { "" };
        let script = check.script(PRESS)?.value("global", global)?.word(key.number().to_string())?;
        let line = script.line(CommandKind::Key).without_secrets();
        check_arrival(self.run_checked(&line, deadline).await?)
    }

    /// Empties the field that has the focus, as [`Self::select_all_and_delete`]
    /// does, and types a text into it, letter by letter. What is in front is checked
    /// before every piece and at the end. Nothing is typed if the field was not
    /// emptied, and nothing is sent if there is nothing to do.
    ///
    /// # Errors
    /// [`PhoneError::NotTypable`] if [`can_type_ascii`] says no,
    /// [`PhoneError::TooLong`] if it does not fit into one command, both before
    /// anything is typed; else as for [`Self::key`].
    pub async fn replace_ascii(&self, typing: Typing<'_>, deadline: Deadline) -> Result<(), PhoneError> {
        let Typing { replaces, text, check } = typing;
        if let Some(letter) = first_not_typable(text) {
            return Err(PhoneError::NotTypable { letter });
        }
        if text.is_empty() && replaces == 0 {
            return Ok(());
        }
        let words = ["text"].into_iter().chain(pieces(text));
        self.type_checked(typing_script(check, replaces)?.words(words)?.line(CommandKind::Text), deadline)
            .await
    }

    /// Empties the field that has the focus. Where keys cannot be pressed together, as many letters
    /// as said are deleted from the end of its last line.
    ///
    /// # Errors
    /// As for [`Self::key`].
    pub async fn select_all_and_delete(
        &self,
        letters: usize,
        check: &Precondition,
        deadline: Deadline,
    ) -> Result<(), PhoneError> {
        let script = check.script(KEYS)?.value("clear", &letters.min(MOST_DELETED).to_string())?;
        self.type_checked(script.line(CommandKind::Clear), deadline).await
    }

    /// Runs a script of keys.
    pub(super) async fn type_checked(&self, line: CommandLine, deadline: Deadline) -> Result<(), PhoneError> {
        let answer = self.run_checked(&line, deadline).await?;
        match line.kind() {
            // What a broadcast says follows.
            CommandKind::Broadcast => answer.check_act().map(drop),
            _ => answer.silent(),
        }
    }
}

/// Cuts a text into what one command types each. The command makes a space of
/// `%s`, so these two letters are never in the same piece.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let most = rest.floor_char_boundary(PIECE);
        let end = rest[..most].find("%s").map_or(most, |at| at + 1);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// What types into a field while what is wanted is in front, and empties it first if it holds letters.
pub(super) fn typing_script(check: &Precondition, letters: usize) -> Result<Script, PhoneError> {
    let clear = if letters == 0 { String::new() } else { letters.min(MOST_DELETED).to_string() };
    Ok(check.script(KEYS)?.value("clear", &clear)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_piece_has_what_would_become_a_space() {
        for (text, wanted) in [
            ("", &[][..]),
            ("a b", &["a b"]),
            ("%s", &["%", "s"]),
            ("a%sb%%ss%", &["a%", "sb%%", "ss%"]),
            ("%S %d", &["%S %d"]),
        ] {
            assert_eq!(pieces(text).collect::<Vec<_>>(), wanted, "{text}");
        }
        let long = "%s".repeat(PIECE * 3);
        assert_eq!(pieces(&long).collect::<String>(), long);
        let edge = format!("{}%s", "x".repeat(PIECE - 1));
        assert!(pieces(&edge).all(|piece| !piece.contains("%s")));
        assert_eq!(pieces(&edge).collect::<String>(), edge);
    }
}
