//! One node of the tree, and what can be told of it.

use crate::{Errno, Identity};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A device a file can stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceFile {
    Null,
    Zero,
    /// Gives bytes that look random and are the same every time.
    Random,
    /// The terminal of the asking process.
    Terminal,
    /// Takes nothing: it is always full.
    Full,
}

/// What kind of file a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    Directory,
    File,
    Link,
    Device(DeviceFile),
}

impl FileKind {
    /// The type bits of `st_mode`.
    pub fn bits(self) -> u32 {
        match self {
            Self::Directory => 0o040_000,
            Self::File => 0o100_000,
            Self::Link => 0o120_000,
            Self::Device(_) => 0o020_000,
        }
    }

    /// The letter `ls -l` begins with.
    pub fn letter(self) -> char {
        match self {
            Self::Directory => 'd',
            Self::File => '-',
            Self::Link => 'l',
            Self::Device(_) => 'c',
        }
    }
}

/// What can be told of a file without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    pub kind: FileKind,
    /// Its permission bits, without those of the kind.
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub size: u64,
    /// When it last changed, since the Unix epoch.
    pub mtime: Duration,
    /// Its number, of its own for as long as it exists.
    pub inode: u64,
    /// How many names it has.
    pub links: u32,
}

impl Stat {
    /// `st_mode`: kind and permissions together.
    pub fn st_mode(&self) -> u32 {
        self.kind.bits() | self.mode
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.kind == FileKind::Directory
    }

    /// Whether this user may do that with it.
    pub fn allows(&self, who: &Identity, want: Access) -> bool {
        let bits = want.bits();
        if who.uid == 0 {
            // Root executes what any user may execute, and reads and writes anything.
            return want != Access::Execute || self.is_directory() || self.mode & 0o111 != 0;
        }
        let shift = if who.uid == self.uid {
            6
        } else if who.is_in(self.gid) {
            3
        } else {
            0
        };
        (self.mode >> shift) & bits == bits
    }
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    pub name: String,
    /// What it names; a link is not followed.
    pub stat: Stat,
}

/// What a process wants to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    /// Write it, or change what is in it.
    Write,
    /// Execute it, or pass through it.
    Execute,
}

impl Access {
    fn bits(self) -> u32 {
        match self {
            Self::Read => 4,
            Self::Write => 2,
            Self::Execute => 1,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct FileNode {
    pub(super) mode: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) mtime: Duration,
    pub(super) inode: u64,
    pub(super) body: NodeBody,
}

#[derive(Debug, Clone)]
pub(super) enum NodeBody {
    Directory(BTreeMap<Box<str>, Arc<FileNode>>),
    File(Bytes),
    Link(Box<str>),
    Device(DeviceFile),
}

impl FileNode {
    pub(super) fn directory(mode: u32) -> Self {
        let body = NodeBody::Directory(BTreeMap::new());
        Self { mode, uid: 0, gid: 0, mtime: Duration::ZERO, inode: 1, body }
    }

    pub(super) fn stat(&self) -> Stat {
        let (kind, size, links) = match &self.body {
            NodeBody::Directory(entries) => {
                let inner =
                    entries.values().filter(|node| matches!(node.body, NodeBody::Directory(_))).count();
                (FileKind::Directory, 3452, 2 + u32::try_from(inner).unwrap_or(u32::MAX - 2))
            }
            NodeBody::File(bytes) => (FileKind::File, bytes.len() as u64, 1),
            NodeBody::Link(target) => (FileKind::Link, target.len() as u64, 1),
            NodeBody::Device(device) => (FileKind::Device(*device), 0, 1),
        };
        let Self { mode, uid, gid, mtime, inode, .. } = *self;
        Stat { kind, mode, uid, gid, size, mtime, inode, links }
    }

    pub(super) fn require(&self, who: &Identity, want: Access) -> Result<(), Errno> {
        if self.stat_shallow().allows(who, want) { Ok(()) } else { Err(Errno::Access) }
    }

    /// What permission checks need, without counting a directory's entries.
    fn stat_shallow(&self) -> Stat {
        let kind =
            if matches!(self.body, NodeBody::Directory(_)) { FileKind::Directory } else { FileKind::File };
        let Self { mode, uid, gid, mtime, inode, .. } = *self;
        Stat { kind, mode, uid, gid, size: 0, mtime, inode, links: 1 }
    }

    /// Bytes and nodes from here down.
    pub(super) fn weight(&self) -> (u64, usize) {
        match &self.body {
            NodeBody::Directory(entries) => entries.values().fold((0, 1), |(bytes, nodes), node| {
                let below = node.weight();
                (bytes + below.0, nodes + below.1)
            }),
            NodeBody::File(bytes) => (bytes.len() as u64, 1),
            NodeBody::Link(_) | NodeBody::Device(_) => (0, 1),
        }
    }
}
