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
            Self::Version => text
                .split('.')
                .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())),
            Self::Pattern(pattern) => pattern.fits(text),
        }
    }
}

fn is_temperature(text: &str) -> bool {
    let text = text::trim(text);
    let number = UNITS.iter().find_map(|unit| text.strip_suffix(unit));
    let number = text::trim(number.unwrap_or(text));
    // Words such as "nan" and "infinity" are numbers to a parser, but no
    // temperatures.
    let digits = number
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    digits && number.parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_pass_or_do_not() {
        let pattern = TextCheck::Pattern(Pattern::compile("ORD-[0-9]{2}").unwrap());
        for (check, passing, failing) in [
            (TextCheck::None, vec!["", "anything"], vec![]),
            (
                TextCheck::Temperature,
                vec![
                    "21",
                    "21.5",
                    " -3 °C ",
                    "70°F",
                    "+4C",
                    "4 F",
                    "\u{a0}5\u{a0}°C",
                    ".5",
                    "1e1",
                ],
                vec![
                    "", "°C", "21°", "21 K", "warm", "nan", "inf", "infinity", "1e999", "21 22", "2,5",
                    "21°C°C", "0x1",
                ],
            ),
            (
                TextCheck::Version,
                vec!["1", "1.2", "10.0.3"],
                vec!["", ".", "1.", ".1", "1..2", "v1", "1.2b", " 1", "1\n", "١"],
            ),
            (
                pattern,
                vec!["ORD-12"],
                vec!["ORD-123", "an ORD-12", "ORD-12\n", ""],
            ),
        ] {
            let validator = TextValidator::new(&check).unwrap();
            for text in passing {
                assert!(validator.passes(text), "{check:?} {text:?}");
            }
            for text in failing {
                assert!(!validator.passes(text), "{check:?} {text:?}");
            }
        }
    }

    #[test]
    fn what_cannot_be_checked_is_refused() {
        let error = TextValidator::new(&TextCheck::Unknown("email".into())).unwrap_err();
        assert_eq!(error.to_string(), "there is no validator \"email\"");
    }
}
