//! The key with which a user's processes seal what must not be readable in a file: values of a
//! session, and what a person gave with an approval. It is in memory-backed storage where the
//! system has some for this user, else beside what it seals.

use clawperator_private as private;
use clawperator_redact::HashKey;
use rand::RngCore as _;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

const LENGTH: usize = 32;

/// A key that seals texts.
pub struct SealKey([u8; LENGTH]);

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey")
    }
}

impl SealKey {
    /// The key of a state folder; it is made if there is none.
    pub fn of(state: &Path) -> io::Result<Self> {
        let beside = state.join("secrets/key");
        let path = if beside.exists() {
            beside
        } else {
            memory_folder().map_or(beside, |folder| folder.join("clawperator-secrets.key"))
        };
        Self::at(&path)
    }

    /// The key in a private file; it is made if there is none.
    pub fn at(path: &Path) -> io::Result<Self> {
        if !path.exists() {
            if let Some(folder) = path.parent() {
                private::folder(folder)?;
            }
            let key = Self::random();
            let draft = path.with_added_extension(format!("{:x}.draft", rand::rngs::OsRng.next_u64()));
            let mut file = private::options().write(true).create_new(true).open(&draft)?;
            let written = file.write_all(&key.0).and_then(|()| file.sync_all());
            // Of several that make one, the first wins.
            let _ = written.and_then(|()| fs::hard_link(&draft, path));
            fs::remove_file(&draft)?;
        }
        let mut key = [0; LENGTH];
        private::open(path)?.read_exact(&mut key)?;
        Ok(Self(key))
    }

    /// A key that is stored nowhere.
    pub fn random() -> Self {
        let mut key = [0; LENGTH];
        rand::rngs::OsRng.fill_bytes(&mut key);
        Self(key)
    }

    /// Seals a text. Only the same name opens it.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub fn seal(&self, name: &str, mut text: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        random(&mut nonce)?;
        let broken = |_| io::Error::other("the text cannot be sealed");
        let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &self.0).map_err(broken)?);
        let once = Nonce::assume_unique_for_key(nonce);
        key.seal_in_place_append_tag(once, Aad::from(name.as_bytes()), &mut text).map_err(broken)?;
        Ok([&nonce[..], &text].concat())
    }

    /// What was sealed under this name, if it is that and unchanged.
    pub fn open(&self, name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &self.0).ok()?);
        let (once, mut text) = (Nonce::assume_unique_for_key(*nonce), text.to_vec());
        let opened = key.open_in_place(once, Aad::from(name.as_bytes()), &mut text);
        Some(opened.ok()?.to_vec())
    }

    /// A key for hashes of one purpose, which cannot be compared with those of another.
    pub fn hash_key(&self, purpose: &str) -> HashKey {
        HashKey::new(self.hash(purpose).as_bytes())
    }

    /// A hash of a text that says nothing without the key.
    pub fn hash(&self, text: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let hash = hmac::sign(&key, text.as_bytes());
        hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn random(bytes: &mut [u8]) -> io::Result<()> {
    let filled = SystemRandom::new().fill(bytes);
    filled.map_err(|_| io::Error::other("the system gives no random numbers"))
}

/// The folder in memory that the system has for this user alone, if it has one.
fn memory_folder() -> Option<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let user = nix::unistd::getuid().as_raw();
        let folder = PathBuf::from(format!("/run/user/{user}"));
        let about = fs::symlink_metadata(&folder).ok()?;
        let is_ours = about.is_dir() && about.uid() == user && about.mode() & 0o077 == 0;
        is_ours.then_some(folder)
    }
    #[cfg(not(unix))]
    None
}
