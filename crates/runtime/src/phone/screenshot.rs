//! Pictures of the screen.

use super::answer::excerpt;
use super::capture::{LookTo, Views};
use super::{CommandKind, CommandLine, Phone, PhoneError};
use bytes::Bytes;
use clawperator_adb::Deadline;
use clawperator_journal::blank;
use clawperator_ui::Bounds;

/// How a PNG begins, and how it ends.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const END: &[u8] = b"IEND\xae\x42\x60\x82";
/// What follows the signature, up to the width and the height.
const HEADER: &[u8] = b"\0\0\0\x0dIHDR";
/// The most pixels of a side of a screen.
const MAX_SIDE: u32 = 16_384;
/// How much a phone may say before the picture.
const MAX_WARNING: usize = 4 << 10;
/// Which windows are seen and which of them forbid pictures.
const WINDOWS: &str = "dumpsys window windows | grep -E '^ +Window #|^ +fl=.*SECURE|^ +isOnScreen='";

impl Phone {
    /// A picture of the screen, as a PNG. A field that took a secret is black
    /// there: the screen is then read before and after, and without that there is
    /// no picture.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words,
    /// [`PhoneError::Unreadable`] if the picture ends in the middle, or what
    /// broke.
    pub async fn screenshot(&self, deadline: Deadline) -> Result<Bytes, PhoneError> {
        let mut areas = match self.dark.fresh_areas() {
            Some(areas) => areas,
            None if self.has_dark_fields() => self.dark_areas(deadline).await?,
            None => Vec::new(),
        };
        let png = self.whole_screenshot(deadline).await?;
        // Another process may have typed meanwhile.
        if self.has_dark_fields() {
            areas.extend(self.dark_areas(deadline).await?);
        }
        if areas.is_empty() {
            return Ok(png);
        }
        let covered = tokio::task::spawn_blocking(move || blank(&png, &areas)).await;
        let covered = covered.ok().flatten();
        covered.map(Bytes::from).ok_or_else(|| PhoneError::Unreadable {
            command: CommandKind::Screenshot,
            excerpt: "a picture in which a secret cannot be covered".to_owned(),
        })
    }

    /// Where the screen shows something dark.
    async fn dark_areas(&self, deadline: Deadline) -> Result<Vec<Bounds>, PhoneError> {
        let seen = Box::pin(self.see(Views::All, LookTo::Read, deadline)).await;
        match seen {
            Ok(seen) => Ok(seen.private.areas),
            Err(error @ PhoneError::Lost { .. }) => Err(error),
            Err(error) => Err(PhoneError::Refused {
                command: CommandKind::Screenshot,
                exit_code: None,
                excerpt: format!(
                    "no picture: a field holds a secret, and the screen could not be read to cover it: {error}"
                ),
            }),
        }
    }

    async fn whole_screenshot(&self, deadline: Deadline) -> Result<Bytes, PhoneError> {
        let line = CommandLine::new(CommandKind::Screenshot, "screencap -p").shown();
        let bytes = self.exec(&line, deadline).await?;
        parse(&bytes)
    }
}

impl Phone {
    /// The windows on the screen that forbid pictures, so they are black there.
    ///
    /// # Errors
    /// What broke.
    pub async fn secure_windows(&self, deadline: Deadline) -> Result<Vec<String>, PhoneError> {
        let line = CommandLine::new(CommandKind::Screenshot, WINDOWS).shown();
        Ok(secure_windows(&self.shell(&line, deadline).await?.out))
    }
}

/// The windows that are on the screen and forbid pictures: a line that names a
/// window, one for the flag if it is set, one that says whether it is seen.
fn secure_windows(lines: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut window, mut secure) = ("", false);
    for line in lines.lines().map(str::trim) {
        if line.starts_with("Window #") {
            // `Window #4 Window{1a2b u0 com.bank/.Main}:`
            let title = line.trim_end_matches("}:").rsplit(' ').next();
            (window, secure) = (title.unwrap_or_default(), false);
        } else if line.starts_with("fl=") {
            secure = true;
        } else if line == "isOnScreen=true" && secure {
            found.push(window.to_owned());
        }
    }
    found
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
    let end = find_last(&bytes[start..], END);
    let Some(end) = end else {
        let excerpt = format!("a truncated PNG of {} bytes", bytes.len() - start);
        return Err(PhoneError::Unreadable { command, excerpt });
    };
    let png = bytes.slice(start..start + end + END.len());
    match size(&png) {
        Some((1..=MAX_SIDE, 1..=MAX_SIDE)) if find(&png, b"IDAT").is_some() => Ok(png),
        size => {
            let excerpt = size.map_or("a PNG without a size".to_owned(), |(width, height)| {
                format!("a PNG of {width}x{height} pixels, which no screen has")
            });
            Err(PhoneError::Unreadable { command, excerpt })
        }
    }
}

/// The width and the height that a PNG says it has.
fn size(png: &[u8]) -> Option<(u32, u32)> {
    let sizes = png.strip_prefix(SIGNATURE)?.strip_prefix(HEADER)?;
    let (width, rest) = sizes.split_first_chunk()?;
    let (height, _) = rest.split_first_chunk()?;
    Some((u32::from_be_bytes(*width), u32::from_be_bytes(*height)))
}

fn find_last(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).rposition(|window| window == part)
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_that_forbid_pictures_are_named() {
        let lines = "  Window #0 Window{1 u0 StatusBar}:\n    isOnScreen=true
  Window #1 Window{2 u0 com.bank/.Main}:\n      fl=LAYOUT SECURE\n    isOnScreen=true
  Window #2 Window{3 u0 com.hidden/.Main}:\n      fl=SECURE\n    isOnScreen=false\n";
        assert_eq!(secure_windows(lines), ["com.bank/.Main"]);
        assert_eq!(secure_windows("grep: not found"), [""; 0]);
    }

    #[test]
    fn a_picture_is_found_behind_a_warning_and_has_the_size_of_a_screen() {
        let sized = |width: u32, height: u32| {
            let sizes = [width.to_be_bytes(), height.to_be_bytes()].concat();
            [SIGNATURE, HEADER, &sizes, b"IDAT", END].concat()
        };
        for (width, height) in [(0, 0), (1080, 0), (1 << 31, 1 << 31), (1080, 16_385)] {
            let odd = parse(&Bytes::from(sized(width, height)));
            assert!(matches!(odd, Err(PhoneError::Unreadable { .. })), "{odd:?}");
        }
        let bare = parse(&Bytes::from([SIGNATURE, b"pixels", END].concat()));
        assert!(matches!(bare, Err(PhoneError::Unreadable { .. })), "{bare:?}");
        let png = sized(1080, 2400);
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
