//! Changes to the tree: names come, go and move; modes and owners change.

use super::FileSystem;
use super::node::{Access, DeviceFile, FileNode, NodeBody};
use super::resolve::{FinalLink, ResolvedPath};
use crate::{Actor, Errno, limits};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const STICKY: u32 = 0o1000;
const SET_GROUP: u32 = 0o2000;

/// The owner and the group to give a file to; `None` keeps the one it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ownership {
    pub uid: Option<u32>,
    pub gid: Option<u32>,
}

impl FileSystem {
    /// Creates a directory.
    pub fn create_dir(&mut self, actor: &Actor<'_>, path: &str, mode: u32) -> Result<(), Errno> {
        let node = Self::fresh(actor, NodeBody::Directory(BTreeMap::new()), mode & !actor.umask);
        let names = self.resolve(actor, path.trim_end_matches('/'), FinalLink::Follow)?.vacant()?;
        self.insert(actor, &names, node)
    }

    /// Creates a directory and what is missing on the way to it.
    pub fn create_dir_all(&mut self, actor: &Actor<'_>, path: &str, mode: u32) -> Result<(), Errno> {
        let mut end = 0;
        for part in path.split_inclusive('/') {
            end += part.len();
            let here = path[..end].trim_end_matches('/');
            if here.is_empty() {
                continue;
            }
            match self.stat(actor, here) {
                Ok(stat) if stat.is_directory() => {}
                Ok(_) if end == path.len() => return Err(Errno::Exists),
                Ok(_) => return Err(Errno::NotDirectory),
                Err(Errno::NoEntry) => self.create_dir(actor, here, mode)?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Creates a symbolic link at `path` to `target`.
    pub fn symlink(&mut self, actor: &Actor<'_>, target: &str, path: &str) -> Result<(), Errno> {
        if target.is_empty() {
            return Err(Errno::NoEntry);
        }
        if target.len() > limits::MAX_PATH {
            return Err(Errno::NameTooLong);
        }
        let node = Self::fresh(actor, NodeBody::Link(target.into()), 0o777);
        let names = self.resolve(actor, path, FinalLink::Keep)?.vacant()?;
        self.insert(actor, &names, node)
    }

    /// Creates a character device. Only root may.
    pub fn create_device(&mut self, actor: &Actor<'_>, path: &str, device: DeviceFile) -> Result<(), Errno> {
        if actor.who.uid != 0 {
            return Err(Errno::Permission);
        }
        let node = Self::fresh(actor, NodeBody::Device(device), 0o666);
        let names = self.resolve(actor, path, FinalLink::Keep)?.vacant()?;
        self.insert(actor, &names, node)
    }

    /// Removes a name that is not a directory's.
    pub fn remove(&mut self, actor: &Actor<'_>, path: &str) -> Result<(), Errno> {
        let ResolvedPath { names, node } = self.resolve(actor, path, FinalLink::Keep)?;
        if matches!(node.ok_or(Errno::NoEntry)?.body, NodeBody::Directory(_)) {
            return Err(Errno::IsDirectory);
        }
        self.detach(actor, &names).map(drop)
    }

    /// Removes an empty directory.
    pub fn remove_dir(&mut self, actor: &Actor<'_>, path: &str) -> Result<(), Errno> {
        let place = self.resolve(actor, path, FinalLink::Keep)?;
        let node = place.node.ok_or(Errno::NoEntry)?;
        let NodeBody::Directory(entries) = &node.body else {
            return Err(Errno::NotDirectory);
        };
        if !entries.is_empty() {
            return Err(Errno::NotEmpty);
        }
        let names = place.names;
        self.detach(actor, &names).map(drop)
    }

    /// Removes a name and everything below it; what may not go stays, with the first reason.
    pub fn remove_all(&mut self, actor: &Actor<'_>, path: &str) -> Result<(), Errno> {
        let stat = self.lstat(actor, path)?;
        if !stat.is_directory() {
            return self.remove(actor, path);
        }
        let mut first = Ok(());
        for entry in self.list(actor, path)? {
            let below = format!("{}/{}", path.trim_end_matches('/'), entry.name);
            first = first.and(self.remove_all(actor, &below));
        }
        first?;
        self.remove_dir(actor, path)
    }

    /// Gives a file another name; a file of that name is replaced.
    pub fn rename(&mut self, actor: &Actor<'_>, from: &str, to: &str) -> Result<(), Errno> {
        let source = self.resolve(actor, from, FinalLink::Keep)?;
        let moved = source.node.ok_or(Errno::NoEntry)?.clone();
        let target = self.resolve(actor, to.trim_end_matches('/'), FinalLink::Keep)?;
        let (source_names, target_names) = (source.names, target.names);
        if source_names == target_names {
            return Ok(());
        }
        let is_directory = matches!(moved.body, NodeBody::Directory(_));
        if target_names.starts_with(&source_names) || source_names.is_empty() {
            return Err(Errno::Invalid);
        }
        if is_directory && target_names.len() + height(&moved) > limits::MAX_TREE {
            return Err(Errno::NameTooLong);
        }
        match target.node.map(|node| &node.body) {
            Some(NodeBody::Directory(_)) if !is_directory => return Err(Errno::IsDirectory),
            Some(NodeBody::Directory(entries)) if !entries.is_empty() => return Err(Errno::NotEmpty),
            Some(NodeBody::File(_) | NodeBody::Link(_) | NodeBody::Device(_)) if is_directory => {
                return Err(Errno::NotDirectory);
            }
            None
            | Some(NodeBody::Directory(_) | NodeBody::File(_) | NodeBody::Link(_) | NodeBody::Device(_)) => {}
        }
        let replaces = target.node.is_some();
        self.require_parent(actor, &source_names)?;
        self.require_parent(actor, &target_names)?;
        if replaces {
            self.detach(actor, &target_names)?;
        }
        let node = self.detach(actor, &source_names)?;
        let inode = node.inode;
        self.insert(actor, &target_names, node)?;
        if let Some(node) = self.node_mut(&target_names) {
            node.inode = inode;
        }
        Ok(())
    }

    /// Sets the permission bits. The owner and root may.
    pub fn chmod(&mut self, actor: &Actor<'_>, path: &str, mode: u32) -> Result<(), Errno> {
        self.owned(actor, path)?.mode = mode & 0o7777;
        Ok(())
    }

    /// Changes the owner of a file. Root may; the owner may give it to a group of its own.
    pub fn chown(&mut self, actor: &Actor<'_>, path: &str, new: Ownership) -> Result<(), Errno> {
        let Ownership { uid, gid } = new;
        let who = actor.who;
        let node = self.owned(actor, path)?;
        if who.uid != 0 && (uid.is_some_and(|uid| uid != node.uid) || gid.is_some_and(|gid| !who.is_in(gid)))
        {
            return Err(Errno::Permission);
        }
        node.uid = uid.unwrap_or(node.uid);
        node.gid = gid.unwrap_or(node.gid);
        Ok(())
    }

    /// Sets when a file last changed. Needs the right to write it.
    pub fn set_mtime(&mut self, actor: &Actor<'_>, path: &str, mtime: Duration) -> Result<(), Errno> {
        let place = self.resolve(actor, path, FinalLink::Follow)?;
        let node = place.node.ok_or(Errno::NoEntry)?;
        if node.uid != actor.who.uid {
            node.require(actor.who, Access::Write)?;
        }
        let names = place.names;
        self.require_writable(&names)?;
        self.node_mut(&names).ok_or(Errno::NoEntry)?.mtime = mtime;
        Ok(())
    }

    fn owned(&mut self, actor: &Actor<'_>, path: &str) -> Result<&mut FileNode, Errno> {
        let place = self.resolve(actor, path, FinalLink::Follow)?;
        let node = place.node.ok_or(Errno::NoEntry)?;
        if actor.who.uid != 0 && actor.who.uid != node.uid {
            return Err(Errno::Permission);
        }
        let names = place.names;
        self.require_writable(&names)?;
        self.node_mut(&names).ok_or(Errno::NoEntry)
    }

    /// Whether the actor may change the directory these names end in.
    fn require_parent(&self, actor: &Actor<'_>, names: &[String]) -> Result<(), Errno> {
        let Some((_, parent)) = names.split_last() else {
            return Err(Errno::Invalid);
        };
        self.require_writable(names)?;
        let mut node = &self.root;
        for name in parent {
            let NodeBody::Directory(entries) = &node.body else {
                return Err(Errno::NotDirectory);
            };
            node = entries.get(name.as_str()).ok_or(Errno::NoEntry)?;
        }
        node.require(actor.who, Access::Write)?;
        node.require(actor.who, Access::Execute)
    }

    /// Puts a node under a free name.
    pub(super) fn insert(
        &mut self,
        actor: &Actor<'_>,
        names: &[String],
        node: Arc<FileNode>,
    ) -> Result<(), Errno> {
        self.require_parent(actor, names)?;
        let Some((name, parent)) = names.split_last() else {
            return Err(Errno::Exists);
        };
        if names.len() > limits::MAX_TREE {
            return Err(Errno::NameTooLong);
        }
        let mut node = node;
        let (bytes, inner) = node.weight();
        let inode = self.room_for_node()?;
        self.nodes += inner - 1;
        self.used += bytes;
        let parent = self.node_mut(parent).ok_or(Errno::NoEntry)?;
        let fresh = Arc::make_mut(&mut node);
        fresh.inode = inode;
        if parent.mode & SET_GROUP != 0 {
            fresh.gid = parent.gid;
            if matches!(fresh.body, NodeBody::Directory(_)) {
                fresh.mode |= SET_GROUP;
            }
        }
        parent.mtime = actor.now;
        if let NodeBody::Directory(entries) = &mut parent.body {
            entries.insert(name.as_str().into(), node);
        }
        Ok(())
    }

    /// Takes a node out of its directory.
    fn detach(&mut self, actor: &Actor<'_>, names: &[String]) -> Result<Arc<FileNode>, Errno> {
        self.require_parent(actor, names)?;
        let Some((name, parent)) = names.split_last() else {
            return Err(Errno::Invalid);
        };
        let parent = self.node_mut(parent).ok_or(Errno::NoEntry)?;
        let (mode, owner) = (parent.mode, parent.uid);
        let NodeBody::Directory(entries) = &mut parent.body else {
            return Err(Errno::NotDirectory);
        };
        let found = entries.get(name.as_str()).ok_or(Errno::NoEntry)?;
        let uid = actor.who.uid;
        if mode & STICKY != 0 && uid != 0 && uid != found.uid && uid != owner {
            return Err(Errno::Permission);
        }
        let node = entries.remove(name.as_str()).ok_or(Errno::NoEntry)?;
        parent.mtime = actor.now;
        let (bytes, nodes) = node.weight();
        self.used = self.used.saturating_sub(bytes);
        self.nodes = self.nodes.saturating_sub(nodes);
        Ok(node)
    }
}

fn height(node: &FileNode) -> usize {
    match &node.body {
        NodeBody::Directory(entries) => 1 + entries.values().map(|node| height(node)).max().unwrap_or(0),
        NodeBody::File(_) | NodeBody::Link(_) | NodeBody::Device(_) => 1,
    }
}
