//! A colour, and how one is laid over another.

/// A colour with straight (not premultiplied) alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color {
    pub r: u8,
    pub g: u8,
    pub b: u8,
    /// Opacity: 255 hides what is below.
    pub a: u8,
}

impl Color {
    /// Opaque black.
    pub const BLACK: Self = Self::rgb(0x00_00_00);
    /// Opaque white.
    pub const WHITE: Self = Self::rgb(0xFF_FF_FF);
    /// Nothing at all.
    pub const TRANSPARENT: Self = Self::BLACK.with_alpha(0);

    /// The opaque colour `0xRRGGBB`.
    pub const fn rgb(hex: u32) -> Self {
        Self { r: (hex >> 16) as u8, g: (hex >> 8) as u8, b: hex as u8, a: 255 }
    }

    /// The same colour with another opacity.
    pub const fn with_alpha(self, a: u8) -> Self {
        Self { r: self.r, g: self.g, b: self.b, a }
    }

    /// The colour `part` of 255 on the way from this one to `other`.
    pub const fn mix(self, other: Self, part: u8) -> Self {
        Self {
            r: between(self.r, other.r, part),
            g: between(self.g, other.g, part),
            b: between(self.b, other.b, part),
            a: between(self.a, other.a, part),
        }
    }

    /// How bright the colour looks, 0 to 255: what decides between dark and light text on it.
    pub const fn brightness(self) -> u8 {
        ((self.r as u32 * 54 + self.g as u32 * 183 + self.b as u32 * 19) / 256) as u8
    }

    pub(crate) const fn bytes(self) -> [u8; 4] {
        [self.r, self.g, self.b, self.a]
    }

    /// Lays this colour over a pixel, as far as the pixel is covered.
    pub(crate) fn over(self, pixel: &mut [u8], coverage: u8) {
        let &mut [r, g, b, a] = pixel else { return };
        let alpha = scale(self.a, coverage);
        let below = Self { r, g, b, a };
        let result = match (alpha, below.a) {
            (0, _) => return,
            (255, _) => self,
            (_, 255) => below.mix(self.with_alpha(255), alpha),
            _ => self.over_translucent(below, alpha),
        };
        pixel.copy_from_slice(&result.bytes());
    }

    fn over_translucent(self, below: Self, alpha: u8) -> Self {
        let (top, bottom) = (u32::from(alpha), u32::from(scale(below.a, 255 - alpha)));
        let sum = top + bottom;
        let channel =
            |above: u8, under: u8| ((u32::from(above) * top + u32::from(under) * bottom) / sum) as u8;
        Self {
            r: channel(self.r, below.r),
            g: channel(self.g, below.g),
            b: channel(self.b, below.b),
            a: sum.min(255) as u8,
        }
    }
}

const fn between(from: u8, to: u8, part: u8) -> u8 {
    let (from, to, part) = (from as u32, to as u32, part as u32);
    ((from * (255 - part) + to * part + 127) / 255) as u8
}

const fn scale(value: u8, part: u8) -> u8 {
    ((value as u32 * part as u32 + 127) / 255) as u8
}

/// A coverage between nothing (0.0) and all (1.0), as a byte.
pub(crate) fn coverage(part: f32) -> u8 {
    // A cast of NaN gives 0, and one of anything else saturates.
    (part * 255.0 + 0.5) as u8
}
