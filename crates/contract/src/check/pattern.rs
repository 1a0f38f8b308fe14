//! Validator patterns: linear-time regular expressions only.

use crate::limits::MAX_PATTERN_BYTES;
use regex::{Regex, RegexBuilder};
use std::fmt;

/// How deep groups may be nested; the engine's own bound.
const MAX_NESTING: u32 = 250;

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
    /// Compiles a pattern; every one that a checked execution holds compiles.
    ///
    /// # Errors
    /// Why our engine cannot run it.
    pub fn compile(pattern: &str) -> Result<Self, PatternError> {
        // Alone first: `a)(b` is no pattern, but would be one between the
        // brackets below.
        check(pattern)?;
        let build = |whole: &str| {
            // What is put around must not push a pattern over a bound that it
            // keeps alone.
            RegexBuilder::new(whole)
                .size_limit(2 * MAX_PATTERN_BYTES)
                .nest_limit(MAX_NESTING + 1)
                .build()
        };
        // A pattern in extended mode may end in a comment, which only a new
        // line closes; in any other the new line would have to be in the text.
        build(&format!(r"\A(?:{pattern})\z"))
            .or_else(|_| build(&format!("\\A(?:{pattern}\n)\\z")))
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
    RegexBuilder::new(pattern)
        .size_limit(MAX_PATTERN_BYTES)
        .nest_limit(MAX_NESTING)
        .build()
        .map(|_| ())
        .map_err(|error| refusal(&error))
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
        assert!(check(r"^ORD-[0-9]{6}$").is_ok());
        assert!(check(r"^\d+(\.\d+)*\s*(°[CF])?$").is_ok());
        assert!(check(r"\/path\/").is_ok());
        for bad in ["(", "(?=x)y", r"(a)\1", "a{1000}{1000}{1000}", "[z-a]", "*"] {
            let error = check(bad).err().unwrap_or_else(|| panic!("{bad} was accepted"));
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
    fn what_was_accepted_compiles_whole() {
        let deep = format!("{}a{}", "(".repeat(249), ")".repeat(249));
        // The largest repetitions that are accepted, one by one.
        let many = (1..64).map(|count| format!("\\w{{{count}}}"));
        let largest = many.take_while(|pattern| check(pattern).is_ok()).last();
        for pattern in [deep, largest.unwrap()] {
            assert!(check(&pattern).is_ok());
            assert!(Pattern::compile(&pattern).is_ok());
        }
    }
}
