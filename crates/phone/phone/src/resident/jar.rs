//! Which files are known to be the resident server. PURE.
//!
//! The file is pushed to a phone and started there, so it must be one that is
//! known: its digest is looked up in this table.

use clawperator_events::digest;
use std::fmt;

/// The file inside of the Python package, and of its wheel.
pub const JAR_IN_PACKAGE: &str = "uiautomator2/assets/u2.jar";
/// The Python package that has it.
pub const PACKAGE: &str = "uiautomator2";
/// The most bytes of such a file. The known ones have less than 4 MB.
pub const MAX_JAR: usize = 16 << 20;
/// How a zip file begins; such a jar is one.
const ZIP: &[u8] = b"PK\x03\x04";

/// One known file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownJar {
    /// Its version, as its package says.
    pub version: &'static str,
    /// The versions of the Python package that have it, the oldest first.
    pub packages: &'static [&'static str],
    pub sha256: &'static str,
    pub bytes: usize,
}

/// Every known file, the oldest first.
///
/// How it was made: `pip download uiautomator2==VERSION --no-deps` for every
/// version from 3.2.0 on, and `unzip -p WHEEL uiautomator2/assets/u2.jar |
/// sha256sum`. The version is `u2.jar` of `assets/version.json`; before 3.6.0
/// it is `JAR_VERSION` of `assets/sync.sh`. Checked in November 2026.
pub const KNOWN_JARS: &[KnownJar] = &[
    KnownJar {
        version: "0.1.0",
        packages: &["3.2.0", "3.2.1"],
        sha256: "e6242c4b94668ee9f27dfa605a5151158dd3ce83fa42aaf75759435ffe6d46f5",
        bytes: 3_745_945,
    },
    KnownJar {
        version: "0.1.2",
        packages: &["3.2.2"],
        sha256: "c00fff1a1eac0d3a2e70b1968d3eabff501efb9c167efb7012056dc004e4c088",
        bytes: 3_746_010,
    },
    KnownJar {
        version: "0.1.3",
        packages: &["3.2.3"],
        sha256: "fe6dfbc1fb34b97c905bb987a0107a96576bee35fd50df32e143ef1ad3d030a0",
        bytes: 3_745_919,
    },
    KnownJar {
        version: "0.1.4",
        packages: &["3.2.4", "3.2.5"],
        sha256: "7651f7418a2a3aede113a9918fe4b4091f784002940e751bf719673468841f88",
        bytes: 3_746_321,
    },
    KnownJar {
        version: "0.1.5",
        packages: &[
            "3.2.6", "3.2.7", "3.2.8", "3.2.9", "3.2.10", "3.2.11", "3.3.0", "3.3.1", "3.3.2", "3.3.3",
            "3.3.4", "3.4.0", "3.4.1", "3.4.2",
        ],
        sha256: "1bd7c57fe019d0275a66b936ed5d7ea5f244d98e5e3ba3d1ccf4a14e721ef94f",
        bytes: 3_746_525,
    },
    KnownJar {
        version: "0.2.2",
        packages: &["3.5.0", "3.5.2"],
        sha256: "ea100004a76e821f4bff4f9d674165562752af101943d2a65959a5f2ee7fb892",
        bytes: 3_707_643,
    },
    KnownJar {
        version: "0.3.1",
        packages: &["3.6.0"],
        sha256: "c59218666df624c295ccc9906b4f7abe72cc92d6559c3fe493ec41a8c72cd4e3",
        bytes: 3_707_160,
    },
    KnownJar {
        version: "0.4.0",
        packages: &["3.7.0"],
        sha256: "0b74e83c55f443539a9f76f5ce023a51466b764b1100e4097a897053fdfc0eb6",
        bytes: 3_707_333,
    },
    KnownJar {
        version: "0.4.1",
        packages: &["3.7.1"],
        sha256: "87c8ac9505970d42aa5922baa90114808fda6f47f9e5fbd4caa0f621c2c8d30d",
        bytes: 3_708_402,
    },
];

/// The known file with a digest.
pub fn known_jar(sha256: &str) -> Option<&'static KnownJar> {
    KNOWN_JARS.iter().find(|row| row.sha256 == sha256)
}

/// The newest version of the Python package that is known, which is the one that is downloaded.
pub fn newest_package() -> &'static str {
    let newest = KNOWN_JARS.last().and_then(|row| row.packages.last());
    newest.copied().unwrap_or_default()
}

/// The oldest version of the Python package that is known.
fn oldest_package() -> &'static str {
    let oldest = KNOWN_JARS.first().and_then(|row| row.packages.first());
    oldest.copied().unwrap_or_default()
}

/// Whether a file that is not known may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownJar {
    Refused,
    /// Yes: the user says that it is the server.
    Allowed,
}

/// A file that may be pushed to a phone. Its debug output is its digest.
#[derive(Clone, PartialEq, Eq)]
pub struct Jar {
    bytes: Vec<u8>,
    sha256: String,
}

impl fmt::Debug for Jar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Jar({}, {} bytes)", self.sha256, self.bytes.len())
    }
}

/// Why a file is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JarError {
    /// It cannot be a jar.
    #[error("it is no jar file: it does not begin as a zip file does")]
    NoZip,
    #[error("it has {0} bytes; at most {MAX_JAR} are allowed")]
    TooLarge(usize),
    /// Its digest is not in the table.
    #[error(
        "its SHA-256 {sha256} is not that of a u2.jar of uiautomator2 {} to {}",
        oldest_package(),
        newest_package()
    )]
    NotKnown { sha256: String },
}

impl Jar {
    /// Checks a file.
    pub fn check(bytes: Vec<u8>, unknown: UnknownJar) -> Result<Self, JarError> {
        if bytes.len() > MAX_JAR {
            return Err(JarError::TooLarge(bytes.len()));
        }
        if !bytes.starts_with(ZIP) {
            return Err(JarError::NoZip);
        }
        let sha256 = digest(&bytes);
        if known_jar(&sha256).is_none() && unknown == UnknownJar::Refused {
            return Err(JarError::NotKnown { sha256 });
        }
        Ok(Self { bytes, sha256 })
    }

    /// What it is.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its SHA-256, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Its version, if it is known.
    pub fn version(&self) -> Option<&'static str> {
        known_jar(&self.sha256).map(|row| row.version)
    }
}
