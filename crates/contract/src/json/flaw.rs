//! Values that JSON can write and no text or number can hold: half a surrogate
//! pair, and a number beyond a double. `serde_json` stops at the first; a caller
//! is to hear of it at its path, beside everything else.
//!
//! Rare, so it may cost: what is flawed is written over with something harmless
//! of the same length, the text is read again, and the value is marked.

use super::{Content, Document, ReadError};
use std::ops::Range;

/// The most flaws that are read past; a document with more is no document.
const MAX_FLAWS: usize = 16;

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The number is beyond the largest double.
    TooLarge,
    /// The text has half a surrogate pair.
    HalfPair,
}

impl Flaw {
    /// What is wrong, behind the name of the value.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::TooLarge => "is too large for a number",
            Self::HalfPair => "has half a surrogate pair, a \\u escape that is no character by itself",
        }
    }
}

/// Reads a text again that was not read to its end, past flaws like the one it
/// stopped at.
pub(super) fn read_past<'a>(
    text: &str,
    (mut error, mut cell): (ReadError, usize),
) -> Result<Document<'a>, ReadError> {
    let mut text = text.to_owned();
    let mut flaws = Vec::new();
    loop {
        let Some((range, flaw)) = cause(&text, &error) else {
            return Err(error);
        };
        if flaws.len() == MAX_FLAWS {
            return Err(renamed(error, flaw));
        }
        flaws.push((cell, flaw));
        let harmless = match flaw {
            Flaw::TooLarge => format!("{:<1$}", 0, range.len()),
            Flaw::HalfPair => "\\ufffd".to_owned(),
        };
        text.replace_range(range, &harmless);
        // Read through a stream, nothing is borrowed from the changed text.
        match Document::read_from(serde_json::Deserializer::from_reader(text.as_bytes()), 0) {
            Ok(document) => return Ok(mark(document, &flaws)),
            Err(next) => (error, cell) = next,
        }
    }
}

fn mark<'a>(mut document: Document<'a>, flaws: &[(usize, Flaw)]) -> Document<'a> {
    for (cell, flaw) in flaws {
        // A value that a later one replaced is as good as gone.
        if let Some(cell) = document.cells.get_mut(*cell)
            && !matches!(cell.content, Content::Dropped | Content::Array | Content::Object)
        {
            cell.content = Content::Flawed(*flaw);
        }
    }
    document
}

fn renamed(error: ReadError, flaw: Flaw) -> ReadError {
    match error {
        ReadError::Syntax { line, column, .. } => ReadError::Syntax {
            reason: format!("a value {}", flaw.words()),
            line,
            column,
        },
        other => other,
    }
}

/// The flaw that an error stopped at: the first of the text, if the error is not
/// before it.
fn cause(text: &str, error: &ReadError) -> Option<(Range<usize>, Flaw)> {
    let ReadError::Syntax { line, column, .. } = error else {
        return None;
    };
    let before = text.split_inclusive('\n').take(line.saturating_sub(1));
    let stopped = before.map(str::len).sum::<usize>() + column;
    first(text.as_bytes()).filter(|(range, _)| range.start <= stopped)
}

/// The first flaw of a text that may or may not be JSON.
fn first(bytes: &[u8]) -> Option<(Range<usize>, Flaw)> {
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at + 1);
                if let Some(half) = half_pair(bytes, at + 1..end) {
                    return Some((half, Flaw::HalfPair));
                }
                at = end + 1;
            }
            b'0'..=b'9' | b'-' => {
                let rest = &bytes[at..];
                let is_part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let token = at..at + rest.iter().take_while(is_part).count();
                let text = std::str::from_utf8(&bytes[token.clone()]).unwrap_or_default();
                if text.parse::<f64>().is_ok_and(f64::is_infinite) {
                    return Some((token, Flaw::TooLarge));
                }
                at = token.end;
            }
            _ => at += 1,
        }
    }
    None
}

/// Where a string ends, its quote not counted.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => break,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

/// The first half of a pair that stands alone in a string.
fn half_pair(bytes: &[u8], string: Range<usize>) -> Option<Range<usize>> {
    const LENGTH: usize = r"\uXXXX".len();
    let mut at = string.start;
    while at < string.end {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match (unit(bytes, at), unit(bytes, at + LENGTH)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 2 * LENGTH,
            (Some(0xd800..=0xdfff), _) => return Some(at..at + LENGTH),
            // The character behind may be another backslash.
            _ => at += 2,
        }
    }
    None
}

/// The UTF-16 unit whose escape stands at a place.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use crate::json::{Document, Kind, ReadError, Value};

    /// Which members of an array are flawed, and how.
    fn flaws(text: &str) -> Vec<String> {
        let document = Document::read(text.as_bytes()).unwrap();
        let members: Vec<Value<'_>> = document.root().children().collect();
        members
            .iter()
            .map(|value| match value.kind() {
                Kind::Flawed(flaw) => format!("{flaw:?}"),
                _ => "fine".to_owned(),
            })
            .collect()
    }

    #[test]
    fn flawed_values_are_marked_where_they_stand() {
        for (text, found) in [
            (
                r#"[1e999, -1e999, 1, "1e999"]"#,
                ["TooLarge", "TooLarge", "fine", "fine"],
            ),
            (
                r#"["\ud800", "\udc00", "\ud83d\ude00", "\\ud800"]"#,
                ["HalfPair", "HalfPair", "fine", "fine"],
            ),
            (
                "[\n\"\\ud800\\u0041\",\n \"x\\ud800\\ud800\",\n 1e-999,\n 1E+400]",
                ["HalfPair", "HalfPair", "fine", "TooLarge"],
            ),
            (
                r#"[[1e999], {"\ud800": 1}, "\"\\\ud800", 2]"#,
                ["fine", "fine", "HalfPair", "fine"],
            ),
        ] {
            assert_eq!(flaws(text), found, "{text}");
        }
        let digits = "9".repeat(400);
        assert_eq!(
            flaws(&format!("[{digits}.5, \"é\", 7]")),
            ["TooLarge", "fine", "fine"]
        );
    }

    #[test]
    fn a_flaw_hides_no_syntax_error() {
        for bad in [
            "[1e999",
            "[1e999,]",
            r#"["\ud800]"#,
            r#"[1e999, "\ud8"]"#,
            "[1e999 x]",
            "1e999e9",
            "--1e999",
        ] {
            let read = Document::read(bad.as_bytes());
            assert!(matches!(read, Err(ReadError::Syntax { .. })), "{bad}");
        }
        let many = format!("[{}1]", "1e999,".repeat(17));
        match Document::read(many.as_bytes()) {
            Err(ReadError::Syntax { reason, .. }) => assert!(reason.contains("too large"), "{reason}"),
            other => panic!("{other:?}"),
        }
    }
}
