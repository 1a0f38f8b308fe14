//! Types text into a field, and reads it back.

use super::Outcome;
use super::field::Field;
use crate::phone::{KeyCode, PhoneError, can_type_ascii};
use crate::session::Session;
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, EnterText, ErrorCode};
use clawperator_ui::{Flag, Screen};

pub(super) async fn enter_text(session: &Session<'_>, step: &EnterText) -> Outcome {
    let (mut field, mut said) = session
        .attempts(&step.retry, async || {
            let tree = session.tree(ErrorCode::NodeNotFound).await?;
            let screen = Screen::new(&tree);
            let (chosen, mut said) = session.choose(&screen, &step.matcher)?;
            let field = Field::around(&screen, chosen, &mut said)?;
            Ok((field, said))
        })
        .await?;
    let (phone, deadline) = (session.phone, session.deadline);
    if field.password {
        session.note(|log| log.add_secret(&step.text));
        session.memory.keep_out(&step.text);
    }
    if !field.focused {
        let tapped = session.act(phone.tap(field.at, deadline)).await;
        tapped.map_err(|error| failed(&error))?;
        field.text = focused(session, step, &field).await?;
    }
    if field.password && is_masked(&field.text) && letters(&field.text) == letters(&step.text) {
        // What it holds then would be taken for what was typed.
        field.text = emptied(session, step, &field).await?;
    }
    type_any(session, letters(&field.text), &step.text)
        .await
        .map_err(|error| failed(&error))?;
    read_back(session, step, &field).await?;
    if step.submit {
        let entered = session.act(phone.key(KeyCode::Enter, deadline)).await;
        entered.map_err(|error| failed(&error))?;
    }
    said.insert(DataKey::Submit, step.submit.to_string());
    if !field.password {
        said.insert(DataKey::Text, step.text.to_string());
    }
    Ok(said)
}

fn failed(error: &PhoneError) -> StepFailure {
    StepFailure::of(ErrorCode::TextNotEntered, error).for_good()
}

/// Whether a password field holds something: an empty one shows its hint.
fn is_masked(text: &str) -> bool {
    const DOTS: &str = "•●∙·⬤*";
    !text.is_empty() && text.chars().all(|letter| DOTS.contains(letter))
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

/// Waits until the field has the focus, and tells what it holds: a touch may
/// be lost, and what is typed then would be somebody else's.
async fn focused(session: &Session<'_>, step: &EnterText, field: &Field) -> Result<String, StepFailure> {
    session
        .attempts(&step.retry, async || {
            let tree = session.tree(ErrorCode::TextNotEntered).await?;
            let node = field.again(&tree);
            match node.filter(|node| node.flags.has(Flag::Focused)) {
                Some(node) => Ok(node.text.clone()),
                None => {
                    let message = "the field was touched and did not get the focus; nothing was typed";
                    Err(StepFailure::new(ErrorCode::TextNotEntered, message))
                }
            }
        })
        .await
}

/// Empties a password field and sees that something changed in it.
async fn emptied(session: &Session<'_>, step: &EnterText, field: &Field) -> Result<String, StepFailure> {
    let (phone, deadline) = (session.phone, session.deadline);
    let cleared = phone.select_all_and_delete(letters(&field.text), deadline);
    let cleared = session.act(cleared).await;
    cleared.map_err(|error| failed(&error))?;
    session
        .attempts(&step.retry, async || {
            let tree = session.tree(ErrorCode::TextNotEntered).await?;
            match field.again(&tree).filter(|node| node.text != field.text) {
                Some(node) => Ok(node.text.clone()),
                None => {
                    let message = "the password field could not be emptied; nothing was typed";
                    Err(StepFailure::new(ErrorCode::TextNotEntered, message))
                }
            }
        })
        .await
}

/// Types a text however this phone can: by keys, by the clipboard, or by a
/// keyboard that takes broadcasts. What the field holds, so many letters, goes
/// once it is certain that there is a way.
async fn type_any(session: &Session<'_>, letters: usize, text: &str) -> Result<(), PhoneError> {
    let (phone, deadline) = (session.phone, session.deadline);
    if can_type_ascii(text) {
        return session.act(phone.replace_ascii(letters, text, deadline)).await;
    }
    match session.act(phone.replace_by_paste(letters, text, deadline)).await {
        Err(PhoneError::Unsupported(_)) => {}
        other => return other,
    }
    let keyboards = phone.keyboards(deadline).await?;
    let Some(typing) = keyboards.typing() else {
        let letter = text
            .chars()
            .find(|letter| !letter.is_ascii())
            .unwrap_or('\u{fffd}');
        return Err(PhoneError::NotTypable { letter });
    };
    if let Some(current) = &keyboards.current {
        session.borrow_keyboard(current);
    }
    let typed = async {
        session.act(phone.set_keyboard(&typing.id, deadline)).await?;
        if letters > 0 {
            session
                .act(phone.select_all_and_delete(letters, deadline))
                .await?;
        }
        session.act(phone.broadcast_text(&typing, text, deadline)).await
    };
    let typed = typed.await;
    // Whatever came of it, the user gets his keyboard back; if not now, then
    // at the end or in the next run. What was typed is what this step tells.
    let returned = session.return_keyboard().await;
    typed.and(returned)
}

/// Nothing is reported typed that was not seen in the field. What a password
/// field holds, no dump tells; its length it does.
async fn read_back(session: &Session<'_>, step: &EnterText, field: &Field) -> Result<(), StepFailure> {
    let wanted = step.text.as_ref();
    let mut seen = None;
    let check = session
        .attempts(&step.retry, async || {
            let tree = session.tree(ErrorCode::TextNotEntered).await?;
            let shown = field.again(&tree).map(|node| node.text.clone());
            let same = match &shown {
                Some(text) if field.password => letters(text) == letters(wanted) && *text != field.text,
                Some(text) => text == wanted,
                None => false,
            };
            seen = shown;
            if same {
                Ok(())
            } else {
                Err(StepFailure::new(
                    ErrorCode::TextNotEntered,
                    "the field does not show what was typed",
                ))
            }
        })
        .await;
    check.map_err(|failure| match seen {
        // Both are told, unless one is nobody's business.
        Some(shown) if !field.password => failure
            .with(DataKey::ExpectedText, wanted)
            .with(DataKey::ActualText, shown),
        _ => failure,
    })
}
