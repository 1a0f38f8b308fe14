//! Files and folders that only their owner can read, because what a phone shows
//! is private. Everything of ours that stores files makes them here.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// What else may write the same file at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// Nothing: the writer holds a lock, or is the only one.
    None,
    /// Other processes: each has its own draft, and the last one wins.
    Processes,
}

/// Makes a folder, and those around it that are missing. One that is there already stays as it is.
///
/// # Errors
/// What the system says.
pub fn folder(path: &Path) -> io::Result<()> {
    builder().recursive(true).create(path)
}

/// Makes a folder that must not be there yet, in one that is.
///
/// # Errors
/// What the system says; [`io::ErrorKind::AlreadyExists`] among it.
pub fn new_folder(path: &Path) -> io::Result<()> {
    builder().create(path)
}

fn builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// How such a file is opened where it may have to be made.
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Opens a file to read it, if it is a regular one: a pipe or a device could
/// keep its reader waiting for ever.
///
/// # Errors
/// What the system says; [`io::ErrorKind::InvalidInput`] for anything but a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    require_regular(path)?;
    File::open(path)
}

/// Opens a regular file to append to it, or makes it.
///
/// # Errors
/// As for [`open`].
pub fn append(path: &Path) -> io::Result<File> {
    match require_regular(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    options().append(true).create(true).open(path)
}

fn require_regular(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    let message = format!("{} is not a regular file", path.display());
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// Writes a file that a user named: whole or not at all. A link stays a link,
/// and a pipe or a terminal is written to directly.
///
/// # Errors
/// As for [`replace`].
pub fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::canonicalize(path) {
        Ok(there) if there.is_file() => replace(&there, bytes, Concurrency::Processes),
        Ok(other) => fs::write(other, bytes),
        Err(_) => replace(path, bytes, Concurrency::Processes),
    }
}

/// Writes a draft and renames it: no reader sees a part of it, nothing
/// is written through a link, and if it fails what was there stays.
///
/// # Errors
/// What the system says; [`io::ErrorKind::InvalidInput`] for a path that names no file.
pub fn replace(path: &Path, bytes: &[u8], concurrency: Concurrency) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let draft = match concurrency {
        Concurrency::None => path.with_added_extension("draft"),
        Concurrency::Processes => path.with_added_extension(format!("{}.draft", std::process::id())),
    };
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        // One may be left of who ended in the middle of this.
        Ok(()) | Err(_) => {}
    }
    let opened = options().write(true).create_new(true).open(&draft);
    let written = opened.and_then(|mut file| file.write_all(bytes)).and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // What could not be moved is of no use; the error says why.
        let _ = fs::remove_file(&draft);
    }
    written
}
