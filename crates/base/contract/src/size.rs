//! The size of a value as compact JSON.

use serde::Serialize;
use std::io;

/// Counts the bytes of a value's compact JSON without keeping them.
pub(crate) fn written_len(value: &impl Serialize) -> usize {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // Neither the counter nor our own types can fail; if one ever did, the
    // payload must count as too large, not as small enough.
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX,
    }
}
