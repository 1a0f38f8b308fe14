//! The tools read, write, edit and apply_patch.

use super::folder::{FolderError, WorkspaceFolder, WorkspacePath, text_of};
use super::patch::{self, FileChange, PatchError};
use super::{Workspace, cut};
use crate::action::{ApplyPatch, Edit, Read, Write};
use crate::result::{ToolError, ToolResult};
use clawperator_contract::{ErrorCode, Number};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The most lines that `read` gives at once.
const MAX_LINES: usize = 1000;

/// What the result says if lines are not where a caller may expect them.
const APPENDED: &str = "\nA chunk that only inserts has no line of the file, so its lines are at the end of the file, \
    whatever its @@ line says. To insert elsewhere, keep the line before as context.";

impl Workspace {
    /// Reads lines of a file.
    pub async fn read(&self, read: &Read) -> ToolResult {
        let text = match self.readable(&read.path) {
            Ok(text) => text,
            Err(error) => return error.about(&read.path).into(),
        };
        let lines: Vec<&str> = text.lines().collect();
        let from = whole(read.from).max(1);
        let most = whole(read.lines).clamp(1, MAX_LINES);
        let shown: Vec<&str> = lines.iter().skip(from - 1).take(most).copied().collect();
        let to = from - 1 + shown.len();
        let (body, is_cut) = cut(&shown.join("\n"), self.settings.max_output);
        let range =
            if shown.is_empty() { format!("no lines from {from}") } else { format!("lines {from} to {to}") };
        let head = format!("{}: {range} of {}", read.path.trim(), lines.len());
        ToolResult::success(format!("{head}\n{body}")).with_data(json!({
            "path": read.path.trim(),
            "from": from,
            "to": to,
            "totalLines": lines.len(),
            "truncated": is_cut,
            "content": body,
        }))
    }

    /// Writes a file, or adds to it.
    pub async fn write(&self, write: &Write) -> ToolResult {
        let bytes = write.content.as_bytes();
        let done = self.folder.place(&write.path).and_then(|place| {
            if write.append {
                self.folder.append(&place, bytes)?;
            } else {
                self.folder.write(&place, bytes)?;
            }
            Ok(place.display_path())
        });
        match done {
            Ok(path) => {
                let what = if write.append { "added to" } else { "written to" };
                let text = format!("{} bytes {what} {path}", bytes.len());
                let data = json!({"path": path, "bytes": bytes.len(), "append": write.append});
                ToolResult::success(text).with_data(data)
            }
            Err(error) => error.about(&write.path).into(),
        }
    }

    /// Replaces a text in a file. Nothing in the replacement has a special meaning.
    pub async fn edit(&self, edit: &Edit) -> ToolResult {
        match self.edited(edit) {
            Ok((path, count)) => {
                let places = if count == 1 { "place" } else { "places" };
                ToolResult::success(format!("{path}: replaced in {count} {places}"))
                    .with_data(json!({"path": path, "replaced": count}))
            }
            Err(error) => error.into(),
        }
    }

    fn edited(&self, edit: &Edit) -> Result<(String, usize), ToolError> {
        let no = |message: String| ToolError::new(ErrorCode::WorkspaceEditFailed, message);
        if edit.find.is_empty() {
            return Err(no(format!("{:?}: the text to replace is empty.", edit.path)));
        }
        let (place, text) = self.text(&edit.path)?;
        let (find, replace) = as_in(&text, edit);
        let count = text.matches(&find).count();
        match count {
            0 => return Err(no(format!("{:?} does not contain the text.", edit.path))),
            1 => {}
            _ if edit.replace_all => {}
            _ => {
                let message = format!("{:?} contains the text {count} times.", edit.path);
                let hint = "Give more of the text around it, or set replaceAll.";
                return Err(no(message).with_hint(hint));
            }
        }
        let new = text.replace(&find, &replace);
        let written = self.folder.write(&place, new.as_bytes());
        written.map_err(|error| error.about(&edit.path))?;
        Ok((place.display_path(), count))
    }

    /// Applies a patch: all of it, or nothing.
    pub async fn apply_patch(&self, patch: &ApplyPatch) -> ToolResult {
        let invalid = |error: PatchError| {
            let message = format!("The patch is not applied: {error}.");
            ToolError::new(ErrorCode::WorkspacePatchFailed, message)
        };
        let done = patch::parse(&patch.input).map_err(invalid).and_then(|changes| {
            let draft = FileDraft::of(&self.folder, &changes)?;
            let is_told = changes.iter().any(FileChange::appends_behind_context);
            Ok((draft.commit(&self.folder)?, is_told))
        });
        match done {
            Ok((files, is_told)) => {
                let lines: Vec<String> = files.iter().map(|(mark, path)| format!("{mark} {path}")).collect();
                let data: Vec<_> =
                    files.iter().map(|(mark, path)| json!({"change": mark, "path": path})).collect();
                let more = if is_told { APPENDED } else { "" };
                ToolResult::success(format!("The patch is applied:\n{}{more}", lines.join("\n")))
                    .with_data(json!({ "files": data }))
            }
            Err(error) => error.into(),
        }
    }

    /// The text of a file of the workspace, or of a folder that may be read, too.
    fn readable(&self, path: &str) -> Result<String, FolderError> {
        let other = |folder: &PathBuf| {
            let folder = WorkspaceFolder::open(folder).ok()?;
            let place = folder.place(path).ok()?;
            Path::new(path.trim()).is_absolute().then(|| folder.text(&place))
        };
        match self.folder.place(path) {
            Ok(place) => self.folder.text(&place),
            Err(outside) => self.settings.read.iter().find_map(other).unwrap_or(Err(outside)),
        }
    }

    fn text(&self, path: &str) -> Result<(WorkspacePath, String), ToolError> {
        let read = self.folder.place(path).and_then(|place| {
            let text = self.folder.text(&place)?;
            Ok((place, text))
        });
        read.map_err(|error| error.about(path))
    }
}

/// What to find and to put there. A model does not see how a file's lines end, so
/// its own line ends count as the file's where the text is not there otherwise.
fn as_in(text: &str, edit: &Edit) -> (String, String) {
    let (find, replace) = (edit.find.clone(), edit.replace.clone());
    if text.contains(&find) || find.contains('\r') || !text.contains("\r\n") {
        return (find, replace);
    }
    (find.replace('\n', "\r\n"), replace.replace("\r\n", "\n").replace('\n', "\r\n"))
}

/// A number as the count that it means; what is none counts as 0.
pub(super) fn whole(number: Number) -> usize {
    // The conversion itself keeps within the range.
    number.get().round() as usize
}

#[derive(Default)]
struct FileDraft {
    /// The new text of each file that changes; none if it goes.
    files: BTreeMap<WorkspacePath, Option<String>>,
    marks: Vec<(&'static str, String)>,
}

impl FileDraft {
    fn of(folder: &WorkspaceFolder, changes: &[FileChange]) -> Result<Self, ToolError> {
        let mut draft = Self::default();
        for change in changes {
            let (FileChange::Add { path, .. }
            | FileChange::Delete { path }
            | FileChange::Update { path, .. }) = change;
            let place = folder.place(path).map_err(|error| not_applied(path, &error))?;
            match change {
                FileChange::Add { text, .. } => {
                    draft.marks.push(("A", place.display_path()));
                    draft.files.insert(place, Some(text.clone()));
                }
                FileChange::Delete { .. } => {
                    draft.bytes(folder, &place).map_err(|error| not_applied(path, &error))?;
                    draft.marks.push(("D", place.display_path()));
                    draft.files.insert(place, None);
                }
                FileChange::Update { to, chunks, .. } => {
                    let text = draft.bytes(folder, &place).and_then(text_of);
                    let text = text.map_err(|error| not_applied(path, &error))?;
                    let text = patch::updated(path, &text, chunks).map_err(|error| {
                        let message = format!("The patch is not applied: {error}.");
                        ToolError::new(ErrorCode::WorkspacePatchFailed, message)
                    })?;
                    let to = match to {
                        Some(to) => folder.place(to).map_err(|error| not_applied(to, &error))?,
                        None => place.clone(),
                    };
                    // It may move to where it is.
                    draft.files.insert(place, None);
                    draft.marks.push(("M", to.display_path()));
                    draft.files.insert(to, Some(text));
                }
            }
        }
        Ok(draft)
    }

    /// What is in a file after the changes so far.
    fn bytes(&self, folder: &WorkspaceFolder, place: &WorkspacePath) -> Result<Vec<u8>, FolderError> {
        match self.files.get(place) {
            Some(Some(text)) => Ok(text.clone().into_bytes()),
            Some(None) => Err(FolderError::Missing),
            None => folder.bytes(place),
        }
    }

    /// Writes all, or puts back what was there.
    fn commit(self, folder: &WorkspaceFolder) -> Result<Vec<(&'static str, String)>, ToolError> {
        let mut undo: Vec<(&WorkspacePath, Option<Vec<u8>>)> = Vec::new();
        for (place, text) in &self.files {
            let done = before(folder, place).and_then(|old| {
                match text {
                    Some(text) => folder.write(place, text.as_bytes())?,
                    None if old.is_some() => folder.remove(place)?,
                    // It was made and removed by the same patch.
                    None => return Ok(()),
                }
                undo.push((place, old));
                Ok(())
            });
            if let Err(error) = done {
                let mut failure = not_applied(&place.display_path(), &error);
                for place in put_back(folder, undo) {
                    failure.message.push_str(" It could not be undone in ");
                    failure.message.push_str(&place);
                    failure.message.push('.');
                }
                return Err(failure);
            }
        }
        Ok(self.marks)
    }
}

/// Puts back what was there; says where that failed.
fn put_back(folder: &WorkspaceFolder, undo: Vec<(&WorkspacePath, Option<Vec<u8>>)>) -> Vec<String> {
    let undo = undo.into_iter().rev();
    undo.filter_map(|(place, old)| {
        let undone = match old {
            Some(old) => folder.write(place, &old),
            None => folder.remove(place),
        };
        undone.err().map(|_| place.display_path())
    })
    .collect()
}

/// What is in a file before it changes, if there is one.
fn before(folder: &WorkspaceFolder, place: &WorkspacePath) -> Result<Option<Vec<u8>>, FolderError> {
    match folder.bytes(place) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FolderError::Missing) => Ok(None),
        Err(error) => Err(error),
    }
}

fn not_applied(path: &str, error: &FolderError) -> ToolError {
    let mut failure = error.about(path);
    failure.message = format!("The patch is not applied: {}", failure.message);
    failure
}
