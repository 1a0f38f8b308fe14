//! Keys and text.

use super::{CommandKind, CommandLine, Phone, PhoneError};
use crate::quote::quote;
use clawperator_adb::Deadline;
use clawperator_contract::{Lane, key_number};

/// The most letters that one command types: each is two events, and a phone
/// gives up on a command that takes too long.
const PIECE: usize = 500;

macro_rules! key_codes {
    ($($(#[doc = $doc:literal])+ $key:ident = $code:literal,)+) => {
        /// A key, as phones number them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum KeyCode {
            $($(#[doc = $doc])+ $key,)+
            /// Any key, by its number.
            Numbered(u16),
        }

        impl KeyCode {
            /// The key of a name, with or without `KEYCODE_` before it.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                key_number(name).map(|number| match number {
                    $($code => Self::$key,)+
                    other => Self::Numbered(other),
                })
            }

            /// Its number.
            #[must_use]
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
    /// To the launcher.
    Home = 3,
    /// One screen back.
    Back = 4,
    /// Up.
    Up = 19,
    /// Down.
    Down = 20,
    /// Left.
    Left = 21,
    /// Right.
    Right = 22,
    /// What has the focus is clicked.
    Center = 23,
    /// The sound gets louder.
    VolumeUp = 24,
    /// The sound gets quieter.
    VolumeDown = 25,
    /// The power key: the screen goes on or off.
    Power = 26,
    /// The letter A.
    A = 29,
    /// To the next field.
    Tab = 61,
    /// A space.
    Space = 62,
    /// The end of a line, or what the keyboard's action is.
    Enter = 66,
    /// Deletes what is before the cursor, or what is selected.
    Delete = 67,
    /// The menu.
    Menu = 82,
    /// A search.
    Search = 84,
    /// Plays or pauses.
    PlayPause = 85,
    /// One page up.
    PageUp = 92,
    /// One page down.
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
    /// The screen goes off.
    Sleep = 223,
    /// The screen goes on.
    Wake = 224,
    /// Pastes.
    Paste = 279,
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
#[must_use]
pub fn can_type_ascii(text: &str) -> bool {
    first_not_typable(text).is_none()
}

fn first_not_typable(text: &str) -> Option<char> {
    // The ends of lines and tabs are left out: as keys they leave the field.
    text.chars().find(|letter| !matches!(letter, ' '..='~'))
}

impl Phone {
    /// Presses a key.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn key(&self, key: KeyCode, deadline: Deadline) -> Result<(), PhoneError> {
        if self.lane() == Lane::Resident {
            match self.key_resident(key, deadline).await {
                Err(error) if self.goes_on_without_server(&error) => {}
                done => return done,
            }
        }
        let line = format!("input keyevent {}", key.number());
        let line = CommandLine::new(CommandKind::Key, line).shown();
        self.act(&line, deadline).await
    }

    /// Empties the field that has the focus of this many letters, as
    /// [`Self::select_all_and_delete`] does, and types a text into it, letter by
    /// letter. Nothing is typed if the field was not emptied, and nothing is sent
    /// if there is nothing to do.
    ///
    /// # Errors
    /// [`PhoneError::NotTypable`] if [`can_type_ascii`] says no,
    /// [`PhoneError::TooLong`] if it does not fit into one command, both before
    /// anything is typed; else as for [`Self::key`].
    pub async fn replace_ascii(
        &self,
        letters: usize,
        text: &str,
        deadline: Deadline,
    ) -> Result<(), PhoneError> {
        if let Some(letter) = first_not_typable(text) {
            return Err(PhoneError::NotTypable { letter });
        }
        if text.is_empty() && letters == 0 {
            return Ok(());
        }
        let line = CommandLine::new(CommandKind::Text, over(letters, &text_line(text)?));
        self.act(&line, deadline).await
    }

    /// Empties the field that has the focus. Where keys cannot be pressed
    /// together, as many letters as said are deleted from the end of its last
    /// line.
    ///
    /// # Errors
    /// As for [`Self::key`].
    pub async fn select_all_and_delete(&self, letters: usize, deadline: Deadline) -> Result<(), PhoneError> {
        let line = CommandLine::new(CommandKind::Clear, clear_line(letters)).shown();
        self.act(&line, deadline).await
    }

    /// Runs a command that does something and says nothing.
    pub(super) async fn act(&self, line: &CommandLine, deadline: Deadline) -> Result<(), PhoneError> {
        self.shell(line, deadline).await?.acted().map(drop)
    }
}

fn text_line(text: &str) -> Result<String, PhoneError> {
    let mut commands = Vec::new();
    for piece in pieces(text) {
        commands.push(format!("input text {}", quote(piece)?));
    }
    // What comes after a piece that was not typed must not be typed either.
    Ok(commands.join(" && "))
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

/// A line that does something once the field is empty.
pub(super) fn over(letters: usize, line: &str) -> String {
    match (letters, line) {
        (0, line) => line.to_owned(),
        (_, "") => clear_line(letters),
        _ => format!("{} && {line}", clear_line(letters)),
    }
}

fn clear_line(letters: usize) -> String {
    /// More than any field has that is worth emptying key by key.
    const MOST: usize = 2_000;
    let (control, a) = (KeyCode::Control.number(), KeyCode::A.number());
    let (delete, end) = (KeyCode::Delete.number(), KeyCode::MoveEnd.number());
    let deletes = format!(" {delete}").repeat(letters.min(MOST));
    // A phone that does not know the command says so and may still end well.
    format!(
        "case \"$(input keycombination {control} {a} 2>&1)\" in \
         *Error*|*nknown*|*sage:*) input keyevent {end}{deletes};; \
         *) input keyevent {delete};; esac"
    )
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

    #[test]
    fn keys_type_what_is_printed_on_them() {
        assert!(can_type_ascii("It's $5 ~ \"ok\" \\ %s"));
        for text in ["a\nb", "\t", "é", "\u{7f}", "a\0"] {
            assert!(!can_type_ascii(text), "{text:?}");
        }
    }
}
