//! The only way to change a phone.

use super::PhoneLease;
use super::loans::Thing;
use crate::phone::{
    Coordinates, DispatchState, Finger, KeyCode, LogStream, OnlyFocused, Parcel, PhoneError, Precondition,
    PutFile, ShellRan, Typing,
};
use crate::secret::Secret;
use clawperator_adb::Deadline;
use clawperator_ui::Screen;
use futures_core::future::BoxFuture;
use std::fmt;
use std::sync::Arc;

/// What is shown of a part of a dump while a field holds a secret.
const HIDDEN: &str = "[hidden: a field holds a secret, and this is no whole dump of the screen]";

/// Something that changes a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Touches the screen, if the check passes. The phone checks in the same round trip.
    Touch(Finger, Precondition),
    /// Presses a key, if the check passes.
    Key(KeyCode, Precondition),
    /// Empties the field that has the focus, if the check passes.
    Clear {
        /// How many letters it holds.
        letters: usize,
        check: Precondition,
    },
    /// Replaces what is in the field that has the focus: by keys, through the resident server, or
    /// with a keyboard that types what broadcasts say. The field is emptied only if one of these
    /// can type the text. The phone does not say whether the text arrived: read the field to know.
    Type(TypedText),
    /// Starts an app as its icon would.
    OpenApp {
        package: String,
    },
    /// Opens a URI in an app that takes it.
    OpenUri {
        uri: String,
    },
    CloseApp {
        package: String,
    },
    /// Says where the phone is, through a test provider. It stays so until the phone
    /// restarts, unless [`PhoneLease::lends_location`] says otherwise.
    SetLocation(Coordinates),
    /// Puts a file into the folder for downloads, and tells galleries of it.
    PutFile(PutFile),
    /// Makes a keyboard the active one, permanently.
    SetKeyboard {
        id: String,
    },
    /// Puts text on the clipboard, through the resident server.
    Copy(Secret),
}

impl Act {
    /// What the phone checks before it acts.
    pub fn check(&self) -> Option<&Precondition> {
        match self {
            Self::Touch(_, check) | Self::Key(_, check) | Self::Clear { check, .. } => Some(check),
            Self::Type(typed) => Some(&typed.check),
            Self::OpenApp { .. }
            | Self::OpenUri { .. }
            | Self::CloseApp { .. }
            | Self::SetLocation(_)
            | Self::PutFile(_)
            | Self::SetKeyboard { .. }
            | Self::Copy(_) => None,
        }
    }

    /// The same act with another check, if it has one.
    pub fn if_still(self, check: Precondition) -> Self {
        match self {
            Self::Touch(finger, _) => Self::Touch(finger, check),
            Self::Key(key, _) => Self::Key(key, check),
            Self::Clear { letters, .. } => Self::Clear { letters, check },
            Self::Type(typed) => Self::Type(TypedText { check, ..typed }),
            other => other,
        }
    }

    /// Whether it is done on this screen: a point outside it is not.
    pub fn is_on(&self, screen: &Screen<'_>) -> bool {
        match self {
            Self::Touch(finger, _) => screen.area().contains(finger.first()),
            _ => true,
        }
    }
}

/// A text to type. It may be a password, so its debug output is its length.
#[derive(Clone, PartialEq, Eq)]
pub struct TypedText {
    pub text: String,
    /// How many letters the field holds before.
    pub replaces: usize,
    /// The field, if it can be named for certain and is not secret.
    pub field: Option<OnlyFocused>,
    /// What must be in front before every part of it and at the end.
    pub check: Precondition,
}

impl TypedText {
    /// The same for the phone.
    pub(super) fn typing(&self) -> Typing<'_> {
        Typing { replaces: self.replaces, text: &self.text, check: &self.check }
    }
}

impl fmt::Debug for TypedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = self.text.chars().count();
        write!(f, "TypedText {{ [{letters} letters], replaces: {} }}", self.replaces)
    }
}

/// Why something was not done.
#[derive(Clone, Debug)]
pub struct ActError {
    pub error: PhoneError,
    /// Whether the phone may have changed all the same. An act can be several
    /// commands, of which the last one failed.
    pub dispatched: DispatchState,
}

impl From<PhoneError> for ActError {
    fn from(error: PhoneError) -> Self {
        Self { dispatched: error.dispatched(), error }
    }
}

impl fmt::Display for ActError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for ActError {}

impl PhoneLease {
    /// Changes the phone. One round trip, except for [`Act::Type`], and one more on
    /// the resident lane unless the last look has just seen that there is no toast.
    ///
    /// If this future is dropped, the phone may or may not have changed.
    ///
    /// # Errors
    /// What happened, and whether the phone may have changed all the same.
    pub fn perform(&mut self, act: Act, deadline: Deadline) -> BoxFuture<'_, Result<(), ActError>> {
        Box::pin(async move {
            self.phone.may_act()?;
            self.phone.leave_toasts_behind(deadline).await;
            let phone = &self.phone;
            let done = match act {
                Act::Touch(finger, check) => phone.touch(finger, &check, deadline).await,
                Act::Key(key, check) => phone.key(key, &check, deadline).await,
                Act::Clear { letters, check } => phone.select_all_and_delete(letters, &check, deadline).await,
                Act::OpenApp { package } => {
                    let launched = phone.launch(&package, deadline).await;
                    launched.map(|launch| self.launch = Some(launch))
                }
                Act::OpenUri { uri } => phone.open_uri(&uri, deadline).await,
                Act::CloseApp { package } => phone.force_stop(&package, deadline).await,
                Act::SetKeyboard { id } => self.set_keyboard(id, deadline).await,
                Act::SetLocation(place) => {
                    // Also if it fails: a part of it may have been done. Without the
                    // note, only a killed process leaves it.
                    if self.lends_location {
                        let _ = self.borrowed.notes.write(Thing::Location, "");
                    }
                    phone.set_location(place, deadline).await
                }
                Act::PutFile(file) => phone.put_download(&file, deadline).await,
                Act::Copy(text) => phone.copy(text.expose(), deadline).await,
                Act::Type(typed) => return self.type_text(typed, deadline).await,
            };
            Ok(done?)
        })
    }

    /// Makes a keyboard the one in use. This is not cut off: otherwise it could
    /// take effect after the user's keyboard was given back.
    pub(super) async fn set_keyboard(&mut self, id: String, deadline: Deadline) -> Result<(), PhoneError> {
        let phone = Arc::clone(&self.phone);
        let setting = async move { phone.set_keyboard(&id, deadline).await };
        self.borrowed.run(Box::pin(setting)).await
    }

    /// Runs a command that a caller wrote in the phone's shell. It may change
    /// anything; whether it may run is the caller's business.
    ///
    /// # Errors
    /// What happened, and whether the command may have run all the same. A command
    /// that ends badly is no error here.
    pub fn shell<'f>(
        &'f mut self,
        command: &'f str,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<ShellRan, ActError>> {
        Box::pin(async move {
            self.phone.leave_toasts_behind(deadline).await;
            let mut ran = self.phone.run_shell(command, deadline).await?;
            for text in [&mut ran.out, &mut ran.err] {
                // A part of a dump cannot be told from what a dark field shows.
                let is_dump = text.contains("<hierarchy") || command.contains("uiautomator");
                let dump = std::mem::take(text);
                *text = if is_dump && !dump.trim().is_empty() {
                    self.phone.dark.darken_dump(dump).unwrap_or_else(|| HIDDEN.to_owned())
                } else {
                    self.phone.dark.hide(&dump)
                };
            }
            Ok(ran)
        })
    }

    /// Hands a payload to an app, and follows the log for its answer.
    pub fn hand_over<'f>(
        &'f mut self,
        parcel: &'f Parcel<'f>,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<LogStream, PhoneError>> {
        Box::pin(async move {
            self.phone.may_act()?;
            self.phone.dispatch(parcel, deadline).await
        })
    }
}
