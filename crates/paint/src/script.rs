//! What writing needs to know of single characters: which take no room, which
//! are wide, which run from right to left. Ranges of Unicode, as tables.

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

/// Marks that sit on the character before them.
const MARKS: Ranges = &[
    (0x0300, 0x036F),
    (0x0483, 0x0489),
    (0x0591, 0x05BD),
    (0x05BF, 0x05BF),
    (0x05C1, 0x05C2),
    (0x05C4, 0x05C5),
    (0x05C7, 0x05C7),
    (0x0610, 0x061A),
    (0x064B, 0x065F),
    (0x0670, 0x0670),
    (0x06D6, 0x06DC),
    (0x06DF, 0x06E4),
    (0x06E7, 0x06E8),
    (0x06EA, 0x06ED),
    (0x0711, 0x0711),
    (0x0730, 0x074A),
    (0x07A6, 0x07B0),
    (0x07EB, 0x07F3),
    (0x0816, 0x0819),
    (0x081B, 0x0823),
    (0x0825, 0x0827),
    (0x0829, 0x082D),
    (0x0859, 0x085B),
    (0x08CA, 0x0902),
    (0x093A, 0x093A),
    (0x093C, 0x093C),
    (0x0941, 0x0948),
    (0x094D, 0x094D),
    (0x0951, 0x0957),
    (0x0962, 0x0963),
    (0x0981, 0x0981),
    (0x09BC, 0x09BC),
    (0x09C1, 0x09C4),
    (0x09CD, 0x09CD),
    (0x09E2, 0x09E3),
    (0x0A01, 0x0A02),
    (0x0A3C, 0x0A3C),
    (0x0A41, 0x0A51),
    (0x0A70, 0x0A71),
    (0x0A81, 0x0A82),
    (0x0ABC, 0x0ABC),
    (0x0AC1, 0x0AC8),
    (0x0ACD, 0x0ACD),
    (0x0B01, 0x0B01),
    (0x0B3C, 0x0B3C),
    (0x0B3F, 0x0B3F),
    (0x0B41, 0x0B44),
    (0x0B4D, 0x0B56),
    (0x0B82, 0x0B82),
    (0x0BC0, 0x0BC0),
    (0x0BCD, 0x0BCD),
    (0x0C00, 0x0C00),
    (0x0C3E, 0x0C40),
    (0x0C46, 0x0C56),
    (0x0CBC, 0x0CBC),
    (0x0CBF, 0x0CBF),
    (0x0CC6, 0x0CC6),
    (0x0CCC, 0x0CCD),
    (0x0D00, 0x0D01),
    (0x0D41, 0x0D44),
    (0x0D4D, 0x0D4D),
    (0x0DCA, 0x0DCA),
    (0x0DD2, 0x0DD6),
    (0x0E31, 0x0E31),
    (0x0E34, 0x0E3A),
    (0x0E47, 0x0E4E),
    (0x0EB1, 0x0EB1),
    (0x0EB4, 0x0EBC),
    (0x0EC8, 0x0ECE),
    (0x0F71, 0x0F7E),
    (0x0F80, 0x0F84),
    (0x0F8D, 0x0FBC),
    (0x102D, 0x1030),
    (0x1032, 0x1037),
    (0x1039, 0x103A),
    (0x103D, 0x103E),
    (0x135D, 0x135F),
    (0x17B4, 0x17B5),
    (0x17B7, 0x17BD),
    (0x17C6, 0x17C6),
    (0x17C9, 0x17D3),
    (0x1AB0, 0x1ACE),
    (0x1DC0, 0x1DFF),
    (0x20D0, 0x20F0),
    (0x302A, 0x302D),
    (0x3099, 0x309A),
    (0xFE20, 0xFE2F),
];

/// Characters that fill a square: Chinese, Japanese, Korean, emoji.
const WIDE: Ranges = &[
    (0x1100, 0x115F),
    (0x2E80, 0x3029),
    (0x302E, 0x303E),
    (0x3041, 0x3098),
    (0x309B, 0xA4CF),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE6F),
    (0xFF01, 0xFF60),
    (0xFFE0, 0xFFE6),
    (0x1F000, 0x1F3FA),
    (0x1F400, 0x1FAFF),
    (0x20000, 0x3FFFD),
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
const MIRRORED: [(char, char); 6] = [
    ('(', ')'),
    ('[', ']'),
    ('{', '}'),
    ('<', '>'),
    ('«', '»'),
    ('‹', '›'),
];

/// Takes no room of its own.
pub(crate) fn is_without_width(c: char) -> bool {
    is_unseen(c) || (c >= '\u{300}' && has(MARKS, c))
}

/// Is never drawn.
pub(crate) fn is_unseen(c: char) -> bool {
    // The answer for nearly every character of nearly every screen.
    !(' '..='~').contains(&c) && has(UNSEEN, c)
}

/// Fills a square.
pub(crate) fn is_wide(c: char) -> bool {
    c >= '\u{1100}' && has(WIDE, c)
}

/// Runs from right to left.
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
    after
        .checked_sub(1)
        .and_then(|index| ranges.get(index))
        .is_some_and(|&(_, last)| code <= last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_order_and_apart() {
        for ranges in [UNSEEN, MARKS, WIDE, RIGHT_TO_LEFT, RTL_DIGITS] {
            assert!(ranges.iter().all(|(first, last)| first <= last));
            assert!(
                ranges.is_sorted_by(|before, after| before.1 < after.0),
                "{ranges:x?}"
            );
        }
    }
}
