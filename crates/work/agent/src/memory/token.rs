//! The words of a text, as they are compared: lower case, without accents, without a plural's `s`.
//! Scripts without spaces between words give every two neighbouring letters. Pure.

use unicode_normalization::UnicodeNormalization as _;

const MAX_WORD: usize = 40;
/// Accents on Latin, Greek and Cyrillic letters.
const ACCENTS: std::ops::RangeInclusive<char> = '\u{300}'..='\u{36f}';

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenUse {
    /// To be found: also each letter of a script without spaces.
    Index,
    Query,
}

pub(super) fn words(text: &str, purpose: TokenUse) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, purpose, |word| words.push(word.to_owned()));
    words
}

/// Calls a function with each word of a text, in their order.
pub(super) fn each_word(text: &str, purpose: TokenUse, mut tell: impl FnMut(&str)) {
    if text.is_ascii() {
        // Most of most notes: no letter has an accent or is dense.
        let mut word = String::new();
        for part in text.split(|letter: char| !letter.is_ascii_alphanumeric()) {
            word.push_str(part);
            word.make_ascii_lowercase();
            end_word(&mut word, &mut tell);
        }
    } else {
        let plain = text.nfkd().filter(|letter| !ACCENTS.contains(letter)).nfc();
        each_of_letters(plain.flat_map(char::to_lowercase), purpose, &mut tell);
    }
}

fn each_of_letters(letters: impl Iterator<Item = char>, purpose: TokenUse, tell: &mut impl FnMut(&str)) {
    let mut word = String::new();
    // The letters of a run without spaces so far.
    let mut run: Vec<char> = Vec::new();
    for letter in letters.chain([' ']) {
        let letter = letter.to_ascii_lowercase();
        let (is_letter, is_dense) = (is_part_of_word(letter), is_dense(letter));
        if !(is_letter && is_dense) {
            end_run(&mut run, purpose, tell);
        }
        if !is_letter || is_dense {
            end_word(&mut word, tell);
        }
        if is_dense {
            run.push(letter);
        } else if is_letter {
            word.push(letter);
        }
    }
}

/// Tells a word that is complete, and empties it.
fn end_word(word: &mut String, tell: &mut impl FnMut(&str)) {
    if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && word.is_ascii() {
        word.pop();
    }
    if word.len() > MAX_WORD
        && let Some((end, _)) = word.char_indices().nth(MAX_WORD)
    {
        word.truncate(end);
    }
    // A single letter says nothing.
    if word.len() > 1 || word.bytes().all(|letter| letter.is_ascii_digit()) && !word.is_empty() {
        tell(word);
    }
    word.clear();
}

fn end_run(run: &mut Vec<char>, purpose: TokenUse, tell: &mut impl FnMut(&str)) {
    for pair in run.windows(2) {
        tell(&pair.iter().collect::<String>());
    }
    if purpose == TokenUse::Index || run.len() == 1 {
        for letter in run.iter() {
            tell(letter.encode_utf8(&mut [0; 4]));
        }
    }
    run.clear();
}

fn is_part_of_word(letter: char) -> bool {
    // Signs of Indian scripts are no letters by themselves.
    letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter)
}

/// A letter of a script that is written without spaces between words.
fn is_dense(letter: char) -> bool {
    matches!(u32::from(letter),
        // Thai, Lao, Myanmar, Khmer.
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF
        // Kana, Bopomofo, Han, Yi, Hangul.
        | 0x3040..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xA000..=0xA4CF | 0xAC00..=0xD7AF
        | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
        && letter.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_without_case_accents_and_plurals() {
        for (text, expected) in [
            ("", ""),
            ("?! ...", ""),
            ("The Wi-Fi passwords, class 7", "the wi fi password class 7"),
            ("Caf\u{e9} CAFE\u{301} \u{c5}ngstr\u{f6}m", "cafe cafe angstrom"),
            ("\u{ff21}\u{ff22}\u{ff23} \u{fb01}ne", "abc fine"),
            ("a b cd", "cd"),
            (
                "stra\u{df}e \u{41c}\u{43e}\u{441}\u{43a}\u{432}\u{430}",
                "stra\u{df}e \u{43c}\u{43e}\u{441}\u{43a}\u{432}\u{430}",
            ),
            ("wifi\u{8bbe}\u{7f6e}x2", "wifi \u{8bbe}\u{7f6e} x2"),
            ("\u{6211}\u{4eec}\u{53bb}", "\u{6211}\u{4eec} \u{4eec}\u{53bb}"),
            ("\u{6211}", "\u{6211}"),
            ("\u{ac00}\u{b098} \u{ac00}", "\u{ac00}\u{b098} \u{ac00}"),
        ] {
            assert_eq!(words(text, TokenUse::Query).join(" "), expected, "{text}");
        }
        let found = words("\u{6211}\u{4eec}", TokenUse::Index).join(" ");
        assert_eq!(found, "\u{6211}\u{4eec} \u{6211} \u{4eec}");
        assert_eq!(words(&"x".repeat(900), TokenUse::Index)[0].len(), MAX_WORD);
    }
}
