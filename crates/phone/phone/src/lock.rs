//! One execution at a time on a phone, across processes.
//!
//! The lock is the operating system's, so it ends with the process that has it, however that ends.
//! Its owner is described in a file beside it: some systems do not allow reading a locked file.

mod file_lock;
mod waiters;

pub use file_lock::{HeldFile, is_held, lock_within};
pub use waiters::Waiters;

use crate::memory::read_text;
use clawperator_contract::text::excerpt;
use clawperator_contract::{ErrorCode, Failure, OwnerDetails};
use clawperator_private as private;
use futures_core::future::BoxFuture;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// The longest name of a lock file: file systems take 255 bytes.
const MAX_NAME: usize = 200;
/// The most files of the folder that are looked at.
const MAX_FILES: usize = 10_000;
/// How long an acquire waits at least. A process that is being started holds a
/// copy of every lock of its parent until it runs its own program; such a lock
/// has no owner any more, and is free in a moment.
const MIN_WAIT: Duration = Duration::from_millis(500);
/// The most of an owner file that is read.
const MAX_OWNER: u64 = 4 << 10;

/// The process that runs an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    pub pid: u32,
    pub command_id: String,
    /// When it got the phone, since the Unix epoch.
    pub since: Duration,
}

/// Another execution is running on the phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockConflict {
    /// Its owner, if the owner file could be read.
    pub owner: Option<Owner>,
    /// How long it has had the phone.
    pub age: Option<Duration>,
}

/// Why a phone was not locked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LockError {
    #[error("{}", conflict_text(.0))]
    Conflict(LockConflict),
    /// Another user could have prepared the folder.
    #[error("{} {why}", folder.display())]
    Unsafe { folder: PathBuf, why: &'static str },
    /// The serial cannot be written as a file name.
    #[error("{:?} is not a phone's serial", excerpt(.0))]
    Serial(String),
    /// The folder or the file cannot be used.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: Arc<io::Error> },
}

fn conflict_text(conflict: &LockConflict) -> String {
    let LockConflict { owner: Some(owner), age: Some(age) } = conflict else {
        return "another execution is running on the phone".to_owned();
    };
    let (Owner { pid, command_id, .. }, ms) = (owner, age.as_millis());
    format!("process {pid} has been running {command_id:?} on the phone for {ms} ms")
}

impl LockError {
    /// Its code in the contract.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Conflict(_) => ErrorCode::ExecutionConflict,
            Self::Io { .. } | Self::Unsafe { .. } => ErrorCode::StateFolderUnusable,
            Self::Serial(_) => ErrorCode::InternalError,
        }
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        let row = error.code().row();
        let failure = Self::new(row.code, error.to_string()).hint(match error {
            // Where locks are depends on the user alone, not on CLAWPERATOR_HOME.
            LockError::Io { .. } | LockError::Unsafe { .. } => {
                "Make the folder writable for you alone or remove it; or set CLAWPERATOR_LOCK_DIR to another."
            }
            LockError::Conflict(_) | LockError::Serial(_) => row.hint,
        });
        let LockError::Conflict(LockConflict { owner: Some(owner), age }) = error else {
            return failure;
        };
        failure.with(|details| {
            details.owner = Some(Box::new(OwnerDetails {
                pid: owner.pid,
                command_id: owner.command_id,
                age_ms: age.and_then(|age| u64::try_from(age.as_millis()).ok()),
            }));
        })
    }
}

/// The folder with the locks of all phones.
#[derive(Clone, Debug)]
pub struct Locks {
    folder: PathBuf,
    waiters: Waiters,
}

/// Holds a phone until it is dropped, or the process ends.
#[derive(Debug)]
pub struct PhoneGuard {
    /// Locked while it is open.
    _lock: File,
    owner_file: PathBuf,
}

impl Drop for PhoneGuard {
    fn drop(&mut self) {
        // A file that stays behind names an owner that no longer has the lock;
        // the next owner replaces it.
        let _ = std::fs::remove_file(&self.owner_file);
    }
}

impl Locks {
    /// Locks in this folder, which is created when needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), waiters: Waiters::default() }
    }

    /// Creates the folder, readable by this user alone, and refuses one that
    /// another user could have prepared.
    ///
    /// # Errors
    /// [`LockError::Io`] or [`LockError::Unsafe`].
    pub fn prepare(&self) -> Result<(), LockError> {
        let failed = |error| LockError::Io { path: self.folder.clone(), error: Arc::new(error) };
        private::folder(&self.folder).map_err(failed)?;
        let about = std::fs::symlink_metadata(&self.folder).map_err(failed)?;
        let trap = |why| LockError::Unsafe { folder: self.folder.clone(), why };
        if about.is_symlink() {
            return Err(trap("is a symbolic link, which another user could have made"));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
            if about.uid() != nix::unistd::getuid().as_raw() {
                return Err(trap("belongs to another user"));
            }
            if about.mode() & 0o077 != 0 {
                let private = std::fs::Permissions::from_mode(0o700);
                std::fs::set_permissions(&self.folder, private).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Takes a phone for an execution of this process, and waits for it if it may.
    ///
    /// # Errors
    /// As for [`Self::acquire`].
    pub fn take<'f>(
        &'f self,
        serial: &'f str,
        command_id: &'f str,
        wait: Option<Duration>,
    ) -> BoxFuture<'f, Result<PhoneGuard, LockError>> {
        Box::pin(async move {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            let owner = Owner {
                pid: std::process::id(),
                command_id: command_id.to_owned(),
                since: since.unwrap_or_default(),
            };
            self.acquire(serial, &owner, wait).await
        })
    }

    /// The conflict with the execution that has a phone now.
    pub fn conflict(&self, serial: &str) -> LockError {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let file = self.folder.join(format!("{}.owner", file_name(serial).unwrap_or_default()));
        LockError::Conflict(conflict(&file, now.unwrap_or_default()))
    }

    /// Takes a phone, and waits for it if it may, and for a moment in any case. `owner.since` is
    /// taken for now; the time of the wait is added to it.
    ///
    /// # Errors
    /// [`LockError::Conflict`] if another execution still has it then.
    pub fn acquire<'f>(
        &'f self,
        serial: &'f str,
        owner: &'f Owner,
        wait: Option<Duration>,
    ) -> BoxFuture<'f, Result<PhoneGuard, LockError>> {
        Box::pin(async move {
            let name = file_name(serial).ok_or_else(|| LockError::Serial(serial.to_owned()))?;
            let lock_file = self.folder.join(format!("{name}.lock"));
            let owner_file = self.folder.join(format!("{name}.owner"));
            let failed = |path: &Path| {
                let path = path.to_path_buf();
                move |error| LockError::Io { path, error: Arc::new(error) }
            };
            self.prepare()?;
            let started = Instant::now();
            let wait = wait.unwrap_or_default().max(MIN_WAIT);
            let locked = self.waiters.lock(&lock_file, wait).await;
            let waited = started.elapsed();
            let Some(lock) = locked.map_err(failed(&lock_file))? else {
                return Err(LockError::Conflict(conflict(&owner_file, owner.since + waited)));
            };
            let owner = Owner { since: owner.since + waited, ..owner.clone() };
            write_owner(&owner_file, &owner).map_err(failed(&owner_file))?;
            Ok(PhoneGuard { _lock: lock, owner_file })
        })
    }
}

/// An owner file of a run that was killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    pub serial: String,
    owner_file: PathBuf,
    lock_file: PathBuf,
}

impl Locks {
    /// The owner files of runs that were killed. A missing folder has none.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn leftovers(&self) -> io::Result<Vec<Leftover>> {
        let files = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            files => files?,
        };
        let mut found: Vec<_> = files
            .take(MAX_FILES)
            .filter_map(|file| {
                let owner_file = file.ok()?.path();
                let name = owner_file.file_name()?.to_str()?.strip_suffix(".owner")?;
                let serial = serial_of(name)?;
                let lock_file = self.folder.join(format!("{name}.lock"));
                Some(Leftover { serial, owner_file, lock_file })
            })
            .filter(|leftover| free(&leftover.lock_file).is_some())
            .collect();
        found.sort_by(|one, other| one.serial.cmp(&other.serial));
        Ok(found)
    }
}

impl Leftover {
    /// Removes it, unless another run has taken the phone in the meantime.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove(&self) -> io::Result<()> {
        // Held until the file is gone: the next owner writes its own after that.
        let Some(_held) = free(&self.lock_file) else {
            return Ok(());
        };
        match std::fs::remove_file(&self.owner_file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

fn free(lock_file: &Path) -> Option<File> {
    let lock = open_lock(lock_file).ok()?;
    lock.try_lock().ok()?;
    Some(lock)
}

/// Opens a lock file, but follows no symbolic link and waits for no pipe.
pub fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = private::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK,
    );
    options.write(true).create(true).truncate(false).open(path)
}

/// The owner, as far as its file can be read; `now` is since the Unix epoch.
fn conflict(owner_file: &Path, now: Duration) -> LockConflict {
    let owner = read_text(owner_file, MAX_OWNER).ok().as_deref().and_then(parse_owner);
    let age = owner.as_ref().map(|owner| now.saturating_sub(owner.since));
    LockConflict { owner, age }
}

/// Only the holder of the lock writes this file.
fn write_owner(path: &Path, owner: &Owner) -> io::Result<()> {
    let text = format!("{} {} {}\n", owner.pid, owner.since.as_millis(), owner.command_id);
    private::replace(path, text.as_bytes(), private::Concurrency::None)
}

fn parse_owner(text: &str) -> Option<Owner> {
    let mut words = text.strip_suffix('\n')?.splitn(3, ' ');
    let pid = words.next()?.parse().ok()?;
    let since = Duration::from_millis(words.next()?.parse().ok()?);
    let command_id = words.next()?.to_owned();
    Some(Owner { pid, command_id, since })
}

/// A serial as a file name: other characters than letters, digits, `.`, `-` and
/// `_` are percent-encoded. There is none where it would be too long.
pub fn file_name(serial: &str) -> Option<String> {
    let mut name = "phone-".to_owned();
    for byte in serial.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02x}"));
        }
    }
    (!serial.is_empty() && name.len() <= MAX_NAME).then_some(name)
}

/// The serial that [`file_name`] wrote.
fn serial_of(name: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = name.strip_prefix("phone-")?.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_serial_has_a_file_name_of_its_own() {
        for (serial, name) in [
            ("emulator-5554", Some("phone-emulator-5554")),
            ("127.0.0.1:6001", Some("phone-127.0.0.1%3a6001")),
            ("../../x", Some("phone-..%2f..%2fx")),
            ("a%3ab", Some("phone-a%253ab")),
            ("", None),
        ] {
            assert_eq!(file_name(serial).as_deref(), name);
            if let Some(name) = name {
                assert_eq!(serial_of(name).as_deref(), Some(serial));
            }
        }
        assert_eq!(file_name(&"x".repeat(300)), None);
    }

    #[test]
    fn an_owner_is_read_as_it_was_written_and_nothing_else_is() {
        let owner = parse_owner("12 1500 cmd 1\n").unwrap();
        assert_eq!((owner.pid, owner.since.as_millis(), owner.command_id.as_str()), (12, 1500, "cmd 1"));
        for text in ["", "12", "12 1500 cmd", "x 1 y\n", "1 y\n"] {
            assert_eq!(parse_owner(text), None, "{text}");
        }
    }
}
