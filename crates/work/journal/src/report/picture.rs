//! The pictures of a page: each once, and no larger than a page shows them.

use super::screen::MAX_PLACE;
use crate::StoredJournal;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clawperator_events::Pixels;
use std::collections::BTreeMap;

/// The most bytes of pictures in one page; screens past that are drawn.
const MAX_BYTES: usize = 24 << 20;
/// How wide a picture may be and is not made smaller.
const WIDE: usize = 720;

#[derive(Clone, Copy, Debug)]
pub(super) struct Shot {
    pub(super) number: usize,
    pub(super) size: PictureSize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PictureSize {
    pub(super) width: i32,
    pub(super) height: i32,
}

/// The pictures of a page: each is in it once.
#[derive(Debug, Default)]
pub(super) struct Store {
    known: BTreeMap<String, Shot>,
    bytes: usize,
    html: String,
}

impl Store {
    /// A picture, if there is room for it.
    pub(super) fn picture(&mut self, journal: &StoredJournal, hash: &str) -> Option<Shot> {
        if let Some(known) = self.known.get(hash) {
            return Some(*known);
        }
        let png = journal.picture(hash)?;
        // The phone's size, so that drawings over the picture fit.
        let size = png_size(&png)?;
        let png = smaller(&png).unwrap_or(png);
        if self.bytes + png.len() > MAX_BYTES {
            return None;
        }
        let number = self.known.len();
        self.bytes += png.len();
        self.html.push_str(&format!(
            "<image id=\"shot-{number}\" width=\"{}\" height=\"{}\" href=\"data:image/png;base64,{}\"/>",
            size.width,
            size.height,
            STANDARD.encode(&png)
        ));
        let shot = Shot { number, size };
        self.known.insert(hash.to_owned(), shot);
        Some(shot)
    }

    /// All of them, for the end of the page.
    pub(super) fn html(&self) -> String {
        format!(
            "<svg class=\"store\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>{}</defs></svg>",
            self.html
        )
    }
}

/// The size in a PNG's header.
fn png_size(png: &[u8]) -> Option<PictureSize> {
    let number = |from: usize| -> Option<i32> {
        let bytes: [u8; 4] = png.get(from..from + 4)?.try_into().ok()?;
        i32::try_from(u32::from_be_bytes(bytes)).ok().filter(|size| (1..=MAX_PLACE).contains(size))
    };
    Some(PictureSize { width: number(16)?, height: number(20)? })
}

/// The picture, halved until it is as small as the page shows it. None if it is
/// small already, or cannot be read.
fn smaller(png: &[u8]) -> Option<Vec<u8>> {
    let mut picture = Pixels::read(png)?;
    if picture.width <= WIDE {
        return None;
    }
    while picture.width > WIDE {
        picture.rgb = halved(&picture.rgb, picture.width);
        (picture.width, picture.height) = (picture.width / 2, picture.height / 2);
    }
    let out = picture.write()?;
    Some(out).filter(|out| out.len() < png.len())
}

/// A picture at half of its width and height: each pixel is the middle of four.
fn halved(rgb: &[u8], width: usize) -> Vec<u8> {
    let row = width * 3;
    let mut out = Vec::with_capacity(rgb.len() / 4);
    for rows in rgb.chunks_exact(row * 2) {
        let (upper, lower) = rows.split_at(row);
        for (above, below) in upper.chunks_exact(6).zip(lower.chunks_exact(6)) {
            for channel in 0..3 {
                let sum = u16::from(above[channel])
                    + u16::from(above[channel + 3])
                    + u16::from(below[channel])
                    + u16::from(below[channel + 3]);
                out.push(u8::try_from(sum / 4).unwrap_or(u8::MAX));
            }
        }
    }
    out
}
