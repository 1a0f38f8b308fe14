//! Values of which only keyed hashes are known, found in texts all the same: as a whole, and by
//! every beginning and end that gives them away. One hash for each letter of a text tells where
//! such a part can be; only there longer ones are compared.

use crate::field::DOTS;
use crate::letters::{letters, plain};
use crate::parts::{COMPARED, PART, SHORTEST, parts};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How many bytes of a hash are kept as text.
const BYTES: usize = 16;

/// A secret key for hashes. Without it they cannot be compared with guesses.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HashKey(Vec<u8>);

impl std::fmt::Debug for HashKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HashKey")
    }
}

/// What is kept of a value: the hashes of its beginnings and ends, each one letter
/// longer than the one before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueHash {
    letters: usize,
    heads: Vec<u64>,
    tails: Vec<u64>,
}

impl HashKey {
    /// A key of these bytes, which must be random.
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    /// The hash of a text as it is, in hexadecimal digits.
    pub fn hash(&self, text: &str) -> String {
        let mut hex = String::with_capacity(BYTES * 2);
        for byte in self.digest(text).iter().take(BYTES) {
            // Writing to a string does not fail.
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }

    /// What is kept of a value; nothing if it is too short to be found again.
    pub fn value(&self, text: &str) -> Option<ValueHash> {
        let plain: Vec<char> = plain(text).chars().collect();
        let lengths = PART.min(plain.len())..=plain.len().min(COMPARED);
        let hash = |part: &[char]| self.short(&String::from_iter(part));
        (plain.len() >= SHORTEST).then(|| ValueHash {
            letters: plain.len(),
            heads: lengths.clone().map(|length| hash(&plain[..length])).collect(),
            tails: lengths.map(|length| hash(&plain[plain.len() - length..])).collect(),
        })
    }

    /// The text with dots for every value. Each hash takes one from `left`; when
    /// none is left, the text is nothing but dots.
    pub fn dots(&self, values: &[ValueHash], text: &str, left: &mut usize) -> String {
        let all = letters(text);
        let mut known: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        let mut is_at = |from: usize, to: usize, wanted: u64| {
            let hash = known.entry((from, to)).or_insert_with(|| {
                *left = left.saturating_sub(1);
                let part: String = all[from..to].iter().map(|it| it.letter).collect();
                if *left > 0 { self.short(&part) } else { 0 }
            });
            *hash == wanted
        };
        let mut hidden = Vec::new();
        for value in values {
            let shortest = PART.min(value.letters);
            let found = parts(text, &all, value.letters, |at| {
                let heads = (shortest..)
                    .zip(&value.heads)
                    .take_while(|(length, hash)| at + length <= all.len() && is_at(at, at + length, **hash));
                let begins = heads.last().map_or(0, |(length, _)| length);
                let tails = (shortest..)
                    .zip(&value.tails)
                    .take_while(|(length, hash)| *length <= at + 1 && is_at(at + 1 - length, at + 1, **hash));
                (begins, tails.last().map_or(0, |(length, _)| length))
            });
            hidden.extend(found.map(|part| (all[part.start].from, all[part.end - 1].to)));
        }
        let is_hidden = |at: usize| *left == 0 || hidden.iter().any(|(from, to)| (*from..*to).contains(&at));
        let shown = |(at, letter)| if is_hidden(at) { DOTS[0] } else { letter };
        text.char_indices().map(shown).collect()
    }

    fn short(&self, text: &str) -> u64 {
        let digest = self.digest(text);
        digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
    }

    fn digest(&self, text: &str) -> [u8; 32] {
        let digest = Sha256::new().chain_update(&self.0).chain_update(text);
        digest.finalize().into()
    }
}
