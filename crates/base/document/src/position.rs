//! Where in a text something is: a line and a column.

use std::fmt;

/// A line and a column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: u64,
    pub column: u64,
}

/// How many characters of a line are shown before the mark, and after it.
const AROUND: usize = 50;

impl Position {
    /// Shows the line in a text with a mark below the column. A long line is
    /// cut, and control characters are replaced, so that it is safe to print.
    pub fn snippet(self, text: &str) -> Option<String> {
        let number = usize::try_from(self.line).ok()?.checked_sub(1)?;
        let line = text.lines().nth(number)?;
        let column = usize::try_from(self.column).ok()?.saturating_sub(1);
        let first = column.saturating_sub(AROUND);
        let shown = |from: usize, count: usize| -> String {
            line.chars().skip(from).take(count).map(printable).collect()
        };
        let cut = |is_cut: bool| if is_cut { "…" } else { "" };
        let start = cut(first > 0);
        let end = cut(line.chars().nth(column + AROUND).is_some());
        let before = shown(first, column - first);
        let rest = shown(column, AROUND);
        let blanks = " ".repeat(start.chars().count() + before.chars().count());
        let margin = self.line.to_string();
        let blank = " ".repeat(margin.len());
        Some(format!("  {margin} | {start}{before}{rest}{end}\n  {blank} | {blanks}^"))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A control character becomes its picture, one character wide, and a tab
/// becomes a blank; every other character stays.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        '\u{7f}' => '\u{2421}',
        c if c < ' ' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('?'),
        c if c.is_control() => '?',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_shows_only_the_part_of_a_long_line_around_the_mark() {
        let text = format!("a: 1\n{}\u{1b}[31m\tb{}\n", "x".repeat(900), "y".repeat(900_000));
        let snippet = |line, column| Position { line, column }.snippet(&text).unwrap();
        let (x, y) = ("x".repeat(50), "y".repeat(43));
        let blanks = " ".repeat(51);
        assert_eq!(snippet(2, 901), format!("  2 | …{x}\u{241b}[31m b{y}…\n    | {blanks}^"));
        assert_eq!(snippet(1, 4), "  1 | a: 1\n    |    ^");
        assert_eq!(Position { line: 9, column: 1 }.snippet(&text), None);
    }
}
