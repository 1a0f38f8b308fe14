//! What a lease has borrowed from the phone's user: the keyboard while another
//! one types, the place where the phone is.
//!
//! Each is written down in the phone's folder before it is borrowed, and crossed
//! out once it is given back. What a process leaves that is killed in between,
//! the next one that gets the phone gives back first.
//!
//! A command that borrows something is never cut off. It lives here and not in
//! the future of its caller, so it can be finished after that is dropped.

use crate::memory::{phone_folder, read_text};
use crate::phone::{Phone, PhoneError};
use clawperator_adb::Deadline;
use clawperator_contract::{WarningCode, words};
use clawperator_private as private;
use futures_core::future::BoxFuture;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long each of these may take after the execution: to end a command that
/// was under way, and to give something back.
const GIVE_BACK: Duration = Duration::from_secs(2);
/// The longest note that is read.
const MAX_NOTE_BYTES: u64 = 512;

/// A command that must not be cut off.
pub(super) type Uncut = BoxFuture<'static, Result<(), PhoneError>>;

words! {
    /// Something of the phone's user.
    pub(super) Thing {
        /// The keyboard. Its note is the id of the user's.
        Keyboard = "keyboard",
        Location = "location",
    }
}

/// What is borrowed.
#[derive(Default)]
pub(super) struct Loans {
    /// A command that borrows something and has not ended.
    under_way: Option<Uncut>,
    pub(super) notes: Notes,
}

/// What is written down. A clone is the same.
#[derive(Clone, Default)]
pub(super) struct Notes {
    folder: Option<PathBuf>,
    /// What this lease has written and not crossed out.
    own: Arc<Mutex<BTreeMap<Thing, String>>>,
}

impl Notes {
    /// Writes something down, before it is borrowed. What was not given back yet
    /// is still the user's, so its note stays.
    pub(super) fn write(&self, thing: Thing, note: &str) -> io::Result<()> {
        let note = self.open_note(thing).unwrap_or_else(|| note.to_owned());
        if let Some(folder) = &self.folder {
            private::folder(folder)?;
            let file = folder.join(thing.word());
            private::replace(&file, note.as_bytes(), private::Concurrency::None)?;
            private::open(&file)?.sync_all()?;
        }
        self.own().insert(thing, note);
        Ok(())
    }

    /// The note of what was not given back: this lease's own, or what an earlier process left.
    fn open_note(&self, thing: Thing) -> Option<String> {
        self.note(thing).or_else(|| {
            let note = read_text(&self.folder.as_ref()?.join(thing.word()), MAX_NOTE_BYTES).ok()?;
            Some(note.trim().to_owned())
        })
    }

    /// Crosses out what was given back.
    pub(super) fn cross_out(&self, thing: Thing) {
        self.own().remove(&thing);
        if let Some(folder) = &self.folder {
            // If it stays, it is given back once more, which changes nothing.
            let _ = std::fs::remove_file(folder.join(thing.word()));
        }
    }

    /// The note of what this lease has not given back.
    pub(super) fn note(&self, thing: Thing) -> Option<String> {
        self.own().get(&thing).cloned()
    }

    fn own(&self) -> MutexGuard<'_, BTreeMap<Thing, String>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Loans {
    pub(super) fn new(phones: Option<&Path>, serial: &str) -> Self {
        let folder = phone_folder(phones, serial);
        Self { notes: Notes { folder, ..Notes::default() }, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_none() && self.notes.own().is_empty()
    }

    /// Runs a command that is finished even if the caller stops waiting.
    pub(super) async fn run(&mut self, command: Uncut) -> Result<(), PhoneError> {
        let done = self.under_way.insert(command).await;
        self.under_way = None;
        done
    }

    /// Ends what is under way and gives back what is borrowed for one act.
    pub(super) async fn settle(&mut self, phone: &Phone) {
        if let Some(command) = &mut self.under_way {
            // What came of it does not matter any more.
            let _ = tokio::time::timeout(GIVE_BACK, command).await;
            self.under_way = None;
        }
        self.notes.settle_own(Thing::Keyboard, phone).await;
    }

    /// Gives back all that is borrowed: the phone is let go of.
    pub(super) async fn settle_all(&mut self, phone: &Phone) {
        self.settle(phone).await;
        self.notes.settle_own(Thing::Location, phone).await;
    }
}

impl Notes {
    async fn settle_own(&self, thing: Thing, phone: &Phone) {
        if self.note(thing).is_some() {
            self.give_back(thing, phone, Deadline::after(GIVE_BACK)).await;
            // It is tried again by who gets the phone next.
            self.own().remove(&thing);
        }
    }

    /// Gives back what a process borrowed and was killed over.
    pub(super) async fn settle_earlier(&self, phone: &Phone, deadline: Deadline) {
        for thing in Thing::ALL.iter().copied() {
            if self.note(thing).is_none() {
                self.give_back(thing, phone, deadline).await;
            }
        }
    }

    /// Gives back a thing as its note says and crosses it out. A warning names what
    /// the phone keeps.
    async fn give_back(&self, thing: Thing, phone: &Phone, deadline: Deadline) {
        let Some(note) = self.open_note(thing) else { return };
        let given = match thing {
            Thing::Keyboard => phone.set_keyboard(&note, deadline).await,
            Thing::Location => phone.unset_location(deadline).await,
        };
        match (given, thing) {
            // A phone that refuses the keyboard keeps the one it has.
            (Ok(()), _) | (Err(PhoneError::Refused { .. }), Thing::Keyboard) => self.cross_out(thing),
            (Err(error), _) => {
                let word = thing.word();
                let message = format!("the {word} of the phone's user was not given back: {error}");
                phone.warn(WarningCode::NotGivenBack, message);
            }
        }
    }
}
