//! Reads files of a repository, never more of them than a bound, and writes them
//! whole.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// Reads a regular file of at most `limit` bytes: a pipe or a device could keep
/// its reader waiting for ever.
pub(super) fn read(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        let message = format!("it is larger than {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(bytes)
}

/// Holds the folder until it is dropped.
pub(super) fn lock(folder: &Path) -> io::Result<Option<File>> {
    if cfg!(not(unix)) {
        // A folder cannot be opened as a file there.
        return Ok(None);
    }
    let file = File::open(folder)?;
    file.lock()?;
    Ok(Some(file))
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
