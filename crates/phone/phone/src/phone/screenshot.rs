//! Pictures of the screen.

use super::answer::excerpt;
use super::capture::{LookTo, Views};
use super::script::{DISPLAYS, SCREEN, Script};
use super::windows::{self, Cover};
use super::{CommandKind, CommandLine, Phone, PhoneError};
use bytes::Bytes;
use clawperator_adb::Deadline;
use clawperator_events::cover as black_out;
use clawperator_ui::Bounds;
use futures_core::future::BoxFuture;

/// How a PNG begins, and how it ends.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const END: &[u8] = b"IEND\xae\x42\x60\x82";
/// What follows the signature, up to the width and the height.
const HEADER: &[u8] = b"\0\0\0\x0dIHDR";
/// The most pixels of a side of a screen.
const MAX_SIDE: u32 = 16_384;
/// How much a phone may say before the picture.
const MAX_WARNING: usize = 4 << 10;
/// What a phone with several displays says before the picture of one of them.
const SEVERAL: &[u8] = b"Multiple displays";
/// Of how many displays a picture is taken to find the phone's own.
const MAX_DISPLAYS: usize = 4;
/// How often the screen is read for one picture while it changes.
const LOOKS: usize = 5;

impl Phone {
    /// A picture of the screen, as a PNG. While a field holds a secret, it shows the window that
    /// was read and nothing else, and what is dark in it is black: the screen is then read before
    /// and after, and if it has changed between there is no picture.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words,
    /// [`PhoneError::Unreadable`] if the picture ends in the middle, or what
    /// broke.
    pub fn screenshot(&self, deadline: Deadline) -> BoxFuture<'_, Result<Bytes, PhoneError>> {
        Box::pin(async move {
            let areas = self.dark.places();
            let mut before = self.cover(deadline).await?;
            for _ in 1..LOOKS {
                let png = self.whole_screenshot(deadline).await?;
                // Another process may have typed meanwhile.
                let after = self.cover(deadline).await?;
                if after == before {
                    return covered(png, after, areas).await;
                }
                before = after;
            }
            Err(no_picture("it changed all the time"))
        })
    }

    /// What a picture may show, if something is dark.
    async fn cover(&self, deadline: Deadline) -> Result<Option<Cover>, PhoneError> {
        if !self.may_show_secrets() {
            return Ok(None);
        }
        let seen = self.see(Views::All, LookTo::Read, deadline).await;
        let seen = seen.map_err(|error| match error {
            PhoneError::Lost { .. } => error,
            error => no_picture(&error.to_string()),
        })?;
        // No field is dark any more, and none shows its value.
        if !self.dark.may_be_dark(None) && seen.private.areas.is_empty() {
            return Ok(None);
        }
        let line = windows::with_focus()?.line(CommandKind::Screenshot).without_secrets();
        let said = self.shell(&line, deadline).await?.out;
        Ok(Some(Cover::of(&said, seen)))
    }

    async fn whole_screenshot(&self, deadline: Deadline) -> Result<Bytes, PhoneError> {
        let bytes = self.screencap("", deadline).await?;
        let png = parse(&bytes)?;
        if !bytes[..bytes.len() - png.len()].windows(SEVERAL.len()).any(|said| said == SEVERAL) {
            return Ok(png);
        }
        // The phone chose one of its displays.
        let line = Script::of(&[SCREEN, DISPLAYS]).line(CommandKind::Screenshot).without_secrets();
        let said = self.shell(&line, deadline).await?.out;
        let (own, displays) = said.split_once('\n').unwrap_or_default();
        if fits(&png, own) {
            return Ok(png);
        }
        for id in displays.lines().filter_map(display_id).take(MAX_DISPLAYS) {
            let taken = self.screencap(&format!(" -d {id}"), deadline).await?;
            if let Some(png) = parse(&taken).ok().filter(|png| fits(png, own)) {
                return Ok(png);
            }
        }
        Err(unreadable(format!("a picture of another display: the phone's own has {own} pixels")))
    }

    async fn screencap(&self, display: &str, deadline: Deadline) -> Result<Bytes, PhoneError> {
        let line = CommandLine::new(CommandKind::Screenshot, format!("screencap -p{display}"));
        self.exec(line, deadline).await
    }

    /// How many pixels of the screen one of a picture is, if the phone says how large
    /// its screen is.
    pub async fn picture_scale(&self, png: &[u8], deadline: Deadline) -> Option<f64> {
        let said = self.ask(CommandKind::Screenshot, "wm size", deadline).await.ok()?.out;
        // The last line is the size that is in use.
        let (_, screen) = said.trim().rsplit_once(": ")?;
        scale(png, screen).filter(|_| fits(png, screen))
    }

    /// The windows on the screen that forbid pictures, so they are black there.
    pub async fn secure_windows(&self, deadline: Deadline) -> Result<Vec<String>, PhoneError> {
        Ok(windows::secure(&self.ask(CommandKind::Screenshot, windows::WINDOWS, deadline).await?.out))
    }
}

fn no_picture(why: &str) -> PhoneError {
    refused(format!(
        "no picture: a field holds a secret, and the screen could not be read to cover it: {why}"
    ))
}

async fn covered(png: Bytes, cover: Option<Cover>, mut areas: Vec<Bounds>) -> Result<Bytes, PhoneError> {
    if cover.is_none() && areas.is_empty() {
        return Ok(png);
    }
    let covered = tokio::task::spawn_blocking(move || {
        areas.extend(cover.iter().flat_map(|cover| &cover.black));
        black_out(&png, cover.as_ref().map(|cover| &cover.shown[..]), &areas)
    });
    let covered = covered.await.ok().flatten();
    let unreadable = || unreadable("a picture in which a secret cannot be covered".to_owned());
    covered.map(Bytes::from).ok_or_else(unreadable)
}

fn unreadable(excerpt: String) -> PhoneError {
    PhoneError::Unreadable { command: CommandKind::Screenshot, excerpt }
}

fn refused(excerpt: String) -> PhoneError {
    PhoneError::Refused { command: CommandKind::Screenshot, exit_code: None, excerpt }
}

/// The number in `Display 4619827259835644672 (HWC display 0): …`.
fn display_id(line: &str) -> Option<&str> {
    let id = line.strip_prefix("Display ")?.split(' ').next()?;
    id.parse::<u64>().is_ok().then_some(id)
}

/// Whether a picture has the shape of a screen of this size, however it is turned.
/// Of an unknown size any has.
fn fits(png: &[u8], screen: &str) -> bool {
    let (Some((width, height)), Some(screen)) = (size(png), sides(screen)) else {
        return true;
    };
    let ratio = |a: u32, b: u32| f64::from(a.min(b)) / f64::from(a.max(b).max(1));
    (ratio(width, height) - ratio(screen.0, screen.1)).abs() < 0.02
}

/// How many pixels of a screen of this size one of a picture is, however it is
/// turned. Four digits are exact to a pixel on any screen.
fn scale(png: &[u8], screen: &str) -> Option<f64> {
    let (size, screen) = (size(png)?, sides(screen)?);
    let scale = f64::from(screen.0.min(screen.1)) / f64::from(size.0.min(size.1));
    Some((scale * 10_000.0).round() / 10_000.0).filter(|scale| scale.is_normal())
}

/// The width and the height in `1080x2400`.
fn sides(screen: &str) -> Option<(u32, u32)> {
    let (width, height) = screen.trim().split_once('x')?;
    Some((width.parse().ok()?, height.parse().ok()?))
}

/// Finds the picture behind what a phone with several displays says first.
fn parse(bytes: &Bytes) -> Result<Bytes, PhoneError> {
    let head = &bytes[..bytes.len().min(MAX_WARNING + SIGNATURE.len())];
    let start = find(head, SIGNATURE).ok_or_else(|| refused(excerpt(&String::from_utf8_lossy(head))))?;
    // From behind, since the picture is long and what may follow it is not.
    let end = bytes[start..].windows(END.len()).rposition(|window| window == END);
    let end = end.ok_or_else(|| unreadable(format!("a truncated PNG of {} bytes", bytes.len() - start)))?;
    let png = bytes.slice(start..start + end + END.len());
    match size(&png) {
        Some((1..=MAX_SIDE, 1..=MAX_SIDE)) if find(&png, b"IDAT").is_some() => Ok(png),
        size => {
            let excerpt = size.map_or("a PNG without a size".to_owned(), |(width, height)| {
                format!("a PNG of {width}x{height} pixels, which no screen has")
            });
            Err(unreadable(excerpt))
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

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
#[path = "../../tests/unit/screenshot.rs"]
mod tests;
