//! The skill that is tested: its recipe or its script, and its world files.

use super::limits::MAX_WORLDS;
use super::world_file::ENDING;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_skills::recipe::Recipe;
use clawperator_skills::repo::{RecipeFile, Repository, SkillEntry};
use std::path::{Path, PathBuf};

/// A skill that is tested.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(super) id: String,
    pub(super) kind: Kind,
    /// Its world files, in the order of their names.
    pub(super) worlds: Vec<PathBuf>,
}

/// What runs when the skill does.
#[derive(Debug)]
pub(super) enum Kind {
    Recipe(Box<Recipe>),
    Script,
}

impl Subject {
    /// Reads a skill of a repository.
    pub(super) fn of(repo: &Repository, entry: &SkillEntry) -> Result<Self, Failure> {
        let recipes = repo.recipes(entry)?;
        let recipe = recipes.first().map(RecipeFile::parse).transpose()?;
        let tests = repo.root.path().join(entry.path()).join("tests");
        Ok(Self {
            id: entry.id().to_owned(),
            kind: recipe.map_or(Kind::Script, |recipe| Kind::Recipe(Box::new(recipe))),
            worlds: worlds(&tests)?,
        })
    }
}

fn worlds(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_world = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().ends_with(ENDING))
    };
    let mut worlds: Vec<PathBuf> = paths.filter(is_world).collect();
    worlds.sort();
    if worlds.len() > MAX_WORLDS {
        let message = format!("{} has more than {MAX_WORLDS} world files", folder.display());
        return Err(Failure::of(ErrorCode::SkillValidationFailed, message));
    }
    Ok(worlds)
}
