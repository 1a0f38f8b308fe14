//! What can go wrong with a file, in the words every Unix uses.

/// Why an operation on files or processes failed; the value is Linux's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Errno {
    /// ENOENT.
    #[error("No such file or directory")]
    NoEntry = 2,
    /// EACCES.
    #[error("Permission denied")]
    Access = 13,
    /// EPERM.
    #[error("Operation not permitted")]
    Permission = 1,
    /// ENOTDIR.
    #[error("Not a directory")]
    NotDirectory = 20,
    /// EISDIR.
    #[error("Is a directory")]
    IsDirectory = 21,
    /// EEXIST.
    #[error("File exists")]
    Exists = 17,
    /// ENOTEMPTY.
    #[error("Directory not empty")]
    NotEmpty = 39,
    /// ENOSPC.
    #[error("No space left on device")]
    NoSpace = 28,
    /// EFBIG.
    #[error("File too large")]
    TooBig = 27,
    /// ELOOP.
    #[error("Too many symbolic links encountered")]
    Loop = 40,
    /// ENAMETOOLONG.
    #[error("File name too long")]
    NameTooLong = 36,
    /// EROFS.
    #[error("Read-only file system")]
    ReadOnly = 30,
    /// EINVAL.
    #[error("Invalid argument")]
    Invalid = 22,
    /// EBADF.
    #[error("Bad file descriptor")]
    BadDescriptor = 9,
    /// ESRCH.
    #[error("No such process")]
    NoProcess = 3,
    /// EAGAIN.
    #[error("Try again")]
    TryAgain = 11,
}

impl Errno {
    /// The number Linux gives it, as a sync `FAIL` or a stat answer carries it.
    pub fn number(self) -> u32 {
        self as u32
    }
}
