//! Collects the packages of a repository from its folders.

use super::file;
use super::limits::{MAX_DEPTH, MAX_FOLDERS, MAX_SKILL_JSON_BYTES, MAX_SKILLS};
use super::registry::SkillEntry;
use super::root::RepoRoot;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What is never a package: what is written by us, or comes with Node.
const LEFT_OUT: [&str; 2] = ["generated", "node_modules"];

#[derive(Debug, Default)]
pub(super) struct Packages {
    pub(super) skills: BTreeMap<String, SkillEntry>,
    pub(super) problems: Vec<PackageProblem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PackageProblem {
    /// The file it is in, relative to the repository.
    pub(super) file: String,
    pub(super) message: String,
}

/// Reads every package below a folder of the repository.
pub(super) fn collect(root: &RepoRoot, folder: &Path) -> Packages {
    let mut walk = Walk { root, found: Packages::default(), folders: 0 };
    walk.folder(folder, 0);
    walk.found
}

struct Walk<'r> {
    root: &'r RepoRoot,
    found: Packages,
    folders: usize,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path, depth: usize) {
        self.folders += 1;
        if depth > MAX_DEPTH || self.folders > MAX_FOLDERS {
            let message = format!("there are more than {MAX_DEPTH} levels or {MAX_FOLDERS} folders");
            return self.problem(folder, message);
        }
        let entries = match fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(entries) => entries,
            Err(error) => return self.problem(folder, format!("it cannot be read: {error}")),
        };
        let mut names: Vec<_> = entries
            .iter()
            // A link to a folder is not followed: it could lead anywhere, or round.
            .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.file_type().ok()?)))
            .collect();
        names.sort_by(|one, other| one.0.cmp(&other.0));
        let has = |name: &str| names.iter().any(|(found, _)| found == name);
        if has("skill.json") {
            self.package(folder);
        } else if has("SKILL.md") {
            self.problem(folder, "it has a SKILL.md and no skill.json".to_owned());
        }
        for (name, kind) in &names {
            if kind.is_dir() && !name.starts_with('.') && !LEFT_OUT.contains(&name.as_str()) {
                self.folder(&folder.join(name), depth + 1);
            }
        }
    }

    fn package(&mut self, folder: &Path) {
        let path = folder.join("skill.json");
        let bytes = file::read(&path, MAX_SKILL_JSON_BYTES).map_err(|error| error.to_string());
        let read = bytes.and_then(|bytes| SkillEntry::parse(&bytes).map_err(|fault| fault.to_string()));
        let skill = match read {
            Ok(skill) => skill,
            Err(reason) => return self.problem(&path, reason),
        };
        for message in self.faults(&skill, folder) {
            self.problem(&path, message);
        }
        if self.found.skills.len() == MAX_SKILLS {
            return self.problem(&path, format!("there are more than {MAX_SKILLS} skills"));
        }
        let id = skill.id().to_owned();
        if let Some(first) = self.found.skills.insert(id.clone(), skill) {
            self.problem(&path, format!("{} has the same id \"{id}\"", first.path()));
        }
    }

    /// What is wrong with a package by itself.
    fn faults(&self, skill: &SkillEntry, folder: &Path) -> Vec<String> {
        let mut faults = Vec::new();
        let here = relative(self.root, folder);
        if skill.path() != here {
            faults.push(format!("path is \"{}\" but must be \"{here}\"", skill.path()));
        }
        faults.extend(skill.type_faults());
        if !is_file_name(skill.application_id()) {
            faults.push("applicationId may only have letters, digits, \".\", \"-\" and \"_\"".to_owned());
        }
        let mut files = vec![skill.skill_file()];
        files.extend(skill.scripts().into_iter().flatten());
        files.extend(skill.artifacts().into_iter().flatten());
        for entry in files {
            if let Err(fault) = self.root.file(entry) {
                faults.push(format!("\"{entry}\": {fault}"));
            }
        }
        faults
    }

    fn problem(&mut self, path: &Path, message: String) {
        let file = relative(self.root, path);
        self.found.problems.push(PackageProblem { file, message });
    }
}

/// A path of a repository as entries write it.
pub(super) fn relative(root: &RepoRoot, path: &Path) -> String {
    let inside = path.strip_prefix(root.path()).unwrap_or(path);
    let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

/// Whether a text can be the name of a file, with an ending after it.
fn is_file_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !text.starts_with('.') && text.len() <= 200 && text.chars().all(is_letter)
}
