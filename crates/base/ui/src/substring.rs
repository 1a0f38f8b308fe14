//! Finds a text inside others in any case, in linear time and without allocating for each of them.

/// A text to find in others.
pub(crate) struct Substring {
    folded: Vec<char>,
    /// For each place: how much of the part is still found if the next character does not fit.
    back: Vec<usize>,
}

impl Substring {
    pub(crate) fn new(part: &str) -> Self {
        let folded: Vec<char> = part.chars().map(fold).collect();
        let mut back = vec![0; folded.len()];
        let mut found = 0;
        for place in 1..folded.len() {
            while found > 0 && folded[place] != folded[found] {
                found = back[found - 1];
            }
            found += usize::from(folded[place] == folded[found]);
            back[place] = found;
        }
        Self { folded, back }
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        if self.folded.is_empty() {
            return true;
        }
        // A character has at least one byte.
        if text.len() < self.folded.len() {
            return false;
        }
        let mut found = 0;
        for c in text.chars().map(fold) {
            while found > 0 && c != self.folded[found] {
                found = self.back[found - 1];
            }
            found += usize::from(c == self.folded[found]);
            if found == self.folded.len() {
                return true;
            }
        }
        false
    }

    /// Tells whether a text begins with it.
    pub(crate) fn begins(&self, text: &str) -> bool {
        let mut letters = text.chars().map(fold);
        self.folded.iter().all(|wanted| letters.next() == Some(*wanted))
    }
}

/// One character for another, so that texts keep their length: up, then down,
/// which brings together what differs in one direction only. A space that keeps words
/// together is a space, and a curly apostrophe is one.
fn fold(c: char) -> char {
    match c {
        c if c.is_ascii() => return c.to_ascii_lowercase(),
        '\u{a0}' | '\u{202f}' => return ' ',
        '’' => return '\'',
        _ => {}
    }
    let up = alone(c.to_uppercase()).unwrap_or(c);
    alone(up.to_lowercase()).unwrap_or(up)
}

fn alone(mut chars: impl Iterator<Item = char>) -> Option<char> {
    chars.next().filter(|_| chars.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_in_any_case() {
        for (part, text, found) in [
            ("sign", "Please SIGN in", true),
            ("sign", "sig", false),
            ("aab", "aaab", true),
            ("abac", "abaabac", true),
            ("ababd", "abababcababd", true),
            ("", "", true),
            ("a", "", false),
            ("ÄRGER", "großer ärger", true),
            ("СЕТЬ", "Моя сеть", true),
            ("k", "\u{212a}", true),
            ("\u{212a}", "OK", true),
            ("ς", "Σ", true),
            ("straße", "STRASSE", false),
            ("漢", "x漢", true),
            ("page 4", "Page\u{a0}4", true),
            ("don't", "Don’t", true),
        ] {
            assert_eq!(Substring::new(part).is_in(text), found, "{part} in {text}");
        }
    }

    #[test]
    fn a_beginning_is_found_in_any_case() {
        for (part, text, found) in [
            ("sign", "SIGN in", true),
            ("sign", "Please sign in", false),
            ("sign in", "sign", false),
            ("", "", true),
            ("СЕТЬ", "сеть 5", true),
        ] {
            assert_eq!(Substring::new(part).begins(text), found, "{part} begins {text}");
        }
    }
}
