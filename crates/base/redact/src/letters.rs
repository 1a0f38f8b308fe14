//! The letters of a text that count when a secret is looked for: without case,
//! width, marks, and what apps put between letters.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// The most bytes of a letter that is written as its name or number.
const LONGEST_ENTITY: usize = 10;

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
    let (mut rest, mut is_place) = (text, false);
    while let Some(first) = rest.chars().next() {
        let from = text.len() - rest.len();
        let (written, length) = entity(rest).unwrap_or((first, first.len_utf8()));
        rest = &rest[length..];
        // `1,2, 3` is a list of letters; `[0,108]` is a place on the screen.
        is_place = written == '[' || (is_place && written != ']');
        if (written == ',' && !is_place) || is_between(written) {
            continue;
        }
        let to = from + length;
        decompose_compatible(written, |part| {
            if !is_between(part) && !is_combining_mark(part) {
                let part = ascii_digit(part).unwrap_or(part);
                // Capitals first: some letters have two small forms, or a capital of two.
                let folded = part.to_uppercase().flat_map(char::to_lowercase);
                found.extend(folded.map(|letter| Letter { letter, from, to }));
            }
        });
    }
    found
}

pub(crate) fn plain(text: &str) -> String {
    letters(text).iter().map(|it| it.letter).collect()
}

/// The letter that a dump or a page writes as `&amp;` or `&#87;`, and the bytes of
/// that. Half a letter is a sign.
fn entity(rest: &str) -> Option<(char, usize)> {
    let end = rest.bytes().take(LONGEST_ENTITY).position(|byte| byte == b';')?;
    let letter = match rest[..end].strip_prefix('&')? {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        number => {
            let number = number.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
    };
    Some((letter, end + 1))
}

/// What apps put between the letters of a number or a code, and what is not seen
/// at all: signs, dashes, drawings and fillers.
fn is_between(letter: char) -> bool {
    let is_sign = matches!(letter,
        '-' | '_' | '.' | '/' | '(' | ')' | ':' | '|' | '\'' | '~' | '+' | '*' | '\u{80}'..='\u{bf}' | '\u{34f}'
        | '\u{58a}' | '\u{5be}' | '\u{61c}' | '\u{1400}' | '\u{17b4}' | '\u{17b5}' | '\u{1800}'..='\u{180f}'
        | '\u{2000}'..='\u{2bff}' | '\u{2e00}'..='\u{2e7f}' | '\u{3000}'..='\u{303f}' | '\u{30a0}'
        | '\u{fe00}'..='\u{fe6f}' | '\u{feff}' | '\u{fff0}'..='\u{fffd}' | '\u{10ead}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{1f000}'..='\u{1faff}' | '\u{e0000}'..='\u{e0fff}');
    // Unicode counts these as letters.
    let is_filler = matches!(letter, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{30fc}');
    letter.is_whitespace() || is_filler || (is_sign && !letter.is_alphanumeric())
}

/// The zeros of the scripts that write numbers with digits of their own.
const ZEROS: [u32; 17] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20,
    0x1040, 0x17e0,
];

fn ascii_digit(letter: char) -> Option<char> {
    let code = u32::from(letter);
    let zero = ZEROS.into_iter().find(|zero| (*zero..*zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
}
