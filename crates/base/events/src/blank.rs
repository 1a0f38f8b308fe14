//! Blanks areas of a picture that may show a secret.

use clawperator_ui::Bounds;
use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Limits, Transformations};
use std::io::Cursor;
use std::ops::Range;

/// The most memory that reading a picture may take.
const MAX_MEMORY: usize = 256 << 20;

/// Of so many pixels one is black at least, if a window is.
const BLACK_SHARE: usize = 20;

/// The picture of a screen as pixels.
pub struct Pixels {
    pub width: usize,
    pub height: usize,
    /// Three bytes each: a screenshot has no transparency.
    pub rgb: Vec<u8>,
}

impl Pixels {
    /// Reads a PNG, if it is one that a phone makes.
    pub fn read(png: &[u8]) -> Option<Self> {
        let limits = Limits { bytes: MAX_MEMORY };
        let mut decoder = Decoder::new_with_limits(Cursor::new(png), limits);
        decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
        let mut reader = decoder.read_info().ok()?;
        let mut pixels = vec![0; reader.output_buffer_size().filter(|size| *size <= MAX_MEMORY)?];
        let frame = reader.next_frame(&mut pixels).ok()?;
        let channels = match frame.color_type {
            ColorType::Rgb => 3,
            ColorType::Rgba => 4,
            // No phone makes these.
            ColorType::Grayscale | ColorType::GrayscaleAlpha | ColorType::Indexed => return None,
        };
        Some(Self {
            width: frame.width as usize,
            height: frame.height as usize,
            rgb: pixels.chunks_exact(channels).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
        })
    }

    /// A PNG of them, if they are as many as their size says.
    pub fn write(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let (width, height) = (u32::try_from(self.width).ok()?, u32::try_from(self.height).ok()?);
        let mut encoder = Encoder::new(&mut out, width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        encoder.write_header().ok()?.write_image_data(&self.rgb).ok()?;
        Some(out)
    }

    /// Where the rows of some areas are.
    fn rows<'a>(&self, areas: &'a [Bounds]) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let (width, height) = (self.width, self.height);
        let within = |at: i32, most: usize| usize::try_from(at).unwrap_or(0).min(most);
        areas.iter().flat_map(move |area| {
            let right = within(area.right, width);
            let left = within(area.left, right);
            let rows = within(area.top, height)..within(area.bottom, height);
            rows.map(move |row| (row * width + left) * 3..(row * width + right) * 3)
        })
    }
}

/// The picture with these areas black; nothing if it cannot be read.
pub fn blank(png: &[u8], areas: &[Bounds]) -> Option<Vec<u8>> {
    cover(png, None, areas)
}

/// The picture with these areas black, and with all that is not shown.
pub fn cover(png: &[u8], shown: Option<&[Bounds]>, areas: &[Bounds]) -> Option<Vec<u8>> {
    let mut pixels = Pixels::read(png)?;
    if let Some(shown) = shown {
        let black = vec![0; pixels.rgb.len()];
        let whole = std::mem::replace(&mut pixels.rgb, black);
        for row in pixels.rows(shown) {
            pixels.rgb[row.clone()].copy_from_slice(&whole[row]);
        }
    }
    for row in pixels.rows(areas) {
        pixels.rgb[row].fill(0);
    }
    pixels.write()
}

/// Whether a large part of a picture is black, as a window is that forbids
/// pictures. Nothing is known of one that cannot be read.
pub fn is_partly_black(png: &[u8]) -> Option<bool> {
    Pixels::read(png).map(|pixels| {
        let black = pixels.rgb.chunks_exact(3).filter(|pixel| *pixel == [0, 0, 0]);
        black.count() * BLACK_SHARE > pixels.width * pixels.height
    })
}
