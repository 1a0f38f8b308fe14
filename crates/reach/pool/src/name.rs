//! Names in a pool: hosts, phones, classes and jobs, and the keys made of them.

use crate::job::Target;
use clawperator_contract::{ErrorCode, Failure};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

/// In JSON, these are the texts that people write for them.
macro_rules! written_as_text {
    ($($name:ty),*) => {$(
        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse().map_err(|failure: Failure| failure.message)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.to_string()
            }
        }
    )*};
}

written_as_text!(Name, PhoneName, Target);

/// The name of a host or of a class of phones: 1 to 64 letters, digits, `-` and `_`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    /// The nearest name to a text, for what a computer or a phone calls itself.
    pub fn near(text: &str) -> Option<Self> {
        let lower = text.to_ascii_lowercase();
        let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let joined: String = words.collect::<Vec<_>>().join("-").chars().take(64).collect();
        joined.parse().ok()
    }

    /// The name as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        if (1..=64).contains(&text.len()) && text.chars().all(is_plain) {
            return Ok(Self(text.to_owned()));
        }
        let message = format!("{text:?} is no name of a host, tenant or class of phones");
        let hint = "A name has 1 to 64 letters, digits, - and _, for example pixel-8.";
        Err(Failure::of(ErrorCode::Usage, message).hint(hint))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A phone of the pool: its host, and its serial there. It is written `host/serial`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PhoneName {
    pub host: Name,
    pub serial: String,
}

impl PhoneName {
    /// Its key, of two parts.
    pub fn key(&self) -> String {
        format!("{}.{}", self.host, key_part(&self.serial))
    }
}

impl FromStr for PhoneName {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let (host, serial) = text.split_once('/').unwrap_or((text, ""));
        let host: Name = host.parse()?;
        if (1..=200).contains(&serial.len()) && !serial.chars().any(char::is_control) {
            return Ok(Self { host, serial: serial.to_owned() });
        }
        let message = format!("{text:?} is no phone of a pool");
        let hint = "Write HOST/SERIAL, as clawperator pool phones lists it, or any:CLASS.";
        Err(Failure::of(ErrorCode::Usage, message).hint(hint))
    }
}

impl fmt::Display for PhoneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.host, self.serial)
    }
}

/// A text as one part of a key: other letters than those of a [`Name`] are `=` and two digits.
pub(crate) fn key_part(text: &str) -> String {
    let mut part = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            part.push(char::from(byte));
        } else {
            part.push_str(&format!("={byte:02X}"));
        }
    }
    part
}

/// The name of a job: made of the caller's id, so that the same id is the same job.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String")]
pub struct JobId(String);

impl JobId {
    /// The name of the job with this id of its caller, or of a part of it: `ID@PART`.
    pub fn of_part(command_id: &str, part: Option<&str>) -> Self {
        part.map_or_else(|| Self::of(command_id), |part| Self::of(&format!("{command_id}@{part}")))
    }

    /// The name of the job with this id of its caller. What looks like a name is one, so that a
    /// job is found by either.
    pub fn of(command_id: &str) -> Self {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if command_id.len() == 24 && command_id.bytes().all(is_digit) {
            return Self(command_id.to_owned());
        }
        let digest = Sha256::digest(command_id.as_bytes());
        Self(digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect())
    }

    /// The name as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of the job, wherever it is to run.
    pub(crate) fn job_key(&self) -> String {
        format!("*.*.*.*.{self}")
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for JobId {
    fn from(text: String) -> Self {
        Self::of(&text)
    }
}
