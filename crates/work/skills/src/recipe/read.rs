//! Reads the text of a recipe: text to document, document to [`Recipe`]. All
//! that is wrong with its form is reported, by field, in the order of the
//! tables; an object's unknown keys come after its fields.

mod declared;
mod form;
mod front;
mod params;
mod selector;
mod steps;
mod values;

use super::format::Format;
use super::limits::LIMITS;
use super::markdown::{self, MarkdownError};
use super::problem::{Judge, RecipeProblem, RecipeProblems, RecipeReport};
use super::rule::Rule;
use super::{MAX_RECIPE_BYTES, Recipe};
use clawperator_document::{self as document, Document, MAX_PROBLEMS, Path, Position, ReadError, YamlPart};

pub(crate) use values::{ObjectReader, keys, known_word, list, object};

/// Reads a recipe.
pub fn parse(text: &str, format: Format) -> Result<Recipe, RecipeProblems> {
    let (document, problems) = read(text, format)?;
    let (recipe, found) = interpret(&document);
    let found = joined(problems, found);
    match recipe {
        Some(recipe) if found.listed.is_empty() => Ok(recipe),
        _ => Err(found),
    }
}

/// Reads a recipe's text into a document, and tells of steps that cannot be read.
pub fn read(text: &str, format: Format) -> Result<(Document<'_>, Vec<RecipeProblem>), RecipeProblems> {
    if text.len() > MAX_RECIPE_BYTES {
        let message = format!("the recipe is larger than {MAX_RECIPE_BYTES} bytes");
        return Err(one(unreadable(None, message)));
    }
    match format {
        Format::Json => {
            let read = Document::read_with_places(text.as_bytes(), LIMITS);
            Ok((read.map_err(|error| one(json_problem(error)))?, Vec::new()))
        }
        Format::Yaml => {
            let read = Document::read_yaml(YamlPart { text, first_line: 1 }, LIMITS);
            Ok((read.map_err(|problem| one(of_yaml(*problem, Rule::Unreadable)))?, Vec::new()))
        }
        Format::Markdown => read_markdown(text),
    }
}

/// Makes a recipe of a document, if it is one, and tells what is wrong.
pub(crate) fn interpret(document: &Document<'_>) -> (Option<Recipe>, RecipeProblems) {
    let mut report = RecipeReport::default();
    let recipe = front::recipe(document, &mut report);
    let mut problems = report.finish();
    problems.locate_in(document);
    (recipe, problems)
}

/// What was wrong with the text, and what is wrong with the document. A step
/// that could not be read is not reported once more for being empty.
pub(crate) fn joined(unread: Vec<RecipeProblem>, found: RecipeProblems) -> RecipeProblems {
    let mut listed = unread;
    let before = listed.len();
    for problem in found.listed {
        let is_told = |known: &RecipeProblem| known.path == problem.path && known.about == Rule::StepBlock;
        if !listed[..before].iter().any(is_told) {
            listed.push(problem);
        }
    }
    let omitted = found.omitted + listed.len().saturating_sub(MAX_PROBLEMS);
    listed.truncate(MAX_PROBLEMS);
    RecipeProblems { listed, omitted }
}

fn read_markdown(text: &str) -> Result<(Document<'_>, Vec<RecipeProblem>), RecipeProblems> {
    let parts = markdown::split(text).map_err(|error| {
        let at = match error {
            MarkdownError::NoFrontmatter | MarkdownError::OpenFrontmatter => Position { line: 1, column: 1 },
            MarkdownError::OpenBlock(at) => at,
        };
        one(unreadable(Some(at), format!("the recipe {error}")))
    })?;
    let read = Document::read_yaml_list(parts.front, "steps", &parts.steps, LIMITS);
    let (document, bad_steps) = read.map_err(|problem| one(of_yaml(*problem, Rule::Unreadable)))?;
    let mut report = RecipeReport::default();
    let root = Path::root("the recipe");
    for (at, message) in parts.headings {
        let problem = report.broken(Rule::StepBlock, &root.field("steps"), message.to_owned());
        problem.position = Some(at);
    }
    let mut problems = report.finish().listed;
    problems.extend(bad_steps.into_iter().map(|bad| of_yaml(bad, Rule::StepBlock)));
    Ok((document, problems))
}

/// A problem of a YAML text, with the rule that it breaks.
fn of_yaml(problem: document::Problem, about: Rule) -> RecipeProblem {
    let what = match about {
        Rule::StepBlock => "the step's block",
        _ => "the recipe",
    };
    RecipeProblem {
        path: problem.path,
        position: problem.position,
        message: format!("{what} {}", problem.message),
        invalid_keys: problem.invalid_keys,
        invalid_keys_omitted: problem.invalid_keys_omitted,
        hint: problem.hint,
        about,
    }
}

fn json_problem(error: ReadError) -> RecipeProblem {
    let at = |line: usize, column: usize| Some(Position { line: line as u64, column: column as u64 });
    match error {
        ReadError::TooLarge => {
            unreadable(None, format!("the recipe is larger than {MAX_RECIPE_BYTES} bytes"))
        }
        ReadError::NotUtf8 { valid_up_to } => {
            unreadable(None, format!("the recipe is not UTF-8 from byte {valid_up_to} on"))
        }
        ReadError::Empty => unreadable(None, "the recipe is empty".to_owned()),
        ReadError::Syntax { reason, line, column } => {
            unreadable(at(line, column), format!("the recipe is not valid JSON: {reason}"))
        }
        ReadError::PastLimit { reason, line, column } => {
            unreadable(at(line, column), format!("the recipe {reason}"))
        }
    }
}

fn unreadable(position: Option<Position>, message: String) -> RecipeProblem {
    RecipeProblem {
        path: String::new(),
        position,
        message,
        invalid_keys: Vec::new(),
        invalid_keys_omitted: 0,
        hint: None,
        about: Rule::Unreadable,
    }
}

fn one(problem: RecipeProblem) -> RecipeProblems {
    RecipeProblems { listed: vec![problem], omitted: 0 }
}
