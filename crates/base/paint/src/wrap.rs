//! Breaks text into lines. Knows widths, not pixels.

use crate::font::advance;
use crate::script::{is_wide, is_without_width};
use crate::style::TextStyle;

/// What is drawn where text was cut off.
pub(crate) const ELLIPSIS: char = '…';

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    Whole,
    /// With an ellipsis, because there is more text than lines.
    Ellipsis,
}

/// One line of wrapped text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextLine<'a> {
    /// The characters on it, without the newline that ends it. White space
    /// that the line was broken at is still there.
    pub text: &'a str,
    /// How wide it is drawn: without white space at its end, with its ellipsis.
    pub width: f32,
    pub ending: LineEnding,
}

/// Breaks text into at most `lines` lines no wider than `width`: at newlines,
/// at white space, between wide characters, and inside a word that is too long
/// by itself. At least one character goes on every line, however narrow it is.
///
/// The lines' texts, one after another, are the text without its newlines,
/// unless the last one ends in an ellipsis. White space alone is no reason for
/// an ellipsis: it is left out where the lines do not suffice.
pub fn wrap<'a>(text: &'a str, style: &TextStyle, width: f32, lines: u16) -> Vec<TextLine<'a>> {
    // What is no number leaves no room; half a pixel forgives rounding.
    let width = width.max(0.0) + 0.5;
    let mut result = Vec::new();
    let mut rest = Some(text);
    while let Some(text) = rest
        && result.len() < usize::from(lines)
    {
        let (line, after) = first_line(text, style, width);
        let unseen = after.is_some_and(|after| !after.trim().is_empty());
        if unseen && result.len() + 1 == usize::from(lines) {
            result.push(cut(text, style, width));
            break;
        }
        result.push(line);
        rest = after;
    }
    result
}

/// The first line, and what comes after it; nothing when the text is over.
fn first_line<'a>(text: &'a str, style: &TextStyle, width: f32) -> (TextLine<'a>, Option<&'a str>) {
    let mut pen = 0.0;
    let mut inked = 0.0;
    // The last place to break at, and the width before it.
    let mut gap: Option<(usize, f32)> = None;
    let mut before: Option<char> = None;
    for (index, c) in text.char_indices() {
        if c == '\n' {
            return split(text, index, inked, index + 1);
        }
        if before.is_some_and(|before| may_break(before, c)) {
            gap = Some((index, inked));
        }
        let room = advance(c, style);
        if before.is_some() && room > 0.0 && !c.is_whitespace() && pen + room > width {
            let (end, width) = gap.unwrap_or((index, inked));
            return split(text, end, width, end);
        }
        pen += room;
        if !c.is_whitespace() {
            inked = pen;
        }
        before = Some(c);
    }
    (TextLine { text, width: inked, ending: LineEnding::Whole }, None)
}

fn split(text: &str, end: usize, width: f32, after: usize) -> (TextLine<'_>, Option<&str>) {
    let (line, rest) = (text.get(..end).unwrap_or(text), text.get(after..));
    (TextLine { text: line, width, ending: LineEnding::Whole }, rest)
}

fn may_break(before: char, c: char) -> bool {
    let stays =
        c.is_whitespace() || is_without_width(c) || matches!(before, '\u{A0}' | '\u{200D}' | '\u{2060}');
    let after = before.is_whitespace() || matches!(before, '-' | '\u{200B}' | '\u{AD}' | '–' | '—' | '/');
    // Closing marks stay with what they close.
    let closes = matches!(c, '。' | '、' | '，' | '．' | '！' | '？' | '）' | '」' | '』' | '：' | '；');
    !stays && !closes && (after || is_wide(before) || is_wide(c))
}

/// As much of the text as fits on one line before an ellipsis.
fn cut<'a>(text: &'a str, style: &TextStyle, width: f32) -> TextLine<'a> {
    let dots = advance(ELLIPSIS, style);
    let (mut pen, mut end, mut inked) = (0.0, 0, 0.0);
    for (index, c) in text.char_indices() {
        pen += advance(c, style);
        if c == '\n' || pen + dots > width {
            break;
        }
        // The ellipsis follows the last letter, not the space after it.
        if !c.is_whitespace() {
            (end, inked) = (index + c.len_utf8(), pen);
        }
    }
    TextLine { text: text.get(..end).unwrap_or_default(), width: inked + dots, ending: LineEnding::Ellipsis }
}
