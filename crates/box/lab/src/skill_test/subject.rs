//! The skill that is tested: its recipes or its script, and its world files.

use super::limits::MAX_WORLDS;
use super::world_file::ENDING;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_skills::recipe::Recipe;
use clawperator_skills::repo::{Repository, SkillEntry};
use std::path::{Path, PathBuf};

/// A skill that is tested.
#[derive(Debug)]
pub struct Subject {
    pub(super) id: String,
    /// Its recipes, and the names of their artifacts.
    pub(super) recipes: Vec<(String, Recipe)>,
    /// Its world files, in the order of their names.
    pub(super) worlds: Vec<PathBuf>,
}

/// What runs when the skill does.
#[derive(Debug)]
pub(super) enum SubjectKind {
    Recipe(String, Box<Recipe>),
    Script,
}

impl Subject {
    pub(super) fn of(repo: &Repository, entry: &SkillEntry) -> Result<Self, Failure> {
        let mut recipes = Vec::new();
        for recipe in repo.recipes(entry)? {
            recipes.push((recipe.artifact_name().to_owned(), recipe.parse()?));
        }
        let tests = repo.root.path().join(entry.path()).join("tests");
        Ok(Self { id: entry.id().to_owned(), recipes, worlds: worlds(&tests)? })
    }

    /// What a world tests: the recipe that it names, the only one, or the script
    /// of a skill without recipes.
    pub(super) fn kind(&self, repo: &Repository, artifact: Option<&str>) -> Result<SubjectKind, String> {
        if self.recipes.is_empty() && artifact.is_none() {
            return Ok(SubjectKind::Script);
        }
        let recipe = repo.recipe(&self.id, artifact).map_err(|failure| {
            let known: Vec<&str> = self.recipes.iter().map(|(name, _)| name.as_str()).collect();
            let known = known.join(", ");
            format!("{}; write `artifact:` and one of: {known}", failure.message)
        })?;
        let name = recipe.artifact_name().to_owned();
        let recipe = recipe.parse().map_err(|failure| failure.message)?;
        Ok(SubjectKind::Recipe(name, Box::new(recipe)))
    }
}

fn worlds(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_world =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ENDING));
    let mut worlds: Vec<PathBuf> = paths.filter(is_world).collect();
    worlds.sort();
    if worlds.len() > MAX_WORLDS {
        let message = format!("{} has more than {MAX_WORLDS} world files", folder.display());
        return Err(Failure::of(ErrorCode::SkillValidationFailed, message));
    }
    Ok(worlds)
}
