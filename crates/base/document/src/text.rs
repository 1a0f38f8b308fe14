//! Text as documents are checked: which characters are blank, how long a string
//! is, when two words are the same. It follows ECMAScript, because payloads
//! were first checked there, and that differs from Rust's `trim` and `len`.

use crate::limits::{MAX_ECHO, MAX_LEADING_ECHO};
use std::borrow::Cow;

/// White space in ECMAScript's sense, as ranges: U+FEFF counts, U+0085 and U+200B do not.
pub const BLANK: [(char, char); 10] = [
    ('\t', '\r'),
    (' ', ' '),
    ('\u{a0}', '\u{a0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200a}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202f}', '\u{202f}'),
    ('\u{205f}', '\u{205f}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{feff}', '\u{feff}'),
];

fn is_blank_char(c: char) -> bool {
    BLANK.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

/// Cuts white space off both ends.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_blank_char)
}

/// Tells whether a text holds nothing but white space.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_blank_char)
}

/// Trims and lower-cases a word so that it can be looked up in a table.
pub fn fold(word: &str) -> Cow<'_, str> {
    let word = trim(word);
    if word.is_ascii() && !word.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.to_lowercase())
    }
}

/// The letters that are not seen or that move what is around them: controls, the ends of lines,
/// those that turn the direction of writing, and those that take no room (Unicode's
/// `Default_Ignorable_Code_Point`; U+FE0F, which emoji have, is left out).
const INVISIBLE: [(char, char); 24] = [
    ('\0', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{e000}', '\u{f8ff}'),
    ('\u{fe00}', '\u{fe0e}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
    ('\u{f0000}', '\u{ffffd}'),
    ('\u{100000}', '\u{10fffd}'),
    ('\u{fdd0}', '\u{fdef}'),
];

/// Tells whether a letter is not seen, or moves what is around it.
pub fn is_invisible(letter: char) -> bool {
    let holds = |(first, last): &(char, char)| (*first..=*last).contains(&letter);
    // Most letters are ASCII.
    !(' '..='~').contains(&letter) && INVISIBLE.iter().any(holds)
}

/// A text of others in one line of ours: what is not seen, ends a line or turns the
/// direction of writing is written as an escape, such as `\u{202e}` or `\n`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let shown = |letter: char| {
        if !is_invisible(letter) {
            letter.to_string()
        } else if letter < ' ' {
            letter.escape_default().to_string()
        } else {
            letter.escape_unicode().to_string()
        }
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Words of others in a text of ours: cut, in quotes, and nothing in them ends the
/// quotes or the line.
pub fn quoted(text: &str, most: usize) -> String {
    let text = cut(text, most).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", visible(&text))
}

/// Writes what is not seen as JSON's escapes, but for ends of lines, tabs and what begins
/// a colour: who prints words of others makes them [`visible`] first.
pub fn escape_invisible(text: String) -> String {
    escape(text, |letter| is_invisible(letter) && !matches!(letter, '\n' | '\t' | '\u{1b}'))
}

/// Writes the control characters that JSON allows as they are, U+007F to U+009F,
/// as JSON escapes: a terminal would obey them.
pub fn escape_controls(text: String) -> String {
    escape(text, |letter| ('\u{7f}'..='\u{9f}').contains(&letter))
}

fn escape(text: String, is_escaped: impl Fn(char) -> bool) -> String {
    if !text.contains(&is_escaped) {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 64);
    for letter in text.chars() {
        if is_escaped(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(letter);
        }
    }
    safe
}

/// Tells whether a text is longer than `max` UTF-16 units.
pub fn exceeds(text: &str, max: usize) -> bool {
    // No text has more UTF-16 units than bytes, so most need no counting.
    text.len() > max && utf16_len(text) > max
}

/// Counts a text's UTF-16 units.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Shortens a text for a message, so that a caller's megabyte is not echoed.
pub fn excerpt(text: &str) -> Cow<'_, str> {
    const MOST: usize = 80;
    cut(text, MOST)
}

/// Shortens a text that an error repeats as data in its list of problems.
pub fn echo(text: &str) -> String {
    cut(text, MAX_ECHO).into_owned()
}

/// Shortens a text that an error repeats as data where it leads; a caller
/// compares it with what it sent.
pub fn leading_echo(text: &str) -> String {
    cut(text, MAX_LEADING_ECHO).into_owned()
}

/// The beginning of a text that has more letters than that, with a sign for it.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// Finds the word of a table that a misspelt one most likely meant.
///
/// Case, `_` and `-` do not count as differences, so `duration_ms` finds `durationMs`.
pub fn closest<'t>(word: &str, table: impl IntoIterator<Item = &'t str>) -> Option<&'t str> {
    closest_of([word], table).map(|(_, name)| name)
}

/// Finds the first of some words that looks like a misspelt one of a table,
/// and what it most likely meant. The table is made ready once for all words.
pub fn closest_of<'w, 't>(
    words: impl IntoIterator<Item = &'w str>,
    table: impl IntoIterator<Item = &'t str>,
) -> Option<(&'w str, &'t str)> {
    let table: Vec<_> = table.into_iter().map(|name| (Bare::new(name), name)).collect();
    words.into_iter().filter(|word| word.len() <= LONGEST_MISSPELT).find_map(|word| {
        let wanted = Bare::new(word);
        let likely = table.iter().filter_map(|(bare, name)| Some((wanted.likeness(bare)?, *name)));
        // The first of equals wins, so that the answer follows the table.
        let best = likely.reduce(|best, next| if best.0 >= next.0 { best } else { next });
        best.map(|(_, name)| (word, name))
    })
}

/// The longest word, in bytes, that a meaning is sought for.
const LONGEST_MISSPELT: usize = 64;

/// A word without what does not count as a difference.
struct Bare {
    text: String,
    chars: usize,
}

impl Bare {
    fn new(word: &str) -> Self {
        let text = word.to_lowercase().replace(['_', '-'], "");
        let chars = text.chars().count();
        Self { text, chars }
    }

    /// How alike two words are, up to one, if they are alike enough.
    fn likeness(&self, other: &Self) -> Option<f64> {
        const ENOUGH: f64 = 0.75;
        // Each character that one has more than the other is a difference, so
        // most words of a table need no closer look.
        let longer = self.chars.max(other.chars);
        if 4 * self.chars.abs_diff(other.chars) > longer {
            return None;
        }
        let likeness = strsim::normalized_levenshtein(&self.text, &other.text);
        (likeness >= ENOUGH).then_some(likeness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_follows_ecmascript_not_rust() {
        for blank in ["", " ", "\t\n\u{b}", "\u{feff}", "\u{a0}\u{3000}\u{2028}"] {
            assert!(is_blank(blank), "{blank:?}");
        }
        for solid in ["\u{200b}", "\u{85}", "\u{180e}", "x"] {
            assert!(!is_blank(solid), "{solid:?}");
        }
        assert_eq!(trim("\u{a0}up\u{feff} "), "up");
    }

    #[test]
    fn control_characters_are_escaped_and_nothing_else_is() {
        let json = |text: &str| serde_json::to_string(text).unwrap();
        for (text, safe) in [
            ("a\u{9b}2J\u{7f}", r#""a\u009b2J\u007f""#),
            ("\u{80}\u{9f}\u{a0}é", "\"\\u0080\\u009f\u{a0}é\""),
            ("plain\n", r#""plain\n""#),
        ] {
            let escaped = escape_controls(json(text));
            assert_eq!(escaped, safe);
            assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
        }
    }

    #[test]
    fn length_counts_utf16_units() {
        assert!(!exceeds(&"é".repeat(128), 128));
        assert!(!exceeds(&"😀".repeat(64), 128));
        assert!(exceeds(&"😀".repeat(65), 128));
    }

    #[test]
    fn folding_lowers_as_unicode_does() {
        assert_eq!(fold(" SNAPSHOT_UI\t"), "snapshot_ui");
        assert_eq!(fold("\u{212a}EY_PRESS"), "key_press");
    }

    #[test]
    fn closest_ignores_case_and_separators() {
        let table = ["durationMs", "direction", "matcher"];
        assert_eq!(closest("duration_ms", table), Some("durationMs"));
        assert_eq!(closest("matchers", table), Some("matcher"));
        assert_eq!(closest("zzz", table), None);
    }

    #[test]
    fn the_first_word_with_a_meaning_is_taken() {
        let table = ["durationMs", "direction", "matcher"];
        assert_eq!(closest_of(["zzz", "matchers", "direction"], table), Some(("matchers", "matcher")));
        assert_eq!(closest_of(["zzz"; 3], table), None);
    }

    #[test]
    fn words_of_another_length_are_told_apart_unread() {
        for (word, name) in [("abcd", "abc"), ("abcdefgh", "abcdef"), ("a", "a"), ("", "")] {
            let likeness = strsim::normalized_levenshtein(word, name);
            let found = Bare::new(word).likeness(&Bare::new(name));
            assert_eq!(found, Some(likeness), "{word} {name}");
        }
        assert_eq!(Bare::new("abcdefg").likeness(&Bare::new("abcde")), None);
    }
}
