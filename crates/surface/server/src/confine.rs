//! The folder that a request may write into. A path from outside must stay
//! inside it, whatever it is made of.

use clawperator_contract::{CheckedExecution, ErrorCode, Failure, Step, accept, text};
use clawperator_private as private;
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// The folder for screenshots, inside the state folder.
pub(crate) fn pictures(state: &Path) -> PathBuf {
    state.join("screenshots")
}

/// The file that a path from outside means: a path inside the folder, written
/// from there or in full.
pub(crate) fn file(folder: &Path, asked: &str) -> Result<PathBuf, Failure> {
    let outside = || {
        let message = format!("\"{}\" is not a path inside {}", text::excerpt(asked), folder.display());
        Failure::of(ErrorCode::InvalidPath, message)
    };
    let asked = Path::new(asked);
    let inside = asked.strip_prefix(folder).unwrap_or(asked);
    let is_plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
    if !is_plain || inside.as_os_str().is_empty() || inside.to_string_lossy().contains('\0') {
        return Err(outside());
    }
    let path = folder.join(inside);
    let parent = path.parent().ok_or_else(outside)?;
    private::folder(parent).map_err(|_| outside())?;
    // A link on the way could lead out.
    let (real, root) = (parent.canonicalize(), folder.canonicalize());
    let stays = real.is_ok_and(|real| root.is_ok_and(|root| real.starts_with(root)));
    let is_file = !std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file());
    if stays && is_file { Ok(path) } else { Err(outside()) }
}

/// The execution with every path inside the folder.
///
/// # Errors
/// `INVALID_PATH` if a path leads elsewhere.
pub(crate) fn execution(checked: CheckedExecution, state: &Path) -> Result<CheckedExecution, Failure> {
    let folder = pictures(state);
    let mut written: Option<Value> = None;
    for (number, action) in checked.execution.actions().iter().enumerate() {
        let Step::TakeScreenshot(step) = action.step() else {
            continue;
        };
        let Some(asked) = &step.path else {
            continue;
        };
        let path = file(&folder, asked)?;
        // Our own types can always be written.
        let value =
            written.get_or_insert_with(|| serde_json::to_value(&checked.execution).unwrap_or_default());
        value["actions"][number]["params"]["path"] = path.to_string_lossy().into();
    }
    match written {
        None => Ok(checked),
        Some(value) => {
            Ok(CheckedExecution { execution: accept(value.to_string().as_bytes())?.execution, ..checked })
        }
    }
}
