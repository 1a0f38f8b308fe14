//! The letters of a text that count when a secret is looked for: without case,
//! width, marks, and what apps put between letters.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// A letter, and the bytes of the text that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) letter: char,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// The letters of a text that count.
pub(crate) fn letters(text: &str) -> Vec<Letter> {
    let mut found = Vec::with_capacity(text.len());
    let mut rest = text.char_indices().peekable();
    while let Some((from, written)) = rest.next() {
        // `1, 2, 3` is a list of letters; `[0,108]` is a place on the screen.
        let lists = written == ',' && rest.peek().is_some_and(|(_, next)| next.is_whitespace());
        if lists || is_between(written) {
            continue;
        }
        let to = from + written.len_utf8();
        decompose_compatible(written, |part| {
            if !is_between(part) && !is_combining_mark(part) {
                // Capitals first: some letters have two small forms, or a capital of two.
                let folded = part.to_uppercase().flat_map(char::to_lowercase);
                found.extend(folded.map(|letter| Letter { letter, from, to }));
            }
        });
    }
    found
}

/// The same as a text.
pub(crate) fn plain(text: &str) -> String {
    letters(text).iter().map(|it| it.letter).collect()
}

/// What apps put between the letters of a number or a code, and what is not seen
/// at all.
fn is_between(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(letter,
            '-' | '_' | '.' | '/' | '(' | ')' | ':' | '|' | '\'' | '~' | '\u{b7}' | '\u{2022}'
            // Every dash of Unicode.
            | '\u{58a}' | '\u{5be}' | '\u{1400}' | '\u{1806}' | '\u{2e17}' | '\u{2e1a}' | '\u{2e3a}' | '\u{2e3b}'
            | '\u{2e40}' | '\u{2e5d}' | '\u{301c}' | '\u{3030}' | '\u{30a0}' | '\u{fe31}' | '\u{fe32}' | '\u{10ead}' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}'
            | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
