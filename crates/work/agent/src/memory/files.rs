//! The files of a memory: which there are, and what is in them. No symbolic link
//! is followed on the way, not even one that takes a folder's place meanwhile.

use super::watch::FolderWatch;
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The file beside the folder.
const FILE: &str = "MEMORY.md";
const FOLDER: &str = "memory";
const ENDING: &str = ".md";
/// The most files, how deep folders may be, and the most bytes of a file that are read.
const MAX_FILES: usize = 20_000;
const MAX_DEPTH: usize = 16;
const MAX_BYTES: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct MemoryFolder {
    workspace: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemoryPath(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PathError {
    #[error("memory_get needs a path")]
    Missing,
    #[error("the path leads out of the workspace")]
    Escapes,
    #[error("the path is no file of the memory")]
    Other,
}

/// A file, and what changes when it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemoryFile {
    pub(super) path: String,
    pub(super) stamp: String,
}

#[derive(Debug)]
pub(super) struct MemoryFiles {
    pub(super) found: Vec<MemoryFile>,
    /// What tells whether they are still the same.
    pub(super) watch: Option<FolderWatch>,
}

/// Whether certainly nothing has changed since a watch began.
pub(super) fn is_unchanged(watch: &FolderWatch) -> bool {
    watch.is_quiet(&[FILE, FOLDER])
}

impl MemoryPath {
    /// Reads a path: `MEMORY.md`, or a file below `memory/`.
    pub(super) fn parse(text: &str) -> Result<Self, PathError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(PathError::Missing);
        }
        if text.starts_with('/') || text.contains('\0') {
            return Err(PathError::Escapes);
        }
        let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        if parts.contains(&"..") {
            return Err(PathError::Escapes);
        }
        let is_memory = match parts[..] {
            [file] => file.eq_ignore_ascii_case(FILE),
            [FOLDER, .., file] => is_note(file),
            _ => false,
        };
        if is_memory { Ok(Self(parts.join("/"))) } else { Err(PathError::Other) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_note(name: &str) -> bool {
    let end = name.len().checked_sub(ENDING.len()).and_then(|at| name.get(at..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(ENDING))
}

impl MemoryFolder {
    pub(super) fn new(workspace: &Path) -> Self {
        Self { workspace: workspace.to_owned() }
    }

    /// The files, in the order of their paths. From now on their folders are watched.
    pub(super) fn list(&self) -> io::Result<MemoryFiles> {
        // Before anything is read: no change is missed.
        let mut watch = FolderWatch::new();
        if let Some(watch) = &mut watch {
            watch.watch_top(&self.workspace);
        }
        let mut found = Vec::new();
        if let Ok(about) = self.workspace.join(FILE).symlink_metadata()
            && about.is_file()
        {
            found.push(MemoryFile::new(FILE.to_owned(), &about));
        }
        let folder = self.workspace.join(FOLDER);
        if folder.symlink_metadata().is_ok_and(|about| about.is_dir()) {
            let mut walk = Walk { found: &mut found, watch: watch.as_mut() };
            walk.folder(&folder, FOLDER, MAX_DEPTH)?;
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(MemoryFiles { found, watch })
    }

    /// What is in a file; nothing if there is none. What is not UTF-8 becomes the sign for that.
    pub(super) fn read(&self, path: &MemoryPath) -> io::Result<Option<String>> {
        let file = match open_inside(&self.workspace, &path.0) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is no plain file"));
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

impl MemoryFile {
    fn new(path: String, about: &Metadata) -> Self {
        let written = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let mut stamp = format!("{}-{}", written.unwrap_or_default().as_nanos(), about.len());
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let (inode, seconds, nanos) = (about.ino(), about.ctime(), about.ctime_nsec());
            stamp.push_str(&format!("-{inode}-{seconds}-{nanos}"));
        }
        Self { path, stamp }
    }
}

struct Walk<'w> {
    found: &'w mut Vec<MemoryFile>,
    watch: Option<&'w mut FolderWatch>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path, path: &str, depth: usize) -> io::Result<()> {
        if let Some(watch) = &mut self.watch {
            watch.watch(folder);
        }
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            // Of the entry itself, not of what a link leads to.
            let kind = entry.file_type()?;
            let path = format!("{path}/{name}");
            if kind.is_dir() && depth > 1 {
                self.folder(&entry.path(), &path, depth - 1)?;
            } else if kind.is_file() && is_note(&name) && self.found.len() < MAX_FILES {
                match entry.metadata() {
                    Ok(about) => self.found.push(MemoryFile::new(path, &about)),
                    // It went away meanwhile.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }
}

/// Opens a file below a folder, step by step: a symbolic link on the way is refused.
#[cfg(target_os = "linux")]
fn open_inside(folder: &Path, path: &str) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let plain = OFlags::RDONLY | OFlags::CLOEXEC;
    let mut at = openat(CWD, folder, plain | OFlags::DIRECTORY, Mode::empty())?;
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let kind = match parts.peek() {
            Some(_) => OFlags::DIRECTORY,
            // A pipe would wait for a writer.
            None => OFlags::NONBLOCK,
        };
        at = openat(&at, part, plain | OFlags::NOFOLLOW | kind, Mode::empty())?;
    }
    Ok(File::from(at))
}

/// Opens a file below a folder, if there is no symbolic link on the way.
#[cfg(not(target_os = "linux"))]
fn open_inside(folder: &Path, path: &str) -> io::Result<File> {
    let mut at = folder.to_owned();
    for part in path.split('/') {
        at.push(part);
        if at.symlink_metadata()?.is_symlink() {
            return Err(io::Error::other("a symbolic link is in the way"));
        }
    }
    File::open(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_memory_have_a_path() {
        for (text, path) in [
            ("MEMORY.md", Ok("MEMORY.md")),
            ("./memory.MD", Ok("memory.MD")),
            ("memory/2026-01-01.md", Ok("memory/2026-01-01.md")),
            ("memory//a/./b.Md", Ok("memory/a/b.Md")),
            ("", Err(PathError::Missing)),
            (" ", Err(PathError::Missing)),
            ("/etc/passwd", Err(PathError::Escapes)),
            ("memory/../../x.md", Err(PathError::Escapes)),
            ("memory/../MEMORY.md", Err(PathError::Escapes)),
            ("memory/\0.md", Err(PathError::Escapes)),
            ("memory", Err(PathError::Other)),
            ("memory/key.pem", Err(PathError::Other)),
            ("notes/a.md", Err(PathError::Other)),
            ("README.md", Err(PathError::Other)),
            (".", Err(PathError::Other)),
        ] {
            let parsed = MemoryPath::parse(text);
            assert_eq!(parsed.as_ref().map(MemoryPath::as_str).map_err(|error| *error), path, "{text}");
        }
    }
}
