//! How many elements of which kind, in words.

use crate::role::Role;
use std::collections::BTreeMap;
use std::fmt;

/// How many elements there are of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<&'static str, usize>);

impl Counts {
    /// Counts one more, or one less.
    pub(crate) fn add(&mut self, role: Role) {
        *self.0.entry(role.word()).or_default() += 1;
    }

    pub(crate) fn remove(&mut self, role: Role) {
        if let Some(count) = self.0.get_mut(role.word()) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(role.word());
            }
        }
    }

    /// How many there are in all.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each kind's word and how many there are, most first.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let mut rows: Vec<_> = self.0.iter().map(|(word, count)| (*word, *count)).collect();
        rows.sort_by_key(|(word, count)| (std::cmp::Reverse(*count), *word));
        rows.into_iter()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (word, count)) in self.rows().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            // An unknown role still counts as an element.
            let word = if word == Role::Unknown.word() { "element" } else { word };
            let end = match (count, word.ends_with(['x', 'h'])) {
                (1, _) => "",
                (_, true) => "es",
                (_, false) => "s",
            };
            write!(f, "{comma}{count} {word}{end}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_said_in_words() {
        let mut counts = Counts::default();
        assert_eq!(counts.to_string(), "");
        for role in [Role::Text, Role::Switch, Role::Text, Role::Unknown, Role::Switch, Role::Text] {
            counts.add(role);
        }
        assert_eq!(counts.to_string(), "3 texts, 2 switches, 1 element");
        counts.remove(Role::Unknown);
        counts.remove(Role::Unknown);
        assert_eq!((counts.to_string(), counts.total()), ("3 texts, 2 switches".to_owned(), 5));
    }
}
