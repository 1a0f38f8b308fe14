//! The rule of which parts of a value give it away, whether the value is known or
//! only its hashes are.

use crate::field::is_word_of_fields;
use crate::letters::Letter;
use std::ops::Range;

/// A shorter value would be found in every text.
pub(crate) const SHORTEST: usize = 3;
/// A value up to this length is hidden where it is a separate word, and only as a whole.
const SHORT: usize = 4;
/// A beginning or an end of this length gives a value away where it is a separate
/// word; one of more than half of it anywhere, unless that is short.
pub(crate) const PART: usize = 4;
const LONG_PART: usize = 6;
/// The most letters of a value that are compared. More are found as its parts.
pub(crate) const COMPARED: usize = 256;

/// Where the letters of a text are a part of a value that must not be shown. `known`
/// is how many letters the value has; `agree` tells how many of its first ones
/// begin at a place, and how many of its last ones end there.
pub(crate) fn parts<'a>(
    text: &'a str,
    all: &'a [Letter],
    known: usize,
    mut agree: impl FnMut(usize) -> (usize, usize) + 'a,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let places = if known < SHORTEST { 0 } else { all.len() };
    let both = (0..places).flat_map(move |at| {
        let (begins, ends) = agree(at);
        [at..at + begins, at + 1 - ends..at + 1]
    });
    both.filter(move |part| !part.is_empty() && gives_away(text, &all[part.clone()], known))
}

fn gives_away(text: &str, part: &[Letter], known: usize) -> bool {
    let count = part.len();
    let is_word = || is_word(text, part[0].from, part[count - 1].to);
    if count == known {
        return known > SHORT || is_word();
    }
    let is_long = count >= LONG_PART && count * 2 > known;
    let word = || part.iter().map(|it| it.letter).collect::<String>();
    known > SHORT && count >= PART && (is_long || is_word()) && !is_word_of_fields(&word())
}

/// Whether a part of a text is a word of its own.
pub(crate) fn is_word(text: &str, from: usize, to: usize) -> bool {
    let joins = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    !joins(text[..from].chars().next_back()) && !joins(text[to..].chars().next())
}
