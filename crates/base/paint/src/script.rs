//! What writing needs to know of single characters: which take no room, which
//! are wide, which run from right to left.

use unicode_width::UnicodeWidthChar;

type Ranges = &'static [(u32, u32)];

/// Characters that are never seen: controls, joiners, direction marks,
/// variation selectors, skin tones.
const UNSEEN: Ranges = &[
    (0x0000, 0x0008),
    (0x000A, 0x001F),
    (0x007F, 0x009F),
    (0x00AD, 0x00AD),
    (0x061C, 0x061C),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0x1F3FB, 0x1F3FF),
    (0xE0000, 0xE0FFF),
];

/// Hebrew, Arabic and the other scripts that run from right to left.
const RIGHT_TO_LEFT: Ranges = &[
    (0x0590, 0x08FF),
    (0x200F, 0x200F),
    (0xFB1D, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0x10800, 0x10FFF),
    (0x1E800, 0x1EFFF),
];

/// Digits of the scripts above, which run from left to right all the same.
const RTL_DIGITS: Ranges = &[(0x0660, 0x0669), (0x06F0, 0x06F9), (0x07C0, 0x07C9)];

/// What looks the other way round in text that runs from right to left.
const MIRRORED: [(char, char); 6] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('«', '»'), ('‹', '›')];

/// Takes no room of its own.
pub(crate) fn is_without_width(c: char) -> bool {
    is_unseen(c) || (c >= '\u{300}' && c.width() == Some(0))
}

pub(crate) fn is_unseen(c: char) -> bool {
    // The answer for nearly every character of nearly every screen.
    !(' '..='~').contains(&c) && has(UNSEEN, c)
}

pub(crate) fn is_wide(c: char) -> bool {
    c >= '\u{1100}' && c.width() == Some(2)
}

pub(crate) fn is_right_to_left(c: char) -> bool {
    c >= '\u{590}' && has(RIGHT_TO_LEFT, c) && !has(RTL_DIGITS, c)
}

/// Runs neither way by itself: white space and punctuation.
pub(crate) fn is_neutral(c: char) -> bool {
    is_without_width(c) || !(c.is_alphanumeric() || is_right_to_left(c) || is_wide(c))
}

/// The character as it looks in text that runs from right to left.
pub(crate) fn mirrored(c: char) -> char {
    let other = MIRRORED.iter().find_map(|&(open, close)| match c {
        c if c == open => Some(close),
        c if c == close => Some(open),
        _ => None,
    });
    other.unwrap_or(c)
}

fn has(ranges: Ranges, c: char) -> bool {
    let code = u32::from(c);
    let after = ranges.partition_point(|&(first, _)| first <= code);
    after.checked_sub(1).and_then(|index| ranges.get(index)).is_some_and(|&(_, last)| code <= last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_order_and_apart() {
        for ranges in [UNSEEN, RIGHT_TO_LEFT, RTL_DIGITS] {
            assert!(ranges.iter().all(|(first, last)| first <= last));
            assert!(ranges.is_sorted_by(|before, after| before.1 < after.0), "{ranges:x?}");
        }
    }
}
