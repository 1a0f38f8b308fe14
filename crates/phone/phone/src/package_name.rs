//! The name of a package, checked once: past this border it can stand in a
//! path, a hint or a command as it is.

use clawperator_contract::text::excerpt;
use serde::{Deserialize, Serialize};
use std::fmt;

const OPERATOR: &str = "com.clawperator.operator";

/// The name of a package: words of ASCII letters, digits and `_` with dots in
/// between, each of which begins with a letter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct PackageName(String);

/// A text that is no package's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{}\" is not a package name", excerpt(.0))]
pub struct NoPackageName(String);

impl PackageName {
    /// The longest name: more than Android takes, and no more than the Operator app reads.
    pub const MAX_LETTERS: usize = 512;
    /// The same rule as a pattern, for schemas.
    pub const PATTERN: &str = r"^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)*$";

    /// Reads a name.
    ///
    /// # Errors
    /// The text, if it is none.
    pub fn parse(text: &str) -> Result<Self, NoPackageName> {
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word =
            |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.chars().all(letter);
        if text.len() <= Self::MAX_LETTERS && text.split('.').all(word) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoPackageName(text.to_owned()))
        }
    }

    /// The default Operator app.
    pub fn usual_operator() -> Self {
        Self(OPERATOR.to_owned())
    }

    /// The name as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for PackageName {
    type Error = NoPackageName;

    fn try_from(text: String) -> Result<Self, NoPackageName> {
        Self::parse(&text)
    }
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
