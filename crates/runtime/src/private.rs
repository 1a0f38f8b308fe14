//! Files and folders that only their owner can read: what a phone shows, and
//! who uses it, is nobody else's business.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Makes a folder, and those around it that are missing.
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    builder().recursive(true).create(path)
}

/// Makes a folder that must not be there yet, in one that is.
pub(crate) fn new_folder(path: &Path) -> io::Result<()> {
    builder().create(path)
}

fn builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// How such a file is opened where it may have to be made.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes beside a file and moves it there: nobody reads a part of it, and
/// nothing is written through a link. One process at a time may do so.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_added_extension("draft");
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        // One may be left of who ended in the middle of this.
        Ok(()) | Err(_) => {}
    }
    let opened = options().write(true).create_new(true).open(&beside);
    let written = opened
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // What could not be moved is of no use; the error says why.
        let _ = fs::remove_file(&beside);
    }
    written
}
