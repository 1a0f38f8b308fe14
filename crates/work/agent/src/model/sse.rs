//! Server-sent events: bytes in, the data of events out. Pure.

use super::limits::MAX_EVENT;

/// Reads a stream of events, however it is cut into pieces.
#[derive(Debug, Default)]
pub struct Events {
    /// What came since the last end of a line.
    line: Vec<u8>,
    /// The data lines of the event that is being read.
    data: Option<String>,
    /// The last byte was a carriage return, so a line feed belongs to it.
    after_return: bool,
}

/// An event is larger than the limit.
#[derive(Debug, PartialEq, Eq)]
pub struct EventTooLarge;

impl Events {
    /// The data of the events that end in these bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<String>, EventTooLarge> {
        let mut ended = Vec::new();
        for byte in bytes {
            let line_feed_of_return = self.after_return && *byte == b'\n';
            self.after_return = *byte == b'\r';
            match byte {
                b'\n' if line_feed_of_return => {}
                b'\n' | b'\r' => ended.extend(self.end_line()),
                _ => self.line.push(*byte),
            }
            let kept = self.line.len() + self.data.as_ref().map_or(0, String::len);
            if kept > MAX_EVENT {
                return Err(EventTooLarge);
            }
        }
        Ok(ended)
    }

    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.data.take();
        }
        let line = String::from_utf8_lossy(&line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        None
    }
}
