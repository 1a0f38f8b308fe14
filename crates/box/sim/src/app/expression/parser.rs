//! Reads expressions: the weakest operator first, each level one loop.

use super::{BinaryOperator, ExpressionError, Formula, Function};
use crate::app::value::Value;

/// The longest expression, and the deepest nesting in one.
const MAX_BYTES: usize = 2_000;
const MAX_DEPTH: usize = 40;

/// Operators by how weakly they bind; longer signs before their beginnings.
const LEVELS: [&[(&str, BinaryOperator)]; 5] = [
    &[("||", BinaryOperator::Or)],
    &[("&&", BinaryOperator::And)],
    &[
        ("==", BinaryOperator::Equal),
        ("!=", BinaryOperator::Unequal),
        ("<=", BinaryOperator::LessOrEqual),
        (">=", BinaryOperator::GreaterOrEqual),
        ("<", BinaryOperator::Less),
        (">", BinaryOperator::Greater),
    ],
    &[("+", BinaryOperator::Plus), ("-", BinaryOperator::Minus)],
    &[("*", BinaryOperator::Times), ("/", BinaryOperator::Divide), ("%", BinaryOperator::Remainder)],
];

pub(super) fn parse(text: &str) -> Result<Formula, ExpressionError> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    if text.len() > MAX_BYTES {
        return Err(parser.error(format!("the expression is longer than {MAX_BYTES} bytes")));
    }
    let expression = parser.level(0)?;
    match parser.rest().chars().next() {
        None => Ok(expression),
        Some(other) => Err(parser.error(format!("`{other}` is not expected"))),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    /// The rest of the text, without leading blanks.
    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn error(&self, problem: String) -> ExpressionError {
        ExpressionError { problem, at: self.at }
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), ExpressionError> {
        if self.take(sign) { Ok(()) } else { Err(self.error(format!("`{sign}` is missing"))) }
    }

    fn level(&mut self, level: usize) -> Result<Formula, ExpressionError> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.level(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(sign, _)| self.take(sign)) {
            let right = self.level(level + 1)?;
            left = Formula::Binary(*operator, Box::new((left, right)));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Formula, ExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(format!("the expression is nested more than {MAX_DEPTH} levels deep")));
        }
        let expression = if self.take("!") {
            Formula::Not(Box::new(self.unary()?))
        } else if self.take("-") {
            Formula::Minus(Box::new(self.unary()?))
        } else {
            self.indexed()?
        };
        self.depth -= 1;
        Ok(expression)
    }

    fn indexed(&mut self) -> Result<Formula, ExpressionError> {
        let mut expression = self.primary()?;
        while self.take("[") {
            let part = self.level(0)?;
            self.expect("]")?;
            expression = Formula::Index(Box::new(expression), Box::new(part));
        }
        Ok(expression)
    }

    fn primary(&mut self) -> Result<Formula, ExpressionError> {
        let rest = self.rest();
        match rest.chars().next() {
            None => Err(self.error("a value is missing".to_owned())),
            Some('(') => {
                self.at += 1;
                let inner = self.level(0)?;
                self.expect(")")?;
                Ok(inner)
            }
            Some(quote @ ('\'' | '"')) => self.quoted(quote),
            Some(letter) if letter.is_ascii_digit() => {
                let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let number =
                    rest[..digits].parse().map_err(|_| self.error("the number is too large".to_owned()))?;
                self.at += digits;
                Ok(Formula::Literal(Value::Number(number)))
            }
            Some(letter) if letter.is_ascii_alphabetic() || letter == '_' => self.word(rest),
            Some(other) => Err(self.error(format!("`{other}` is not expected"))),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<Formula, ExpressionError> {
        let inside = &self.text[self.at + 1..];
        let end = inside.find(quote).ok_or_else(|| self.error("the closing quote is missing".to_owned()))?;
        self.at += end + 2;
        Ok(Formula::Literal(Value::from(&inside[..end])))
    }

    fn word(&mut self, rest: &'a str) -> Result<Formula, ExpressionError> {
        let start = self.at;
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let word = &rest[..rest.len() - rest.trim_start_matches(is_part).len()];
        self.at += word.len();
        match word {
            "true" => return Ok(Formula::Literal(Value::Flag(true))),
            "false" => return Ok(Formula::Literal(Value::Flag(false))),
            _ => {}
        }
        if !self.take("(") {
            return Ok(Formula::Name(word.to_owned()));
        }
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.level(0)?);
        }
        let function = Function::ALL.iter().find(|(_, name, _)| *name == word);
        let problem = match function {
            Some((function, _, count)) if *count == arguments.len() => {
                return Ok(Formula::Call(*function, arguments));
            }
            Some((_, name, count)) => format!("`{name}` takes {count} values"),
            None => format!("there is no function `{word}`"),
        };
        Err(ExpressionError { problem, at: start })
    }
}
