//! What a finished canvas becomes: a PNG, a smaller or turned canvas, or text for a terminal.

use std::fmt::Write as _;
use std::ops::Range;

use png::{BitDepth, ColorType, Compression, Encoder};

use crate::canvas::Canvas;
use crate::limits::{MAX_SIDE_PX, MAX_TERMINAL_COLUMNS};

impl Canvas {
    /// The canvas as a PNG: RGBA, compressed fast rather than small. The same
    /// pixels give the same bytes.
    pub fn to_png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing to memory cannot fail, and the canvas has a legal size and
        // all of its pixels: the result is never empty.
        let _ = self.write_png(&mut bytes);
        bytes
    }

    fn write_png(&self, bytes: &mut Vec<u8>) -> Result<(), png::EncodingError> {
        let mut encoder = Encoder::new(bytes, self.width(), self.height());
        encoder.set_color(ColorType::Rgba);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels())?;
        writer.finish()
    }

    /// The canvas in another size, each pixel the average of those it
    /// covers. Sides are brought into the range of a canvas.
    pub fn scaled(&self, width: u32, height: u32) -> Self {
        let (width, height) = (width.clamp(1, MAX_SIDE_PX), height.clamp(1, MAX_SIDE_PX));
        let mut pixels = Vec::with_capacity(width as usize * height as usize * 4);
        for y in 0..height {
            let rows = share(y, height, self.height());
            for x in 0..width {
                pixels.extend(self.average(share(x, width, self.width()), rows.clone()));
            }
        }
        Self::of_pixels(width, height, pixels)
    }

    /// The canvas turned clockwise by so many quarter turns.
    pub fn rotated(&self, quarter_turns: u8) -> Self {
        let (width, height) = (self.width() as usize, self.height() as usize);
        let (across, down) = if quarter_turns.is_multiple_of(2) { (width, height) } else { (height, width) };
        let source = |x: usize, y: usize| match quarter_turns % 4 {
            0 => (x, y),
            1 => (y, height - 1 - x),
            2 => (width - 1 - x, height - 1 - y),
            _ => (width - 1 - y, x),
        };
        let mut pixels = Vec::with_capacity(self.pixels().len());
        for y in 0..down {
            for x in 0..across {
                let (x, y) = source(x, y);
                pixels.extend(self.pixel(x, y));
            }
        }
        Self::of_pixels(across as u32, down as u32, pixels)
    }

    /// The canvas as lines of half blocks in 24-bit colour, `columns` wide; two
    /// rows of pixels a line. Every line ends with the colours reset.
    pub fn to_terminal(&self, columns: u16) -> String {
        let width = u32::from(columns.clamp(1, MAX_TERMINAL_COLUMNS));
        let rows = (width * self.height()).div_ceil(self.width()).next_multiple_of(2);
        let small = self.scaled(width, rows);
        let mut text = String::new();
        for y in (0..small.height() as usize).step_by(2) {
            let mut before = None;
            for x in 0..small.width() as usize {
                let colors = (opaque(small.pixel(x, y)), opaque(small.pixel(x, y + 1)));
                if before != Some(colors) {
                    let ([r, g, b], [r2, g2, b2]) = colors;
                    // Writing to a string cannot fail.
                    let _ = write!(text, "\x1b[38;2;{r};{g};{b};48;2;{r2};{g2};{b2}m");
                    before = Some(colors);
                }
                text.push('▀');
            }
            text.push_str("\x1b[0m\n");
        }
        text
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 4] {
        let start = (y * self.width() as usize + x) * 4;
        let bytes = self.pixels().get(start..start + 4);
        bytes.and_then(|bytes| bytes.try_into().ok()).unwrap_or_default()
    }

    fn average(&self, columns: Range<usize>, rows: Range<usize>) -> [u8; 4] {
        let mut sums = [0_u64; 4];
        let count = (columns.len() * rows.len()) as u64;
        for y in rows {
            let start = y * self.width() as usize;
            let run =
                self.pixels().get((start + columns.start) * 4..(start + columns.end) * 4).unwrap_or_default();
            for pixel in run.chunks_exact(4) {
                sums.iter_mut().zip(pixel).for_each(|(sum, byte)| *sum += u64::from(*byte));
            }
        }
        sums.map(|sum| ((sum + count / 2) / count) as u8)
    }
}

/// The range of `from` pixels that the pixel `index` of `to` covers: at least one.
fn share(index: u32, to: u32, from: u32) -> Range<usize> {
    let edge = |index: u32| (u64::from(index) * u64::from(from) / u64::from(to)) as usize;
    let first = edge(index);
    first..edge(index + 1).max(first + 1)
}

/// A terminal has no transparency: over black.
fn opaque([r, g, b, a]: [u8; 4]) -> [u8; 3] {
    [r, g, b].map(|channel| (u32::from(channel) * u32::from(a) / 255) as u8)
}
