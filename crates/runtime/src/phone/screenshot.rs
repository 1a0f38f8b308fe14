//! Pictures of the screen.

use super::answer::excerpt;
use super::{CommandKind, CommandLine, Phone, PhoneError};
use bytes::Bytes;
use clawperator_adb::Deadline;

/// How a PNG begins, and how it ends.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const END: &[u8] = b"IEND\xae\x42\x60\x82";
/// How much a phone may say before the picture.
const MAX_WARNING: usize = 4 << 10;

impl Phone {
    /// A picture of the screen, as a PNG.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words,
    /// [`PhoneError::Unreadable`] if the picture ends in the middle, or what
    /// broke.
    pub async fn screenshot(&self, deadline: Deadline) -> Result<Bytes, PhoneError> {
        let line = CommandLine::new(CommandKind::Screenshot, "screencap -p").shown();
        let bytes = self.exec(&line, deadline).await?;
        parse(&bytes)
    }
}

/// Finds the picture behind what a phone with several displays says first.
fn parse(bytes: &Bytes) -> Result<Bytes, PhoneError> {
    let command = CommandKind::Screenshot;
    let head = &bytes[..bytes.len().min(MAX_WARNING + SIGNATURE.len())];
    let Some(start) = find(head, SIGNATURE) else {
        return Err(PhoneError::Refused {
            command,
            exit_code: None,
            excerpt: excerpt(&String::from_utf8_lossy(head)),
        });
    };
    // From behind, since the picture is long and what may follow it is not.
    let end = bytes[start..].windows(END.len()).rposition(|part| part == END);
    let Some(end) = end else {
        let excerpt = format!("a truncated PNG of {} bytes", bytes.len() - start);
        return Err(PhoneError::Unreadable { command, excerpt });
    };
    Ok(bytes.slice(start..start + end + END.len()))
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_found_behind_a_warning() {
        let png = [SIGNATURE, b"pixels", END].concat();
        let said = [b"[Warning] Multiple displays were found\n", &png[..], b"\n"].concat();
        assert_eq!(parse(&Bytes::from(said)).unwrap(), png);
        assert_eq!(parse(&Bytes::from(png.clone())).unwrap(), png);
        let cut = Bytes::from(png[..png.len() - 1].to_vec());
        assert!(matches!(parse(&cut), Err(PhoneError::Unreadable { .. })));
        let odd = [END, SIGNATURE].concat();
        assert!(matches!(
            parse(&Bytes::from(odd)),
            Err(PhoneError::Unreadable { .. })
        ));
        for text in ["", "Capturing failed.\n"] {
            assert!(matches!(
                parse(&Bytes::from(text)),
                Err(PhoneError::Refused { excerpt, .. }) if excerpt == text.trim()
            ));
        }
    }
}
