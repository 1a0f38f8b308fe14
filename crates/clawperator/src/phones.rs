//! How phones are reached, and where what belongs to them is kept, as the
//! environment says.

use clawperator_runtime::{Reach, ServerEnvironment};
use std::path::PathBuf;

/// The variable that names the Operator app to run through.
pub(crate) const OPERATOR_PACKAGE: &str = "CLAWPERATOR_OPERATOR_PACKAGE";

/// How phones are reached, as the environment says.
pub(crate) struct Phones {
    /// Where the adb server is.
    pub(crate) environment: ServerEnvironment,
    /// The phone to use where none is named.
    pub(crate) serial: Option<String>,
    /// Where our key is.
    pub(crate) key_file: PathBuf,
    /// Whom the key belongs to.
    pub(crate) name: String,
    /// The folder for what is remembered from one run to the next.
    pub(crate) state: PathBuf,
    /// Whether executions leave a journal where nothing else is said.
    pub(crate) journal: Journaling,
    /// The Operator app to run through as the environment says, nothing judged.
    pub(crate) operator_package: Option<String>,
    /// The folder of pictures whose path nobody names, and of locks.
    pub(crate) folder: PathBuf,
}

/// Whether executions leave a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Journaling {
    On,
    Off,
}

impl Phones {
    /// What the environment says.
    pub(crate) fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let home = variable("HOME")
            .filter(|home| !home.is_empty())
            .map(PathBuf::from);
        // Never the folder one happens to be in.
        let home = home
            .or_else(std::env::home_dir)
            .unwrap_or_else(std::env::temp_dir);
        let user = variable("USER").unwrap_or_else(|| "clawperator".to_owned());
        let host = variable("HOSTNAME").unwrap_or_else(|| "localhost".to_owned());
        Self {
            environment: ServerEnvironment {
                socket: variable("ADB_SERVER_SOCKET"),
                address: variable("ANDROID_ADB_SERVER_ADDRESS"),
                port: variable("ANDROID_ADB_SERVER_PORT"),
                program: variable("ADB_PATH").unwrap_or_else(|| "adb".to_owned()).into(),
            },
            serial: variable("ANDROID_SERIAL"),
            key_file: home.join(".android/adbkey"),
            name: format!("{user}@{host}"),
            state: variable("CLAWPERATOR_HOME")
                .filter(|folder| !folder.is_empty())
                .map_or_else(|| home.join(".clawperator"), PathBuf::from),
            journal: match variable("CLAWPERATOR_JOURNAL").as_deref() {
                Some("off") => Journaling::Off,
                _ => Journaling::On,
            },
            operator_package: variable(OPERATOR_PACKAGE),
            folder: std::env::temp_dir(),
        }
    }

    /// What is needed to reach phones.
    pub(crate) fn reach(&self) -> Reach<'_> {
        Reach {
            environment: &self.environment,
            key_file: &self.key_file,
            name: &self.name,
        }
    }

    /// The folder of locks: one for each user, as none may write in another's.
    pub(crate) fn locks(&self) -> PathBuf {
        self.folder
            .join(format!("clawperator-locks-{}", crate::sim::user()))
    }
}
