//! The folder by the kernel's own rule (`openat2`): a path is resolved beneath an
//! open folder, in one step that no other process can get between.

use super::{FolderError, MAX_FILE};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, ResolveFlags, fstat, mkdirat, openat, openat2, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often a path is resolved again if something on the way was renamed.
const TRIES: usize = 32;

pub(super) struct Root(OwnedFd);

type Names<'n> = &'n [String];

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::open(path, flags, Mode::empty())?))
    }

    pub(super) fn read(&self, names: Names<'_>) -> Result<Vec<u8>, FolderError> {
        // A pipe without a writer must not hold us.
        let file = self.file(names, OFlags::RDONLY | OFlags::NONBLOCK)?;
        let mut bytes = Vec::new();
        file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE { Err(FolderError::TooLarge) } else { Ok(bytes) }
    }

    pub(super) fn replace(&self, names: Names<'_>, bytes: &[u8]) -> Result<(), FolderError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (parent, name) = self.parent(names)?;
        let mode = match statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => return Err(FolderError::IsFolder),
                FileType::RegularFile => Mode::from_raw_mode(stat.st_mode),
                FileType::Symlink => Mode::from_raw_mode(0o666),
                _ => return Err(FolderError::NotPlain),
            },
            Err(Errno::NOENT) => Mode::from_raw_mode(0o666),
            Err(error) => return Err(io::Error::from(error).into()),
        };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let other = format!(".clawperator-{}-{number}.tmp", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&parent, &other, flags, mode).map_err(io::Error::from)?;
        let done =
            File::from(file).write_all(bytes).and_then(|()| Ok(renameat(&parent, &other, &parent, name)?));
        if done.is_err() {
            let _ = unlinkat(&parent, &other, AtFlags::empty());
        }
        Ok(done?)
    }

    pub(super) fn append(&self, names: Names<'_>, bytes: &[u8]) -> Result<(), FolderError> {
        self.parent(names)?;
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NONBLOCK;
        Ok(self.file(names, flags)?.write_all(bytes)?)
    }

    pub(super) fn remove(&self, names: Names<'_>) -> Result<(), FolderError> {
        let (last, on_the_way) = names.split_last().ok_or(FolderError::IsFolder)?;
        let parent = self.open_folder(on_the_way)?;
        Ok(unlinkat(parent, last, AtFlags::empty()).map_err(io::Error::from)?)
    }

    pub(super) fn check_folder(&self, names: Names<'_>) -> Result<(), FolderError> {
        self.open_folder(names).map(drop)
    }

    pub(super) fn make(&self, names: Names<'_>) -> Result<(), FolderError> {
        let mut folder = self.open_folder(&[])?;
        for length in 1..=names.len() {
            folder = match self.open_folder(&names[..length]) {
                Err(FolderError::Missing) => {
                    match mkdirat(&folder, &names[length - 1], Mode::from_raw_mode(0o777)) {
                        // Another one may have made it.
                        Ok(()) | Err(Errno::EXIST) => self.open_folder(&names[..length])?,
                        Err(error) => return Err(io::Error::from(error).into()),
                    }
                }
                other => other?,
            };
        }
        Ok(())
    }

    /// The folder of a file, made if it is not there, and the file's name.
    fn parent<'n>(&self, names: Names<'n>) -> Result<(OwnedFd, &'n str), FolderError> {
        let (last, on_the_way) = names.split_last().ok_or(FolderError::IsFolder)?;
        self.make(on_the_way)?;
        Ok((self.open_folder(on_the_way)?, last))
    }

    fn open_folder(&self, names: Names<'_>) -> Result<OwnedFd, FolderError> {
        self.open_beneath(names, OFlags::PATH | OFlags::DIRECTORY)
    }

    fn file(&self, names: Names<'_>, flags: OFlags) -> Result<File, FolderError> {
        let file = self.open_beneath(names, flags | OFlags::NOCTTY)?;
        let stat = fstat(&file).map_err(io::Error::from)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(File::from(file)),
            FileType::Directory => Err(FolderError::IsFolder),
            _ => Err(FolderError::NotPlain),
        }
    }

    fn open_beneath(&self, names: Names<'_>, flags: OFlags) -> Result<OwnedFd, FolderError> {
        let path = match names {
            [] => ".".to_owned(),
            names => names.join("/"),
        };
        let mode = if flags.contains(OFlags::CREATE) { Mode::from_raw_mode(0o666) } else { Mode::empty() };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let mut opened = Err(Errno::AGAIN);
        for _ in 0..TRIES {
            opened = openat2(&self.0, &path, flags | OFlags::CLOEXEC, mode, resolve);
            if !matches!(opened, Err(Errno::AGAIN | Errno::INTR)) {
                break;
            }
        }
        opened.map_err(|error| match error {
            // A path that leads out; a link of `/proc` that leads anywhere.
            Errno::XDEV | Errno::LOOP => FolderError::Outside,
            other => io::Error::from(other).into(),
        })
    }
}
