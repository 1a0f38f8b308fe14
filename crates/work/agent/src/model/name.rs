//! How a model is named on the command line: `DIALECT:NAME`, or `script:FILE`.

use super::dialect::Dialect;
use std::path::PathBuf;

/// A model, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelName {
    Http(Dialect, String),
    Script(PathBuf),
}

/// What is wrong with a model's name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no model; write openai:NAME, responses:NAME, anthropic:NAME or script:FILE")]
pub struct NameError(pub String);

/// The words in front of a name.
const WORDS: [(&str, Dialect); 4] = [
    ("openai", Dialect::Chat),
    ("chat", Dialect::Chat),
    ("responses", Dialect::Responses),
    ("anthropic", Dialect::Anthropic),
];

impl ModelName {
    /// Reads a name.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let bad = || NameError(text.to_owned());
        let (word, name) = text.split_once(':').ok_or_else(bad)?;
        if name.trim().is_empty() {
            return Err(bad());
        }
        if word == "script" {
            return Ok(Self::Script(PathBuf::from(name)));
        }
        let dialect = WORDS.iter().find(|(known, _)| *known == word).ok_or_else(bad)?.1;
        Ok(Self::Http(dialect, name.to_owned()))
    }
}
