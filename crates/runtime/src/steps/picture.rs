//! The screen as a picture.

use super::{Outcome, data};
use crate::session::Session;
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, TakeScreenshot};

pub(super) async fn screenshot(session: &Session<'_>, step: &TakeScreenshot) -> Outcome {
    let picture = session
        .attempts(&step.retry, async || {
            let taken = session.phone.screenshot(session.deadline).await;
            taken.map_err(|error| StepFailure::of(ErrorCode::ScreenshotFailed, &error))
        })
        .await?;
    let path = match &step.path {
        Some(path) => path.to_string().into(),
        None => {
            let name = format!(
                "clawperator-screenshot-{}-{}.png",
                session.command_id, session.options.now_ms
            );
            session.options.pictures.join(name)
        }
    };
    std::fs::write(&path, &picture).map_err(|error| {
        let message = format!("the picture cannot be written: {error}");
        StepFailure::new(ErrorCode::ScreenshotFailed, message).for_good()
    })?;
    Ok(data([(DataKey::Path, path.display().to_string())]))
}
