//! The RSA key that tells a phone who is calling, in the form adb keeps it, so
//! that a phone which knows adb on this computer also knows us.

mod file;

pub use file::StoredKey;

use crate::error::AdbError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::pkcs8::{DecodePrivateKey, EncodePrivateKey, LineEnding};
use rsa::rand_core::CryptoRngCore;
use rsa::traits::PublicKeyParts;
use rsa::{BigUint, Pkcs1v15Sign, RsaPrivateKey, RsaPublicKey};
use sha1::Sha1;

/// How many bits the modulus has; adb knows no other size.
const BITS: usize = 2048;
const BYTES: usize = BITS / 8;
/// The size of a public key as adb writes it: word count, n0inv, modulus, R squared, exponent.
const PUBLIC_BYTES: usize = 4 + 4 + BYTES + BYTES + 4;
/// What a phone sends to be signed.
pub const TOKEN_BYTES: usize = 20;

/// A private key.
#[derive(Clone)]
pub struct PrivateKey(RsaPrivateKey);

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

impl PrivateKey {
    /// Makes a new key.
    ///
    /// # Errors
    /// [`AdbError::Key`] if the source of randomness fails.
    pub fn generate(random: &mut impl CryptoRngCore) -> Result<Self, AdbError> {
        RsaPrivateKey::new(random, BITS).map(Self).map_err(|error| AdbError::Key(error.to_string()))
    }

    /// Reads a key in PEM form, PKCS#8 as adb writes it or PKCS#1.
    ///
    /// # Errors
    /// [`AdbError::Key`] for anything else.
    pub fn from_pem(pem: &str) -> Result<Self, AdbError> {
        let key = RsaPrivateKey::from_pkcs8_pem(pem).or_else(|_| RsaPrivateKey::from_pkcs1_pem(pem));
        let key = key.map_err(|_| AdbError::Key("the file contains no RSA key in PEM format".to_owned()))?;
        if key.size() != BYTES {
            return Err(AdbError::Key(format!("the key has {} bits, not {BITS}", key.size() * 8)));
        }
        Ok(Self(key))
    }

    /// The key in PEM form.
    ///
    /// # Errors
    /// [`AdbError::Key`] if it cannot be written, which does not happen.
    pub fn to_pem(&self) -> Result<String, AdbError> {
        let pem = self.0.to_pkcs8_pem(LineEnding::LF).map_err(|error| AdbError::Key(error.to_string()))?;
        Ok(pem.to_string())
    }

    /// Signs a phone's token.
    ///
    /// # Errors
    /// [`AdbError::Key`] if the key is unusable.
    pub fn sign(&self, token: &[u8]) -> Result<Vec<u8>, AdbError> {
        // The token takes the place of a SHA-1 digest; it is not hashed again.
        self.0.sign(Pkcs1v15Sign::new::<Sha1>(), token).map_err(|error| AdbError::Key(error.to_string()))
    }

    /// The public key as a phone wants it: Android's own form in base64, a name, and a zero byte.
    pub fn public_line(&self, name: &str) -> Vec<u8> {
        let mut line = STANDARD.encode(encode_public(&self.0.to_public_key())).into_bytes();
        line.push(b' ');
        line.extend(name.bytes().filter(|byte| *byte != 0));
        line.push(0);
        line
    }
}

/// A public key that a caller sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    key: RsaPublicKey,
    /// Who the caller says it is, usually `user@host`.
    pub name: String,
}

impl PublicKey {
    /// Reads a public key as callers send it.
    ///
    /// # Errors
    /// [`AdbError::Key`] if it is not in that form.
    pub fn from_line(line: &[u8]) -> Result<Self, AdbError> {
        let bad = |reason: &str| AdbError::Key(format!("the public key {reason}"));
        let line = line.strip_suffix(b"\0").unwrap_or(line);
        let text = std::str::from_utf8(line).map_err(|_| bad("is not text"))?;
        let (encoded, name) = text.trim_end().split_once(' ').unwrap_or((text.trim_end(), ""));
        let bytes = STANDARD.decode(encoded).map_err(|_| bad("is not base64"))?;
        let key = decode_public(&bytes).ok_or_else(|| bad("is not in Android's format"))?;
        Ok(Self { key, name: name.to_owned() })
    }

    /// Tells whether a signature of a token was made with this key's other half.
    pub fn verifies(&self, token: &[u8], signature: &[u8]) -> bool {
        self.key.verify(Pkcs1v15Sign::new::<Sha1>(), token, signature).is_ok()
    }
}

fn encode_public(key: &RsaPublicKey) -> Vec<u8> {
    let word = BigUint::from(1_u64 << 32);
    let modulus = key.n();
    let r_squared = (BigUint::from(1_u8) << (2 * BITS)) % modulus;
    let mut bytes = Vec::with_capacity(PUBLIC_BYTES);
    bytes.extend((BYTES as u32 / 4).to_le_bytes());
    bytes.extend(negative_inverse(low_word(&(modulus % &word))).to_le_bytes());
    bytes.extend(padded(modulus));
    bytes.extend(padded(&r_squared));
    bytes.extend(low_word(key.e()).to_le_bytes());
    bytes
}

fn decode_public(bytes: &[u8]) -> Option<RsaPublicKey> {
    if bytes.len() != PUBLIC_BYTES || bytes[..4] != (BYTES as u32 / 4).to_le_bytes() {
        return None;
    }
    let modulus = BigUint::from_bytes_le(&bytes[8..8 + BYTES]);
    let exponent = BigUint::from_bytes_le(&bytes[PUBLIC_BYTES - 4..]);
    RsaPublicKey::new(modulus, exponent).ok()
}

fn padded(number: &BigUint) -> Vec<u8> {
    let mut bytes = number.to_bytes_le();
    bytes.resize(BYTES, 0);
    bytes
}

fn low_word(number: &BigUint) -> u32 {
    let mut word = [0; 4];
    for (place, byte) in word.iter_mut().zip(number.to_bytes_le()) {
        *place = byte;
    }
    u32::from_le_bytes(word)
}

/// `-1 / word` modulo 2^32, for an odd word, by Newton's iteration: each round
/// doubles the bits that are right.
fn negative_inverse(word: u32) -> u32 {
    let inverse =
        (0..5).fold(word, |inverse, _| inverse.wrapping_mul(2_u32.wrapping_sub(word.wrapping_mul(inverse))));
    inverse.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    fn key(seed: u64) -> PrivateKey {
        PrivateKey::generate(&mut StdRng::seed_from_u64(seed)).unwrap()
    }

    #[test]
    fn a_phone_recognises_the_key_it_was_shown() {
        let ours = key(1);
        let line = ours.public_line("me@here");
        let shown = PublicKey::from_line(&line).unwrap();
        assert_eq!(shown.name, "me@here");
        let token = [7; TOKEN_BYTES];
        assert!(shown.verifies(&token, &ours.sign(&token).unwrap()));
        assert!(!shown.verifies(&[8; TOKEN_BYTES], &ours.sign(&token).unwrap()));
        assert!(!shown.verifies(&token, &key(2).sign(&token).unwrap()));
        assert_eq!(line.last(), Some(&0));
        assert_eq!(encode_public(&shown.key).len(), 524);
    }

    #[test]
    fn the_inverse_is_one() {
        for word in [1_u32, 3, 0xffff_ffff, 0x1234_5679, 0x8000_0001] {
            assert_eq!(word.wrapping_mul(negative_inverse(word)), u32::MAX, "{word:#x}");
        }
    }

    #[test]
    fn nonsense_is_no_key() {
        for line in [&b""[..], b"\xff", b"AAAA me@here\0", b"!!!! me"] {
            assert!(PublicKey::from_line(line).is_err());
        }
    }
}
