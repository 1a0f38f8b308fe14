//! Reads files of a repository, never more of them than a bound, and writes them whole.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _};
use std::path::Path;

/// Reads a regular file of at most `limit` bytes: a pipe or a device could keep
/// its reader waiting for ever.
pub(super) fn read(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        let message = format!("it is larger than {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(bytes)
}

/// A folder that is held until this is dropped.
pub(super) struct FolderLock(Option<File>);

impl Drop for FolderLock {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            // Closing is not enough: a process that is just being started shares
            // the file for a moment. What cannot be unlocked is when it ends.
            let _ = file.unlock();
        }
    }
}

/// Waits until the folder is free, and holds it.
pub(super) fn lock(folder: &Path) -> io::Result<FolderLock> {
    let file = open_folder(folder)?;
    file.as_ref().map_or(Ok(()), File::lock)?;
    Ok(FolderLock(file))
}

/// Holds the folder, or says with nothing that another does.
pub(super) fn try_lock(folder: &Path) -> io::Result<Option<FolderLock>> {
    let file = open_folder(folder)?;
    match file.as_ref().map(File::try_lock) {
        None | Some(Ok(())) => Ok(Some(FolderLock(file))),
        Some(Err(TryLockError::WouldBlock)) => Ok(None),
        Some(Err(TryLockError::Error(error))) => Err(error),
    }
}

/// A folder as a file, where a system has that.
fn open_folder(folder: &Path) -> io::Result<Option<File>> {
    if cfg!(not(unix)) {
        return Ok(None);
    }
    File::open(folder).map(Some)
}

/// Writes a file beside its place and moves it there.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays a link.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let draft = path.with_added_extension(format!("{}.draft", std::process::id()));
    let written = fs::write(&draft, bytes).and_then(|()| fs::rename(&draft, &path));
    if written.is_err() {
        // What could not be moved is of no use; the error says why.
        let _ = fs::remove_file(&draft);
    }
    written
}

#[cfg(unix)]
pub(super) fn make_executable(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}

/// Lets a file be run; nothing else is needed here.
#[cfg(not(unix))]
pub(super) fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}
