//! The four ways to show a text.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// How many bytes of a hash are shown: enough to compare, not to look up.
const HASH_BYTES: usize = 8;

/// How a text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Redaction {
    /// As it is.
    None,
    /// As a hash: equal texts can be told. A short secret can be guessed from
    /// it.
    Hash,
    /// As its length.
    Mask,
    /// Not at all.
    Drop,
}

impl Redaction {
    /// The text as it is shown, if it is.
    #[must_use]
    pub fn apply(self, text: &str) -> Option<String> {
        match self {
            Self::None => Some(text.to_owned()),
            Self::Hash => Some(hash(text)),
            Self::Mask => Some(mask(text)),
            Self::Drop => None,
        }
    }
}

/// The mask of a text: `[7 letters]`.
#[must_use]
pub fn mask(text: &str) -> String {
    format!("[{} letters]", text.chars().count())
}

/// How many letters a masked text had.
#[must_use]
pub fn masked_letters(mask: &str) -> Option<usize> {
    let number = mask.strip_prefix('[')?.strip_suffix(" letters]")?;
    number.parse().ok()
}

fn hash(text: &str) -> String {
    let mut hash = String::from("sha256:");
    for byte in Sha256::digest(text.as_bytes()).iter().take(HASH_BYTES) {
        // Writing to a string does not fail.
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_shows_what_it_says() {
        let shown = |redaction: Redaction| redaction.apply("hunter2 ä");
        assert_eq!(shown(Redaction::None).as_deref(), Some("hunter2 ä"));
        assert_eq!(shown(Redaction::Hash).as_deref(), Some("sha256:a12fe507832f2204"));
        assert_eq!(shown(Redaction::Mask).as_deref(), Some("[9 letters]"));
        assert_eq!(shown(Redaction::Drop), None);
        assert_eq!(masked_letters("[9 letters]"), Some(9));
        assert_eq!(masked_letters("9 letters"), None);
    }
}
