//! An output that may be endless: its beginning and its end are kept, and how
//! much lies between. Pure.

use super::limits::{HEAD, TAIL};
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(super) struct OutputCapture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// How many bytes in the middle are not kept.
    pub(super) dropped: u64,
}

impl OutputCapture {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = HEAD - self.head.len();
        let (first, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(first);
        // Of a piece that is longer than the tail only its end can stay.
        let (gone, rest) = rest.split_at(rest.len().saturating_sub(TAIL));
        let too_many = (self.tail.len() + rest.len()).saturating_sub(TAIL);
        self.tail.drain(..too_many);
        self.tail.extend(rest);
        self.dropped += (gone.len() + too_many) as u64;
    }

    /// The output as text: what is no UTF-8 is replaced, and a line says how much is missing.
    pub(super) fn text(&self) -> String {
        let (front, back) = self.tail.as_slices();
        if self.dropped == 0 {
            let whole = [&self.head, front, back].concat();
            return String::from_utf8_lossy(&whole).into_owned();
        }
        let head = String::from_utf8_lossy(&self.head);
        let tail = [front, back].concat();
        let tail = String::from_utf8_lossy(&tail);
        format!("{head}\n[{} bytes are left out here]\n{tail}", self.dropped)
    }
}

/// Looks for a text in an output that comes piece by piece.
#[derive(Debug)]
pub(super) struct TextSearch {
    wanted: Vec<u8>,
    /// The end of what came, in which the text may begin.
    rest: Vec<u8>,
    pub(super) found: bool,
}

impl TextSearch {
    pub(super) fn new(wanted: &str) -> Self {
        Self {
            wanted: wanted.as_bytes().to_vec(),
            rest: Vec::new(),
            // Every output contains the empty text.
            found: wanted.is_empty(),
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.found {
            return;
        }
        self.rest.extend_from_slice(bytes);
        let mut places = self.rest.windows(self.wanted.len());
        self.found = places.any(|place| place == self.wanted);
        let done = self.rest.len().saturating_sub(self.wanted.len() - 1);
        self.rest.drain(..done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_output_keeps_its_beginning_and_its_end() {
        for piece in [1 << 10, 64 << 10, 3 << 20] {
            let mut capture = OutputCapture::default();
            capture.push(b"first");
            let middle = vec![b'x'; piece];
            let times = (4 << 20) / piece;
            (0..times).for_each(|_| capture.push(&middle));
            capture.push(b"last");
            let all = 9 + times * piece;
            assert_eq!(capture.dropped as usize, all - HEAD - TAIL, "{piece}");
            let text = capture.text();
            assert!(text.starts_with("firstx") && text.ends_with("xlast"));
            assert!(text.contains(&format!("\n[{} bytes are left out here]\n", capture.dropped)));
        }
    }

    #[test]
    fn a_letter_on_the_border_of_head_and_tail_stays_whole() {
        let mut capture = OutputCapture::default();
        capture.push(&vec![b'x'; HEAD - 1]);
        capture.push("ä\u{fffd}".as_bytes());
        capture.push(b"\xff");
        assert_eq!(capture.dropped, 0);
        assert!(capture.text().ends_with("xä\u{fffd}\u{fffd}"));
    }

    #[test]
    fn a_text_is_found_wherever_the_output_is_cut() {
        for size in 1..8 {
            let mut search = TextSearch::new("needle");
            b"a hay stack with a nneedle in it".chunks(size).for_each(|piece| search.push(piece));
            assert!(search.found, "{size}");
            let mut search = TextSearch::new("needles");
            b"a needle".chunks(size).for_each(|piece| search.push(piece));
            assert!(!search.found);
        }
        assert!(TextSearch::new("").found);
    }
}
