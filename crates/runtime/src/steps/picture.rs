//! The screen as a tree and as a picture.

use super::{Outcome, data};
use crate::session::Session;
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, SnapshotUi, TakeScreenshot};
use clawperator_ui::Attributes;

pub(super) async fn snapshot(session: &Session<'_>, step: &SnapshotUi) -> Outcome {
    let tree = session
        .attempts(&step.retry, async || {
            session.tree(ErrorCode::SnapshotExtractionFailed).await
        })
        .await?;
    let package = tree.nodes().next().map(|(_, node)| node.package.clone());
    let mut said = data([
        (DataKey::ActualFormat, "hierarchy_xml".to_owned()),
        (DataKey::Text, clawperator_ui::write(&tree, Attributes::Usual)),
    ]);
    if let Some(package) = package {
        said.insert(DataKey::ForegroundPackage, package);
    }
    Ok(said)
}

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
