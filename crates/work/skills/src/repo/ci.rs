//! Checks a whole skills repository: the design's eleven checks, all of them
//! whatever the others say. Nothing is written.

mod recipes;

use super::denylist::{denylist, usual_denylist};
use super::file;
use super::index::{IndexMode, index};
use super::limits::MAX_ARTIFACT_BYTES;
use super::packages::{self, Packages};
use super::registry::SkillEntry;
use super::repository::{Repository, absolute};
use super::root::RepoRoot;
use crate::recipe::{Denylist, LiteralKind, Profile, scan};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_document::yaml;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The checks, in the order of the design.
const CHECKS: [&str; 11] = [
    "metadata",
    "index",
    "registry",
    "cross-check",
    "frontmatter",
    "steps",
    "deterministic compile",
    "private data",
    "capability policy",
    "literals",
    "inputs",
];
const METADATA: usize = 0;
const INDEX: usize = 1;
const REGISTRY: usize = 2;
const CROSS_CHECK: usize = 3;
const FRONTMATTER: usize = 4;
const PRIVATE_DATA: usize = 7;

/// What files beside recipes may have. A number can be anything there.
const ALLOWED: LiteralKind = LiteralKind::Phone;
/// The words of `clawperator-skill-type`.
const SKILL_TYPES: [&str; 3] = ["replay", "orchestrated", "script"];

/// What came of all checks.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CiReport {
    pub passed: bool,
    pub registry_path: String,
    pub total_skills: usize,
    pub checks: Vec<CiCheck>,
}

/// One check.
#[derive(Debug, Serialize)]
pub struct CiCheck {
    pub number: usize,
    pub name: &'static str,
    pub passed: bool,
    pub checked: usize,
    pub problems: Vec<CiProblem>,
}

/// Something that a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CiProblem {
    /// The file, with line and column where they are known.
    pub place: String,
    pub message: String,
}

/// Runs every check on the repository of a registry. The profile judges what its recipes may do.
pub fn ci(registry_path: &Path, profile: &Profile) -> Result<CiReport, Failure> {
    let registry_path = absolute(registry_path);
    let unreadable = |error| {
        let message = format!("cannot check {}: {error}", registry_path.display());
        Failure::of(ErrorCode::RegistryReadFailed, message)
    };
    let root = RepoRoot::of_registry(&registry_path).map_err(unreadable)?;
    let folder = registry_path.parent().unwrap_or(root.path());
    let folder = folder.canonicalize().map_err(unreadable)?;
    let found = packages::collect(&root, &folder);
    let check = |(number, name)| CiCheck { number, name, passed: true, checked: 0, problems: Vec::new() };
    let mut work = CiRun {
        root: &root,
        profile,
        denied: match usual_denylist(root.path()) {
            Some(list) => denylist(&list)?,
            None => Denylist::default(),
        },
        checks: (1..).zip(CHECKS).map(check).collect(),
    };
    work.metadata(&found);
    work.index(&registry_path);
    work.registry(&registry_path, &found);
    for skill in found.skills.values() {
        work.package(skill);
    }
    for check in &mut work.checks {
        check.problems.dedup();
        check.passed = check.problems.is_empty();
    }
    let checks = work.checks;
    Ok(CiReport {
        passed: checks.iter().all(|check| check.passed),
        registry_path: registry_path.display().to_string(),
        total_skills: found.skills.len(),
        checks,
    })
}

struct CiRun<'w> {
    root: &'w RepoRoot,
    profile: &'w Profile,
    denied: Denylist,
    checks: Vec<CiCheck>,
}

impl CiRun<'_> {
    fn count_check(&mut self, check: usize) {
        self.checks[check].checked += 1;
    }

    fn problem(&mut self, check: usize, place: impl Into<String>, message: impl Into<String>) {
        let (place, message) = (place.into(), message.into());
        self.checks[check].problems.push(CiProblem { place, message });
    }

    fn metadata(&mut self, found: &Packages) {
        self.checks[METADATA].checked = found.skills.len();
        for problem in &found.problems {
            self.problem(METADATA, &problem.file, &problem.message);
        }
    }

    fn index(&mut self, registry_path: &Path) {
        self.count_check(INDEX);
        // The time is written only where something changes, and nothing is.
        if let Err(failure) = index(registry_path, IndexMode::Check, "") {
            self.problem(INDEX, registry_path.display().to_string(), failure.message);
        }
    }

    /// Reads the registry, and compares it with the packages, both ways.
    fn registry(&mut self, registry_path: &Path, found: &Packages) {
        let place = registry_path.display().to_string();
        let repo = match Repository::open(registry_path) {
            Ok(repo) => repo,
            Err(error) => {
                self.problem(REGISTRY, &place, error.to_string());
                return self.problem(CROSS_CHECK, &place, "there is no registry to compare with");
            }
        };
        for (at, skill) in repo.registry.skills.iter().enumerate() {
            self.count_check(REGISTRY);
            for message in skill.type_faults() {
                self.problem(REGISTRY, format!("skills.{at} ({})", skill.id()), message);
            }
            self.count_check(CROSS_CHECK);
            if self.root.resolve(skill.path()).is_err() {
                let message = format!("its path \"{}\" is not there", skill.path());
                self.problem(CROSS_CHECK, skill.id(), message);
            } else if !found.skills.contains_key(skill.id()) {
                self.problem(CROSS_CHECK, skill.id(), "it is in the registry and has no package");
            }
        }
        for skill in found.skills.values() {
            if repo.registry.get(skill.id()).is_none() {
                self.problem(CROSS_CHECK, skill.path(), "it is a package and not in the registry");
            }
        }
    }

    fn package(&mut self, skill: &SkillEntry) {
        if let Some(text) = self.text(skill.skill_file()) {
            self.count_check(FRONTMATTER);
            if let Err(message) = frontmatter(&text) {
                self.problem(FRONTMATTER, skill.skill_file(), message);
            }
            self.private(skill.skill_file(), &text);
        }
        let package = skill.package_file();
        if let Some(text) = self.text(&package) {
            self.private(&package, &text);
        }
        for entry in skill.artifacts().unwrap_or_default() {
            if let Some(text) = self.text(entry) {
                self.artifact(skill.id(), entry, &text);
            }
        }
        for entry in skill.scripts().unwrap_or_default() {
            // A program is a script, too.
            if let Some(bytes) = self.bytes(entry) {
                self.private(entry, &String::from_utf8_lossy(&bytes));
            }
        }
    }

    /// The text of a file, or a problem.
    fn text(&mut self, entry: &str) -> Option<String> {
        let text = String::from_utf8(self.bytes(entry)?);
        if text.is_err() {
            self.problem(METADATA, entry, "it cannot be read: it is not UTF-8");
        }
        text.ok()
    }

    /// What is in a file, or a problem. A file that is not there was told before.
    fn bytes(&mut self, entry: &str) -> Option<Vec<u8>> {
        let path = self.root.file(entry).ok()?;
        let read = file::read(&path, MAX_ARTIFACT_BYTES);
        if let Err(error) = &read {
            self.problem(METADATA, entry, format!("it cannot be read: {error}"));
        }
        read.ok()
    }

    fn private(&mut self, entry: &str, text: &str) {
        self.count_check(PRIVATE_DATA);
        for (at, line) in text.lines().enumerate() {
            let found = scan(line, &self.denied);
            for literal in found.iter().filter(|literal| literal.kind != ALLOWED) {
                let column = line[..literal.start].chars().count() + 1;
                let place = format!("{entry}:{}:{column}", at + 1);
                self.problem(PRIVATE_DATA, place, literal.kind.word());
            }
        }
    }
}

/// Why the head of a SKILL.md is not as it must be.
fn frontmatter(text: &str) -> Result<(), String> {
    let text = text.replace("\r\n", "\n");
    let body = text.strip_prefix("---\n").ok_or("it does not begin with a line ---")?;
    let (head, _) = body.split_once("\n---").ok_or("there is no second line --- after the first")?;
    let read: BTreeMap<String, serde_json::Value> =
        yaml::read(head).map_err(|problem| format!("its frontmatter is not YAML: {problem}"))?;
    let says = |key: &str| read.get(key).and_then(|value| value.as_str()).unwrap_or_default().trim();
    if says("name").is_empty() {
        return Err("its frontmatter needs a name".to_owned());
    }
    let kind = read.contains_key("clawperator-skill-type").then(|| says("clawperator-skill-type"));
    match kind {
        Some(kind) if !SKILL_TYPES.contains(&kind) => {
            Err(format!("clawperator-skill-type must be one of: {}", SKILL_TYPES.join(", ")))
        }
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::frontmatter;

    #[test]
    fn the_head_of_a_skill_file_is_yaml_with_a_name() {
        for good in [
            "---\nname: x\n---\n",
            "---\r\nname: x\r\nclawperator-skill-type: replay\r\n---\r\ntext",
            "---\nname: x\ndescription: |-\n  a: b\n---",
        ] {
            assert_eq!(frontmatter(good), Ok(()), "{good:?}");
        }
        for (bad, part) in [
            ("# x", "begin with a line ---"),
            ("---\nname: x\n", "no second line"),
            ("---\nname: [\n---\n", "not YAML"),
            ("---\n- x\n---\n", "not YAML"),
            ("---\nname: ' '\n---\n", "needs a name"),
            (
                "---\nname: x\nclawperator-skill-type: y\n---\n",
                "must be one of: replay, orchestrated, script",
            ),
        ] {
            let told = frontmatter(bad).unwrap_err();
            assert!(told.contains(part), "{bad:?}: {told}");
        }
    }
}
