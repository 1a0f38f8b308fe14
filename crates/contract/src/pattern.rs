//! Validator patterns: linear-time regular expressions only.

use crate::limits::{
    MAX_PATTERN_BYTES, MAX_PATTERNS_BYTES, MAX_PATTERNS_LENGTH, MIN_PATTERN_BYTES, PATTERN_BYTES_STEP,
};
use crate::text;
use regex::{Regex, RegexBuilder};
use std::fmt;
use std::sync::Arc;

/// How deep groups may be nested; the engine's own bound.
const MAX_NESTING: u32 = 250;

/// A pattern, ready to be compared with texts from end to end.
#[derive(Clone)]
pub struct Pattern {
    source: Arc<str>,
    whole: Regex,
}

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

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// Why our engine cannot run it.
    pub fn compile(pattern: &str) -> Result<Self, PatternError> {
        PatternBudget::default().compile(&pattern.into())
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Tells whether a text fits the pattern from end to end.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        self.whole.is_match(text)
    }
}

/// What the patterns of one execution may still cost. Compiling takes time by
/// the size of what comes of it, and a few characters can ask for a megabyte.
#[derive(Debug)]
pub(crate) struct PatternBudget {
    length: usize,
    bytes: usize,
}

impl Default for PatternBudget {
    fn default() -> Self {
        Self {
            length: MAX_PATTERNS_LENGTH,
            bytes: MAX_PATTERNS_BYTES,
        }
    }
}

impl PatternBudget {
    /// Compiles a pattern, if there is something left to do it with.
    pub(crate) fn compile(&mut self, pattern: &Arc<str>) -> Result<Pattern, PatternError> {
        self.spend_length(pattern)?;
        check_syntax(pattern)?;
        // The engine does not tell how large a pattern is, only whether it is
        // too large; so the bound is raised until it holds. All the attempts
        // before the last cost a third of it.
        let mut bound = MIN_PATTERN_BYTES;
        loop {
            if bound > self.bytes {
                self.bytes = 0;
                return Err(too_many(&format!("{MAX_PATTERNS_BYTES} bytes when compiled")));
            }
            match compile_whole(pattern, bound) {
                Err(regex::Error::CompiledTooBig(_)) if bound < MAX_PATTERN_BYTES => {
                    bound *= PATTERN_BYTES_STEP;
                }
                compiled => {
                    self.bytes -= bound;
                    let source = pattern.clone();
                    let compiled = compiled.map(|whole| Pattern { source, whole });
                    return compiled.map_err(|error| refusal(&error));
                }
            }
        }
    }

    fn spend_length(&mut self, pattern: &str) -> Result<(), PatternError> {
        let left = self.length.checked_sub(text::utf16_len(pattern));
        self.length = left.unwrap_or(0);
        match left {
            Some(_) => Ok(()),
            None => Err(too_many(&format!(
                "{MAX_PATTERNS_LENGTH} characters (UTF-16 units)"
            ))),
        }
    }
}

fn too_many(bound: &str) -> PatternError {
    PatternError {
        reason: format!("the execution's patterns take more than {bound}, in all"),
        hint: "Split the execution in several, or use smaller patterns.",
    }
}

/// Tells whether a pattern is one by itself: `a)(b` is none, but would be one
/// between the brackets that are put around it.
fn check_syntax(pattern: &str) -> Result<(), PatternError> {
    // With no room at all the engine gives up right after it has read the
    // pattern, so nothing is compiled twice.
    let read = RegexBuilder::new(pattern)
        .size_limit(0)
        .nest_limit(MAX_NESTING)
        .build();
    match read {
        Ok(_) | Err(regex::Error::CompiledTooBig(_)) => Ok(()),
        Err(error) => Err(refusal(&error)),
    }
}

/// Compiles what a text must fit from end to end.
fn compile_whole(pattern: &str, most_bytes: usize) -> Result<Regex, regex::Error> {
    let build = |whole: &str| {
        // The brackets must not push a pattern over a bound it keeps alone.
        RegexBuilder::new(whole)
            .size_limit(most_bytes)
            .nest_limit(MAX_NESTING + 1)
            .build()
    };
    match build(&format!(r"\A(?:{pattern})\z")) {
        // A pattern in extended mode may end in a comment, which only a new
        // line closes; in any other the new line would have to be in the text.
        Err(regex::Error::Syntax(_)) => build(&format!("\\A(?:{pattern}\n)\\z")),
        built => built,
    }
}

fn refusal(error: &regex::Error) -> PatternError {
    match error {
        regex::Error::CompiledTooBig(_) => PatternError {
            reason: format!("it takes more than {MAX_PATTERN_BYTES} bytes when compiled"),
            hint: "Use smaller repetition counts.",
        },
        error => PatternError {
            reason: last_line(&error.to_string()),
            hint: "Check the pattern; it runs in linear time, so it has no look-around and no back-references.",
        },
    }
}

/// The engine draws the pattern and points at the fault; the last line says
/// what the fault is.
fn last_line(message: &str) -> String {
    let line = message
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or(message);
    line.trim().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_need_backtracking_are_refused() {
        for good in [r"^ORD-[0-9]{6}$", r"^\d+(\.\d+)*\s*(°[CF])?$", r"\/path\/"] {
            assert!(Pattern::compile(good).is_ok(), "{good}");
        }
        for bad in ["(", "(?=x)y", r"(a)\1", "a{1000}{1000}{1000}", "[z-a]", "*"] {
            let error = Pattern::compile(bad).expect_err(bad);
            assert!(!error.reason.contains('\n') && !error.reason.is_empty());
        }
    }

    #[test]
    fn a_pattern_fits_from_end_to_end_only() {
        for (pattern, text, fits) in [
            ("ORD-[0-9]+", "ORD-12", true),
            ("ORD-[0-9]+", "ORD-12 ", false),
            ("ORD-[0-9]+", "xORD-12", false),
            // The first way to match is not the only one.
            ("a|ab", "ab", true),
            ("^a$", "a", true),
            ("^a$", "a\n", false),
            ("(?m)^a$", "b\na", false),
            ("(?x) a b # the end", "ab", true),
            ("(?x) a b # the end", "ab\n", false),
            ("#", "#", true),
            ("", "", true),
        ] {
            let compiled = Pattern::compile(pattern).unwrap();
            assert_eq!(compiled.fits(text), fits, "{pattern} {text:?}");
        }
        assert!(Pattern::compile("a)(b").is_err());
    }

    #[test]
    fn brackets_do_not_push_a_pattern_over_the_bound_of_nesting() {
        let deep = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(Pattern::compile(&deep(249)).is_ok());
        assert!(Pattern::compile(&deep(250)).is_err());
    }

    #[test]
    fn patterns_are_compared_as_they_were_written() {
        let [first, again, other] = ["a+", "a+", "aa*"].map(|it| Pattern::compile(it).unwrap());
        assert_eq!(first, again);
        assert_ne!(first, other);
        assert_eq!(format!("{first:?} {}", first.as_str()), "Pattern(\"a+\") a+");
    }

    /// How many copies of a pattern one execution may have.
    fn copies(pattern: &str) -> usize {
        let pattern: Arc<str> = pattern.into();
        let mut budget = PatternBudget::default();
        (0..).take_while(|_| budget.compile(&pattern).is_ok()).count()
    }

    #[test]
    fn every_action_may_have_an_ordinary_pattern() {
        for pattern in [r"^ORD-[0-9]{6}$", r"\d+", r"^\w+$", r"(?i)total: [\d.]+"] {
            assert!(
                copies(pattern) >= crate::limits::MAX_ACTIONS,
                "{pattern}: {}",
                copies(pattern)
            );
        }
    }

    /// What is compiled for one execution is counted, not timed: a pattern that
    /// is too large uses up what a quarter of them may take.
    #[test]
    fn a_few_characters_cannot_ask_for_megabytes_again_and_again() {
        let large: Arc<str> = r"\w{99}".into();
        let mut budget = PatternBudget::default();
        let mut tried = 0;
        while budget.bytes > 0 {
            let error = budget.compile(&large).unwrap_err();
            assert!(error.reason.contains("when compiled"), "{error}");
            tried += 1;
        }
        assert_eq!(tried, MAX_PATTERNS_BYTES / MAX_PATTERN_BYTES);
        let error = budget.compile(&"a".into()).unwrap_err();
        assert!(error.reason.contains("in all"), "{error}");
    }
}
