//! The header of a picture that the `framebuffer:` service sends before its pixels. Pure.
//!
//! ```text
//! version 2   bpp color-space size width height red blue green alpha
//! ```
//! Every field is a 32-bit number and a colour is two, its offset and its
//! length in bits. Blue comes before green.

use bytes::{BufMut, Bytes, BytesMut};

/// Colours are sRGB; some clients read no other header correctly.
const SRGB: u32 = 1;

/// The header of a picture whose pixels are red, green, blue and opacity, a
/// byte each in that order, as most phones send them.
pub fn framebuffer_header(width: u32, height: u32) -> Bytes {
    let mut out = BytesMut::new();
    let size = width.saturating_mul(height).saturating_mul(4);
    for number in [2, 32, SRGB, size, width, height] {
        out.put_u32_le(number);
    }
    let (red, blue, green, alpha) = (0, 16, 8, 24);
    for offset in [red, blue, green, alpha] {
        out.put_u32_le(offset);
        out.put_u32_le(8);
    }
    out.freeze()
}
