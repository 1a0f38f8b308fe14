//! A lock file that its holder may remove, and waiting for one on a thread.

use super::open_lock;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// A locked file. The system releases the lock when the process ends, however
/// that ends, so it proves that the holder lives, in every pid namespace.
#[derive(Debug)]
pub struct HeldFile {
    path: PathBuf,
    file: File,
}

impl HeldFile {
    /// Takes a file that was just locked; nothing if the holder before removed
    /// it, because then another file has its name.
    pub fn new(path: &Path, file: File) -> Option<Self> {
        let path = path.to_owned();
        is_at(&file, &path).then_some(Self { path, file })
    }

    /// Locks the file if it is free. Makes it if it is missing.
    pub fn try_lock(path: &Path) -> io::Result<Option<Self>> {
        let file = open_lock(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self::new(path, file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Removes the file while it is still locked.
    pub fn remove(&self) {
        // A file that stays is free, which says the same.
        let _ = fs::remove_file(&self.path);
    }
}

/// Tells whether a process holds the lock of a file.
pub fn is_held(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Ok(_) | Err(_) => {}
    }
    // Those who ask at the same time are not in each other's way.
    match open_lock(path)?.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Opens and locks a file; nothing if another holder still has it after `wait`. It blocks in the
/// system's call, so it ends at once when the holder does.
pub fn lock_within(path: &Path, wait: Duration) -> io::Result<Option<File>> {
    let file = open_lock(path)?;
    match file.try_lock() {
        Ok(()) => return Ok(Some(file)),
        Err(TryLockError::Error(error)) => return Err(error),
        Err(TryLockError::WouldBlock) => {}
    }
    let (give, take) = mpsc::channel();
    let waiting = move || {
        let locked = file.lock().map(|()| file);
        // If the waiter is gone, the file is closed, which releases the lock.
        let _ = give.send(locked);
    };
    std::thread::Builder::new().name("file-lock".to_owned()).spawn(waiting)?;
    match take.recv_timeout(wait) {
        Ok(locked) => locked.map(Some),
        Err(_) => Ok(None),
    }
}

/// Tells whether a path still leads to an open file.
fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let same =
            |one: fs::Metadata, other: fs::Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
        let (Ok(open), Ok(named)) = (file.metadata(), fs::symlink_metadata(path)) else {
            return false;
        };
        same(open, named)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_waited_for_and_says_whether_its_holder_lives() {
        let path = std::env::temp_dir().join(format!("clawperator-held-{}.lock", std::process::id()));
        assert!(!is_held(&path).unwrap());
        assert!(!path.exists(), "looking makes no file");
        let held = HeldFile::try_lock(&path).unwrap().unwrap();
        assert!(is_held(&path).unwrap());
        held.remove();
        assert!(!is_held(&path).unwrap());
        drop(held);
        let held = HeldFile::try_lock(&path).unwrap().unwrap();
        assert!(HeldFile::try_lock(&path).unwrap().is_none());
        assert!(lock_within(&path, Duration::ZERO).unwrap().is_none());
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || lock_within(&path, Duration::from_secs(60)).unwrap()
        });
        held.remove();
        drop(held);
        let late = waiting.join().unwrap();
        // If it waited before the file was removed, it got one without a name.
        assert!(late.is_some_and(|file| HeldFile::new(&path, file).is_none() || path.exists()));
        let _ = fs::remove_file(&path);
    }
}
