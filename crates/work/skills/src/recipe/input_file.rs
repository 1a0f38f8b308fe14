//! A file of inputs: names and their values, JSON or YAML.

use super::format::Format;
use super::input::{InputValue, Inputs};
use super::limits::MAX_VALUES;
use super::problem::{Judge, RecipeProblems, RecipeReport};
use super::read::{ObjectReader, object, read};
use super::rule::Rule;
use clawperator_document::{Kind, Path, Value, wrong_type};

impl Inputs {
    /// Reads a file of inputs.
    pub fn parse(text: &str) -> Result<Self, RecipeProblems> {
        let (document, _) = read(text, Format::Yaml).map_err(of_inputs)?;
        let mut report = RecipeReport::default();
        let inputs = report.under(Rule::InputInvalid, |report| inputs(document.root(), report));
        let mut problems = report.finish();
        problems.locate_in(&document);
        match inputs {
            Some(inputs) if problems.listed.is_empty() => Ok(inputs),
            _ => Err(problems),
        }
    }
}

fn inputs(value: Value<'_>, report: &mut RecipeReport) -> Option<Inputs> {
    let root = Path::root("the file of inputs");
    // Any name is a name here; the recipe says which it knows.
    let _: ObjectReader<'_, '_, 0> = object(value, |_| None, &root, report)?;
    let mut inputs = Inputs::default();
    for entry in value.children() {
        let at = root.field(entry.key());
        if inputs.0.len() == MAX_VALUES {
            report.problem(&root, format!("it has more than {MAX_VALUES} inputs"));
            break;
        }
        let given = match entry.kind() {
            Kind::Text(text) => Some(InputValue::Text(text.to_owned())),
            Kind::Bool(flag) => Some(InputValue::Flag(flag)),
            Kind::Number(number) => Some(InputValue::Number(number)),
            Kind::Null | Kind::Array | Kind::Object => {
                wrong_type(entry, "a text, a number or a truth value", &at, report)
            }
        };
        if let Some(given) = given {
            inputs.0.insert(entry.key().to_owned(), given);
        }
    }
    Some(inputs)
}

/// The problems of a text that is no recipe.
fn of_inputs(mut problems: RecipeProblems) -> RecipeProblems {
    for problem in &mut problems.listed {
        problem.about = Rule::InputInvalid;
        problem.message = problem.message.replacen("the recipe", "the file of inputs", 1);
        problem.hint = Some("Write a name and a value per line, such as account: Savings.".to_owned());
    }
    problems
}
