//! The folder of a repository, and the paths of entries inside it.
//!
//! A registry comes from elsewhere. What it names must be inside its repository, links followed.

use std::io;
use std::path::{Component, Path, PathBuf};

/// The folder of a repository, without links in its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepoRoot(PathBuf);

/// Why a path of an entry cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PathFault {
    #[error("the path is empty")]
    Empty,
    /// It, or a link on its way, leads out of the repository.
    #[error("the path leads out of the repository")]
    Outside,
    #[error("there is no such file")]
    Missing,
    #[error("it is not a regular file")]
    NotAFile,
    #[error("{0}")]
    Io(io::Error),
}

impl RepoRoot {
    /// The repository of a registry: the parent of its folder.
    pub fn of_registry(registry: &Path) -> io::Result<Self> {
        let folder = std::path::absolute(registry)?;
        let folder = folder.parent().unwrap_or(&folder).canonicalize()?;
        Ok(Self(folder.parent().unwrap_or(&folder).to_owned()))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The file or folder that an entry names, links followed.
    pub fn resolve(&self, entry: &str) -> Result<PathBuf, PathFault> {
        let path = self.inside(entry)?;
        match path.canonicalize() {
            Ok(found) if found.starts_with(&self.0) => Ok(found),
            Ok(_) => Err(PathFault::Outside),
            Err(error) => Err(fault(error)),
        }
    }

    /// The regular file that an entry names, links followed.
    pub fn file(&self, entry: &str) -> Result<PathBuf, PathFault> {
        let path = self.resolve(entry)?;
        if path.is_file() { Ok(path) } else { Err(PathFault::NotAFile) }
    }

    /// A place for something that is not there yet: what is there of its way is
    /// inside the repository.
    pub fn place(&self, entry: &str) -> Result<PathBuf, PathFault> {
        let path = self.inside(entry)?;
        for ancestor in path.ancestors() {
            match ancestor.canonicalize() {
                Ok(found) if found.starts_with(&self.0) => return Ok(path),
                Ok(_) => return Err(PathFault::Outside),
                // A link to nowhere is there, and leads who knows where.
                Err(_) if ancestor.is_symlink() => return Err(PathFault::Outside),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(fault(error)),
            }
        }
        Err(PathFault::Outside)
    }

    /// The path of an entry, as far as its words tell.
    fn inside(&self, entry: &str) -> Result<PathBuf, PathFault> {
        let entry = Path::new(entry);
        let mut is_empty = true;
        for part in entry.components() {
            match part {
                Component::Normal(_) => is_empty = false,
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(PathFault::Outside);
                }
            }
        }
        if is_empty { Err(PathFault::Empty) } else { Ok(self.0.join(entry)) }
    }
}

fn fault(error: io::Error) -> PathFault {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => PathFault::Missing,
        _ => PathFault::Io(error),
    }
}
