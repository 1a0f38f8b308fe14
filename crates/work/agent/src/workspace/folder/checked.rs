//! The folder on systems without `openat2`: where a path leads is looked at before
//! it is used. Somebody who swaps links in between can win; what runs confined is
//! on Linux only, so no program inside can.

use super::{FolderError, MAX_FILE};
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

pub(super) struct Root(PathBuf);

type Names<'n> = &'n [String];

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        path.canonicalize().map(Self)
    }

    pub(super) fn read(&self, names: Names<'_>) -> Result<Vec<u8>, FolderError> {
        let path = self.real(names)?;
        let kind = fs::metadata(&path)?;
        if kind.is_dir() {
            return Err(FolderError::IsFolder);
        }
        if !kind.is_file() {
            return Err(FolderError::NotPlain);
        }
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE { Err(FolderError::TooLarge) } else { Ok(bytes) }
    }

    pub(super) fn replace(&self, names: Names<'_>, bytes: &[u8]) -> Result<(), FolderError> {
        let path = self.target(names)?;
        if path.is_dir() {
            return Err(FolderError::IsFolder);
        }
        let other = path.with_extension(format!("clawperator-{}.tmp", std::process::id()));
        fs::write(&other, bytes)?;
        Ok(fs::rename(other, path)?)
    }

    pub(super) fn append(&self, names: Names<'_>, bytes: &[u8]) -> Result<(), FolderError> {
        let path = self.target(names)?;
        let path = if path.exists() { self.real(names)? } else { path };
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(file.write_all(bytes)?)
    }

    pub(super) fn remove(&self, names: Names<'_>) -> Result<(), FolderError> {
        let (last, on_the_way) = names.split_last().ok_or(FolderError::IsFolder)?;
        Ok(fs::remove_file(self.real(on_the_way)?.join(last))?)
    }

    pub(super) fn check_folder(&self, names: Names<'_>) -> Result<(), FolderError> {
        if self.real(names)?.is_dir() { Ok(()) } else { Err(FolderError::Missing) }
    }

    pub(super) fn make(&self, names: Names<'_>) -> Result<(), FolderError> {
        for length in 1..=names.len() {
            if let Err(FolderError::Missing) = self.real(&names[..length]) {
                fs::create_dir(self.real(&names[..length - 1])?.join(&names[length - 1]))?;
            }
        }
        Ok(())
    }

    fn target(&self, names: Names<'_>) -> Result<PathBuf, FolderError> {
        let (last, on_the_way) = names.split_last().ok_or(FolderError::IsFolder)?;
        self.make(on_the_way)?;
        Ok(self.real(on_the_way)?.join(last))
    }

    /// Where names lead, if that is inside.
    fn real(&self, names: Names<'_>) -> Result<PathBuf, FolderError> {
        let path = names.iter().fold(self.0.clone(), |path, name| path.join(name));
        let real = path.canonicalize()?;
        if real.starts_with(&self.0) { Ok(real) } else { Err(FolderError::Outside) }
    }
}
