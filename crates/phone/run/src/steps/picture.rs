//! Takes a screenshot.

use crate::outcome::{StepFailure, StepOutcome, data};
use crate::retry::Tries;
use crate::run::Run;
use clawperator_contract::{DataKey, ErrorCode, TakeScreenshot};
use clawperator_events::is_partly_black;
use clawperator_phone::{CommandKind, PhoneError};
use clawperator_private::{self as private, Concurrency};
use std::path::PathBuf;

/// The warning about a picture while a secret may be on the screen.
const COVERED: &str =
    "a secret was typed on this phone: what may show it, and what no tree names, is black here";

pub(super) async fn screenshot(run: &mut Run<'_>, step: &TakeScreenshot) -> StepOutcome {
    let mut tries = Tries::new(&step.retry);
    let (picture, is_black) = loop {
        let taken = run.phone().screenshot(run.look_deadline()).await;
        let read = taken.and_then(|picture| match is_partly_black(&picture) {
            Some(is_black) => Ok((picture, is_black)),
            None => Err(PhoneError::Unreadable {
                command: CommandKind::Screenshot,
                excerpt: "a PNG whose pixels cannot be read, such as one that is cut off".to_owned(),
            }),
        });
        match read {
            Ok(read) => break read,
            Err(error) => {
                let failure = StepFailure {
                    again: matches!(error, PhoneError::Refused { .. } | PhoneError::Unreadable { .. }),
                    ..StepFailure::of(ErrorCode::ScreenshotFailed, &error)
                };
                tries.again(run, failure).await?;
            }
        }
    };
    let path: PathBuf = match &step.path {
        Some(path) => path.to_string().into(),
        None => run.options.pictures.join(name(run)),
    };
    // Where others may write too, a link in its place is not followed.
    let written = match &step.path {
        Some(_) => private::save(&path, &picture),
        None => private::replace(&path, &picture, Concurrency::Processes),
    };
    written.map_err(|error| {
        let message = format!("the screenshot cannot be written: {error}");
        StepFailure::new(ErrorCode::ScreenshotFailed, message).for_good()
    })?;
    let mut found = data([(DataKey::Path, path.display().to_string())]);
    let scale = run.phone().picture_scale(&picture, run.deadline).await;
    found.extend(scale.map(|scale| (DataKey::Scale, scale.to_string())));
    let windows = if is_black {
        // A picture without the warning is better than none.
        run.phone().secure_windows(run.deadline).await.unwrap_or_default()
    } else {
        Vec::new()
    };
    if !windows.is_empty() {
        let windows = windows.join(", ");
        let warning = format!("{windows} forbids pictures, so it is black here; read its elements instead");
        found.insert(DataKey::Warn, warning);
    } else if run.phone().may_show_secrets() {
        found.insert(DataKey::Warn, COVERED.to_owned());
    }
    Ok(found)
}

/// A new name for each screenshot of an execution. Nothing in the caller's id
/// can lead out of the folder.
fn name(run: &mut Run<'_>) -> String {
    run.pictures += 1;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let id = run.execution.command_id().as_str();
    let id = id.replace(|letter| !plain(letter), "_");
    let now = run.options.now_ms;
    match run.pictures {
        1 => format!("clawperator-screenshot-{id}-{now}.png"),
        more => format!("clawperator-screenshot-{id}-{now}-{more}.png"),
    }
}
