//! Work on all pixels of a picture at once, with crates whose code is compiled
//! here: this crate is optimised in debug builds, too.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x4;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use jpeg_encoder::{ColorType, Encoder};

use crate::canvas::{Canvas, CanvasError};
use crate::color::Color;

/// How many rows are made at a time. Between its two directions the resizer
/// keeps the rows in memory: for a whole screen, the system has to find eight
/// megabytes for them, which takes as long as the work itself.
const ROWS: u32 = 256;

/// Why a picture cannot be made of a canvas.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// A side is too long, or zero.
    #[error(transparent)]
    Size(#[from] CanvasError),
    /// The pixels cannot be used as they are.
    #[error("{0}")]
    Pixels(String),
}

impl Canvas {
    /// The canvas in another size, as sharp as a smaller picture can be. It must
    /// not be transparent.
    ///
    /// # Errors
    /// When a side is zero or too long.
    pub fn resampled(&self, width: u32, height: u32) -> Result<Self, PictureError> {
        let failed = |error: &dyn std::fmt::Display| PictureError::Pixels(error.to_string());
        let source = TypedImageRef::<U8x4>::from_buffer(self.width(), self.height(), self.pixels());
        let source = source.map_err(|error| failed(&error))?;
        let mut canvas = Self::new(width, height, Color::BLACK)?;
        let (across, down) = (f64::from(self.width()), f64::from(self.height()));
        let options = ResizeOptions::new()
            .use_alpha(false)
            .resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
        let source_row = |row: u32| f64::from(row) * down / f64::from(height);
        let mut resizer = Resizer::new();
        for top in (0..height).step_by(ROWS as usize) {
            let rows = ROWS.min(height - top);
            let from = source_row(top);
            let part = options.crop(0.0, from, across, source_row(top + rows) - from);
            let pixels = canvas.rows_mut(top, rows);
            let target = TypedImage::<U8x4>::from_buffer(width, rows, pixels);
            let mut target = target.map_err(|error| failed(&error))?;
            let done = resizer.resize_typed(&source, &mut target, &part);
            done.map_err(|error| failed(&error))?;
        }
        Ok(canvas)
    }

    /// The canvas as a JPEG, of a quality from 1 to 100.
    ///
    /// # Errors
    /// When a side is too long for a JPEG.
    pub fn to_jpeg(&self, quality: u8) -> Result<Vec<u8>, PictureError> {
        let failed = |error: &dyn std::fmt::Display| PictureError::Pixels(error.to_string());
        let side = |side: u32| u16::try_from(side).map_err(|error| failed(&error));
        let (width, height) = (side(self.width())?, side(self.height())?);
        let mut bytes = Vec::new();
        let encoder = Encoder::new(&mut bytes, quality);
        let written = encoder.encode(self.pixels(), width, height, ColorType::Rgba);
        written.map_err(|error| failed(&error))?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Area;

    #[test]
    fn a_picture_made_in_parts_has_no_seams() {
        let mut canvas = Canvas::new(90, 3 * ROWS, Color::WHITE).unwrap();
        for y in (0..canvas.height() as i32).step_by(3) {
            canvas.fill(Area::new(0, y, 90, y + 1), Color::rgb(y as u32 * 0x01_03_07));
        }
        let small = canvas.resampled(60, 2 * ROWS + 1).unwrap();
        let at_once = {
            let source =
                TypedImageRef::<U8x4>::from_buffer(canvas.width(), canvas.height(), canvas.pixels()).unwrap();
            let mut target = TypedImage::<U8x4>::new(small.width(), small.height());
            let options = ResizeOptions::new()
                .use_alpha(false)
                .resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
            Resizer::new()
                .resize_typed(&source, &mut target, &options)
                .unwrap();
            let pixels = target.pixels().iter().flat_map(|pixel| pixel.0).collect();
            Canvas::from_pixels(small.width(), small.height(), pixels).unwrap()
        };
        assert_eq!(small, at_once);
        assert!(canvas.resampled(0, 5).is_err());
    }
}
