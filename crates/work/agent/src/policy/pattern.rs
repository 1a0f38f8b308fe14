//! Patterns of a policy, and the files that an action names.

use crate::action::AgentAction;
use std::path::{Component, Path};

/// Tells whether a text is as a pattern says, where `*` stands for any letters, none included.
pub(super) fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let Some(mut last) = parts.next() else {
        return rest.is_empty();
    };
    for next in parts {
        match rest.find(last) {
            Some(at) => rest = &rest[at + last.len()..],
            None => return false,
        }
        last = next;
    }
    rest.ends_with(last)
}

/// The files that an action names, seen from the workspace's folder. However a path is written, the
/// same file has the same name here; one that a link leads to has that of the link, too.
pub(super) fn paths_of(action: &AgentAction, workspace: Option<&Path>) -> Vec<String> {
    let paths: Vec<&str> = match action {
        AgentAction::Read(read) => vec![&read.path],
        AgentAction::Write(write) => vec![&write.path],
        AgentAction::Edit(edit) => vec![&edit.path],
        AgentAction::MemoryGet(get) => vec![&get.path],
        AgentAction::ApplyPatch(patch) => patched(&patch.input),
        AgentAction::Exec(exec) => exec.workdir.as_deref().into_iter().collect(),
        AgentAction::RequestHumanAuth(request) => request.template_path.as_deref().into_iter().collect(),
        _ => Vec::new(),
    };
    let names = |path| {
        let name = plain(path, workspace);
        let real = workspace.and_then(|root| real(&name, root));
        std::iter::once(name).chain(real)
    };
    paths.into_iter().flat_map(names).collect()
}

/// Where the links in a path lead, as far as it exists.
fn real(name: &str, root: &Path) -> Option<String> {
    let root = root.canonicalize().ok()?;
    let path = root.join(name);
    let there = path.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
    let (part, real) = there?;
    let rest = path.strip_prefix(part).ok()?;
    Some(plain(real.join(rest).to_str()?, Some(&root)))
}

fn patched(patch: &str) -> Vec<&str> {
    const HEADS: [&str; 4] = ["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"];
    let file = |line: &'_ str| -> Option<usize> {
        HEADS.iter().find(|head| line.starts_with(*head)).map(|head| head.len())
    };
    let lines = patch.lines().map(str::trim);
    lines.filter_map(|line| file(line).map(|start| line[start..].trim())).collect()
}

fn plain(path: &str, workspace: Option<&Path>) -> String {
    let path = Path::new(path.trim());
    let inside = workspace.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
    let mut parts: Vec<&str> = Vec::new();
    for part in inside.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            Component::ParentDir => parts.push(".."),
            Component::RootDir | Component::Prefix(_) => parts.push(""),
            Component::Normal(name) => parts.push(name.to_str().unwrap_or_default()),
        }
    }
    parts.join("/")
}
