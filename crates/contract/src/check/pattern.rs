//! Validator patterns: linear-time regular expressions only.

use super::dialect::{self, Refusal};
use crate::limits::{MAX_PATTERN_BYTES, MAX_PAYLOAD_BYTES};
use regex::{Regex, RegexBuilder};
use std::fmt;

/// A pattern, ready to be compared with texts from end to end.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

/// Why a pattern is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// What is wrong with it.
    pub reason: String,
    /// What to do about it.
    pub hint: &'static str,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for PatternError {}

impl Pattern {
    /// Compiles a pattern in ECMAScript's syntax; every one that a checked
    /// execution holds compiles.
    ///
    /// # Errors
    /// Why ECMAScript or our engine cannot run it.
    ///
    /// # Examples
    /// ```
    /// let order = clawperator_contract::Pattern::compile(r"ORD-\d{6}")?;
    /// assert!(order.fits("ORD-120944") && !order.fits("my ORD-120944"));
    /// # Ok::<(), clawperator_contract::PatternError>(())
    /// ```
    pub fn compile(pattern: &str) -> Result<Self, PatternError> {
        // What a pattern costs to read grows with its length, whatever it costs
        // once compiled.
        if pattern.len() > MAX_PAYLOAD_BYTES {
            return Err(PatternError {
                reason: format!("it has more than {MAX_PAYLOAD_BYTES} bytes, as no payload may"),
                hint: "Use a shorter pattern.",
            });
        }
        let ours = dialect::translate(pattern)?;
        RegexBuilder::new(&format!(r"\A(?:{ours})\z"))
            .size_limit(MAX_PATTERN_BYTES)
            .build()
            .map(Self)
            .map_err(|error| refusal(&error))
    }

    /// Tells whether a text fits the pattern from end to end.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// Tells whether our engine can run a pattern.
pub(super) fn check(pattern: &str) -> Result<(), PatternError> {
    Pattern::compile(pattern).map(|_| ())
}

impl From<Refusal> for PatternError {
    fn from(refused: Refusal) -> Self {
        let (what, hint) = refused.cause.words();
        Self {
            reason: format!("{what} (character {})", refused.at),
            hint,
        }
    }
}

/// What is ECMAScript and our engine cannot run all the same.
fn refusal(error: &regex::Error) -> PatternError {
    match error {
        regex::Error::CompiledTooBig(_) => PatternError {
            reason: format!("it takes more than {MAX_PATTERN_BYTES} bytes when compiled"),
            hint: "Use smaller repetition counts.",
        },
        error => PatternError {
            reason: last_line(&error.to_string()),
            hint: "Nest fewer groups, and use names of Unicode properties that there are.",
        },
    }
}

/// The engine draws the pattern and points into it; the last line says
/// what is wrong.
fn last_line(message: &str) -> String {
    let line = message
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or(message);
    line.trim().trim_start_matches("error: ").to_owned()
}
