//! From a path to a node: links, dots, and permission to pass.

use super::node::{Access, FileNode, NodeBody};
use super::{DirectoryEntry, FileSystem, Stat};
use crate::{Actor, Errno, limits};
use std::sync::Arc;

/// What to do with a link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FinalLink {
    Follow,
    Keep,
}

/// Where a path leads: the true names on the way, and the node if there is one.
pub(super) struct ResolvedPath<'a> {
    pub(super) names: Vec<String>,
    pub(super) node: Option<&'a Arc<FileNode>>,
}

impl ResolvedPath<'_> {
    /// The names of a place where there is nothing yet.
    pub(super) fn vacant(self) -> Result<Vec<String>, Errno> {
        if self.node.is_some() { Err(Errno::Exists) } else { Ok(self.names) }
    }
}

impl FileSystem {
    /// What a path leads to, links followed.
    pub fn stat(&self, actor: &Actor<'_>, path: &str) -> Result<Stat, Errno> {
        self.find(actor, path, FinalLink::Follow).map(|node| node.stat())
    }

    /// What a path names; a link at its end is not followed.
    pub fn lstat(&self, actor: &Actor<'_>, path: &str) -> Result<Stat, Errno> {
        self.find(actor, path, FinalLink::Keep).map(|node| node.stat())
    }

    /// The names in a directory, in byte order.
    pub fn list(&self, actor: &Actor<'_>, path: &str) -> Result<Vec<DirectoryEntry>, Errno> {
        let node = self.find(actor, path, FinalLink::Follow)?;
        let NodeBody::Directory(entries) = &node.body else {
            return Err(Errno::NotDirectory);
        };
        node.require(actor.who, Access::Read)?;
        Ok(entries
            .iter()
            .map(|(name, node)| DirectoryEntry { name: name.to_string(), stat: node.stat() })
            .collect())
    }

    /// Where a link leads, as it is written in it.
    pub fn read_link(&self, actor: &Actor<'_>, path: &str) -> Result<String, Errno> {
        match &self.find(actor, path, FinalLink::Keep)?.body {
            NodeBody::Link(target) => Ok(target.to_string()),
            NodeBody::Directory(_) | NodeBody::File(_) | NodeBody::Device(_) => Err(Errno::Invalid),
        }
    }

    /// The path without links and dots; its last name need not exist.
    pub fn canonical(&self, actor: &Actor<'_>, path: &str) -> Result<String, Errno> {
        self.resolve(actor, path, FinalLink::Follow).map(|place| format!("/{}", place.names.join("/")))
    }

    /// Whether the actor may do that with the file.
    pub fn access(&self, actor: &Actor<'_>, path: &str, want: Access) -> Result<(), Errno> {
        let place = self.resolve(actor, path, FinalLink::Follow)?;
        let node = place.node.ok_or(Errno::NoEntry)?;
        if want == Access::Write {
            self.require_writable(&place.names)?;
        }
        node.require(actor.who, want)
    }

    pub(super) fn find(
        &self,
        actor: &Actor<'_>,
        path: &str,
        last: FinalLink,
    ) -> Result<&Arc<FileNode>, Errno> {
        self.resolve(actor, path, last)?.node.ok_or(Errno::NoEntry)
    }

    pub(super) fn require_writable(&self, names: &[String]) -> Result<(), Errno> {
        if self.read_only.is_empty() {
            return Ok(());
        }
        let path = format!("/{}", names.join("/"));
        let below = |base: &String| {
            path.strip_prefix(base.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if self.read_only.iter().any(below) { Err(Errno::ReadOnly) } else { Ok(()) }
    }

    /// Walks a path. Only its last name may be missing.
    pub(super) fn resolve(
        &self,
        actor: &Actor<'_>,
        path: &str,
        last: FinalLink,
    ) -> Result<ResolvedPath<'_>, Errno> {
        if path.is_empty() {
            return Err(Errno::NoEntry);
        }
        if path.len() > limits::MAX_PATH {
            return Err(Errno::NameTooLong);
        }
        let must_be_directory = path.ends_with('/') || path.ends_with("/.");
        let mut todo: Vec<String> = parts(path);
        let mut way: Vec<(String, &Arc<FileNode>)> = Vec::new();
        let mut links = 0;
        while let Some(name) = todo.pop() {
            let here = way.last().map_or(&self.root, |(_, node)| *node);
            let NodeBody::Directory(entries) = &here.body else {
                return Err(Errno::NotDirectory);
            };
            here.require(actor.who, Access::Execute)?;
            if name == ".." {
                way.pop();
                continue;
            }
            if name.len() > limits::MAX_NAME || name.contains('\0') {
                return Err(Errno::NameTooLong);
            }
            let Some(node) = entries.get(name.as_str()) else {
                return missing(way, name, &todo);
            };
            match &node.body {
                NodeBody::Link(target)
                    if !todo.is_empty() || last == FinalLink::Follow || must_be_directory =>
                {
                    links += 1;
                    if links > limits::MAX_LINKS {
                        return Err(Errno::Loop);
                    }
                    if target.starts_with('/') {
                        way.clear();
                    }
                    todo.extend(parts(target));
                }
                NodeBody::Link(_) | NodeBody::Directory(_) | NodeBody::File(_) | NodeBody::Device(_) => {
                    way.push((name, node));
                }
            }
        }
        let node = way.last().map_or(&self.root, |(_, node)| *node);
        if must_be_directory && !matches!(node.body, NodeBody::Directory(_)) {
            return Err(Errno::NotDirectory);
        }
        Ok(ResolvedPath { names: way.into_iter().map(|(name, _)| name).collect(), node: Some(node) })
    }

    /// A node by its true names, ready to be changed.
    pub(super) fn node_mut(&mut self, names: &[String]) -> Option<&mut FileNode> {
        let mut node = Arc::make_mut(&mut self.root);
        for name in names {
            let NodeBody::Directory(entries) = &mut node.body else {
                return None;
            };
            node = Arc::make_mut(entries.get_mut(name.as_str())?);
        }
        Some(node)
    }
}

/// The names of a path, the first one last.
fn parts(path: &str) -> Vec<String> {
    path.split('/').rev().filter(|name| !name.is_empty() && *name != ".").map(str::to_owned).collect()
}

fn missing<'a>(
    way: Vec<(String, &'a Arc<FileNode>)>,
    name: String,
    todo: &[String],
) -> Result<ResolvedPath<'a>, Errno> {
    if !todo.is_empty() {
        return Err(Errno::NoEntry);
    }
    let mut names: Vec<String> = way.into_iter().map(|(name, _)| name).collect();
    names.push(name);
    Ok(ResolvedPath { names, node: None })
}
