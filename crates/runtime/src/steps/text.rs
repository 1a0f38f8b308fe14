//! Types text into a field, and reads it back.

use super::{Outcome, data};
use crate::phone::{KeyCode, Phone, PhoneError, Point, can_type_ascii};
use crate::session::Session;
use crate::step_failure::StepFailure;
use clawperator_adb::Deadline;
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
    let found = session
        .attempts(&step.retry, async || {
            let tree = session.tree(ErrorCode::NodeNotFound).await?;
            let screen = Screen::new(&tree);
            let (chosen, _) = session.choose(&screen, &step.matcher)?;
            field(&screen, chosen)
        })
        .await?;
    let failed = |error: &PhoneError| StepFailure::of(ErrorCode::TextNotEntered, error).for_good();
    if found.password {
        session.note(|trail| trail.secret(&step.text));
    }
    session.sent.set(true);
    if !found.focused {
        session
            .phone
            .tap(found.at, session.deadline)
            .await
            .map_err(|error| failed(&error))?;
    }
    let letters = found.text.chars().count();
    if letters > 0 {
        let cleared = session
            .phone
            .select_all_and_delete(letters, session.deadline)
            .await;
        cleared.map_err(|error| failed(&error))?;
    }
    type_any(session.phone, &step.text, session.deadline)
        .await
        .map_err(|error| failed(&error))?;
    read_back(session, step, &found).await?;
    if step.submit {
        let entered = session.phone.key(KeyCode::Enter, session.deadline).await;
        entered.map_err(|error| failed(&error))?;
    }
    Ok(data([
        (DataKey::Text, step.text.to_string()),
        (DataKey::Submit, step.submit.to_string()),
    ]))
}

/// The field that an element is, or stands in.
fn field(screen: &Screen<'_>, chosen: NodeId) -> Result<Found, StepFailure> {
    let tree: &Tree = screen.tree();
    let id = tree.nearest(chosen, Ability::Edit).unwrap_or(chosen);
    let node = tree.node(id);
    if !node.flags.has(Flag::Enabled) {
        let message = format!("{} is not enabled", tree.excerpt(id));
        return Err(StepFailure::new(ErrorCode::NodeNotClickable, message));
    }
    let (x, y) = screen.visible_bounds(id).center();
    Ok(Found {
        at: Point { x, y },
        focused: node.flags.has(Flag::Focused),
        text: node.text.clone(),
        password: node.flags.has(Flag::Password),
    })
}

/// Types a text however this phone can: by keys, by the clipboard, or by a
/// keyboard that takes broadcasts.
async fn type_any(phone: &Phone, text: &str, deadline: Deadline) -> Result<(), PhoneError> {
    if can_type_ascii(text) {
        return phone.text_ascii(text, deadline).await;
    }
    match phone.paste_text(text, deadline).await {
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
    phone.set_keyboard(&typing.id, deadline).await?;
    let typed = phone.broadcast_text(&typing, text, deadline).await;
    // Whatever came of it, the user gets his keyboard back.
    if let Some(previous) = &keyboards.current {
        phone.set_keyboard(previous, deadline).await?;
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
    check.map_err(|failure| {
        let shown = if found.password {
            String::new()
        } else {
            seen.unwrap_or_default()
        };
        let failure = StepFailure {
            dispatched: Some(crate::phone::Dispatched::Unknown),
            ..failure
        };
        failure
            .with(DataKey::ExpectedText, wanted)
            .with(DataKey::ActualText, shown)
    })
}
