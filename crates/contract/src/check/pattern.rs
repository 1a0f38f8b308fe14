//! Validator patterns: linear-time regular expressions only.

use crate::limits::MAX_PATTERN_BYTES;
use regex::RegexBuilder;

/// Why a pattern is refused.
pub(super) struct PatternError {
    pub(super) reason: String,
    pub(super) hint: &'static str,
}

/// Tells whether our engine can run a pattern.
pub(super) fn check(pattern: &str) -> Result<(), PatternError> {
    let built = RegexBuilder::new(pattern).size_limit(MAX_PATTERN_BYTES).build();
    match built {
        Ok(_) => Ok(()),
        Err(regex::Error::CompiledTooBig(_)) => Err(PatternError {
            reason: format!("it takes more than {MAX_PATTERN_BYTES} bytes when compiled"),
            hint: "Use smaller repetition counts.",
        }),
        Err(error) => Err(PatternError {
            reason: last_line(&error.to_string()),
            hint: "Check the pattern; it runs in linear time, so it has no look-around and no back-references.",
        }),
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
}
