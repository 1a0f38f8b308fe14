//! Finds the end of a JSON object that comes in pieces. Pure.

/// How far into an object the pieces have led.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    depth: usize,
    in_text: bool,
    escaped: bool,
}

/// What a piece brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanProgress {
    More,
    /// It ends before this byte of the piece.
    End(usize),
    NoObject,
}

impl Scan {
    /// Looks at the next piece.
    pub(super) fn feed(&mut self, piece: &str) -> ScanProgress {
        for (at, byte) in piece.bytes().enumerate() {
            if self.in_text {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_text = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'{' | b'[' if self.depth > 0 || byte == b'{' => self.depth += 1,
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return ScanProgress::End(at + 1);
                    }
                }
                b'"' if self.depth > 0 => self.in_text = true,
                byte if self.depth == 0 && !byte.is_ascii_whitespace() => return ScanProgress::NoObject,
                _ => {}
            }
        }
        ScanProgress::More
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn an_object_ends_where_its_last_brace_is() {
        for (text, progress) in [
            (r#"{"a":"}\"{"} x"#, ScanProgress::End(12)),
            (r#"{"a":[{}]"#, ScanProgress::More),
            ("  ", ScanProgress::More),
            ("[1]", ScanProgress::NoObject),
            ("oops", ScanProgress::NoObject),
        ] {
            assert_eq!(Scan::default().feed(text), progress, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_end_is_found_however_the_text_is_cut(texts in prop::collection::vec(".{0,9}", 0..5), step in 1_usize..7) {
            let text = json!({ "list": texts, "more": { "x": [1, {}] } }).to_string();
            let letters: Vec<char> = text.chars().collect();
            let pieces: Vec<String> = letters.chunks(step).map(|piece| piece.iter().collect()).collect();
            let mut scan = Scan::default();
            for (number, piece) in pieces.iter().enumerate() {
                let progress = scan.feed(piece);
                if number + 1 < pieces.len() {
                    prop_assert_eq!(progress, ScanProgress::More);
                } else {
                    prop_assert_eq!(progress, ScanProgress::End(piece.len()));
                }
            }
            prop_assert!(serde_json::from_str::<Value>(&text).is_ok());
        }
    }
}
