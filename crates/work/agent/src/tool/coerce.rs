//! ECMAScript's conversions, as far as JSON values need them. Models send numbers
//! as texts and texts as numbers, and the contract says what becomes of them.

use clawperator_contract::{Number, text};
use serde_json::Value;

/// A value as a number, if that is a finite one.
pub(super) fn as_number(value: &Value) -> Option<Number> {
    let number = match value {
        Value::Null | Value::Bool(false) => 0.0,
        Value::Bool(true) => 1.0,
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => number_of_text(text)?,
        Value::Array(_) => number_of_text(&as_text(value))?,
        Value::Object(_) => return None,
    };
    Number::new(number)
}

/// A text as a number: decimal, or a whole number in base 16, 8 or 2. A blank text is zero.
fn number_of_text(written: &str) -> Option<f64> {
    let written = text::trim(written);
    if written.is_empty() {
        return Some(0.0);
    }
    let (prefix, digits) = written.split_at_checked(2).unwrap_or((written, ""));
    match prefix {
        "0x" | "0X" => whole(digits, 16),
        "0o" | "0O" => whole(digits, 8),
        "0b" | "0B" => whole(digits, 2),
        _ => decimal(written),
    }
}

fn whole(digits: &str, base: u32) -> Option<f64> {
    let digits: Option<Vec<u32>> = digits.chars().map(|digit| digit.to_digit(base)).collect();
    let digits = digits.filter(|digits| !digits.is_empty())?;
    Some(digits.iter().fold(0.0, |sum, digit| sum * f64::from(base) + f64::from(*digit)))
}

/// Rust reads more than ECMAScript: names such as `inf`. What is left is the same.
fn decimal(written: &str) -> Option<f64> {
    let is_decimal = written.chars().all(|c| matches!(c, '0'..='9' | '.' | 'e' | 'E' | '+' | '-'));
    written.parse().ok().filter(|_| is_decimal)
}

/// A value as a text, as ECMAScript writes it.
pub fn as_text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => {
            let number = number.as_f64().and_then(Number::new);
            number.map_or_else(String::new, |number| number.to_string())
        }
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let shown = |item: &Value| {
                if item.is_null() { String::new() } else { as_text(item) }
            };
            items.iter().map(shown).collect::<Vec<_>>().join(",")
        }
        Value::Object(_) => "[object Object]".to_owned(),
    }
}

pub(super) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}
