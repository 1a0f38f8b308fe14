//! Lines that contain a part of a secret, for text whose origin is unknown, such as a phone's log.

use crate::secrets::forms;
use std::collections::BTreeSet;

/// How many letters in a row give a secret away.
const LENGTH: usize = 6;
/// What is shown instead of a line.
const HIDDEN: &str = "[hidden: this line contains typed text]";

/// The parts of secrets that give them away.
#[derive(Clone, Default)]
pub struct Fragments {
    /// Every part of the long secrets, and all of the short ones.
    parts: BTreeSet<Vec<char>>,
    lengths: BTreeSet<usize>,
}

impl std::fmt::Debug for Fragments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Fragments({})", self.parts.len())
    }
}

impl Fragments {
    /// The parts of these secrets, however short they are.
    pub fn new<'t>(secrets: impl IntoIterator<Item = &'t str>) -> Self {
        let mut fragments = Self::default();
        for form in secrets.into_iter().flat_map(forms) {
            let letters: Vec<char> = form.chars().collect();
            let length = letters.len().min(LENGTH);
            fragments.lengths.insert(length);
            fragments.parts.extend(letters.windows(length).map(<[char]>::to_vec));
        }
        fragments
    }

    /// The line as it may be shown.
    pub fn hide<'l>(&self, line: &'l str) -> &'l str {
        let letters: Vec<char> = line.chars().collect();
        let gives_away = |length: &usize| letters.windows(*length).any(|part| self.parts.contains(part));
        if self.lengths.iter().any(gives_away) { HIDDEN } else { line }
    }
}
