//! The names of sessions. A name is also the name of a folder, so nothing else
//! than small letters, digits and dashes is one.

use std::fmt;

const MAX: usize = 80;

/// A session's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionId(String);

impl SessionId {
    /// A name for a session that begins now. Two of the same millisecond differ.
    pub fn generate(now_ms: u64, random: u64) -> Self {
        Self(format!("agent-{now_ms}-{random:016x}"))
    }

    /// A name that somebody wrote, if it can be one.
    pub fn parse(text: &str) -> Option<Self> {
        let good = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        let fits = !text.is_empty() && text.len() <= MAX && text.chars().all(good);
        fits.then(|| Self(text.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
