//! A folder that nothing leaves: not with `..`, not with an absolute path, not
//! through a link, and not by swapping one for another while a file is opened.

#[cfg(target_os = "linux")]
#[path = "folder/beneath.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "folder/checked.rs"]
mod system;

use crate::result::ToolError;
use clawperator_contract::ErrorCode;
use std::io;
use std::path::{Component, Path, PathBuf};

pub(super) const MAX_FILE: u64 = 16 << 20;

pub(super) struct WorkspaceFolder {
    root: system::Root,
    path: PathBuf,
}

/// Where a file is in the folder: names without `.` and `..`. No name at all is the folder itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WorkspacePath(Vec<String>);

impl WorkspacePath {
    /// As it is shown: seen from the folder.
    pub(super) fn display_path(&self) -> String {
        self.0.join("/")
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum FolderError {
    #[error("no path is given")]
    NoPath,
    #[error("the path is outside the workspace")]
    Outside,
    #[error("there is no such file")]
    Missing,
    #[error("it is a folder")]
    IsFolder,
    #[error("it is not a plain file")]
    NotPlain,
    #[error("the file is larger than {MAX_FILE} bytes")]
    TooLarge,
    #[error("the file is not UTF-8 text")]
    NotText,
    #[error("{0}")]
    Io(io::Error),
}

impl From<io::Error> for FolderError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::IsADirectory => Self::IsFolder,
            _ => Self::Io(error),
        }
    }
}

impl FolderError {
    /// The failure of a tool, about a path as the caller wrote it.
    pub(super) fn about(&self, path: &str) -> ToolError {
        let code = match self {
            Self::Outside => ErrorCode::WorkspacePathOutside,
            Self::NoPath => ErrorCode::MissingArgument,
            Self::Missing
            | Self::IsFolder
            | Self::NotPlain
            | Self::TooLarge
            | Self::NotText
            | Self::Io(_) => ErrorCode::WorkspaceFileFailed,
        };
        ToolError::new(code, format!("{path:?}: {self}."))
    }
}

pub(super) fn text_of(bytes: Vec<u8>) -> Result<String, FolderError> {
    String::from_utf8(bytes).map_err(|_| FolderError::NotText)
}

impl WorkspaceFolder {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        Ok(Self { root: system::Root::open(&path)?, path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where a path of a caller is. It may be absolute if it begins with the folder's own path.
    pub(super) fn place(&self, raw: &str) -> Result<WorkspacePath, FolderError> {
        let raw = raw.trim();
        if raw.is_empty() {
            return Err(FolderError::NoPath);
        }
        let path = Path::new(raw);
        let inside = if path.is_absolute() {
            path.strip_prefix(&self.path).map_err(|_| FolderError::Outside)?
        } else {
            path
        };
        let mut names: Vec<String> = Vec::new();
        for part in inside.components() {
            match part {
                Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
                Component::CurDir => {}
                Component::ParentDir => drop(names.pop().ok_or(FolderError::Outside)?),
                Component::RootDir | Component::Prefix(_) => return Err(FolderError::Outside),
            }
        }
        // A shell would have looked in the home folder.
        if raw.starts_with("~/") || raw == "~" || raw.contains('\0') {
            Err(FolderError::Outside)
        } else {
            Ok(WorkspacePath(names))
        }
    }

    pub(super) fn bytes(&self, place: &WorkspacePath) -> Result<Vec<u8>, FolderError> {
        self.root.read(&place.0)
    }

    pub(super) fn text(&self, place: &WorkspacePath) -> Result<String, FolderError> {
        text_of(self.bytes(place)?)
    }

    /// Replaces a file as a whole: others see the old one or the new one. A link
    /// is replaced, not followed. Folders on the way are made.
    pub(super) fn write(&self, place: &WorkspacePath, bytes: &[u8]) -> Result<(), FolderError> {
        self.root.replace(&place.0, bytes)
    }

    pub(super) fn append(&self, place: &WorkspacePath, bytes: &[u8]) -> Result<(), FolderError> {
        self.root.append(&place.0, bytes)
    }

    pub(super) fn remove(&self, place: &WorkspacePath) -> Result<(), FolderError> {
        self.root.remove(&place.0)
    }

    /// The path of a folder inside, for a program that is confined.
    pub(super) fn folder(&self, place: &WorkspacePath) -> Result<PathBuf, FolderError> {
        self.root.check_folder(&place.0)?;
        Ok(place.0.iter().fold(self.path.clone(), |path, name| path.join(name)))
    }

    /// Makes a folder, and those on the way to it.
    pub(super) fn make(&self, place: &WorkspacePath) -> Result<PathBuf, FolderError> {
        self.root.make(&place.0)?;
        self.folder(place)
    }
}
