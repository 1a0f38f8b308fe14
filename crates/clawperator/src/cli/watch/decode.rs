//! A stream of server-sent events, from the bytes of a chunked answer. Pure.

/// The most bytes of one event.
const MAX_EVENT: usize = 4 << 20;

/// Takes bytes in any pieces and gives the data of each event.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// What is not taken apart yet.
    bytes: Vec<u8>,
    /// How much of the current chunk is to come.
    left: usize,
    /// The event so far.
    event: Vec<u8>,
}

impl Decoder {
    /// The data of the events that these bytes complete.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        self.bytes.extend_from_slice(bytes);
        while self.chunk() {}
        let mut found = Vec::new();
        while let Some(end) = self.event.windows(2).position(|two| two == b"\n\n") {
            let event: Vec<u8> = self.event.drain(..end + 2).collect();
            found.extend(data(&String::from_utf8_lossy(&event)));
        }
        if self.event.len() > MAX_EVENT {
            self.event.clear();
        }
        found
    }

    /// Takes what there is of one chunk; tells whether there was anything.
    fn chunk(&mut self) -> bool {
        if self.left == 0 {
            // The size, behind the end of the chunk before.
            let start = usize::from(self.bytes.starts_with(b"\r\n")) * 2;
            let line = self.bytes[start..].windows(2).position(|two| two == b"\r\n");
            let Some(length) = line else { return false };
            let size = String::from_utf8_lossy(&self.bytes[start..start + length]).into_owned();
            let size = size.split(';').next().unwrap_or_default().trim();
            self.left = usize::from_str_radix(size, 16).unwrap_or(0);
            self.bytes.drain(..start + length + 2);
            return self.left > 0;
        }
        let count = self.left.min(self.bytes.len());
        self.event.extend(self.bytes.drain(..count));
        self.left -= count;
        count > 0 && self.left == 0
    }
}

/// The data of an event; a comment has none.
fn data(event: &str) -> Option<String> {
    let lines: Vec<_> = event
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_whole_however_the_bytes_are_cut() {
        let events = [
            "event: step\ndata: {\"a\":1}\n\n",
            ":\n\n",
            "data: b\ndata: c\n\n",
        ];
        let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
        // An event in two chunks, too.
        let bytes = events.map(chunk).concat() + &chunk("data: d") + &chunk("e\n\n");
        for size in 1..bytes.len() {
            let mut decoder = Decoder::default();
            let found: Vec<_> = bytes
                .as_bytes()
                .chunks(size)
                .flat_map(|part| decoder.feed(part))
                .collect();
            assert_eq!(found, ["{\"a\":1}", "b\nc", "de"], "{size}");
        }
    }

    #[test]
    fn bytes_that_are_no_chunks_give_nothing() {
        let mut decoder = Decoder::default();
        assert_eq!(
            decoder.feed(b"HTTP/1.1 200 OK\r\n\r\nzz\r\nffffffffffffffffff\r\n"),
            [""; 0]
        );
    }
}
