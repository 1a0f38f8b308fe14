//! The recipes of a skill, and recipe files by their path.

use super::artifact;
use super::error::RepoError;
use super::file;
use super::registry::SkillEntry;
use super::repository::Repository;
use crate::recipe::{ArtifactKind, Format, MAX_RECIPE_BYTES, Recipe, failure, parse};
use clawperator_contract::{ErrorCode, Failure, text};
use std::path::{Path, PathBuf};

/// A recipe's file, read.
#[derive(Clone, Debug)]
pub struct RecipeFile {
    pub path: PathBuf,
    /// The folder of its registry, or its own if it has none.
    pub registry: PathBuf,
    pub name: String,
    pub format: Format,
    pub text: String,
}

impl RecipeFile {
    /// Reads a recipe's file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let refused = |why: String| {
            let message = format!("\"{}\" {why}", text::excerpt(&name));
            Failure::of(ErrorCode::ArtifactNotFound, message)
        };
        let format = Format::of(&name).ok_or_else(|| {
            let hint = "A recipe's name ends with .recipe.json, .recipe.yaml or .md.";
            refused("is not the name of a recipe".to_owned()).hint(hint)
        })?;
        let bytes = file::read(path, MAX_RECIPE_BYTES);
        let bytes = bytes.map_err(|error| {
            refused(format!("cannot be read: {error}")).hint("Give the path of a recipe that is there.")
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            refused(format!("is not UTF-8 from byte {valid} on"))
        })?;
        Ok(Self {
            path: path.to_owned(),
            registry: path.parent().unwrap_or(path).to_owned(),
            name,
            format,
            text,
        })
    }

    /// The name by which a skill's recipe is chosen: without its folder and its ending.
    pub fn artifact_name(&self) -> &str {
        base_name(&self.name)
    }

    /// Replaces the file, unless it has changed since it was read.
    pub fn replace(&self, text: &str) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("nothing was written: {}: {error}", self.name);
        if file::read(&self.path, MAX_RECIPE_BYTES).map_err(failed)? != self.text.as_bytes() {
            return Err(format!(
                "nothing was written: {} has changed since it was read; try again",
                self.name
            ));
        }
        file::replace(&self.path, text.as_bytes()).map_err(failed)
    }

    /// The recipe, if its form is right.
    pub fn parse(&self) -> Result<Recipe, Failure> {
        parse(&self.text, self.format).map_err(|problems| failure(&problems, &self.name))
    }
}

impl Repository {
    /// Whether a skill is run by its recipe. A script goes before a file that is
    /// called like a recipe and is none.
    pub fn runs_recipe(&self, skill: &SkillEntry) -> bool {
        let has_script = skill.scripts().is_some_and(|scripts| !scripts.is_empty());
        let recipes = self.recipes(skill).unwrap_or_default();
        recipes.iter().any(|recipe| !has_script || recipe.text.contains("recipe_id"))
    }

    /// The recipes among the artifacts of a skill, in the skill's order. The others are templates.
    pub fn recipes(&self, skill: &SkillEntry) -> Result<Vec<RecipeFile>, RepoError> {
        let mut recipes = Vec::new();
        for entry in skill.artifacts().unwrap_or_default() {
            let Some(format) = Format::of(entry) else {
                continue;
            };
            let unreadable = |reason| RepoError::ArtifactUnreadable { entry: entry.to_owned(), reason };
            let text = artifact::read(self, entry).map_err(unreadable)?;
            let path = self.root.file(entry).map_err(|fault| unreadable(fault.to_string()))?;
            if ArtifactKind::of(&text, format) == ArtifactKind::Recipe {
                recipes.push(RecipeFile {
                    path,
                    registry: self.root.path().to_owned(),
                    name: entry.to_owned(),
                    format,
                    text,
                });
            }
        }
        Ok(recipes)
    }

    /// The recipe of a skill; of several, the one with a name.
    ///
    /// # Errors
    /// If there is no such skill, no such recipe, or several and no name.
    pub fn recipe(&self, skill_id: &str, artifact: Option<&str>) -> Result<RecipeFile, Failure> {
        let skill = self.skill(skill_id)?;
        let mut recipes = self.recipes(skill)?;
        let known: Vec<String> = recipes.iter().map(|recipe| recipe.artifact_name().to_owned()).collect();
        let place = match artifact {
            Some(name) => recipes.iter().position(|recipe| {
                recipe.artifact_name() == base_name(name) || recipe.name.ends_with(&format!("/{name}"))
            }),
            None => (recipes.len() == 1).then_some(0),
        };
        match place {
            Some(place) => Ok(recipes.swap_remove(place)),
            None => Err(no_recipe(skill.id(), artifact, &known)),
        }
    }
}

fn no_recipe(skill: &str, named: Option<&str>, known: &[String]) -> Failure {
    let message = match (named, known) {
        (Some(name), _) => format!("the skill {skill} has no recipe \"{}\"", text::excerpt(name)),
        (None, []) => format!("the skill {skill} has no recipe"),
        (None, _) => format!("the skill {skill} has {} recipes", known.len()),
    };
    let hint = match known {
        [] => "Its artifacts are templates, for skills compile-artifact, or there are none.".to_owned(),
        _ => format!("Name one with --artifact: {}.", known.join(", ")),
    };
    let failure = Failure::new(ErrorCode::ArtifactNotFound, message).hint(hint);
    failure.with_skill(|details| {
        details.skill_id = Some(skill.to_owned());
        details.artifact_name = named.map(text::echo);
    })
}

/// The name of a recipe without its folder and its ending.
fn base_name(entry: &str) -> &str {
    let name = entry.rsplit('/').next().unwrap_or(entry);
    let ending = [".json", ".yaml", ".yml", ".md"];
    let name = ending.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    name.strip_suffix(".recipe").unwrap_or(name)
}
