//! The four ways to show a text.

use crate::keyed::HashKey;
use clawperator_document::words;

/// How many digits of a hash are shown: enough to compare.
const HASH_DIGITS: usize = 16;

words! {
    /// How a text is shown.
    pub Redaction {
        None = "none",
        /// As a hash: texts that are equal can be told by who has the key.
        Hash = "hash",
        Mask = "mask",
        Drop = "drop",
    }
}

impl Redaction {
    /// The text as it is shown, if it is. The key is for its hash: without one, a
    /// short text is looked up at once.
    pub fn apply(self, text: &str, key: &HashKey) -> Option<String> {
        match self {
            Self::None => Some(text.to_owned()),
            Self::Hash => Some(format!("sha256:{}", &key.hash(text)[..HASH_DIGITS])),
            Self::Mask => Some(mask(text)),
            Self::Drop => None,
        }
    }
}

/// The mask of a text: `[7 letters]`.
pub fn mask(text: &str) -> String {
    format!("[{} letters]", text.chars().count())
}

/// How many letters a masked text had.
pub fn masked_letters(mask: &str) -> Option<usize> {
    let number = mask.strip_prefix('[')?.strip_suffix(" letters]")?;
    number.parse().ok()
}
