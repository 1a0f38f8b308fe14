//! Types at the cursor of the field that has the focus, and reads it back.

use super::PhoneLease;
use super::act::{Act, ActError, TypedText};
use super::typing::nothing_done;
use crate::dark::FieldMark;
use crate::phone::{DispatchState, KeyCode, LookTo, PhoneError, Precondition, Views};
use clawperator_adb::Deadline;
use clawperator_redact::is_masked;
use clawperator_ui::{Ability, Flag, Node, NodeId, Tree};
use futures_core::future::BoxFuture;
use std::time::Duration;

/// How often the field is read until it shows the text, and how long is waited between.
const READS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(300);

/// What came of typing at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypedHere {
    /// Whether the field was seen to hold the text.
    pub is_seen: bool,
}

/// A field that has the focus.
struct FocusedField {
    check: Precondition,
    text: String,
    is_secret: bool,
    /// Whether what it shows must not be known.
    is_dark: bool,
    mark: FieldMark,
}

impl PhoneLease {
    /// Types a text where the cursor is. The end of a line presses enter. The field is read after
    /// each line; of a password field only its length is known.
    ///
    /// # Errors
    /// [`PhoneError::NoField`] if no field has the focus; else what happened, and
    /// whether something may have been typed all the same.
    pub fn type_here<'f>(
        &'f mut self,
        text: &'f str,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<TypedHere, ActError>> {
        Box::pin(async move {
            let mut is_seen = true;
            // A line of a secret is none by itself.
            let given = self.phone.dark.keeps_out(text).then_some(text);
            for (index, line) in text.split('\n').enumerate() {
                // From the second line on, something has been done.
                let begun = |error: ActError| match index {
                    0 => error,
                    _ => ActError { dispatched: DispatchState::Unknown, ..error },
                };
                if index > 0 {
                    self.press(KeyCode::Enter, deadline).await.map_err(begun)?;
                }
                let line = line.strip_suffix('\r').unwrap_or(line);
                if !line.is_empty() {
                    is_seen &= self.type_line(line, given, deadline).await.map_err(begun)?;
                }
            }
            Ok(TypedHere { is_seen })
        })
    }

    /// Presses a key in what is in front now, unless something else comes there
    /// before it or may have got it.
    ///
    /// # Errors
    /// What happened, and whether the key may have been pressed all the same.
    pub fn press(&mut self, key: KeyCode, deadline: Deadline) -> BoxFuture<'_, Result<(), ActError>> {
        Box::pin(async move {
            let check = if key.is_global() {
                Precondition::OnScreen
            } else {
                let front = self.phone.front(deadline).await.map_err(nothing_done)?;
                front.map_or(Precondition::OnScreen, Precondition::Front)
            };
            self.perform(Act::Key(key, check), deadline).await
        })
    }

    /// Types one line, of a secret text if one is given; whether it was seen.
    async fn type_line(
        &mut self,
        line: &str,
        given: Option<&str>,
        deadline: Deadline,
    ) -> Result<bool, ActError> {
        let before = self.focused(deadline).await?;
        if let Some(secret) = given.or(before.is_secret.then_some(line)) {
            self.memory.keep_out(secret);
            // Before the keys go out: whatever happens then, it is dark.
            let noted = self.phone.dark.note(before.mark.clone(), secret);
            noted.map_err(|error| PhoneError::NotStored(error.to_string()))?;
        }
        let typing = Act::Type(TypedText {
            text: line.to_owned(),
            replaces: 0,
            // The server would replace what is there.
            field: None,
            check: before.check.clone(),
        });
        self.perform(typing, deadline).await?;
        for _ in 0..READS {
            // The text is typed, whatever a look says.
            if let Ok(after) = self.focused(deadline).await
                && after.shows(line, &before)
            {
                return Ok(true);
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(false)
    }

    /// The field as it is, also where a screen would show dots: a text that is
    /// kept out is compared here and never shown.
    async fn focused(&mut self, deadline: Deadline) -> Result<FocusedField, ActError> {
        let seen = self.phone.see(Views::All, LookTo::Touch, deadline).await;
        let seen = seen.map_err(nothing_done)?;
        let tree = &seen.tree;
        let (id, node) = focused_field(tree).ok_or(PhoneError::NoField)?;
        Ok(FocusedField {
            check: seen.front.map_or(Precondition::OnScreen, Precondition::Front),
            text: seen.private.text(tree, id).to_owned(),
            is_secret: tree.is_secret(id) || is_masked(&node.text) || node.hides_secret,
            is_dark: node.hides_secret,
            mark: FieldMark::of(tree, id),
        })
    }
}

impl FocusedField {
    fn shows(&self, line: &str, before: &Self) -> bool {
        let letters = |text: &str| text.chars().count();
        let (now, was, typed) = (letters(&self.text), letters(&before.text), letters(line));
        if before.is_dark {
            // Whether it contains the line would tell a guess of what was there.
            return now != was && (now == was + typed || now == typed);
        }
        let is_hidden = is_masked(&self.text) || is_masked(&before.text);
        self.text != before.text && now >= typed && (is_hidden || self.text.contains(line))
    }
}

fn focused_field(tree: &Tree) -> Option<(NodeId, &Node)> {
    let mut nodes = tree.nodes();
    let is_field = |id, node: &Node| node.flags.has(Flag::Focused) && tree.can(id, Ability::Edit);
    nodes.find(|(id, node)| is_field(*id, node))
}
