//! What is in files: reading and writing, whole or in pieces.

use super::node::{Access, DeviceFile, FileNode, NodeBody};
use super::resolve::FinalLink;
use super::{FileKind, FileSystem};
use crate::{Actor, Errno};
use bytes::{Bytes, BytesMut};
use std::sync::Arc;

impl FileSystem {
    /// The whole content of a file. Devices have none.
    pub fn read(&self, actor: &Actor<'_>, path: &str) -> Result<Bytes, Errno> {
        let node = self.find(actor, path, FinalLink::Follow)?;
        node.require(actor.who, Access::Read)?;
        match &node.body {
            NodeBody::File(bytes) => Ok(bytes.clone()),
            NodeBody::Directory(_) => Err(Errno::IsDirectory),
            NodeBody::Link(_) | NodeBody::Device(_) => Ok(Bytes::new()),
        }
    }

    /// Makes this the whole content of a file, which need not exist yet.
    pub fn write(&mut self, actor: &Actor<'_>, path: &str, content: impl Into<Bytes>) -> Result<(), Errno> {
        self.change(actor, path, ContentChange::Replace(content.into()))
    }

    /// Puts bytes at the end of a file, which need not exist yet.
    pub fn append(&mut self, actor: &Actor<'_>, path: &str, bytes: &[u8]) -> Result<(), Errno> {
        self.change(actor, path, ContentChange::Append(bytes))
    }

    /// Puts bytes into a file at an offset; what is skipped is zeros.
    pub fn write_at(&mut self, actor: &Actor<'_>, path: &str, piece: (u64, &[u8])) -> Result<(), Errno> {
        self.change(actor, path, ContentChange::At(piece.0, piece.1))
    }

    /// Finds or creates a regular file that the actor may write.
    fn open(&mut self, actor: &Actor<'_>, path: &str) -> Result<Vec<String>, Errno> {
        let place = self.resolve(actor, path, FinalLink::Follow)?;
        let names = place.names;
        match place.node.map(|node| (node.stat().kind, node.require(actor.who, Access::Write))) {
            Some((FileKind::Directory, _)) => Err(Errno::IsDirectory),
            Some((FileKind::Device(_), allowed)) => allowed.map(|()| names),
            Some((FileKind::File | FileKind::Link, allowed)) => {
                self.require_writable(&names)?;
                allowed.map(|()| names)
            }
            None if path.ends_with('/') => Err(Errno::IsDirectory),
            None => {
                let node = Self::fresh(actor, NodeBody::File(Bytes::new()), 0o666 & !actor.umask);
                self.insert(actor, &names, node)?;
                Ok(names)
            }
        }
    }

    fn change(&mut self, actor: &Actor<'_>, path: &str, change: ContentChange<'_>) -> Result<(), Errno> {
        let names = self.open(actor, path)?;
        let free = self.capacity.saturating_sub(self.used);
        let node = self.node_mut(&names).ok_or(Errno::NoEntry)?;
        let content = match &mut node.body {
            NodeBody::File(content) => content,
            NodeBody::Device(DeviceFile::Full) => return Err(Errno::NoSpace),
            NodeBody::Device(_) => return Ok(()),
            NodeBody::Directory(_) | NodeBody::Link(_) => return Err(Errno::IsDirectory),
        };
        let before = content.len() as u64;
        let after = change.length(before).ok_or(Errno::TooBig)?;
        if after.saturating_sub(before) > free {
            return Err(Errno::NoSpace);
        }
        *content = change.apply(std::mem::take(content))?;
        node.mtime = actor.now;
        self.used = self.used.saturating_sub(before).saturating_add(after);
        Ok(())
    }

    pub(super) fn fresh(actor: &Actor<'_>, body: NodeBody, mode: u32) -> Arc<FileNode> {
        let (uid, gid) = (actor.who.uid, actor.who.gid);
        Arc::new(FileNode { mode, uid, gid, mtime: actor.now, inode: 0, body })
    }
}

enum ContentChange<'a> {
    Replace(Bytes),
    Append(&'a [u8]),
    At(u64, &'a [u8]),
}

impl ContentChange<'_> {
    fn length(&self, before: u64) -> Option<u64> {
        match self {
            Self::Replace(bytes) => Some(bytes.len() as u64),
            Self::Append(bytes) => before.checked_add(bytes.len() as u64),
            Self::At(offset, bytes) => offset.checked_add(bytes.len() as u64).map(|end| end.max(before)),
        }
    }

    fn apply(self, old: Bytes) -> Result<Bytes, Errno> {
        if let Self::Replace(bytes) = self {
            // A piece of a larger buffer would keep all of it in memory.
            return Ok(Bytes::copy_from_slice(&bytes));
        }
        // In place unless a reader still holds a copy.
        let mut content = old.try_into_mut().unwrap_or_else(|shared| BytesMut::from(&shared[..]));
        match self {
            Self::Replace(_) => {}
            Self::Append(bytes) => content.extend_from_slice(bytes),
            Self::At(offset, bytes) => {
                let start = usize::try_from(offset).map_err(|_| Errno::TooBig)?;
                if bytes.is_empty() {
                    return Ok(content.freeze());
                }
                let end = start + bytes.len();
                if content.len() == start {
                    content.extend_from_slice(bytes);
                } else {
                    content.resize(content.len().max(end), 0);
                    content[start..end].copy_from_slice(bytes);
                }
            }
        }
        Ok(content.freeze())
    }
}
