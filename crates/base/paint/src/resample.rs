//! Work on all pixels of a picture at once, with crates whose code is compiled
//! here: this crate is optimised in debug builds, too.

use jpeg_encoder::{ColorType, Encoder};
use rgb::FromSlice as _;

use crate::canvas::{Canvas, CanvasError};
use crate::color::Color;

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
        let mut canvas = Self::new(width, height, Color::BLACK)?;
        let side = |side: u32| side as usize;
        let sharp = resize::Type::Catrom;
        resize::new(
            side(self.width()),
            side(self.height()),
            side(width),
            side(height),
            resize::Pixel::RGBA8,
            sharp,
        )
        .and_then(|mut resizer| resizer.resize(self.pixels().as_rgba(), canvas.pixels_mut().as_rgba_mut()))
        .map_err(|error| failed(&error))?;
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
