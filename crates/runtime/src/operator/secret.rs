//! What was typed must not be repeated in a failure, whatever the app writes
//! into the log. Pure.

use clawperator_journal::forms;
use std::collections::BTreeSet;

/// How many letters in a row give a text away.
const RUN: usize = 6;
/// What stands where a line would have given something away.
const HIDDEN: &str = "[hidden: this line has what was typed]";

/// Texts that must not be repeated.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets {
    /// Every run of letters of the long ones, and all of the short ones.
    runs: BTreeSet<Vec<char>>,
    /// The lengths there are, at most [`RUN`] of them.
    lengths: BTreeSet<usize>,
}

impl Secrets {
    pub(super) fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut secrets = Self::default();
        for text in texts {
            // The app's answers are JSON, in which a text is written otherwise.
            for form in forms(text) {
                secrets.add(&form);
            }
        }
        secrets
    }

    fn add(&mut self, text: &str) {
        let letters: Vec<char> = text.chars().collect();
        let length = letters.len().min(RUN);
        if length > 0 {
            self.lengths.insert(length);
            self.runs.extend(letters.windows(length).map(<[char]>::to_vec));
        }
    }

    /// A line as it may be shown.
    pub(super) fn hide<'l>(&self, line: &'l str) -> &'l str {
        let letters: Vec<char> = line.chars().collect();
        let gives_away = |length: &usize| letters.windows(*length).any(|run| self.runs.contains(run));
        if self.lengths.iter().any(gives_away) {
            HIDDEN
        } else {
            line
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_what_was_typed_hides_the_line() {
        let secrets = Secrets::new(["hunter2 is \"it\"\\", "pin"]);
        for (line, shown) in [
            ("nothing of it", true),
            ("the rest: unter2 is", false),
            ("as JSON: s \\\"it\\\"\\\\", false),
            ("my pin", false),
            ("pi n hunte", true),
            ("", true),
        ] {
            assert_eq!(secrets.hide(line) == line, shown, "{line}");
        }
        assert_eq!(Secrets::default().hide("x"), "x");
    }
}
