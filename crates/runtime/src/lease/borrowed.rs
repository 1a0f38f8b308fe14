//! What a lease has borrowed from the phone's user: the keyboard while another
//! one types, and the clipboard while a text is pasted.
//!
//! A command that borrows something is never cut off. It lives here and not in
//! the future of its caller, so it can be finished after that is dropped.

use crate::lock::file_name;
use crate::phone::{Phone, PhoneError};
use clawperator_adb::Deadline;
use clawperator_journal::private;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

/// How long each of these may take after the execution: to end a command that
/// was under way, and to give the keyboard back.
const GIVE_BACK: Duration = Duration::from_secs(2);
/// The longest id of a keyboard that is read from the file.
const MAX_ID_BYTES: u64 = 512;

/// A command that must not be cut off.
pub(super) type Uncut = Pin<Box<dyn Future<Output = Result<(), PhoneError>> + Send>>;

/// Whether a place that is set is given back when the phone is let go of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Location {
    /// It stays.
    #[default]
    Left,
    /// It is, and none is set.
    Lent,
    /// It is, and one is set.
    Set,
}

/// What is borrowed.
#[derive(Default)]
pub(super) struct Borrowed {
    /// A command that borrows something and has not ended.
    under_way: Option<Uncut>,
    /// The id of the user's keyboard, while another one is in use.
    keyboard: Option<String>,
    /// Whether a place that is set is given back.
    pub(super) location: Location,
    /// The file with that id, for the next process should this one be killed.
    file: Option<PathBuf>,
}

impl Borrowed {
    pub(super) fn new(phones: Option<&Path>, serial: &str) -> Self {
        let folder = phones
            .zip(file_name(serial))
            .map(|(phones, name)| phones.join(name));
        Self {
            file: folder.map(|folder| folder.join("keyboard")),
            ..Self::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_none() && self.keyboard.is_none() && self.location != Location::Set
    }

    /// Runs a command that is finished even if the caller stops waiting.
    pub(super) async fn run(&mut self, command: Uncut) -> Result<(), PhoneError> {
        let done = self.under_way.insert(command).await;
        self.under_way = None;
        done
    }

    /// Remembers the user's keyboard before another one takes its place. One
    /// that was not given back yet is still the user's.
    pub(super) fn keyboard(&mut self, id: &str) {
        if self.keyboard.is_some() {
            return;
        }
        self.keyboard = self.stored_keyboard();
        if self.keyboard.is_some() {
            return;
        }
        self.keyboard = Some(id.to_owned());
        if let Some(file) = &self.file
            && let Some(folder) = file.parent()
        {
            // Without the file, only a killed process leaves the wrong keyboard:
            // no reason not to type.
            let _ = private::folder(folder)
                .and_then(|()| private::replace(file, id.as_bytes(), private::Concurrency::None));
        }
    }

    /// The user's keyboard, if it is to be given back.
    pub(super) fn keyboard_to_return(&self) -> Option<String> {
        self.keyboard.clone()
    }

    /// The user's keyboard is in use again.
    pub(super) fn keyboard_returned(&mut self) {
        self.keyboard = None;
        self.forget_file();
    }

    /// Ends what is under way and gives back what is borrowed. Should a phone
    /// refuse the keyboard, the file stays and the next run tries again.
    pub(super) async fn settle(&mut self, phone: &Phone) {
        if let Some(command) = &mut self.under_way {
            // What came of it does not matter any more.
            let _ = tokio::time::timeout(GIVE_BACK, command).await;
            self.under_way = None;
        }
        if let Some(id) = &self.keyboard {
            let returned = phone.set_keyboard(id, Deadline::after(GIVE_BACK)).await;
            self.keyboard = None;
            if returned.is_ok() {
                self.forget_file();
            }
        }
    }

    /// Gives back all that is borrowed: the phone is let go of.
    pub(super) async fn settle_all(&mut self, phone: &Phone) {
        self.settle(phone).await;
        if self.location == Location::Set {
            self.location = Location::Lent;
            // A phone that does not answer any more keeps it until it restarts.
            let _ = phone.unset_location(Deadline::after(GIVE_BACK)).await;
        }
    }

    /// Gives back the keyboard that a process borrowed and was killed over.
    pub(super) async fn settle_earlier(&mut self, phone: &Phone, deadline: Deadline) {
        let Some(id) = self.stored_keyboard() else { return };
        // A phone that refuses the keyboard keeps the one it has. One that did
        // not answer is asked again by the next run.
        match phone.set_keyboard(&id, deadline).await {
            Ok(()) | Err(PhoneError::Refused { .. }) => self.forget_file(),
            Err(_) => {}
        }
    }

    /// The id in the file of a keyboard that was not given back.
    fn stored_keyboard(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        let mut id = String::new();
        let mut open = private::open(file).ok()?.take(MAX_ID_BYTES + 1);
        let length = open.read_to_string(&mut id).ok()?;
        (length as u64 <= MAX_ID_BYTES).then(|| id.trim().to_owned())
    }

    fn forget_file(&self) {
        if let Some(file) = &self.file {
            // If it stays, the keyboard is set once more, which changes nothing.
            let _ = fs::remove_file(file);
        }
    }
}
