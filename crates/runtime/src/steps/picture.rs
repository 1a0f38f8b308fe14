//! The screen as a picture.

use super::{Outcome, data};
use crate::phone::PhoneError;
use crate::session::Session;
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, TakeScreenshot};

pub(super) async fn screenshot(session: &Session<'_>, step: &TakeScreenshot) -> Outcome {
    let picture = session
        .attempts(&step.retry, async || {
            let taken = session.phone.screenshot(session.deadline).await;
            taken.map_err(|error| StepFailure {
                again: matches!(error, PhoneError::Refused { .. } | PhoneError::Unreadable { .. }),
                ..StepFailure::of(ErrorCode::ScreenshotFailed, &error)
            })
        })
        .await?;
    let path = match &step.path {
        Some(path) => path.to_string().into(),
        None => session.options.pictures.join(name(session)),
    };
    std::fs::write(&path, &picture).map_err(|error| {
        let message = format!("the picture cannot be written: {error}");
        StepFailure::new(ErrorCode::ScreenshotFailed, message).for_good()
    })?;
    Ok(data([(DataKey::Path, path.display().to_string())]))
}

/// A name that nobody gave: one of its own for each picture of an execution,
/// and nothing of the caller's id in it that could lead out of the folder.
fn name(session: &Session<'_>) -> String {
    let number = session.pictures.get() + 1;
    session.pictures.set(number);
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let id: String = session
        .command_id
        .chars()
        .map(|letter| if plain(letter) { letter } else { '_' })
        .collect();
    let now = session.options.now_ms;
    match number {
        1 => format!("clawperator-screenshot-{id}-{now}.png"),
        more => format!("clawperator-screenshot-{id}-{now}-{more}.png"),
    }
}
