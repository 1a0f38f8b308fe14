//! The file of a key. It appears whole or not at all, is never overwritten, and
//! can be read by its owner alone.

use super::PrivateKey;
use crate::error::AdbError;
use rsa::rand_core::CryptoRngCore;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The most of a key file that is read.
const MAX_FILE: u64 = 64 << 10;
/// How many broken files can be kept beside each other.
const MAX_BROKEN: u32 = 100;

/// What is at the path of a key.
#[derive(Clone, Debug)]
pub enum StoredKey {
    Missing,
    Usable(Box<PrivateKey>),
    /// Something that is no key; the text says what.
    Broken(String),
    /// Something that cannot be read; the text says why.
    Unreadable(String),
}

impl StoredKey {
    /// What is at a path.
    pub fn at(path: &Path) -> Self {
        match read(path) {
            Ok(text) if text.trim_ascii().is_empty() => Self::Broken("the file is empty".to_owned()),
            Ok(text) => match PrivateKey::from_pem(&String::from_utf8_lossy(&text)) {
                Ok(key) => Self::Usable(Box::new(key)),
                Err(AdbError::Key(why)) => Self::Broken(why),
                Err(error) => Self::Broken(error.to_string()),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Missing,
            Err(error) => Self::Unreadable(error.to_string()),
        }
    }

    /// The key, if there is one.
    ///
    /// # Errors
    /// [`AdbError::Key`] with the file's name, and with what to do about it.
    pub fn usable(self, path: &Path) -> Result<Option<PrivateKey>, AdbError> {
        let path = path.display();
        match self {
            Self::Missing => Ok(None),
            Self::Usable(key) => Ok(Some(*key)),
            Self::Broken(why) => {
                Err(AdbError::Key(format!("{path}: {why}; `clawperator doctor --fix` moves it aside")))
            }
            Self::Unreadable(why) => Err(AdbError::Key(format!("{path}: {why}"))),
        }
    }
}

impl PrivateKey {
    /// Reads the key from a file, or makes one there if there is none. If
    /// another process makes one at the same time, both get the same key.
    ///
    /// # Errors
    /// [`AdbError::Key`] with the file's name.
    pub fn load_or_create(path: &Path, random: &mut impl CryptoRngCore) -> Result<Self, AdbError> {
        match StoredKey::at(path).usable(path)? {
            Some(key) => Ok(key),
            None => Self::generate(random)?.keep(path),
        }
    }

    /// Stores the key in a file, unless there is one: then that one is returned.
    fn keep(self, path: &Path) -> Result<Self, AdbError> {
        let failed = |error: io::Error| AdbError::Key(format!("{}: {error}", path.display()));
        if let Some(folder) = path.parent() {
            private_folder(folder).map_err(failed)?;
        }
        match publish(path, self.to_pem()?.as_bytes()) {
            Ok(()) => Ok(self),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let winner = StoredKey::at(path).usable(path)?;
                winner.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Moves a file that is no key out of the way, so that a new one can be
    /// made. Returns its new path; nothing if there is no such file any more.
    pub fn move_broken_aside(path: &Path) -> io::Result<Option<PathBuf>> {
        if !matches!(StoredKey::at(path), StoredKey::Broken(_)) {
            return Ok(None);
        }
        for number in 1..=MAX_BROKEN {
            let aside = path.with_added_extension(format!("broken-{number}"));
            if !aside.try_exists()? {
                fs::rename(path, &aside)?;
                return Ok(Some(aside));
            }
        }
        let full = format!("{MAX_BROKEN} broken keys are there already; remove some");
        Err(io::Error::other(full))
    }
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// A pipe or a device is no key, and reading it could take for ever.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut text = Vec::new();
    fs::File::open(path)?.take(MAX_FILE).read_to_end(&mut text)?;
    Ok(text)
}

/// Writes a draft beside the file and gives it the file's name, if no file has that name.
fn publish(path: &Path, text: &[u8]) -> io::Result<()> {
    static DRAFTS: AtomicU32 = AtomicU32::new(0);
    let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
    let draft = path.with_added_extension(format!("{}-{number}.draft", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let published = options
        .open(&draft)
        .and_then(|mut file| file.write_all(text).and_then(|()| file.sync_all()))
        .and_then(|()| link(&draft, path));
    // Its other name, or what could not be written.
    let _ = fs::remove_file(&draft);
    published
}

/// Gives a draft its name, and never takes the name from another file.
fn link(draft: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(draft, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Some file systems know no links.
        Err(_) if !path.try_exists()? => fs::rename(draft, path),
        Err(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Ok(()) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("clawperator-key-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            fs::create_dir(&folder).unwrap();
            Self(folder)
        }

        fn files(&self) -> Vec<String> {
            let files = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<_> =
                files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn key(seed: u64) -> PrivateKey {
        PrivateKey::generate(&mut StdRng::seed_from_u64(seed)).unwrap()
    }

    #[test]
    fn many_who_make_a_key_at_once_get_the_same() {
        let folder = Folder::new("race");
        let path = folder.0.join("adbkey");
        let keys = [key(1), key(2), key(3), key(4)];
        let barrier = std::sync::Barrier::new(keys.len());
        let kept: Vec<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = keys
                .into_iter()
                .map(|key| {
                    let (path, barrier) = (&path, &barrier);
                    scope.spawn(move || {
                        barrier.wait();
                        key.keep(path).unwrap().to_pem().unwrap()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(kept.iter().all(|pem| *pem == kept[0]));
        assert_eq!(fs::read_to_string(&path).unwrap(), kept[0]);
        assert_eq!(folder.files(), ["adbkey"]);
    }

    #[test]
    fn a_key_is_private_and_is_read_again() {
        let folder = Folder::new("private");
        let path = folder.0.join("deep").join("adbkey");
        let made = PrivateKey::load_or_create(&path, &mut StdRng::seed_from_u64(3)).unwrap();
        let read = PrivateKey::load_or_create(&path, &mut StdRng::seed_from_u64(4)).unwrap();
        assert_eq!(made.to_pem().unwrap(), read.to_pem().unwrap());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o600));
        }
    }

    #[test]
    fn a_broken_key_is_named_stays_and_can_be_moved_aside() {
        let folder = Folder::new("broken");
        let path = folder.0.join("adbkey");
        for (text, why) in [("", "is empty"), (" \n", "is empty"), ("not a key", "no RSA key")] {
            fs::write(&path, text).unwrap();
            let error = PrivateKey::load_or_create(&path, &mut StdRng::seed_from_u64(3)).unwrap_err();
            let said = error.to_string();
            for part in [why, path.to_str().unwrap(), "doctor --fix"] {
                assert!(said.contains(part), "{said}");
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let aside = PrivateKey::move_broken_aside(&path).unwrap().unwrap();
        assert_eq!(fs::read_to_string(&aside).unwrap(), "not a key");
        assert_eq!(PrivateKey::move_broken_aside(&path).unwrap(), None);
        let made = key(1).keep(&path).unwrap();
        assert_eq!(PrivateKey::move_broken_aside(&path).unwrap(), None);
        assert!(
            matches!(StoredKey::at(&path), StoredKey::Usable(key) if key.to_pem().unwrap() == made.to_pem().unwrap())
        );
        assert_eq!(folder.files(), ["adbkey", "adbkey.broken-1"]);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_not_waited_for() {
        let said = StoredKey::at(Path::new("/dev/zero")).usable(Path::new("/dev/zero")).unwrap_err();
        assert!(said.to_string().contains("not a regular file"), "{said}");
    }
}
