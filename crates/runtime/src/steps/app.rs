//! Apps start, end and open things; the phone's own keys.

use super::{Outcome, data};
use crate::phone::{KeyCode, PhoneError};
use crate::session::Session;
use crate::step_failure::StepFailure;
use clawperator_contract::{CloseApp, DataKey, ErrorCode, Key, OpenApp, OpenUri, PressKey};

pub(super) async fn open(session: &Session<'_>, step: &OpenApp) -> Outcome {
    session
        .attempts(&step.retry, async || {
            let launching = session.phone.launch(&step.application_id, session.deadline);
            let started = session.act(launching).await;
            started.map_err(|error| unless_certain(ErrorCode::AppNotStarted, &error))
        })
        .await?;
    Ok(data([(DataKey::ApplicationId, step.application_id.to_string())]))
}

pub(super) async fn open_uri(session: &Session<'_>, step: &OpenUri) -> Outcome {
    session
        .attempts(&step.retry, async || {
            let opening = session.phone.open_uri(&step.uri, session.deadline);
            let opened = session.act(opening).await;
            opened.map_err(|error| {
                let code = match error {
                    PhoneError::UriNotHandled { .. } => ErrorCode::UriNotHandled,
                    // The phone did not get as far as looking for an app.
                    _ => ErrorCode::AppNotStarted,
                };
                unless_certain(code, &error)
            })
        })
        .await?;
    Ok(data([(DataKey::Uri, step.uri.to_string())]))
}

pub(super) async fn close(session: &Session<'_>, step: &CloseApp) -> Outcome {
    session
        .attempts(&step.retry, async || {
            let closing = session.phone.force_stop(&step.application_id, session.deadline);
            let closed = session.act(closing).await;
            closed.map_err(|error| unless_certain(ErrorCode::AppNotClosed, &error))
        })
        .await?;
    Ok(data([(DataKey::ApplicationId, step.application_id.to_string())]))
}

pub(super) async fn press_key(session: &Session<'_>, step: &PressKey) -> Outcome {
    let (code, word) = match step.key {
        Key::Back => (KeyCode::Back, "back"),
        Key::Home => (KeyCode::Home, "home"),
        Key::Recents => (KeyCode::Recents, "recents"),
    };
    session
        .attempts(&step.retry, async || {
            let pressed = session.act(session.phone.key(code, session.deadline)).await;
            pressed.map_err(|error| {
                unless_certain(ErrorCode::GlobalActionFailed, &error).with(DataKey::Key, word)
            })
        })
        .await?;
    Ok(data([(DataKey::Key, word.to_owned())]))
}

/// What the phone says for certain does not change by asking again: an app
/// that is not there, a link that nothing opens.
fn unless_certain(code: ErrorCode, error: &PhoneError) -> StepFailure {
    let failure = StepFailure::of(code, error);
    let refused = matches!(error, PhoneError::Refused { .. } | PhoneError::Unreadable { .. });
    StepFailure {
        again: refused,
        ..failure
    }
}
