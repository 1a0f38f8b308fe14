//! Whether an Operator app is one that this program works with. Pure.

use clawperator_contract::ErrorCode;

/// The version of the Operator app whose commands and answers this program knows.
pub const OPERATOR_VERSION: &str = "0.5.3";

/// What builds for developers have behind their version.
const DEVELOPERS: &str = "-d";

/// Whether an Operator app can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compatibility {
    Same,
    /// It is of another version.
    Other,
    /// Its version is no version.
    Invalid,
    /// The phone does not say its version.
    Unreadable,
}

impl Compatibility {
    /// The code of what is wrong.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Same => None,
            Self::Other => Some(ErrorCode::VersionIncompatible),
            Self::Invalid => Some(ErrorCode::ApkVersionInvalid),
            Self::Unreadable => Some(ErrorCode::ApkVersionUnreadable),
        }
    }
}

/// Judges an app's version, as the phone says it.
pub fn compatibility(version: Option<&str>) -> Compatibility {
    let Some(version) = version.map(str::trim).filter(|text| !text.is_empty()) else {
        return Compatibility::Unreadable;
    };
    let version = version.strip_suffix(DEVELOPERS).unwrap_or(version);
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<_> = version.split('.').collect();
    if parts.len() != 3 || !parts.into_iter().all(number) {
        Compatibility::Invalid
    } else if version == OPERATOR_VERSION {
        Compatibility::Same
    } else {
        Compatibility::Other
    }
}
