//! The token of a request's link: random, compared in constant time, and stored as a hash.

use super::DeskError;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};
use sha2::{Digest as _, Sha256};
use std::fmt;
use subtle::ConstantTimeEq as _;

const BYTES: usize = 32;
/// How many random bytes an id has. It names a request and opens nothing.
const ID_BYTES: usize = 8;

/// A token as its owner gets it, once.
#[derive(Clone, PartialEq, Eq)]
pub struct ApprovalToken(String);

impl ApprovalToken {
    pub(super) fn random() -> Result<Self, DeskError> {
        Ok(Self(URL_SAFE_NO_PAD.encode(random::<BYTES>()?)))
    }

    /// The token as a link has it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub(super) fn hash(&self) -> [u8; 32] {
        hash(&self.0)
    }
}

impl fmt::Debug for ApprovalToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

pub(super) fn is_token(shown: &str, stored: &[u8]) -> bool {
    hash(shown).ct_eq(stored).into()
}

/// A new name for a request. Callers cannot choose one.
pub(crate) fn random_id() -> Result<String, DeskError> {
    let hex = |bytes: [u8; ID_BYTES]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    Ok(format!("ap-{}", hex(random()?)))
}

fn random<const N: usize>() -> Result<[u8; N], DeskError> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| DeskError::NoRandomness)?;
    Ok(bytes)
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_by_its_hash_only() {
        let (token, other) = (ApprovalToken::random().unwrap(), ApprovalToken::random().unwrap());
        assert_eq!(token.expose().len(), 43);
        assert!(is_token(token.expose(), &token.hash()));
        assert!(!is_token(other.expose(), &token.hash()));
        assert!(!is_token("", &token.hash()) && !is_token(token.expose(), &[]));
        assert_eq!(format!("{token:?}"), "Token");
        assert_ne!(random_id().unwrap(), random_id().unwrap());
    }
}
