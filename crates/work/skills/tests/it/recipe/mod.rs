//! Recipes: parsed, linted, compiled, and what comes of them.

mod cases;
mod compiling;
mod design;
mod doctor;
mod formats;
mod lint;
mod pieces;
mod reference;
mod results;

use clawperator_skills::recipe::{CompiledRecipe, Format, Inputs, Recipe, RecipeProblems, compile, parse};

/// A recipe without a finding, in which the cases change something.
pub(crate) const BASE: &str = include_str!("base.recipe.yaml");
/// The design's example frontmatter and step, as printed.
pub(crate) const DESIGN: &str = include_str!("design.recipe.md");

/// The base with parts replaced; each must be there.
pub(crate) fn edited(edits: &[(&str, &str)]) -> String {
    let mut text = BASE.to_owned();
    for (old, new) in edits {
        assert!(text.contains(old), "the base has no {old:?}");
        text = text.replacen(old, new, 1);
    }
    text
}

/// The recipe of a YAML text.
pub(crate) fn recipe(text: &str) -> Recipe {
    parse(text, Format::Yaml).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// The base's input.
pub(crate) fn tile() -> Inputs {
    Inputs::default().with("tile", "Bedroom")
}

/// The codes of problems, in order.
pub(crate) fn codes(problems: &RecipeProblems) -> Vec<&'static str> {
    problems.listed.iter().map(|each| each.about.name()).collect()
}

/// A compiled recipe of an edited base.
pub(crate) fn compiled(edits: &[(&str, &str)], inputs: &Inputs) -> Result<CompiledRecipe, RecipeProblems> {
    compile(&recipe(&edited(edits)), inputs)
}
