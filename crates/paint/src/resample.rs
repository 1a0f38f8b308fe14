//! Work on all pixels of a picture at once, with crates whose code is compiled
//! here: this crate is optimised in debug builds, too.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x4;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use jpeg_encoder::{ColorType, Encoder};

use crate::canvas::{Canvas, CanvasError};

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
        let mut pixels = vec![0; width as usize * height as usize * 4];
        let target = TypedImage::<U8x4>::from_buffer(width, height, &mut pixels);
        let mut target = target.map_err(|error| failed(&error))?;
        let options = ResizeOptions::new()
            .use_alpha(false)
            .resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
        let done = Resizer::new().resize_typed(&source, &mut target, &options);
        done.map_err(|error| failed(&error))?;
        Ok(Self::from_pixels(width, height, pixels)?)
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
