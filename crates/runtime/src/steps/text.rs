//! Types text into a field, and reads it back.

use super::{Outcome, click};
use crate::phone::{KeyCode, PhoneError, Point, can_type_ascii};
use crate::session::{Data, Session};
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, EnterText, ErrorCode};
use clawperator_ui::{Ability, Flag, NodeId, Screen, Tree};

/// A field as it was found.
struct Found {
    at: Point,
    focused: bool,
    text: String,
    password: bool,
}

pub(super) async fn enter_text(session: &Session<'_>, step: &EnterText) -> Outcome {
    let (found, mut said) = session
        .attempts(&step.retry, async || {
            let tree = session.tree(ErrorCode::NodeNotFound).await?;
            let screen = Screen::new(&tree);
            let (chosen, mut said) = session.choose(&screen, &step.matcher)?;
            let found = field(&screen, chosen, &mut said)?;
            Ok((found, said))
        })
        .await?;
    let failed = |error: &PhoneError| StepFailure::of(ErrorCode::TextNotEntered, error).for_good();
    let (phone, deadline) = (session.phone, session.deadline);
    if found.password {
        session.note(|trail| trail.secret(&step.text));
        session.memory.keep_out(&step.text);
    }
    if !found.focused {
        let tapped = session.act(phone.tap(found.at, deadline)).await;
        tapped.map_err(|error| failed(&error))?;
    }
    let letters = found.text.chars().count();
    let typed = session.act(type_any(session, letters, &step.text)).await;
    typed.map_err(|error| failed(&error))?;
    read_back(session, step, &found).await?;
    if step.submit {
        let entered = session.act(phone.key(KeyCode::Enter, deadline)).await;
        entered.map_err(|error| failed(&error))?;
    }
    said.insert(DataKey::Submit, step.submit.to_string());
    if !found.password {
        said.insert(DataKey::Text, step.text.to_string());
    }
    Ok(said)
}

/// The field that an element is, or stands in.
fn field(screen: &Screen<'_>, chosen: NodeId, said: &mut Data) -> Result<Found, StepFailure> {
    let tree: &Tree = screen.tree();
    let id = tree.nearest(chosen, Ability::Edit).unwrap_or(chosen);
    let node = tree.node(id);
    if !node.flags.has(Flag::Enabled) {
        let message = format!("{} is not enabled", tree.excerpt(id));
        return Err(StepFailure::new(ErrorCode::NodeNotClickable, message));
    }
    let missing = || {
        let message = format!("{} is not on the screen", tree.excerpt(id));
        StepFailure::new(ErrorCode::NodeNotClickable, message)
    };
    Ok(Found {
        at: click::touch(screen, (id, Some(id)), said).ok_or_else(missing)?,
        focused: node.flags.has(Flag::Focused),
        text: node.text.clone(),
        password: node.flags.has(Flag::Password),
    })
}

/// Types a text however this phone can: by keys, by the clipboard, or by a
/// keyboard that takes broadcasts. What the field holds, so many letters, goes
/// once it is certain that there is a way.
async fn type_any(session: &Session<'_>, letters: usize, text: &str) -> Result<(), PhoneError> {
    let (phone, deadline) = (session.phone, session.deadline);
    if can_type_ascii(text) {
        return phone.replace_ascii(letters, text, deadline).await;
    }
    match phone.replace_by_paste(letters, text, deadline).await {
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
    session.keyboard.replace(keyboards.current.clone());
    let typed = async {
        phone.set_keyboard(&typing.id, deadline).await?;
        if letters > 0 {
            phone.select_all_and_delete(letters, deadline).await?;
        }
        phone.broadcast_text(&typing, text, deadline).await
    };
    let typed = typed.await;
    // Whatever came of it, the user gets his keyboard back.
    if let Some(previous) = &keyboards.current {
        phone.set_keyboard(previous, deadline).await?;
        session.keyboard.take();
    }
    typed
}

/// Nothing is reported typed that was not seen in the field. What a password
/// field holds, no dump tells; its length it does.
async fn read_back(session: &Session<'_>, step: &EnterText, found: &Found) -> Result<(), StepFailure> {
    let wanted = step.text.as_ref();
    let mut seen = None;
    let check = session
        .attempts(&step.retry, async || {
            let tree = session.tree(ErrorCode::TextNotEntered).await?;
            let field = Screen::new(&tree)
                .nodes()
                .find(|(_, node)| node.flags.has(Flag::Focused))
                .map(|(_, node)| node.text.clone());
            let same = match (&field, found.password) {
                (Some(text), true) => text.chars().count() == wanted.chars().count(),
                (Some(text), false) => text == wanted,
                (None, _) => false,
            };
            seen = field;
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
        Some(shown) if !found.password => failure
            .with(DataKey::ExpectedText, wanted)
            .with(DataKey::ActualText, shown),
        _ => failure,
    })
}
