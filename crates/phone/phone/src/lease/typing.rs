//! Types a text in whichever way this phone can.

use super::PhoneLease;
use super::act::{ActError, TypedText};
use super::loans::Thing;
use crate::phone::{DispatchState, PhoneError, TypingKeyboard, can_type_ascii};
use clawperator_adb::Deadline;

impl PhoneLease {
    pub(super) async fn type_text(&mut self, typed: TypedText, deadline: Deadline) -> Result<(), ActError> {
        if can_type_ascii(&typed.text) {
            return Ok(self.phone.replace_ascii(typed.typing(), deadline).await?);
        }
        // The server writes every request into the phone's log.
        let field = typed.field.as_ref();
        let field = field.filter(|_| !self.phone.dark.keeps_out(&typed.text));
        if self.phone.set_text(field, &typed.text, deadline).await? {
            return Ok(());
        }
        self.type_by_keyboard(typed, deadline).await
    }

    /// Types with a keyboard that takes broadcasts, in place of the user's.
    async fn type_by_keyboard(&mut self, typed: TypedText, deadline: Deadline) -> Result<(), ActError> {
        let keyboards = self.phone.keyboards(deadline).await.map_err(nothing_done)?;
        let Some(typing) = keyboards.typing() else {
            // An error has not even a letter of a text that is kept out.
            let is_open = !self.phone.dark.keeps_out(&typed.text);
            let mut letters = typed.text.chars().filter(|_| is_open);
            let letter = letters.find(|letter| !letter.is_ascii());
            let letter = letter.unwrap_or(char::REPLACEMENT_CHARACTER);
            return Err(PhoneError::NotTypable { letter }.into());
        };
        if let Some(current) = &keyboards.current {
            // Without the note, only a killed process leaves the wrong keyboard:
            // no reason not to type.
            let _ = self.borrowed.notes.write(Thing::Keyboard, current);
        }
        let done = self.type_with(&typing, &typed, deadline).await;
        // Whatever came of it, the user's keyboard comes back: if not now, when
        // the run ends or the next one starts.
        let returned = match self.borrowed.notes.note(Thing::Keyboard) {
            None => Ok(()),
            Some(id) => self.set_keyboard(id, deadline).await,
        };
        if returned.is_ok() {
            self.borrowed.notes.cross_out(Thing::Keyboard);
        }
        done?;
        // The text was typed before this failed.
        returned.map_err(|error| ActError { error, dispatched: DispatchState::Unknown })
    }

    async fn type_with(
        &mut self,
        keyboard: &TypingKeyboard,
        typed: &TypedText,
        deadline: Deadline,
    ) -> Result<(), ActError> {
        self.set_keyboard(keyboard.id.clone(), deadline).await?;
        // From here on the phone is not as it was.
        let changed = |error| ActError { error, dispatched: DispatchState::Unknown };
        if typed.replaces > 0 {
            let (letters, check) = (typed.replaces, &typed.check);
            let cleared = self.phone.select_all_and_delete(letters, check, deadline).await;
            cleared.map_err(changed)?;
        }
        let sent = self.phone.broadcast_text(keyboard, typed.typing(), deadline).await;
        sent.map_err(changed)
    }
}

/// A question that failed has changed nothing.
pub(super) fn nothing_done(error: PhoneError) -> ActError {
    ActError { error, dispatched: DispatchState::No }
}
