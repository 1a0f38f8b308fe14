//! Keys of models: from a private file or from the environment, and shown nowhere.

use super::limits::MAX_FILE;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// A key. It has no form that can be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

/// Why a file gives no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("the key file {0} cannot be read: {1}")]
    Unreadable(PathBuf, io::Error),
    #[error("others can read the key file {0}; allow only yourself: chmod 600 {0}")]
    Public(PathBuf),
    #[error("{0} has no key: one line of visible ASCII letters is expected")]
    Empty(PathBuf),
}

impl ApiKey {
    /// A key that was read from the environment; nothing if it is blank or has
    /// letters that no key has.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let good = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        good.then(|| Self(text.to_owned()))
    }

    /// Reads a key from a file that only its owner can read.
    pub fn from_file(path: &Path) -> Result<Self, KeyError> {
        let unreadable = |error| KeyError::Unreadable(path.to_owned(), error);
        let file = clawperator_private::open(path).map_err(unreadable)?;
        // The open file is asked, not the path: nothing can come between.
        if is_public(&file).map_err(unreadable)? {
            return Err(KeyError::Public(path.to_owned()));
        }
        let mut text = String::new();
        file.take(MAX_FILE).read_to_string(&mut text).map_err(unreadable)?;
        Self::new(&text).ok_or_else(|| KeyError::Empty(path.to_owned()))
    }

    /// The key itself, for a request's header and for hiding it in texts.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

#[cfg(unix)]
fn is_public(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(file.metadata()?.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_public(_file: &File) -> io::Result<bool> {
    Ok(false)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_key_comes_from_a_private_file_only() {
        let place = std::env::temp_dir().join(format!("clawperator-key-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        let file = place.join("key");
        for (text, mode, wanted) in [
            ("sk-abc\n", 0o600, Ok("sk-abc")),
            ("sk-abc\n", 0o400, Ok("sk-abc")),
            ("sk-abc\n", 0o640, Err("others can read")),
            ("sk-abc\n", 0o604, Err("others can read")),
            ("\n", 0o600, Err("has no key")),
            ("two words", 0o600, Err("has no key")),
        ] {
            let _ = fs::remove_file(&file);
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            match (ApiKey::from_file(&file), wanted) {
                (Ok(key), Ok(wanted)) => {
                    assert_eq!(key.expose(), wanted);
                    assert!(!format!("{key:?}").contains("abc"));
                }
                (Err(error), Err(wanted)) => {
                    assert!(error.to_string().contains(wanted), "{error}");
                    assert!(!error.to_string().contains("sk-"), "{error}");
                }
                (got, wanted) => panic!("{text:?} {mode:o}: {got:?}, not {wanted:?}"),
            }
        }
        fs::remove_dir_all(&place).unwrap();
    }
}
