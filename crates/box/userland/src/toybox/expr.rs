//! `expr`: reckons with the words of its command line.

use super::{BasicCommand, posix, row};
use crate::call::Call;
use crate::expression::compile;
use crate::limits;
use crate::machine::{ExitResult, Stop};

pub(super) const ROWS: &[BasicCommand] = &[row!("expr", "EXPRESSION", expr)];

/// Why there is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum ExprError {
    #[error("syntax error")]
    Syntax,
    #[error("non-integer argument")]
    NotNumber,
    #[error("division by zero")]
    ZeroDivisor,
}

/// Operators, the weakest first; those of a row are equally strong.
const LEVELS: &[&[&str]] =
    &[&["|"], &["&"], &["=", "==", "!=", "<", "<=", ">", ">="], &["+", "-"], &["*", "/", "%"], &[":"]];

async fn expr(call: &mut Call) -> ExitResult {
    let mut reader = ExprReader { words: &call.args[1..], depth: 0 };
    let value = reader.level(0);
    let value =
        value.and_then(|value| if reader.words.is_empty() { Ok(value) } else { Err(ExprError::Syntax) });
    let value = value.map_err(|wrong| Stop::Complaint(wrong.to_string(), 2))?;
    call.out(format!("{value}\n")).await?;
    Ok(u8::from(is_nothing(&value)))
}

struct ExprReader<'w> {
    words: &'w [String],
    depth: usize,
}

impl ExprReader<'_> {
    fn level(&mut self, level: usize) -> Result<String, ExprError> {
        let Some(operators) = LEVELS.get(level) else {
            return self.operand();
        };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.words.first().filter(|word| operators.contains(&word.as_str())) {
            self.words = &self.words[1..];
            let right = self.level(level + 1)?;
            left = apply(operator, left, &right)?;
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<String, ExprError> {
        let (first, rest) = self.words.split_first().ok_or(ExprError::Syntax)?;
        self.words = rest;
        match first.as_str() {
            "(" => {
                self.depth += 1;
                if self.depth > limits::MAX_NESTING {
                    return Err(ExprError::Syntax);
                }
                let value = self.level(0)?;
                self.depth -= 1;
                let closed = self.words.split_first().filter(|(word, _)| *word == ")");
                self.words = closed.ok_or(ExprError::Syntax)?.1;
                Ok(value)
            }
            ")" => Err(ExprError::Syntax),
            word => Ok(word.to_owned()),
        }
    }
}

fn is_nothing(value: &str) -> bool {
    value.is_empty() || value.parse() == Ok(0i64)
}

fn apply(operator: &str, left: String, right: &str) -> Result<String, ExprError> {
    match operator {
        "|" if is_nothing(&left) => return Ok(or_zero(right)),
        "&" if is_nothing(&left) || is_nothing(right) => return Ok("0".to_owned()),
        "|" | "&" => return Ok(left),
        ":" => return matched(&left, right),
        _ => {}
    }
    let numbers = left.parse::<i64>().ok().zip(right.parse::<i64>().ok());
    let order = numbers.map_or_else(|| left.as_str().cmp(right), |(left, right)| left.cmp(&right));
    let holds = match operator {
        "=" | "==" => Some(order.is_eq()),
        "!=" => Some(order.is_ne()),
        "<" => Some(order.is_lt()),
        "<=" => Some(order.is_le()),
        ">" => Some(order.is_gt()),
        ">=" => Some(order.is_ge()),
        _ => None,
    };
    if let Some(holds) = holds {
        return Ok(u8::from(holds).to_string());
    }
    let (left, right) = numbers.ok_or(ExprError::NotNumber)?;
    let value = match operator {
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        _ if right == 0 => return Err(ExprError::ZeroDivisor),
        "/" => left.wrapping_div(right),
        _ => left.wrapping_rem(right),
    };
    Ok(value.to_string())
}

fn or_zero(value: &str) -> String {
    if value.is_empty() { "0" } else { value }.to_owned()
}

/// `text : pattern`: what a group of the pattern holds, or how many letters
/// of the beginning it fits.
fn matched(text: &str, pattern: &str) -> Result<String, ExprError> {
    let pattern = posix::basic(pattern).map_err(|_| ExprError::Syntax)?;
    let pattern = compile(&format!("^(?:{pattern})"), false).map_err(|_| ExprError::Syntax)?;
    let grouped = pattern.captures_len() > 1;
    let Some(found) = pattern.captures(text.as_bytes()) else {
        return Ok(if grouped { String::new() } else { "0".to_owned() });
    };
    let part = found.get(usize::from(grouped)).map_or(&b""[..], |part| part.as_bytes());
    let part = String::from_utf8_lossy(part);
    Ok(if grouped { part.into_owned() } else { part.chars().count().to_string() })
}
