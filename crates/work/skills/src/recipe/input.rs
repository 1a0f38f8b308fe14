//! The inputs of a recipe: what is declared, what is given, and what comes of both.

use super::Recipe;
use super::problem::{Judge, RecipePlace, RecipeReport, did_you_mean};
use super::rule::Rule;
use super::step::RecipeStep;
use super::word::ValueType;
use clawperator_contract::limits::MAX_MATCHER_VALUE_LENGTH;
use clawperator_document::{Number, Path, text};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A declared input.
#[derive(Clone, Debug, PartialEq)]
pub struct RecipeInput {
    pub name: String,
    pub value_type: ValueType,
    pub required: bool,
    /// The value where none is given; an empty text is none.
    pub default: Option<InputValue>,
    pub description: Option<String>,
    pub at: RecipePlace,
}

/// A value of an input or an output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum InputValue {
    /// A text; it is also how a command line gives numbers and truth values.
    Text(String),
    Number(Number),
    Flag(bool),
}

/// The values that are given to a recipe, by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inputs(pub BTreeMap<String, InputValue>);

/// The values of all inputs that have one, as texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Values(BTreeMap<String, String>);

impl Inputs {
    /// The inputs with one more, as text.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.to_owned(), InputValue::Text(value.to_owned()));
        self
    }

    /// The inputs as a script gets them: an object, if there are any.
    pub fn as_json(&self) -> Option<Value> {
        (!self.0.is_empty()).then(|| json!(self.0))
    }
}

impl InputValue {
    /// A value from JSON: a text, a number, true or false.
    pub fn from_json(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Number(number) => number.as_f64().and_then(Number::new).map(Self::Number),
            Value::Bool(flag) => Some(Self::Flag(*flag)),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The value as a text.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
        }
    }

    /// The value as an input of a type has it, written out.
    fn text_as(&self, value_type: ValueType) -> Option<String> {
        match (value_type, self) {
            (ValueType::Number, Self::Text(text)) => {
                let number = text.trim().parse().ok().and_then(Number::new)?;
                Some(number.to_string())
            }
            (ValueType::Boolean, Self::Text(text)) => {
                let flag: bool = text.trim().parse().ok()?;
                Some(flag.to_string())
            }
            (ValueType::String, _) | (_, Self::Number(_) | Self::Flag(_)) => {
                self.is_a(value_type).then(|| self.text())
            }
        }
    }

    /// Whether the value is one of a type as it is declared.
    pub(crate) fn is_a(&self, value_type: ValueType) -> bool {
        matches!(
            (value_type, self),
            (ValueType::String, Self::Text(_))
                | (ValueType::Number, Self::Number(_))
                | (ValueType::Boolean, Self::Flag(_))
        )
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Text(value) if text::is_blank(value))
    }
}

impl Values {
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// The values of a recipe's inputs. What is missing, unknown or of the wrong type is reported.
pub(crate) fn resolve(recipe: &Recipe, given: &Inputs, report: &mut RecipeReport) -> Values {
    let mut values = Values::default();
    let root = Path::root("the recipe");
    let list = root.field("inputs");
    for (index, input) in recipe.inputs.iter().enumerate() {
        let at = list.index(index, "an input");
        match value_of(recipe, input, given) {
            Ok(value) => values.0.extend(value.map(|value| (input.name.clone(), value))),
            Err(fault) => {
                let problem = report.broken(fault.rule, &at, fault.message);
                problem.hint = fault.hint.or(problem.hint.take());
                problem.position = input.at.0;
            }
        }
    }
    for name in given.0.keys() {
        if !recipe.inputs.iter().any(|input| input.name == *name) {
            let message = format!("the recipe has no input \"{}\"", text::excerpt(name));
            report.broken(Rule::InputInvalid, &list, message).hint =
                did_you_mean(name, recipe.inputs.iter().map(|input| input.name.as_str()));
        }
    }
    values
}

/// Why an input has no value that can be used.
struct InputFault {
    rule: Rule,
    message: String,
    hint: Option<String>,
}

fn value_of(recipe: &Recipe, input: &RecipeInput, given: &Inputs) -> Result<Option<String>, InputFault> {
    let name = &input.name;
    let given = given.0.get(name);
    let value = given.or(input.default.as_ref()).filter(|value| !value.is_empty());
    let Some(value) = value else {
        if input.required || is_used(recipe, name) {
            return Err(InputFault {
                rule: Rule::InputMissing,
                message: format!("the input \"{name}\" has no value"),
                hint: Some(format!("Give it with --input {name}=VALUE.")),
            });
        }
        return Ok(None);
    };
    let text = value.text_as(input.value_type);
    let message = match &text {
        None => format!("the input \"{name}\" must be a {}", input.value_type.word()),
        Some(text) if text::exceeds(text, MAX_MATCHER_VALUE_LENGTH) => {
            format!("the input \"{name}\" is longer than {MAX_MATCHER_VALUE_LENGTH} characters")
        }
        Some(text) if text.chars().any(char::is_control) => {
            format!("the input \"{name}\" has a control character in it")
        }
        Some(_) => return Ok(text),
    };
    Err(InputFault { rule: Rule::InputInvalid, message, hint: None })
}

pub(crate) fn is_used(recipe: &Recipe, name: &str) -> bool {
    let mut selectors = recipe.steps.iter().flat_map(RecipeStep::selectors);
    selectors.any(|(_, selector)| selector.inputs().contains(&name))
}
