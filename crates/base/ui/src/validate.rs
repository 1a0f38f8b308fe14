//! What a text that was read from a screen must look like.

use clawperator_contract::{Pattern, TextCheck, text};
use std::sync::Arc;

/// A check of texts, ready to run.
#[derive(Clone, Debug)]
pub enum TextValidator {
    Any,
    /// A number, with or without °C, °F, C or F.
    Temperature,
    Version,
    /// A pattern that the whole text must fit.
    Pattern(Pattern),
}

/// Why there is no such check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValidatorError {
    /// There is no validator of this name.
    #[error("there is no validator {:?}", text::excerpt(.0))]
    Unknown(Arc<str>),
}

/// What may stand behind a temperature's number; the first that fits counts.
const UNITS: [&str; 4] = ["°C", "°F", "C", "F"];

impl TextValidator {
    /// Makes a step's check ready.
    ///
    /// # Errors
    /// The check is unknown.
    pub fn new(check: &TextCheck) -> Result<Self, ValidatorError> {
        Ok(match check {
            TextCheck::None => Self::Any,
            TextCheck::Temperature => Self::Temperature,
            TextCheck::Version => Self::Version,
            TextCheck::Pattern(pattern) => Self::Pattern(pattern.clone()),
            TextCheck::Unknown(word) => return Err(ValidatorError::Unknown(word.clone())),
        })
    }

    /// Tells whether a text passes.
    pub fn passes(&self, text: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Temperature => is_temperature(text),
            Self::Version => {
                text.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
            }
            Self::Pattern(pattern) => pattern.fits(text),
        }
    }
}

fn is_temperature(text: &str) -> bool {
    let text = text::trim(text);
    let number = UNITS.iter().find_map(|unit| text.strip_suffix(unit));
    let number = text::trim(number.unwrap_or(text));
    // Words such as "nan" and "infinity" are numbers to a parser, but no temperatures.
    let digits = number.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    digits && number.parse::<f64>().is_ok_and(f64::is_finite)
}
