//! A picture of a screen: read from a PNG, made smaller, written as PNG, JPEG or WebP. Pure. Every
//! picture that leaves the program for a model or a page is made here.

use super::scale::Size;
use clawperator_paint::{
    Area, Canvas, CanvasError, Color, PictureError, rgba_of_grey, rgba_of_grey_alpha, rgba_of_rgb,
};
use image_webp::WebPEncoder;
use png::{ColorType, Compression, Decoder, Filter, Limits, Transformations};
use std::io::Cursor;

/// The most bytes that a decoded picture may take.
const MAX_DECODED: usize = 64 << 20;
/// How well a JPEG is kept unless the caller wants another quality.
const JPEG_QUALITY: u8 = 85;
/// Of so many pixels one is black at least, if a window is.
const BLACK_SHARE: usize = 20;

/// A picture of a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenImage(Canvas);

/// How a picture is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImageKind {
    /// Without loss, and quickly rather than small.
    #[default]
    Png,
    /// With a quality from 1 to 100.
    Jpeg {
        quality: u8,
    },
    Webp,
}

impl ImageKind {
    /// The words for the kinds.
    pub const WORDS: &[&str] = &["png", "jpeg", "webp"];

    /// Reads a word.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "png" => Some(Self::Png),
            "jpeg" => Some(Self::Jpeg { quality: JPEG_QUALITY }),
            "webp" => Some(Self::Webp),
            _ => None,
        }
    }

    /// The word, which is also the ending of a file's name.
    pub fn word(self) -> &'static str {
        self.media_type().trim_start_matches("image/")
    }

    /// As HTTP and models call it.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg { .. } => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    #[error("the picture cannot be read: {0}")]
    Png(#[from] png::DecodingError),
    #[error("the picture cannot be read: {0}")]
    Refused(&'static str),
    #[error("the picture cannot be read: {0}")]
    Size(#[from] CanvasError),
    #[error("the picture cannot be written: {0}")]
    Written(String),
    /// The same, as the crate that draws says it.
    #[error("the picture cannot be written: {0}")]
    Made(#[from] PictureError),
}

impl From<Canvas> for ScreenImage {
    fn from(canvas: Canvas) -> Self {
        Self(canvas)
    }
}

impl ScreenImage {
    /// Reads a PNG.
    pub fn decode(png: &[u8]) -> Result<Self, ImageError> {
        let mut decoder = Decoder::new_with_limits(Cursor::new(png), Limits { bytes: MAX_DECODED });
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info()?;
        let bytes = reader.output_buffer_size().filter(|bytes| *bytes <= MAX_DECODED);
        let mut pixels = vec![0; bytes.ok_or(ImageError::Refused("it is too large"))?];
        let frame = reader.next_frame(&mut pixels)?;
        pixels.truncate(frame.buffer_size());
        let pixels = match frame.color_type {
            ColorType::Rgba => pixels,
            ColorType::Rgb => rgba_of_rgb(&pixels),
            ColorType::GrayscaleAlpha => rgba_of_grey_alpha(&pixels),
            ColorType::Grayscale => rgba_of_grey(&pixels),
            ColorType::Indexed => return Err(ImageError::Refused("its colours cannot be read")),
        };
        Ok(Self(Canvas::from_pixels(frame.width, frame.height, pixels)?))
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        Size { width: self.0.width(), height: self.0.height() }
    }

    /// The picture in another size.
    pub fn scaled(&self, to: Size) -> Result<Self, ImageError> {
        let from = self.size();
        if to == from {
            return Ok(self.clone());
        }
        Ok(Self(self.0.resampled(to.width, to.height)?))
    }

    /// Writes the picture.
    pub fn encode(&self, kind: ImageKind) -> Result<Vec<u8>, ImageError> {
        let failed = |error: &dyn std::fmt::Display| ImageError::Written(error.to_string());
        let Size { width, height } = self.size();
        let mut bytes = Vec::new();
        match kind {
            ImageKind::Png => {
                let mut encoder = png::Encoder::new(&mut bytes, width, height);
                encoder.set_color(ColorType::Rgb);
                encoder.set_compression(Compression::Fast);
                // To try all filters on each row costs more time than it saves bytes.
                encoder.set_filter(Filter::Paeth);
                let mut writer = encoder.write_header().map_err(|error| failed(&error))?;
                let written = writer.write_image_data(&self.0.to_rgb());
                written.map_err(|error| failed(&error))?;
                writer.finish().map_err(|error| failed(&error))?;
            }
            ImageKind::Jpeg { quality } => bytes = self.0.to_jpeg(quality)?,
            ImageKind::Webp => {
                let encoder = WebPEncoder::new(&mut bytes);
                let written = encoder.encode(self.0.pixels(), width, height, image_webp::ColorType::Rgba8);
                written.map_err(|error| failed(&error))?;
            }
        }
        Ok(bytes)
    }

    /// Makes areas black.
    pub fn blank(&mut self, areas: impl IntoIterator<Item = Area>) {
        for area in areas {
            self.0.fill(area, Color::BLACK);
        }
    }

    /// Whether a large part is black, as a window is that forbids pictures.
    pub fn is_partly_black(&self) -> bool {
        let Size { width, height } = self.size();
        self.0.black_pixels() * BLACK_SHARE > width as usize * height as usize
    }

    /// Whether an area shows the same in both pictures. Nothing is the same in
    /// pictures of different sizes.
    pub fn shows_the_same(&self, other: &Self, area: Area) -> bool {
        self.0.shows_the_same(&other.0, area)
    }

    /// How bright a pixel is; 0 outside.
    pub(super) fn brightness(&self, x: u32, y: u32) -> u8 {
        let at = (y as usize * self.0.width() as usize + x as usize) * 4;
        match self.0.pixels().get(at..at + 3) {
            Some(&[r, g, b]) => Color { r, g, b, a: 255 }.brightness(),
            _ => 0,
        }
    }

    pub(super) fn canvas(&mut self) -> &mut Canvas {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32, color: ColorType, pixel: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(color);
        let mut writer = encoder.write_header().unwrap();
        let pixels = pixel.repeat((width * height) as usize);
        writer.write_image_data(&pixels).unwrap();
        drop(writer);
        bytes
    }

    #[test]
    fn a_picture_of_any_colours_is_read_scaled_and_written() {
        for (color, pixel, rgb) in [
            (ColorType::Rgb, &[200, 10, 10][..], [200, 10, 10]),
            (ColorType::Rgba, &[200, 10, 10, 255], [200, 10, 10]),
            (ColorType::Grayscale, &[90], [90; 3]),
            (ColorType::GrayscaleAlpha, &[90, 255], [90; 3]),
        ] {
            let frame = ScreenImage::decode(&png(108, 240, color, pixel)).unwrap();
            let small = frame.scaled(frame.size().within(100)).unwrap();
            assert_eq!(small.size(), Size { width: 45, height: 100 }, "{color:?}");
            assert_eq!(small.0.to_rgb()[..3], rgb, "{color:?}");
            assert_eq!(ScreenImage::decode(&small.encode(ImageKind::Png).unwrap()).unwrap(), small);
            for (word, magic) in [("jpeg", &b"\xff\xd8"[..]), ("webp", b"RIFF"), ("png", b"\x89PNG")] {
                let kind = ImageKind::from_word(word).unwrap();
                assert!(small.encode(kind).unwrap().starts_with(magic), "{word}");
                assert_eq!((kind.word(), kind.media_type()), (word, &*format!("image/{word}")));
            }
        }
        assert_eq!(ImageKind::from_word("gif"), None);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        assert!(ScreenImage::decode(b"no picture").is_err());
        let whole = png(20, 20, ColorType::Rgb, &[1, 2, 3]);
        assert!(ScreenImage::decode(&whole[..whole.len() / 2]).is_err());
        let long = png(9000, 1, ColorType::Grayscale, &[1]);
        assert!(matches!(ScreenImage::decode(&long), Err(ImageError::Size(_))));
    }

    #[test]
    fn areas_are_compared_and_made_black() {
        let white = ScreenImage::decode(&png(40, 40, ColorType::Grayscale, &[255])).unwrap();
        let mut other = white.clone();
        other.blank([Area::new(10, 10, 20, 20), Area::new(-5, 39, 400, 90)]);
        assert!(!white.is_partly_black() && other.is_partly_black());
        for (area, same) in [
            (Area::new(0, 0, 10, 40), false),
            (Area::new(0, 0, 10, 39), true),
            (Area::new(0, 0, 11, 11), false),
            (Area::new(-9, -9, 400, 10), true),
            (Area::new(50, 50, 60, 60), true),
            (Area::new(30, 30, 20, 20), true),
        ] {
            assert_eq!(white.shows_the_same(&other, area), same, "{area:?}");
        }
        let smaller = white.scaled(Size { width: 20, height: 20 }).unwrap();
        assert!(!white.shows_the_same(&smaller, Area::new(0, 0, 1, 1)));
    }
}
