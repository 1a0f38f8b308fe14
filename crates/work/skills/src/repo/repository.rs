//! A repository whose registry was read, and what can be asked of it.

use super::error::RepoError;
use super::file;
use super::limits::{MAX_REGISTRY_BYTES, MAX_SKILL_JSON_BYTES};
use super::registry::{Registry, SkillEntry};
use super::root::RepoRoot;
use super::search::{SkillQuery, search};
use clawperator_contract::text;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A repository whose registry was read.
#[derive(Clone, Debug)]
pub struct Repository {
    pub registry_path: PathBuf,
    /// The folder that its entries' paths begin in.
    pub root: RepoRoot,
    pub registry: Registry,
}

/// Some skills.
#[derive(Debug, Serialize)]
pub struct SkillList<'r> {
    pub skills: Vec<&'r SkillEntry>,
    pub count: usize,
}

/// One skill.
#[derive(Debug, Serialize)]
pub struct SkillFound<'r> {
    pub skill: &'r SkillEntry,
}

impl<'r> From<Vec<&'r SkillEntry>> for SkillList<'r> {
    fn from(skills: Vec<&'r SkillEntry>) -> Self {
        let count = skills.len();
        Self { skills, count }
    }
}

impl Repository {
    /// Reads the registry of a repository.
    pub fn open(registry_path: &Path) -> Result<Self, RepoError> {
        let registry_path = &absolute(registry_path);
        let unreadable = |error| RepoError::Unreadable { path: registry_path.to_owned(), error };
        let bytes = file::read(registry_path, MAX_REGISTRY_BYTES).map_err(unreadable)?;
        let registry = Registry::parse(&bytes)
            .map_err(|fault| RepoError::Invalid { path: registry_path.to_owned(), fault })?;
        Ok(Self {
            registry_path: registry_path.clone(),
            root: RepoRoot::of_registry(registry_path).map_err(unreadable)?,
            registry,
        })
    }

    /// Every skill, in the order of the registry.
    pub fn list(&self) -> SkillList<'_> {
        self.registry.skills.iter().collect::<Vec<_>>().into()
    }

    /// The skills that a query asks for, the best first.
    pub fn search(&self, query: &SkillQuery<'_>) -> SkillList<'_> {
        search(&self.registry, query).into()
    }

    /// The skill with an id.
    pub fn skill(&self, id: &str) -> Result<&SkillEntry, RepoError> {
        self.registry.get(id).ok_or_else(|| {
            let known = self.registry.skills.iter().map(SkillEntry::id);
            RepoError::NoSkill {
                id: id.to_owned(),
                similar: text::closest(id, known).map(str::to_owned),
                registry: self.registry_path.clone(),
            }
        })
    }

    /// What the package of a skill says of itself in its `skill.json`; none if that cannot be read.
    pub fn package(&self, skill: &SkillEntry) -> Option<SkillEntry> {
        self.read_package(skill).ok()
    }

    /// The `skill.json` of a package, or why it cannot be read.
    pub(super) fn read_package(&self, skill: &SkillEntry) -> Result<SkillEntry, String> {
        let path = self.root.file(&skill.package_file()).map_err(|fault| fault.to_string())?;
        let bytes = file::read(&path, MAX_SKILL_JSON_BYTES).map_err(|error| error.to_string())?;
        SkillEntry::parse(&bytes).map_err(|fault| fault.to_string())
    }

    /// The skill with an id, as an answer.
    pub fn get(&self, id: &str) -> Result<SkillFound<'_>, RepoError> {
        Ok(SkillFound { skill: self.skill(id)? })
    }
}

/// A path as it is from every folder.
pub(super) fn absolute(path: &Path) -> PathBuf {
    // Only an empty path has none, and then there is nothing to read either.
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
