//! A short hash of how a screen looks: like screens have hashes that differ in few bits. Pure.

use super::frame::ScreenImage;
use std::fmt;

/// How many samples a row of the hash has, and how many rows: each sample but
/// the last of a row is compared with its right neighbour.
const COLUMNS: u32 = 9;
const ROWS: u32 = 8;
/// What of the height is left out at the top (the status bar) and at the bottom
/// (the navigation bar), in percent.
const TOP: u32 = 7;
const BOTTOM: u32 = 11;
/// Nothing is left out of a picture of which fewer rows would remain.
const FEWEST_ROWS: u32 = 200;
/// How much brighter a sample must be than its right neighbour to count.
const BRIGHTER: u8 = 3;

/// 64 bits of how a screen looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VisualHash(u64);

impl VisualHash {
    /// The hash of a picture: a bit for each sample, set if it is brighter than
    /// its right neighbour. Row by row, the lowest bit first.
    pub fn of(frame: &ScreenImage) -> Self {
        let size = frame.size();
        let (top, bottom) = (size.height * TOP / 100, size.height * BOTTOM / 100);
        let left = size.height - top - bottom;
        let (top, rows) = if left < FEWEST_ROWS { (0, size.height) } else { (top, left) };
        let brightness = |column: u32, row: u32| {
            let middle = |number: u32, of: u32, side: u32| (number * 2 + 1) * side / (of * 2);
            frame.brightness(middle(column, COLUMNS, size.width), top + middle(row, ROWS, rows))
        };
        let mut bits = 0;
        for row in 0..ROWS {
            for column in 0..COLUMNS - 1 {
                let difference = brightness(column, row).saturating_sub(brightness(column + 1, row));
                if difference > BRIGHTER {
                    bits |= 1 << (row * (COLUMNS - 1) + column);
                }
            }
        }
        Self(bits)
    }

    /// In how many bits two hashes differ.
    pub fn distance(self, other: Self) -> u32 {
        (self.0 ^ other.0).count_ones()
    }
}

/// Sixteen hexadecimal digits.
impl fmt::Display for VisualHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawperator_paint::{Area, Canvas, Color};

    fn frame(height: u32, areas: &[(Area, Color)]) -> ScreenImage {
        let mut canvas = Canvas::new(90, height, Color::BLACK).unwrap();
        for (area, color) in areas {
            canvas.fill(*area, *color);
        }
        canvas.into()
    }

    #[test]
    fn a_bit_is_set_where_it_is_brighter_than_to_the_right() {
        // The first of nine samples is at column 5, the last at column 85.
        let left = (Area::new(0, 0, 10, 400), Color::WHITE);
        let right = (Area::new(80, 0, 90, 400), Color::WHITE);
        for (areas, hash) in [
            (&[][..], "0000000000000000"),
            (&[left], "0101010101010101"),
            (&[right], "0000000000000000"),
            // Not bright enough to count.
            (&[(left.0, Color::rgb(0x03_03_03))], "0000000000000000"),
            (&[(left.0, Color::rgb(0x04_04_04))], "0101010101010101"),
            // In the status bar and in the navigation bar.
            (
                &[(Area::new(0, 0, 10, 28), Color::WHITE), (Area::new(0, 356, 10, 400), Color::WHITE)],
                "0000000000000000",
            ),
        ] {
            assert_eq!(VisualHash::of(&frame(400, areas)).to_string(), hash);
        }
        // Too low for anything to be left out.
        let low = frame(160, &[(Area::new(0, 0, 10, 11), Color::WHITE)]);
        assert_eq!(VisualHash::of(&low).to_string(), "0000000000000001");
        assert_eq!(VisualHash::of(&frame(1, &[])).to_string(), "0000000000000000");
    }

    #[test]
    fn the_distance_is_the_number_of_bits() {
        for (a, b, distance) in [(0, 0, 0), (0, u64::MAX, 64), (0b1011, 0b0001, 2)] {
            assert_eq!(VisualHash(a).distance(VisualHash(b)), distance);
        }
    }
}
