//! Where the registry is.

use super::error::RepoError;
use super::repository::Repository;
use std::path::PathBuf;

/// The variable that names the registry.
pub const REGISTRY_VARIABLE: &str = "CLAWPERATOR_SKILLS_REGISTRY";

/// Where a registry is inside the folder of its repository.
pub(super) const IN_REPOSITORY: &str = "skills/skills-registry.json";

/// Where the registry may be.
#[derive(Clone, Debug)]
pub struct Places {
    pub named: Option<PathBuf>,
    pub current: PathBuf,
    /// The folder of the repository that `skills install` keeps.
    pub installed: PathBuf,
}

impl Places {
    /// The registry to use: the named one, else that of the current folder, else the installed one.
    pub fn registry(&self) -> Result<PathBuf, RepoError> {
        if let Some(named) = &self.named {
            return Ok(named.clone());
        }
        let usual = [&self.current, &self.installed].map(|folder| folder.join(IN_REPOSITORY));
        let found = usual.iter().find(|place| place.exists()).cloned();
        found.ok_or_else(|| RepoError::NoRegistry(usual.into()))
    }

    /// The registry that can be changed: the named one, else that of the current
    /// folder, which may not be there yet. The installed repository is left as it came.
    ///
    /// # Errors
    /// If the named one is not there: its name is most likely misspelt.
    pub fn registry_to_extend(&self) -> Result<PathBuf, RepoError> {
        match &self.named {
            Some(named) => match named.metadata() {
                Ok(_) => Ok(named.clone()),
                Err(error) => Err(RepoError::Unreadable { path: named.clone(), error }),
            },
            None => Ok(self.current.join(IN_REPOSITORY)),
        }
    }

    /// The repository to use.
    pub fn open(&self) -> Result<Repository, RepoError> {
        Repository::open(&self.registry()?)
    }
}
