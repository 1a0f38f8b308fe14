//! The name of a recording.

use crate::limits::MAX_SESSION_ID;
use std::fmt;

/// Names that other files in the folder have, or that mean something else.
const TAKEN: &[&str] = &["latest", "running"];

/// The name of a recording: letters, digits, `-` and `_`, so that it can be the
/// name of a file anywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordingId(String);

impl RecordingId {
    /// Takes a name that can be one.
    pub fn new(name: &str) -> Option<Self> {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        let taken = TAKEN.iter().any(|taken| taken.eq_ignore_ascii_case(name));
        let good = !name.is_empty() && name.len() <= MAX_SESSION_ID && name.chars().all(fits) && !taken;
        good.then(|| Self(name.to_owned()))
    }

    /// A generated name.
    pub fn generate(now_ms: u64, random: u64) -> Self {
        Self(format!("record-{now_ms}-{:08x}", random as u32))
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of its file.
    pub fn file_name(&self) -> String {
        format!("{}.ndjson", self.0)
    }
}

impl fmt::Display for RecordingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
