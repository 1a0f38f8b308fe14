//! The three formats of a recipe, and how to tell a recipe from a template.

use super::limits::LIMITS;
use clawperator_document::Document;
use serde::{Deserialize, Serialize};

/// How a recipe is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Format {
    /// `*.recipe.json`
    Json,
    /// `*.recipe.yaml`
    Yaml,
    /// Markdown with YAML frontmatter and a fenced `yaml` block per step.
    Markdown,
}

/// What an artifact of a skill is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactKind {
    Recipe,
    /// An execution with `{{NAME}}` placeholders.
    Template,
}

/// The endings of recipe files.
const ENDINGS: [(&str, Format); 5] = [
    (".recipe.json", Format::Json),
    (".recipe.yaml", Format::Yaml),
    (".recipe.yml", Format::Yaml),
    (".recipe.md", Format::Markdown),
    (".md", Format::Markdown),
];

const EXECUTION_KEYS: [&str; 4] = ["actions", "commandId", "taskId", "expectedFormat"];
const RECIPE_KEYS: [&str; 4] = ["recipe_id", "recipe_type", "recipe_version", "steps"];

impl Format {
    /// The format of a file, by its name.
    pub fn of(file: &str) -> Option<Self> {
        let row = ENDINGS.iter().find(|(ending, _)| file.ends_with(ending))?;
        Some(row.1)
    }
}

impl ArtifactKind {
    /// Tells a recipe from a template; both are called `*.recipe.json`. A
    /// template need not be JSON before its placeholders are filled in.
    pub fn of(text: &str, format: Format) -> Self {
        if format != Format::Json {
            return Self::Recipe;
        }
        let Ok(document) = Document::read(text.as_bytes(), LIMITS) else {
            return if text.contains("{{") { Self::Template } else { Self::Recipe };
        };
        let has = |keys: &[&str]| keys.iter().any(|key| document.root().get(key).is_some());
        if has(&EXECUTION_KEYS) && !has(&RECIPE_KEYS) { Self::Template } else { Self::Recipe }
    }
}
