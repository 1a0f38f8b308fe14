//! The canvas: pixels, what part of them may be drawn on, and plain fills.
//! Shapes, text and icons are built on it in files of their own.

use std::fmt;

use crate::area::Area;
use crate::color::{Color, coverage};
use crate::limits::MAX_SIDE_PX;
use crate::mask::Mask;

/// Why there is no canvas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CanvasError {
    /// A side has no pixel, or more than [`MAX_SIDE_PX`].
    #[error("a canvas of {width} x {height} pixels; each side must be 1 to {MAX_SIDE_PX}")]
    Size { width: u32, height: u32 },
    /// The pixels are not four bytes for each place.
    #[error("{bytes} bytes of pixels for a canvas of {width} x {height} pixels; it needs four for each")]
    Bytes { bytes: usize, width: u32, height: u32 },
}

/// Pixels to draw on: RGBA, eight bits each, row after row.
#[derive(Clone, PartialEq, Eq)]
pub struct Canvas {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
    clip: Area,
}

impl fmt::Debug for Canvas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Canvas({} x {})", self.width, self.height)
    }
}

impl Canvas {
    /// A canvas of one colour.
    ///
    /// # Errors
    /// When a side is zero or longer than [`MAX_SIDE_PX`].
    pub fn new(width: u32, height: u32, fill: Color) -> Result<Self, CanvasError> {
        check_sides(width, height)?;
        let pixels = fill.bytes().repeat(width as usize * height as usize);
        Ok(Self::of_pixels(width, height, pixels))
    }

    /// A canvas that shows a picture already: red, green, blue, alpha, row after row.
    ///
    /// # Errors
    /// When a side is zero or longer than [`MAX_SIDE_PX`], or the pixels are not
    /// as many as the sides say.
    pub fn from_pixels(width: u32, height: u32, pixels: Vec<u8>) -> Result<Self, CanvasError> {
        check_sides(width, height)?;
        if pixels.len() != width as usize * height as usize * 4 {
            let bytes = pixels.len();
            return Err(CanvasError::Bytes { bytes, width, height });
        }
        Ok(Self::of_pixels(width, height, pixels))
    }

    /// The caller has checked the sides and brings four bytes a pixel.
    pub(crate) fn of_pixels(width: u32, height: u32, pixels: Vec<u8>) -> Self {
        Self { width, height, pixels, clip: Area::new(0, 0, width as i32, height as i32) }
    }

    /// How many columns it has.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// How many rows it has.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// All of it.
    pub fn area(&self) -> Area {
        Area::new(0, 0, self.width as i32, self.height as i32)
    }

    /// The pixels: red, green, blue, alpha, row after row.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Draws on `area` alone: what falls outside is left as it was. Clips inside a clip narrow it.
    pub fn with_clip<R>(&mut self, area: Area, draw: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.clip;
        self.clip = self.visible_part(area);
        let result = draw(self);
        self.clip = before;
        result
    }

    /// Lays a colour over an area.
    pub fn fill(&mut self, area: Area, color: Color) {
        let area = self.visible_part(area);
        for y in area.top..area.bottom {
            let row = self.row_mut(y, area);
            if color.a == 255 {
                row.chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&color.bytes()));
            } else {
                row.chunks_exact_mut(4).for_each(|pixel| color.over(pixel, 255));
            }
        }
    }

    /// Lays a run of colours over an area, from the one on top to the one at the bottom.
    pub fn fill_gradient(&mut self, area: Area, top: Color, bottom: Color) {
        let steps = i64::from(area.height()).max(2) - 1;
        let seen = self.visible_part(area);
        for y in seen.top..seen.bottom {
            let part = (i64::from(y) - i64::from(area.top)) * 255 / steps;
            let row = Area { top: y, bottom: y + 1, ..seen };
            self.fill(row, top.mix(bottom, part.clamp(0, 255) as u8));
        }
    }

    /// Lays a colour over the pixels of an area, each as far as `covered` says
    /// (0.0 to 1.0) for its middle.
    pub(crate) fn cover(&mut self, area: Area, color: Color, covered: impl Fn(f32, f32) -> f32) {
        let area = self.visible_part(area);
        for y in area.top..area.bottom {
            let row = self.row_mut(y, area).chunks_exact_mut(4);
            for (x, pixel) in (area.left..).zip(row) {
                color.over(pixel, coverage(covered(x as f32 + 0.5, y as f32 + 0.5)));
            }
        }
    }

    /// Lays a colour over the pixels that a mask covers, which lies on an area as large as it is.
    pub(crate) fn stamp(&mut self, mask: &Mask, whole: Area, color: Color) {
        let seen = self.visible_part(whole);
        if seen.is_empty() {
            return;
        }
        let (skip_x, skip_y) = ((seen.left - whole.left) as usize, (seen.top - whole.top) as usize);
        let rows = mask.coverage.chunks_exact(mask.width).skip(skip_y);
        for (y, covered) in (seen.top..seen.bottom).zip(rows) {
            let row = self.row_mut(y, seen).chunks_exact_mut(4);
            for (pixel, &covered) in row.zip(covered.iter().skip(skip_x)) {
                color.over(pixel, covered);
            }
        }
    }

    /// What may be drawn on now.
    pub(crate) fn clip(&self) -> Area {
        self.clip
    }

    /// The part of an area that may be drawn on: within the canvas even when it is empty.
    pub(crate) fn visible_part(&self, area: Area) -> Area {
        let seen = area.intersection(self.clip);
        if seen.is_empty() { Area::new(0, 0, 0, 0) } else { seen }
    }

    pub(crate) fn pixels_mut(&mut self) -> &mut [u8] {
        &mut self.pixels
    }

    /// The bytes of one row between the sides of an area within the canvas.
    pub(crate) fn row_mut(&mut self, y: i32, area: Area) -> &mut [u8] {
        let start = y as usize * self.width as usize;
        let range = (start + area.left as usize) * 4..(start + area.right as usize) * 4;
        self.pixels.get_mut(range).unwrap_or_default()
    }
}

fn check_sides(width: u32, height: u32) -> Result<(), CanvasError> {
    let sides = 1..=MAX_SIDE_PX;
    if sides.contains(&width) && sides.contains(&height) {
        Ok(())
    } else {
        Err(CanvasError::Size { width, height })
    }
}
