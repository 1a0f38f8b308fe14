//! A hash that is the same in every build and version: refs and snapshot ids
//! that were stored or printed stay valid. It does not resist an attacker.

use std::hash::{Hash, Hasher};

/// An odd number without a pattern: 2^64 divided by the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes in eight bytes at a time.
#[derive(Clone, Debug)]
pub(crate) struct StableHasher(u64);

/// The hash of a value. It is never 0, which stands for nothing.
pub(crate) fn stable_hash(value: &impl Hash) -> u64 {
    let mut hasher = StableHasher::new();
    value.hash(&mut hasher);
    hasher.finish().max(1)
}

impl StableHasher {
    pub(crate) fn new() -> Self {
        Self(FACTOR)
    }

    fn mix(&mut self, word: u64) {
        // Each of these can be undone: no two states or words become one.
        let product = (self.0 ^ word).wrapping_mul(FACTOR);
        self.0 = product ^ (product >> 32);
    }
}

// Numbers are mixed in by value, so that neither the byte order nor the size of `usize` matters.
impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in words.by_ref() {
            self.mix(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            word[7] = rest.len() as u8;
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.mix(u64::from(number));
    }

    fn write_u16(&mut self, number: u16) {
        self.mix(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.mix(number as u64);
    }

    fn finish(&self) -> u64 {
        let mut last = self.clone();
        last.mix(0);
        last.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_stay_what_they_are() {
        for (found, known) in [
            (stable_hash(&()), 0xdf44_2d22_110c_749b),
            (stable_hash(&7_u64), 0xb474_f25f_c400_cf23),
            (stable_hash(&-1_i32), 0x7d55_e17f_be8b_895f),
            (stable_hash(&""), 0xa0f0_d070_ca79_2957),
            (stable_hash(&"Increment"), 0xba3b_34ed_3c16_4bfc),
            (stable_hash(&(Some("a:id/b"), [1_i32, -2], true)), 0xf680_b40c_f38f_a137),
        ] {
            assert_eq!(found, known, "{found:#x}");
        }
    }

    #[test]
    fn what_differs_has_another_hash() {
        let texts = ["", "a", "a\0", "b", "ab", "12345678", "123456781", "1234567\u{1}"];
        let hashes: std::collections::BTreeSet<u64> = texts.iter().map(stable_hash).collect();
        assert_eq!(hashes.len(), texts.len());
        assert_ne!(stable_hash(&("a", "bc")), stable_hash(&("ab", "c")));
    }
}
