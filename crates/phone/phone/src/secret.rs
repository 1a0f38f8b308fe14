//! A text that must not be shown: what a person typed for a phone.

use clawperator_redact::mask;
use serde::{Serialize, Serializer};
use std::fmt;

/// A secret text. Debug and JSON show its length only; dropping it overwrites it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Keeps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into().into_bytes())
    }

    /// The text. Give it to a phone, and to nothing else.
    pub fn expose(&self) -> &str {
        // It was made of a text.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// How many letters it has.
    pub fn letters(&self) -> usize {
        self.expose().chars().count()
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.fill(0);
        // Else the compiler may see that nothing reads the zeros.
        std::hint::black_box(&self.0);
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&mask(self.expose()))
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&mask(self.expose()))
    }
}
