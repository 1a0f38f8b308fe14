//! A file system in memory. It knows users and modes, not what the files mean.
//!
//! The tree is shared between clones and copied where it changes, so a fresh
//! copy of a prepared system costs next to nothing.

mod change;
mod content;
mod node;
mod resolve;

pub use change::Ownership;
pub use node::{Access, DeviceFile, DirectoryEntry, FileKind, Stat};

use crate::limits;
use node::FileNode;
use std::sync::{Arc, Mutex, PoisonError};

/// A tree of files, bounded in bytes and nodes.
#[derive(Debug, Clone)]
pub struct FileSystem {
    root: Arc<FileNode>,
    capacity: u64,
    used: u64,
    nodes: usize,
    next_inode: u64,
    read_only: Arc<Vec<String>>,
}

/// How full a file system is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskUsage {
    /// Bytes its files may have in all.
    pub capacity: u64,
    pub used: u64,
    /// Files, directories and links in it.
    pub nodes: usize,
}

impl FileSystem {
    /// An empty file system that takes this many bytes.
    pub fn new(capacity: u64) -> Self {
        Self {
            root: Arc::new(FileNode::directory(0o755)),
            capacity,
            used: 0,
            nodes: 1,
            next_inode: 2,
            read_only: Arc::default(),
        }
    }

    /// How full it is.
    pub fn usage(&self) -> DiskUsage {
        DiskUsage { capacity: self.capacity, used: self.used, nodes: self.nodes }
    }

    /// Changes how many bytes it takes; what is in it stays.
    pub fn set_capacity(&mut self, capacity: u64) {
        self.capacity = capacity;
    }

    /// Makes everything below this absolute path unchangeable, even to root.
    pub fn set_read_only(&mut self, path: &str) {
        Arc::make_mut(&mut self.read_only).push(path.trim_end_matches('/').to_owned());
    }

    /// Puts the files of another system in the place of a directory. They count for
    /// nothing here, neither in bytes nor in nodes.
    pub fn graft(&mut self, path: &str, from: &Self) {
        let names: Vec<String> = path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        if let Some(node) = self.node_mut(&names) {
            *node = FileNode::clone(&from.root);
        }
    }

    fn room_for_node(&mut self) -> Result<u64, crate::Errno> {
        if self.nodes >= limits::MAX_NODES {
            return Err(crate::Errno::NoSpace);
        }
        self.nodes += 1;
        self.next_inode += 1;
        Ok(self.next_inode - 1)
    }
}

/// A file system that several may use, one at a time.
#[derive(Debug)]
pub struct Files(Mutex<FileSystem>);

impl Files {
    /// Shares this file system.
    pub fn new(files: FileSystem) -> Self {
        Self(Mutex::new(files))
    }

    /// Works on the files; everything else waits.
    pub fn with<R>(&self, work: impl FnOnce(&mut FileSystem) -> R) -> R {
        // A panic of another holder is a test's; each change is whole or not at all.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
