//! Pictures of screens, small enough to send: a PNG of the phone becomes a
//! JPEG. Pure.

use fast_image_resize::images::Image;
use fast_image_resize::{PixelType, Resizer};
use jpeg_encoder::{ColorType as JpegColor, Encoder};
use png::{ColorType, Decoder, Limits, Transformations};
use std::io::Cursor;

/// The most bytes that a decoded picture may take.
const MAX_DECODED: usize = 64 << 20;

/// How a picture is made small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shrink {
    /// The most pixels of its longer side.
    pub(crate) longest: u32,
    /// The quality of the JPEG, from 1 to 100.
    pub(crate) quality: u8,
}

/// A picture that was made small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SmallPicture {
    /// The JPEG.
    pub(crate) jpeg: Vec<u8>,
    /// Its width and height.
    pub(crate) size: (u32, u32),
    /// The width and height of the phone's screen.
    pub(crate) screen: (u32, u32),
}

/// Makes a small JPEG of a PNG. It takes a few milliseconds of a core.
///
/// # Errors
/// Why the PNG cannot be read.
pub(crate) fn small(png: &[u8], shrink: Shrink) -> Result<SmallPicture, String> {
    drawn_on(png, shrink, |_| ())
}

/// A picture that can be drawn on before it becomes a JPEG.
#[derive(Debug)]
pub(crate) struct Pixels<'p> {
    /// Red, green and blue of each pixel, row by row.
    pub(crate) rgb: &'p mut [u8],
    /// Its width and height.
    pub(crate) size: (u32, u32),
    /// The width and height of the phone's screen.
    pub(crate) screen: (u32, u32),
}

/// Makes a small JPEG of a PNG, and draws on it.
///
/// # Errors
/// Why the PNG cannot be read.
pub(crate) fn drawn_on(
    png: &[u8],
    shrink: Shrink,
    draw: impl FnOnce(&mut Pixels<'_>),
) -> Result<SmallPicture, String> {
    let (pixels, screen) = decoded(png)?;
    let size = fitting(screen, shrink.longest);
    let mut pixels = if size == screen {
        pixels
    } else {
        resized(pixels, screen, size)?
    };
    draw(&mut Pixels {
        rgb: &mut pixels,
        size,
        screen,
    });
    let side = |side: u32| u16::try_from(side).map_err(|_| format!("a side has {side} pixels"));
    let (width, height) = (side(size.0)?, side(size.1)?);
    let mut jpeg = Vec::new();
    Encoder::new(&mut jpeg, shrink.quality)
        .encode(&pixels, width, height, JpegColor::Rgb)
        .map_err(|error| error.to_string())?;
    Ok(SmallPicture { jpeg, size, screen })
}

/// The pixels as red, green and blue, and the size.
fn decoded(png: &[u8]) -> Result<(Vec<u8>, (u32, u32)), String> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(png), Limits { bytes: MAX_DECODED });
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let bytes = reader
        .output_buffer_size()
        .filter(|bytes| *bytes <= MAX_DECODED)
        .ok_or("the picture is too large")?;
    let mut pixels = vec![0; bytes];
    let frame = reader
        .next_frame(&mut pixels)
        .map_err(|error| error.to_string())?;
    pixels.truncate(frame.buffer_size());
    let pixels = match frame.color_type {
        ColorType::Rgb => pixels,
        ColorType::Rgba => pixels.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect(),
        ColorType::Grayscale => pixels.iter().flat_map(|p| [*p; 3]).collect(),
        ColorType::GrayscaleAlpha => pixels.chunks_exact(2).flat_map(|p| [p[0]; 3]).collect(),
        ColorType::Indexed => return Err("the picture's colours cannot be read".to_owned()),
    };
    Ok((pixels, (frame.width, frame.height)))
}

fn resized(pixels: Vec<u8>, from: (u32, u32), to: (u32, u32)) -> Result<Vec<u8>, String> {
    let source = Image::from_vec_u8(from.0, from.1, pixels, PixelType::U8x3);
    let source = source.map_err(|error| error.to_string())?;
    let mut small = Image::new(to.0, to.1, PixelType::U8x3);
    let done = Resizer::new().resize(&source, &mut small, None);
    done.map_err(|error| error.to_string())?;
    Ok(small.into_vec())
}

/// The largest size of the same shape whose longer side is not too long.
fn fitting((width, height): (u32, u32), longest: u32) -> (u32, u32) {
    let long = width.max(height).max(1);
    if long <= longest {
        return (width, height);
    }
    let scaled = |side: u32| {
        let side = u64::from(side) * u64::from(longest) / u64::from(long);
        u32::try_from(side).unwrap_or(longest).max(1)
    };
    (scaled(width), scaled(height))
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
    fn a_picture_of_any_colours_becomes_small_and_keeps_its_shape() {
        let shrink = Shrink {
            longest: 100,
            quality: 70,
        };
        for (color, pixel) in [
            (ColorType::Rgb, &[200, 10, 10][..]),
            (ColorType::Rgba, &[200, 10, 10, 255]),
            (ColorType::Grayscale, &[90]),
            (ColorType::GrayscaleAlpha, &[90, 255]),
        ] {
            let small = small(&png(108, 240, color, pixel), shrink).unwrap();
            assert_eq!((small.size, small.screen), ((45, 100), (108, 240)), "{color:?}");
            assert_eq!(small.jpeg[..2], [0xff, 0xd8]);
        }
        let as_is = small(&png(9, 5, ColorType::Grayscale, &[7]), shrink).unwrap();
        assert_eq!(as_is.size, (9, 5));
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        let shrink = Shrink {
            longest: 100,
            quality: 70,
        };
        assert!(small(b"no picture", shrink).is_err());
        let whole = png(20, 20, ColorType::Rgb, &[1, 2, 3]);
        assert!(small(&whole[..whole.len() / 2], shrink).is_err());
    }
}
