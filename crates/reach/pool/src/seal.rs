//! Sealed texts: anyone with the pool's lock can close one, and only the pool's key opens it,
//! so that no broker and no disk of a broker knows what is in it. They are the sealed boxes
//! of libsodium: X25519, with a key of their own each.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crypto_box::aead::OsRng;
use crypto_box::{PublicKey, SecretKey};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a text is not opened, or a key is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("a key of a pool is 32 bytes in base64")]
    NoKey,
    #[error("the sealed text is not base64")]
    NoBase64,
    #[error("the text was sealed for another pool, or was changed")]
    NotOurs,
    #[error("the text cannot be sealed for this key")]
    BadLock,
}

/// What opens sealed texts.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SealKey(SecretKey);

/// What closes them: the public part of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SealLock(PublicKey);

impl SealKey {
    /// A new key.
    pub fn random() -> Self {
        Self(SecretKey::generate(&mut OsRng))
    }

    /// The key with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes.into())
    }

    /// Its public part.
    pub fn lock(&self) -> SealLock {
        SealLock(self.0.public_key())
    }

    /// Opens what was sealed for this key.
    ///
    /// # Errors
    /// It was not, or it was changed.
    pub fn open(&self, sealed: &str) -> Result<Vec<u8>, SealError> {
        let bytes = STANDARD.decode(sealed).map_err(|_| SealError::NoBase64)?;
        self.0.unseal(&bytes).map_err(|_| SealError::NotOurs)
    }
}

impl SealLock {
    /// Seals a text, as base64.
    ///
    /// # Errors
    /// The lock is not the public part of any key.
    pub fn seal(&self, text: &[u8]) -> Result<String, SealError> {
        let sealed = self.0.seal(&mut OsRng, text).map_err(|_| SealError::BadLock)?;
        Ok(STANDARD.encode(sealed))
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SealKey(hidden)")
    }
}

macro_rules! written_in_base64 {
    ($($name:ident),*) => {$(
        impl TryFrom<String> for $name {
            type Error = SealError;

            fn try_from(text: String) -> Result<Self, SealError> {
                let bytes = STANDARD.decode(text).map_err(|_| SealError::NoKey)?;
                let bytes: [u8; 32] = bytes.try_into().map_err(|_| SealError::NoKey)?;
                Ok(Self(bytes.into()))
            }
        }

        impl From<$name> for String {
            fn from(key: $name) -> Self {
                STANDARD.encode(key.0.to_bytes())
            }
        }
    )*};
}

written_in_base64!(SealKey, SealLock);
