//! What can go wrong with a file, in the words every Unix uses.

use std::fmt;

/// Why an operation on files or processes failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errno {
    /// ENOENT.
    NoEntry,
    /// EACCES.
    Access,
    /// EPERM.
    Permission,
    /// ENOTDIR.
    NotDirectory,
    /// EISDIR.
    IsDirectory,
    /// EEXIST.
    Exists,
    /// ENOTEMPTY.
    NotEmpty,
    /// ENOSPC.
    NoSpace,
    /// EFBIG.
    TooBig,
    /// ELOOP.
    Loop,
    /// ENAMETOOLONG.
    NameTooLong,
    /// EROFS.
    ReadOnly,
    /// EINVAL.
    Invalid,
    /// EBADF.
    BadDescriptor,
    /// ESRCH.
    NoProcess,
    /// EAGAIN.
    TryAgain,
    /// ENOSYS.
    NotImplemented,
}

impl Errno {
    /// The number Linux gives it, as a sync `FAIL` or a stat answer carries it.
    pub fn number(self) -> u32 {
        self.row().0
    }

    fn row(self) -> (u32, &'static str) {
        match self {
            Self::NoEntry => (2, "No such file or directory"),
            Self::Access => (13, "Permission denied"),
            Self::Permission => (1, "Operation not permitted"),
            Self::NotDirectory => (20, "Not a directory"),
            Self::IsDirectory => (21, "Is a directory"),
            Self::Exists => (17, "File exists"),
            Self::NotEmpty => (39, "Directory not empty"),
            Self::NoSpace => (28, "No space left on device"),
            Self::TooBig => (27, "File too large"),
            Self::Loop => (40, "Too many symbolic links encountered"),
            Self::NameTooLong => (36, "File name too long"),
            Self::ReadOnly => (30, "Read-only file system"),
            Self::Invalid => (22, "Invalid argument"),
            Self::BadDescriptor => (9, "Bad file descriptor"),
            Self::NoProcess => (3, "No such process"),
            Self::TryAgain => (11, "Try again"),
            Self::NotImplemented => (38, "Function not implemented"),
        }
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.row().1)
    }
}

impl std::error::Error for Errno {}
