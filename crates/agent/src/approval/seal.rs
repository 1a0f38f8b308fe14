//! How an answer travels from the process in which a person gave it to the
//! process that waits for it, through a file: sealed with a key that only the
//! waiting process has, in memory. When that process ends, nobody can open it.

use super::DeskError;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{EphemeralPrivateKey, UnparsedPublicKey, X25519, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::SystemRandom;
use std::fmt;

/// How many bytes a public key has.
const PUBLIC: usize = 32;

/// The key of one request. It opens one answer.
pub(super) struct WaitKey {
    private: EphemeralPrivateKey,
    public: Vec<u8>,
}

impl fmt::Debug for WaitKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WaitKey")
    }
}

impl WaitKey {
    /// A new key.
    pub(super) fn new() -> Result<Self, DeskError> {
        let private = EphemeralPrivateKey::generate(&X25519, &SystemRandom::new());
        let private = private.map_err(|_| DeskError::NoRandomness)?;
        let public = private
            .compute_public_key()
            .map_err(|_| DeskError::NoRandomness)?;
        Ok(Self {
            public: public.as_ref().to_vec(),
            private,
        })
    }

    /// What others need to seal something for it.
    pub(super) fn public(&self) -> &[u8] {
        &self.public
    }

    /// Opens what was sealed for the request of this id.
    pub(super) fn open(self, id: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (sender, text) = sealed.split_at_checked(PUBLIC)?;
        let key = agree(self.private, sender, id)?;
        let mut text = text.to_vec();
        let opened = key
            .open_in_place(once(), Aad::from(id.as_bytes()), &mut text)
            .ok()?;
        Some(opened.to_vec())
    }
}

/// Seals an answer to the request of this id for the key of who waits.
pub(super) fn seal(id: &str, public: &[u8], mut text: Vec<u8>) -> Option<Vec<u8>> {
    let ours = WaitKey::new().ok()?;
    let mut sealed = ours.public.clone();
    let key = agree(ours.private, public, id)?;
    key.seal_in_place_append_tag(once(), Aad::from(id.as_bytes()), &mut text)
        .ok()?;
    sealed.extend(text);
    Some(sealed)
}

fn agree(private: EphemeralPrivateKey, public: &[u8], id: &str) -> Option<LessSafeKey> {
    let public = UnparsedPublicKey::new(&X25519, public);
    let derived = agree_ephemeral(private, &public, |shared| {
        let extracted = Salt::new(HKDF_SHA256, b"clawperator approval").extract(shared);
        let info = [id.as_bytes()];
        let expanded = extracted.expand(&info, &CHACHA20_POLY1305).ok()?;
        Some(LessSafeKey::new(UnboundKey::from(expanded)))
    });
    derived.ok()?
}

/// Each key is used once, so its nonce may be always the same.
fn once() -> Nonce {
    Nonce::assume_unique_for_key([0; 12])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_of_the_request_opens_its_answer() {
        let sealed = |key: &WaitKey| seal("ap-1", key.public(), b"hunter2".to_vec()).unwrap();
        let key = WaitKey::new().unwrap();
        let closed = sealed(&key);
        assert!(!closed.windows(7).any(|part| part == b"hunter2"));
        assert_eq!(key.open("ap-1", &closed).as_deref(), Some(&b"hunter2"[..]));
        let key = WaitKey::new().unwrap();
        assert_eq!(WaitKey::new().unwrap().open("ap-1", &sealed(&key)), None);
        let other = sealed(&key);
        assert_eq!(key.open("ap-2", &other), None);
        assert_eq!(WaitKey::new().unwrap().open("ap-1", b"short"), None);
        assert_eq!(seal("ap-1", b"no key", Vec::new()), None);
    }
}
