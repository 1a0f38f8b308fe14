//! Values of which only keyed hashes are known, found in texts all the same. They
//! are hashes of the whole value, and of a long one also without its first or
//! last few letters. A hash of less could be guessed letter by letter.

use crate::field::DOTS;
use crate::letters::{letters, plain};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A shorter value would be found in every text.
const SHORTEST: usize = 3;
/// A value of this length is found in the middle of a word, too.
const UNMISTAKABLE: usize = 6;
/// How many letters of a value may be missing, and how many must be left.
const MISSING: usize = 3;
const LEFT: usize = 9;
/// How many bytes of a hash are kept.
const BYTES: usize = 16;

/// A secret key for hashes. Without it they cannot be compared with guesses.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HashKey(Vec<u8>);

impl std::fmt::Debug for HashKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HashKey")
    }
}

/// What is kept of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueHash {
    letters: usize,
    hash: String,
}

impl HashKey {
    /// A key of these bytes, which must be random.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    /// The hash of a text as it is, in hexadecimal digits.
    #[must_use]
    pub fn hash(&self, text: &str) -> String {
        self.digest(text.as_bytes())
    }

    /// What is kept of a value; nothing if it is too short to be found again.
    #[must_use]
    pub fn values(&self, text: &str) -> Vec<ValueHash> {
        let plain: Vec<char> = plain(text).chars().collect();
        let mut parts = vec![&plain[..]];
        for missing in 1..=MISSING {
            if let Some(left) = plain.len().checked_sub(missing).filter(|left| *left >= LEFT) {
                parts.extend([&plain[..left], &plain[missing..]]);
            }
        }
        let long = parts.into_iter().filter(|part| part.len() >= SHORTEST);
        long.map(|part| ValueHash {
            letters: part.len(),
            hash: self.digest(String::from_iter(part).as_bytes()),
        })
        .collect()
    }

    /// The text with dots for every value. Each comparison takes one from `left`;
    /// when none is left, the text is nothing but dots.
    #[must_use]
    pub fn dots(&self, values: &[ValueHash], text: &str, left: &mut usize) -> String {
        let all = letters(text);
        let lengths: BTreeSet<usize> = values.iter().map(|value| value.letters).collect();
        let mut hidden: Vec<(usize, usize)> = Vec::new();
        for length in lengths.into_iter().filter(|length| *length > 0) {
            for window in all.windows(length) {
                let (from, to) = (window[0].from, window[length - 1].to);
                if length < UNMISTAKABLE && !is_word(text, from, to) {
                    continue;
                }
                if *left == 0 {
                    return text.chars().map(|_| DOTS[0]).collect();
                }
                *left -= 1;
                let plain: String = window.iter().map(|it| it.letter).collect();
                let hash = self.digest(plain.as_bytes());
                if values
                    .iter()
                    .any(|value| value.letters == length && value.hash == hash)
                {
                    hidden.push((from, to));
                }
            }
        }
        let is_hidden = |at: usize| hidden.iter().any(|(from, to)| (*from..*to).contains(&at));
        let shown = |(at, letter)| if is_hidden(at) { DOTS[0] } else { letter };
        text.char_indices().map(shown).collect()
    }

    fn digest(&self, bytes: &[u8]) -> String {
        let digest = Sha256::new().chain_update(&self.0).chain_update(bytes).finalize();
        let mut hex = String::with_capacity(BYTES * 2);
        for byte in digest.iter().take(BYTES) {
            // Writing to a string does not fail.
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }
}

/// Whether a part of a text is a word of its own.
pub(crate) fn is_word(text: &str, from: usize, to: usize) -> bool {
    let joins = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    !joins(text[..from].chars().next_back()) && !joins(text[to..].chars().next())
}
