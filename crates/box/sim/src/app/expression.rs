//! The small language of app files: `battery.level > 20 && !saver`.

mod parser;

use super::value::Value;
use clawperator_document::Position;
use clawperator_document::yaml::{self, Spanned};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use std::borrow::Cow;

/// What an expression looks names up in.
pub trait Names {
    /// The value of a name; a dotted name comes whole.
    fn value(&self, name: &str) -> Option<Cow<'_, Value>>;
}

/// What an expression is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    Literal(Value),
    /// A name, with dots.
    Name(String),
    /// A value of a list or record: `rows[i]`.
    Index(Box<Formula>, Box<Formula>),
    Not(Box<Formula>),
    Minus(Box<Formula>),
    /// `a + b`
    Binary(BinaryOperator, Box<(Formula, Formula)>),
    /// `len(a)`
    Call(Function, Vec<Formula>),
}

/// An expression, and where it was written.
#[derive(Clone, Debug)]
pub struct Expression {
    formula: Formula,
    position: Option<Position>,
}

/// An operator between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Times,
    Divide,
    Remainder,
}

/// What can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `len(list)`: how many values, or letters.
    Length,
    /// `lower(text)`: in small letters.
    Lower,
    /// `upper(text)`: in capital letters.
    Upper,
    /// `contains(text, part)`: whether the part is in it, in any case.
    Contains,
    /// `pad(number, width)`: with zeros in front.
    Pad,
    /// `if(condition, yes, no)`.
    If,
}

impl Function {
    /// Every function, its name, and how many values it takes.
    const ALL: [(Self, &'static str, usize); 6] = [
        (Self::Length, "len", 1),
        (Self::Lower, "lower", 1),
        (Self::Upper, "upper", 1),
        (Self::Contains, "contains", 2),
        (Self::Pad, "pad", 2),
        (Self::If, "if", 3),
    ];
}

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem} at character {}", at + 1)]
pub struct ExpressionError {
    pub problem: String,
    /// After how many bytes of the text.
    pub at: usize,
}

/// The longest text that is made of two.
const MAX_TEXT: usize = 100_000;
/// The longest text that is padded.
const MAX_PAD: usize = 64;

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let formula = parser::parse(text)?;
        Ok(Self { formula, position: None })
    }

    /// What it comes to. A name that means nothing is empty.
    pub fn evaluate<'a>(&'a self, names: &'a dyn Names) -> Cow<'a, Value> {
        self.formula.evaluate(names)
    }

    /// Every name in it.
    pub fn names(&self, found: &mut Vec<String>) {
        self.formula.names(found);
    }

    /// Its position in its file.
    pub fn position(&self) -> Option<Position> {
        self.position
    }
}

impl Formula {
    fn evaluate<'a>(&'a self, names: &'a dyn Names) -> Cow<'a, Value> {
        match self {
            Self::Literal(value) => Cow::Borrowed(value),
            Self::Name(name) => names.value(name).unwrap_or(Cow::Owned(Value::EMPTY)),
            Self::Index(whole, part) => {
                let part = part.evaluate(names);
                let found = whole.evaluate(names).part(&part.text()).cloned();
                Cow::Owned(found.unwrap_or(Value::EMPTY))
            }
            Self::Not(inner) => Cow::Owned(Value::Flag(!inner.evaluate(names).is_true())),
            Self::Minus(inner) => {
                let number = inner.evaluate(names).number().unwrap_or(0);
                Cow::Owned(Value::Number(number.saturating_neg()))
            }
            Self::Binary(operator, sides) => Cow::Owned(operator.apply(&sides.0, &sides.1, names)),
            Self::Call(function, arguments) => function.apply(arguments, names),
        }
    }

    fn names(&self, found: &mut Vec<String>) {
        match self {
            Self::Literal(_) => {}
            Self::Name(name) => found.push(name.clone()),
            Self::Index(whole, part) => {
                whole.names(found);
                part.names(found);
            }
            Self::Not(inner) | Self::Minus(inner) => inner.names(found),
            Self::Binary(_, sides) => {
                sides.0.names(found);
                sides.1.names(found);
            }
            Self::Call(_, arguments) => arguments.iter().for_each(|argument| argument.names(found)),
        }
    }
}

impl BinaryOperator {
    fn apply(self, left: &Formula, right: &Formula, names: &dyn Names) -> Value {
        let first = left.evaluate(names);
        match self {
            Self::Or => return Value::Flag(first.is_true() || right.evaluate(names).is_true()),
            Self::And => return Value::Flag(first.is_true() && right.evaluate(names).is_true()),
            _ => {}
        }
        let second = right.evaluate(names);
        let numbers = first.number().zip(second.number());
        let order = match numbers {
            Some((first, second)) => first.cmp(&second),
            None => first.text().cmp(&second.text()),
        };
        let number = |apply: fn(i64, i64) -> i64| Value::Number(numbers.map_or(0, |(a, b)| apply(a, b)));
        match self {
            Self::Or | Self::And => Value::Flag(false),
            Self::Equal => Value::Flag(order.is_eq()),
            Self::Unequal => Value::Flag(order.is_ne()),
            Self::Less => Value::Flag(order.is_lt()),
            Self::LessOrEqual => Value::Flag(order.is_le()),
            Self::Greater => Value::Flag(order.is_gt()),
            Self::GreaterOrEqual => Value::Flag(order.is_ge()),
            Self::Plus if numbers.is_none() => {
                // Twice as long each time is soon longer than anything.
                let long = first.text().len().saturating_add(second.text().len()) > MAX_TEXT;
                Value::Text(if long { String::new() } else { format!("{first}{second}") })
            }
            Self::Plus => number(i64::saturating_add),
            Self::Minus => number(i64::saturating_sub),
            Self::Times => number(i64::saturating_mul),
            Self::Divide => number(|a, b| a.checked_div(b).unwrap_or(0)),
            Self::Remainder => number(|a, b| a.checked_rem_euclid(b).unwrap_or(0)),
        }
    }
}

impl Function {
    fn apply<'a>(self, arguments: &'a [Formula], names: &'a dyn Names) -> Cow<'a, Value> {
        let argument = |place: usize| {
            arguments.get(place).map_or(Cow::Owned(Value::EMPTY), |argument| argument.evaluate(names))
        };
        let value = match self {
            Self::Length => Value::Number(argument(0).length()),
            Self::Lower => Value::Text(argument(0).text().to_lowercase()),
            Self::Upper => Value::Text(argument(0).text().to_uppercase()),
            Self::Contains => {
                let (whole, part) = (argument(0), argument(1));
                Value::Flag(whole.text().to_lowercase().contains(&part.text().to_lowercase()))
            }
            Self::Pad => {
                let width = argument(1).number().unwrap_or(0);
                let width = usize::try_from(width).unwrap_or(0).min(MAX_PAD);
                Value::Text(format!("{:0>width$}", argument(0).text()))
            }
            Self::If => return argument(if argument(0).is_true() { 1 } else { 2 }),
        };
        Cow::Owned(value)
    }
}

/// An expression as a file has it.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawExpression {
    Flag(bool),
    Number(i64),
    Text(String),
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Spanned::<RawExpression>::deserialize(deserializer)?;
        let position = yaml::position_of(&written);
        let formula = match written.value {
            RawExpression::Flag(flag) => Formula::Literal(Value::Flag(flag)),
            RawExpression::Number(number) => Formula::Literal(Value::Number(number)),
            RawExpression::Text(text) => parser::parse(&text)
                .map_err(|error| de::Error::custom(format!("the expression `{text}`: {error}")))?,
        };
        Ok(Self { formula, position })
    }
}

impl JsonSchema for Expression {
    fn schema_name() -> Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An expression over the app's state, such as `battery.level > 20 && !saver`.",
            "type": ["string", "number", "boolean"],
        })
    }
}
