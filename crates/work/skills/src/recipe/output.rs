//! The outputs of a recipe: what is declared, which step feeds which, and how
//! a text becomes a value.

use super::input::InputValue;
use super::problem::RecipePlace;
use super::word::ValueType;
use clawperator_contract::Pattern;
use clawperator_document::Number;
use clawperator_redact::Redaction;

/// A declared output.
#[derive(Clone, Debug, PartialEq)]
pub struct RecipeOutput {
    pub name: String,
    pub value_type: ValueType,
    /// How it is shown, as declared.
    pub redaction: Option<Redaction>,
    pub description: Option<String>,
    pub at: RecipePlace,
}

/// How a step feeds an output.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputUse {
    pub name: String,
    /// What of the text is the value: the first group of the pattern, or all
    /// that it fits. Of a truth value, whether it fits.
    pub pattern: Option<Pattern>,
}

/// A value of an output.
pub type OutputValue = InputValue;

/// Words for true and false on a screen, in any case.
const TRUE_WORDS: [&str; 5] = ["true", "on", "yes", "enabled", "checked"];
const FALSE_WORDS: [&str; 5] = ["false", "off", "no", "disabled", "unchecked"];

impl RecipeOutput {
    /// How it is shown: as declared, else masked if it is a text and as it is if it is a state.
    pub fn effective_redaction(&self) -> Redaction {
        let default = match self.value_type {
            ValueType::String => Redaction::Mask,
            ValueType::Number | ValueType::Boolean => Redaction::None,
        };
        self.redaction.unwrap_or(default)
    }

    /// The value in a text that was read, if there is one.
    pub fn read(&self, text: &str, pattern: Option<&Pattern>) -> Option<OutputValue> {
        if self.value_type == ValueType::Boolean {
            return match pattern {
                Some(pattern) => Some(OutputValue::Flag(pattern.fits(text))),
                None => flag(text).map(OutputValue::Flag),
            };
        }
        let part = match pattern {
            Some(pattern) => pattern.first_group(text)?,
            None => text,
        };
        match self.value_type {
            ValueType::Number => only_number(part).map(OutputValue::Number),
            ValueType::String | ValueType::Boolean => Some(OutputValue::Text(part.to_owned())),
        }
    }
}

fn flag(text: &str) -> Option<bool> {
    let word = text.trim().to_lowercase();
    let is_true = TRUE_WORDS.contains(&word.as_str());
    (is_true || FALSE_WORDS.contains(&word.as_str())).then_some(is_true)
}

/// The number in a text that has one number in it, such as `85 %` or `-$5`.
/// Digits on both sides of a comma could mean two things, so they mean nothing;
/// so do a point before the first digit and a dash within a word.
fn only_number(text: &str) -> Option<Number> {
    let begin = text.find(|c: char| c.is_ascii_digit())?;
    let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
    let digits = &text[begin..end];
    let before = text[..begin].trim_end_matches(|c: char| c.is_whitespace() || "$€£¥₹".contains(c));
    if text[..begin].ends_with('.') {
        return None;
    }
    let is_signed = match before.strip_suffix(['-', '\u{2212}']) {
        None => false,
        Some(rest) if rest.is_empty() || rest.ends_with(|c: char| c.is_whitespace() || c == '(') => true,
        Some(_) => return None,
    };
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let number: f64 = digits.parse().ok()?;
    Number::new(if is_signed { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::only_number;

    #[test]
    fn a_number_is_read_only_where_it_is_clear() {
        for (text, number) in [
            ("85 %", Some(85.0)),
            ("-5", Some(-5.0)),
            ("-$5.00", Some(-5.0)),
            ("\u{2212} €12.50", Some(-12.5)),
            ("(-3)", Some(-3.0)),
            ("Room-5", None),
            (".5", None),
            ("$.99", None),
            ("1,500", None),
            ("none", None),
        ] {
            assert_eq!(only_number(text).map(super::Number::get), number, "{text}");
        }
    }
}
