//! The user's keyboard while ours stands in for it: who has it is written
//! down, so that even a run that is killed costs the user nothing for good.

use crate::lock::file_name;
use crate::phone::PhoneError;
use crate::session::Session;
use clawperator_adb::Deadline;
use clawperator_journal::private;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long giving something back may take once time is up.
const GIVE_BACK: Duration = Duration::from_secs(2);
/// The longest name of a keyboard that is believed.
const MAX_NAME: u64 = 512;

/// Where the name of a borrowed keyboard is kept.
pub(crate) fn note_of(phones: Option<&Path>, serial: &str) -> Option<PathBuf> {
    Some(phones?.join(file_name(serial)?).join("keyboard"))
}

impl Session<'_> {
    /// Remembers the user's keyboard before another takes its place.
    pub(crate) fn borrow_keyboard(&self, id: &str) {
        self.keyboard.replace(Some(id.to_owned()));
        if let Some(note) = self.keyboard_note()
            && let Some(folder) = note.parent()
        {
            // Without a note a killed run is the user's loss; no reason not to
            // type.
            let _ = private::folder(folder)
                .and_then(|()| private::replace(&note, id.as_bytes(), private::Twins::None));
        }
    }

    /// Gives the user's keyboard back, if it is borrowed.
    pub(crate) async fn return_keyboard(&self) -> Result<(), PhoneError> {
        let Some(id) = self.keyboard.borrow().clone() else {
            return Ok(());
        };
        self.act(self.phone.set_keyboard(&id, self.deadline)).await?;
        self.keyboard.take();
        self.forget_keyboard();
        Ok(())
    }

    /// The same at the end of an execution, however little time is left.
    pub(crate) async fn give_back(&self) {
        let keyboard = self.keyboard.take();
        if let Some(id) = keyboard
            && let Ok(()) = self.phone.set_keyboard(&id, Deadline::after(GIVE_BACK)).await
        {
            self.forget_keyboard();
        }
    }

    /// Gives back what an earlier run was killed over.
    pub(crate) async fn settle_debts(&self) {
        let Some(note) = self.keyboard_note() else { return };
        let small = fs::metadata(&note).is_ok_and(|about| about.len() <= MAX_NAME);
        let Some(id) = small.then(|| fs::read_to_string(&note).ok()).flatten() else {
            return;
        };
        // A phone that does not want it back, or no longer has it, keeps what
        // it has; one that cannot be asked is asked the next time.
        match self.phone.set_keyboard(id.trim(), self.deadline).await {
            Ok(()) | Err(PhoneError::Refused { .. }) => self.forget_keyboard(),
            Err(_) => {}
        }
    }

    fn keyboard_note(&self) -> Option<PathBuf> {
        note_of(self.options.memory.as_deref(), self.phone.serial())
    }

    fn forget_keyboard(&self) {
        if let Some(note) = self.keyboard_note() {
            // One that stays is given back once more, which changes nothing.
            let _ = fs::remove_file(note);
        }
    }
}
