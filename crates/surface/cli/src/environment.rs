//! The variables of the environment: paths may be any bytes, all else must be valid UTF-8.

use clawperator_contract::{ErrorCode, Failure};
use std::ffi::OsString;
use std::path::PathBuf;

/// Variables by their name.
#[derive(Clone, Copy)]
pub struct Environment<'e>(pub &'e dyn Fn(&str) -> Option<OsString>);

impl Environment<'_> {
    /// A variable that names a file or a folder, in any bytes; an empty one names none.
    pub fn path(self, name: &str) -> Option<PathBuf> {
        (self.0)(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// A variable that is a text.
    ///
    /// # Errors
    /// `USAGE` if it is not valid UTF-8.
    pub fn text(self, name: &str) -> Result<Option<String>, Failure> {
        (self.0)(name).map(OsString::into_string).transpose().map_err(|_| {
            let message = format!("the environment variable {name} is not valid UTF-8");
            Failure::new(ErrorCode::Usage, message).hint(format!("Set {name} to valid UTF-8, or unset it."))
        })
    }

    /// A variable that is only shown to people.
    pub fn label(self, name: &str) -> Option<String> {
        Some((self.0)(name)?.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Log;
    use crate::phones::{Journaling, Phones};
    use std::path::Path;

    #[cfg(unix)]
    fn bytes(bytes: &[u8]) -> OsString {
        std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
    }

    #[cfg(unix)]
    #[test]
    fn a_path_may_be_any_bytes_and_all_else_is_text() {
        let odd = |wanted: &'static str| move |name: &str| (name == wanted).then(|| bytes(b"/x\xfe"));
        let path = PathBuf::from(bytes(b"/x\xfe"));
        let phones = |wanted: &'static str| Phones::from_environment(Environment(&odd(wanted)));
        assert_eq!(phones("CLAWPERATOR_HOME").unwrap().state, path);
        assert_eq!(phones("HOME").unwrap().state, path.join(".clawperator"));
        assert_eq!(phones("ADB_PATH").unwrap().environment.program, path);
        assert_eq!(phones("USER").unwrap().name, "/x\u{fffd}@localhost");
        for name in [
            "ADB_SERVER_SOCKET",
            "ANDROID_ADB_SERVER_ADDRESS",
            "ANDROID_ADB_SERVER_PORT",
            "ANDROID_SERIAL",
            "CLAWPERATOR_JOURNAL",
            "CLAWPERATOR_OPERATOR_PACKAGE",
            "CLAWPERATOR_ROUTE",
        ] {
            let refused = phones(name).err().unwrap();
            assert_eq!(refused.code, ErrorCode::Usage);
            assert!(refused.message.contains(name), "{}", refused.message);
        }
        let log = |wanted| Log::from_environment(Environment(&odd(wanted)), Path::new("/s"), 0);
        assert!(log("CLAWPERATOR_LOG_DIR").unwrap().today().unwrap().starts_with(&path));
        assert!(log("CLAWPERATOR_LOG_LEVEL").is_err());
    }

    /// Two processes that drive the same phone must find the same lock.
    #[cfg(all(unix, feature = "sim"))]
    #[test]
    fn locks_and_phones_are_found_whatever_the_environment_says() {
        let folders = |variables: &'static [&'static str]| {
            let set = move |name: &str| variables.contains(&name).then(|| OsString::from("/elsewhere"));
            let locks = Phones::from_environment(Environment(&set)).unwrap().locks;
            (locks, clawperator_host::default_folder(set))
        };
        let usual = folders(&[]);
        for name in [&["TMPDIR"], &["HOME"], &["CLAWPERATOR_HOME"], &["XDG_RUNTIME_DIR"]] {
            assert_eq!(folders(name), usual, "{name:?}");
        }
        let own = folders(&["CLAWPERATOR_LOCK_DIR", "CLAWPERATOR_SIM_DIR"]);
        assert_eq!(own, ("/elsewhere".into(), "/elsewhere".into()));
    }

    #[test]
    fn a_word_for_the_journal_is_one_of_two() {
        let journal = |word: &'static str| {
            let set = move |name: &str| (name == "CLAWPERATOR_JOURNAL").then(|| word.into());
            Phones::from_environment(Environment(&set)).map(|phones| phones.journal)
        };
        assert_eq!(journal("off").unwrap(), Journaling::Off);
        assert_eq!(journal("").unwrap(), Journaling::On);
        assert!(journal("OFF").is_err() && journal("0").is_err());
    }
}
