//! A picture of the screen as the `framebuffer:` service sends it: a header that
//! says what a pixel looks like, then the pixels. Pure; who asks is in `client`.
//!
//! ```text
//! version 1   bpp size width height             red blue green alpha
//! version 2   bpp color-space size width height red blue green alpha
//! ```
//! Every field is a 32-bit number and a colour is two, its offset and its
//! length in bits. Blue comes before green.

mod client;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use std::fmt;

/// The most bytes of pixels that are read.
pub const MAX_PIXELS: u64 = 256 << 20;

/// Where in a pixel one colour is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColorBits {
    /// The number of bits below it.
    pub offset: u32,
    /// How many bits it has.
    pub length: u32,
}

/// The header before the pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramebufferHeader {
    /// How many bits one pixel has: a whole number of bytes.
    pub bits_per_pixel: u32,
    /// What the colours mean, which only version 2 says: 0 unknown, 1 sRGB,
    /// 2 Display P3.
    pub color_space: Option<u32>,
    /// Pixels per line.
    pub width: u32,
    /// Number of lines.
    pub height: u32,
    /// Where red is.
    pub red: ColorBits,
    /// Where green is.
    pub green: ColorBits,
    /// Where blue is.
    pub blue: ColorBits,
    /// Where opacity is; of no length if pixels have none.
    pub alpha: ColorBits,
}

/// A picture of the screen.
#[derive(Clone, PartialEq, Eq)]
pub struct Framebuffer {
    /// What a pixel looks like.
    pub header: FramebufferHeader,
    /// The pixels, line by line from the top left.
    pub pixels: Bytes,
}

impl fmt::Debug for Framebuffer {
    /// Shows how large the picture is, not what: it is a user's screen.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Framebuffer({:?}, {} bytes)", self.header, self.pixels.len())
    }
}

/// Why bytes are no header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FramebufferError {
    /// Neither version 1 nor version 2.
    #[error("unknown framebuffer version {0}")]
    UnknownVersion(u32),
    /// Pixels of no whole number of bytes from one to four.
    #[error("unsupported pixel size of {0} bits")]
    BadDepth(u32),
    /// A colour beyond the end of its pixel.
    #[error("unsupported colour of {} bits at bit {} of a pixel", .0.length, .0.offset)]
    BadColor(ColorBits),
    /// The size is not width × height × depth.
    #[error("{0} bytes of pixels do not match the picture's size")]
    BadSize(u32),
    /// More than [`MAX_PIXELS`], or none at all.
    #[error("unsupported picture size of {width}×{height} pixels")]
    BadArea {
        /// Pixels per line.
        width: u32,
        /// Number of lines.
        height: u32,
    },
}

impl FramebufferHeader {
    /// A header for pixels of red, green, blue and opacity, a byte each in that
    /// order, as most phones send them.
    #[must_use]
    pub fn rgba(width: u32, height: u32) -> Self {
        let color = |offset| ColorBits { offset, length: 8 };
        Self {
            bits_per_pixel: 32,
            color_space: Some(0),
            width,
            height,
            red: color(0),
            green: color(8),
            blue: color(16),
            alpha: color(24),
        }
    }

    /// How many bytes of pixels follow. They are at most [`MAX_PIXELS`] in a
    /// header that was read.
    #[must_use]
    pub fn pixel_bytes(&self) -> u64 {
        let pixels = u64::from(self.width) * u64::from(self.height);
        pixels.saturating_mul(u64::from(self.bits_per_pixel / 8))
    }

    /// Writes the header: version 2 if it says what colours mean, else 1.
    pub fn encode(&self, out: &mut BytesMut) {
        out.put_u32_le(if self.color_space.is_some() { 2 } else { 1 });
        out.put_u32_le(self.bits_per_pixel);
        if let Some(space) = self.color_space {
            out.put_u32_le(space);
        }
        // What does not fit is cut; no reader accepts such a picture.
        out.put_u32_le(self.pixel_bytes() as u32);
        out.put_u32_le(self.width);
        out.put_u32_le(self.height);
        for color in [self.red, self.blue, self.green, self.alpha] {
            out.put_u32_le(color.offset);
            out.put_u32_le(color.length);
        }
    }

    /// Takes a header off the front of a buffer, if it is all there.
    ///
    /// # Errors
    /// Any [`FramebufferError`].
    pub fn decode(buffer: &mut BytesMut) -> Result<Option<Self>, FramebufferError> {
        let Some(version) = buffer.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes)) else {
            return Ok(None);
        };
        let numbers = match version {
            1 => 13,
            2 => 14,
            other => return Err(FramebufferError::UnknownVersion(other)),
        };
        if buffer.len() < 4 * numbers {
            return Ok(None);
        }
        let mut bytes = buffer.split_to(4 * numbers);
        bytes.advance(4);
        let bits_per_pixel = bytes.get_u32_le();
        let color_space = (version == 2).then(|| bytes.get_u32_le());
        let [size, width, height] = std::array::from_fn(|_| bytes.get_u32_le());
        let [red, blue, green, alpha] = std::array::from_fn(|_| ColorBits {
            offset: bytes.get_u32_le(),
            length: bytes.get_u32_le(),
        });
        let header = Self {
            bits_per_pixel,
            color_space,
            width,
            height,
            red,
            green,
            blue,
            alpha,
        };
        header.check(size).map(Some)
    }

    fn check(self, size: u32) -> Result<Self, FramebufferError> {
        let Self {
            bits_per_pixel: bits,
            width,
            height,
            ..
        } = self;
        if ![8, 16, 24, 32].contains(&bits) {
            return Err(FramebufferError::BadDepth(bits));
        }
        let colors = [self.red, self.green, self.blue, self.alpha];
        let is_beyond = |color: &ColorBits| color.offset.saturating_add(color.length) > bits;
        if let Some(color) = colors.into_iter().find(is_beyond) {
            return Err(FramebufferError::BadColor(color));
        }
        let bytes = self.pixel_bytes();
        if bytes == 0 || bytes > MAX_PIXELS {
            return Err(FramebufferError::BadArea { width, height });
        }
        if bytes != u64::from(size) {
            return Err(FramebufferError::BadSize(size));
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn encoded(header: &FramebufferHeader) -> BytesMut {
        let mut bytes = BytesMut::new();
        header.encode(&mut bytes);
        bytes
    }

    #[test]
    fn headers_have_the_bytes_everyone_expects() {
        let numbers = |header: &FramebufferHeader| -> Vec<u32> {
            let bytes = encoded(header);
            let number = |four: &[u8]| u32::from_le_bytes(four.try_into().unwrap());
            bytes.chunks(4).map(number).collect()
        };
        let header = FramebufferHeader::rgba(3, 2);
        assert_eq!(numbers(&header), [2, 32, 0, 24, 3, 2, 0, 8, 16, 8, 8, 8, 24, 8]);
        let old = FramebufferHeader {
            color_space: None,
            ..header
        };
        assert_eq!(numbers(&old), [1, 32, 24, 3, 2, 0, 8, 16, 8, 8, 8, 24, 8]);
    }

    #[test]
    fn headers_come_back_and_leave_the_pixels() {
        for color_space in [None, Some(2)] {
            let header = FramebufferHeader {
                color_space,
                ..FramebufferHeader::rgba(1080, 2400)
            };
            let mut bytes = encoded(&header);
            bytes.extend_from_slice(b"pixels");
            let mut part = BytesMut::from(&bytes[..51]);
            assert_eq!(FramebufferHeader::decode(&mut part), Ok(None));
            assert_eq!(FramebufferHeader::decode(&mut bytes), Ok(Some(header)));
            assert_eq!(&bytes[..], b"pixels");
        }
    }

    #[test]
    fn invalid_pictures_are_refused() {
        let fine = FramebufferHeader::rgba(3, 2);
        let decode = |header: FramebufferHeader| FramebufferHeader::decode(&mut encoded(&header));
        let (huge, empty) = (
            FramebufferHeader::rgba(u32::MAX, u32::MAX),
            FramebufferHeader::rgba(0, 5),
        );
        assert!(matches!(decode(huge), Err(FramebufferError::BadArea { .. })));
        assert!(matches!(decode(empty), Err(FramebufferError::BadArea { .. })));
        let odd = FramebufferHeader {
            bits_per_pixel: 31,
            ..fine
        };
        assert_eq!(decode(odd), Err(FramebufferError::BadDepth(31)));
        let beyond = ColorBits {
            offset: u32::MAX,
            length: 8,
        };
        let wrong = FramebufferHeader {
            alpha: beyond,
            ..fine
        };
        assert_eq!(decode(wrong), Err(FramebufferError::BadColor(beyond)));
        let mut bytes = encoded(&fine);
        bytes[12] = 25;
        assert_eq!(
            FramebufferHeader::decode(&mut bytes),
            Err(FramebufferError::BadSize(25))
        );
        let mut bytes = encoded(&fine);
        bytes[0] = 16;
        assert_eq!(
            FramebufferHeader::decode(&mut bytes),
            Err(FramebufferError::UnknownVersion(16))
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(version in 0_u8..4, bytes in vec(any::<u8>(), 0..80)) {
            let mut buffer = BytesMut::from(&[version, 0, 0, 0][..]);
            buffer.extend_from_slice(&bytes);
            if let Ok(Some(header)) = FramebufferHeader::decode(&mut buffer) {
                prop_assert!(header.pixel_bytes() <= MAX_PIXELS);
            }
        }
    }
}
