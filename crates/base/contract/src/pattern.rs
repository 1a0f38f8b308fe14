//! Validator patterns: linear-time regular expressions only.

mod dialect;

use crate::limits::{MAX_PATTERN_BYTES, MAX_PATTERNS_BYTES, MAX_PAYLOAD_BYTES, MIN_PATTERN_BYTES};
use dialect::DialectRefusal;
use regex::{Regex, RegexBuilder};
use std::fmt;
use std::sync::Arc;

/// A pattern, ready to be compared with texts from end to end.
#[derive(Clone)]
pub struct Pattern {
    source: Arc<str>,
    whole: Regex,
}

/// Why a pattern is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PatternError {
    pub reason: String,
    pub hint: &'static str,
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.source).finish()
    }
}

impl PartialEq for Pattern {
    /// What is compiled follows from what was written.
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Pattern {}

impl Pattern {
    /// Compiles a pattern in ECMAScript's syntax.
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
        PatternBudget::default().compile(&pattern.into())
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// What the pattern's first group is in a text that fits from end to end;
    /// without a group, the whole text.
    pub fn first_group<'t>(&self, text: &'t str) -> Option<&'t str> {
        let found = self.whole.captures(text)?;
        let group = found.get(1).or(found.get(0).filter(|_| found.len() == 1));
        group.map(|group| &text[group.range()])
    }

    /// Tells whether a text fits the pattern from end to end.
    pub fn fits(&self, text: &str) -> bool {
        self.whole.is_match(text)
    }
}

/// What the patterns of one execution may still cost. Compiling takes time by
/// the size of what comes of it, and a few characters can ask for a megabyte.
#[derive(Debug)]
pub struct PatternBudget {
    bytes: usize,
    /// What is compiled already: the same pattern again costs nothing.
    compiled: Vec<Pattern>,
}

impl Default for PatternBudget {
    fn default() -> Self {
        Self { bytes: MAX_PATTERNS_BYTES, compiled: Vec::new() }
    }
}

impl PatternBudget {
    /// Compiles a pattern, if there is something left to do it with.
    ///
    /// # Errors
    /// Why the pattern cannot be run, or that too much was compiled already.
    pub fn compile(&mut self, pattern: &Arc<str>) -> Result<Pattern, PatternError> {
        let known = self.compiled.iter().find(|known| known.source == *pattern);
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let compiled = Pattern { source: pattern.clone(), whole: self.engine(&translate(pattern)?)? };
        self.compiled.push(compiled.clone());
        Ok(compiled)
    }

    /// Builds the engine of a pattern that is written as it wants it.
    fn engine(&mut self, translated: &str) -> Result<Regex, PatternError> {
        // The engine does not tell how large a pattern is, only whether it is too large; so the
        // bound is doubled until it holds. All the attempts together cost less than twice the last.
        let mut bound = MIN_PATTERN_BYTES;
        loop {
            if bound > self.bytes {
                self.bytes = 0;
                return Err(PatternError {
                    reason: format!(
                        "the execution's patterns together take more than {MAX_PATTERNS_BYTES} bytes when compiled"
                    ),
                    hint: "Split the execution into several, or use smaller patterns.",
                });
            }
            match RegexBuilder::new(translated).size_limit(bound).build() {
                Err(regex::Error::CompiledTooBig(_)) if bound < MAX_PATTERN_BYTES => bound *= 2,
                built => {
                    self.bytes -= bound;
                    return built.map_err(|error| refusal(&error));
                }
            }
        }
    }
}

/// The pattern that a text must fit from end to end, as our engine writes it.
fn translate(pattern: &str) -> Result<String, PatternError> {
    // What a pattern costs to read grows with its length, whatever it costs once compiled.
    if pattern.len() > MAX_PAYLOAD_BYTES {
        return Err(PatternError {
            reason: format!("it is longer than {MAX_PAYLOAD_BYTES} bytes, the limit for a payload"),
            hint: "Use a shorter pattern.",
        });
    }
    Ok(format!(r"\A(?:{})\z", dialect::translate(pattern)?))
}

impl From<DialectRefusal> for PatternError {
    fn from(refused: DialectRefusal) -> Self {
        let (what, hint) = refused.cause.words();
        Self { reason: format!("{what} (character {})", refused.at), hint }
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
            hint: "Nest fewer groups, and check the names of Unicode properties.",
        },
    }
}

/// The engine draws the pattern and points into it; the last line says what is wrong.
fn last_line(message: &str) -> String {
    let line = message.lines().rfind(|line| !line.trim().is_empty()).unwrap_or(message);
    line.trim().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_compared_as_they_were_written() {
        let [first, again, other] = ["a+", "a+", "aa*"].map(|it| Pattern::compile(it).unwrap());
        assert_eq!(first, again);
        assert_ne!(first, other);
        assert_eq!(format!("{first:?} {}", first.as_str()), "Pattern(\"a+\") a+");
    }

    #[test]
    fn the_first_group_is_found() {
        for (pattern, text, found) in [
            (r"(\d+) ?%", "85 %", Some("85")),
            (r"(?:a|b)(c)(d)", "acd", Some("c")),
            (r"\d+", "85", Some("85")),
            (r"(x)?y", "y", None),
            (r"(\d+)", "85 %", None),
            (r".*?(\d+\.\d)°C.*", "to 21.5°C", Some("21.5")),
            (r"(\d+?)\d*", "123", Some("1")),
            (r"(\d{1,2}?)\d*", "123", Some("1")),
        ] {
            assert_eq!(Pattern::compile(pattern).unwrap().first_group(text), found, "{pattern}");
        }
    }

    #[test]
    fn a_repeated_pattern_costs_nothing() {
        let large: Arc<str> = ".{1,1000}".into();
        let mut budget = PatternBudget::default();
        for _ in 0..crate::limits::MAX_ACTIONS {
            budget.compile(&large).unwrap();
        }
        assert!(budget.bytes >= MAX_PATTERNS_BYTES - MAX_PATTERN_BYTES);
    }

    #[test]
    fn every_action_may_have_an_ordinary_pattern() {
        let mut budget = PatternBudget::default();
        for index in 0..crate::limits::MAX_ACTIONS {
            let pattern = format!(r"^ORD-{index}: \w{{1,64}}, (?:\d+|[\d.]+)$");
            budget.compile(&pattern.into()).unwrap();
        }
    }

    /// What is compiled for one execution is counted, not timed: a pattern that
    /// is too large uses up what a quarter of them may take.
    #[test]
    fn a_few_characters_cannot_ask_for_megabytes_again_and_again() {
        let large: Arc<str> = "(?:.{999}){99}".into();
        let mut budget = PatternBudget::default();
        let mut tried = 0;
        while budget.bytes > 0 {
            let error = budget.compile(&large).unwrap_err();
            assert!(error.reason.contains("when compiled"), "{error}");
            tried += 1;
        }
        assert_eq!(tried, MAX_PATTERNS_BYTES / MAX_PATTERN_BYTES);
        let error = budget.compile(&"a".into()).unwrap_err();
        assert!(error.reason.contains("together"), "{error}");
    }
}
