//! Pixels in other shapes, and what can be asked of them. Every function goes through millions of
//! bytes, so they stand here, where they are optimised also in a build for tests.

use crate::area::Area;
use crate::canvas::Canvas;

impl Canvas {
    /// The pixels without their alpha: red, green, blue, row after row.
    pub fn to_rgb(&self) -> Vec<u8> {
        each(self.pixels(), |&[r, g, b, _]: &[u8; 4]| [r, g, b])
    }

    /// How many pixels are black.
    pub fn black_pixels(&self) -> usize {
        let (pixels, _) = self.pixels().as_chunks::<4>();
        pixels.iter().filter(|[r, g, b, _]| (r | g | b) == 0).count()
    }

    /// Whether an area shows the same on both canvases, as far as it is on them.
    /// Nothing is the same on canvases of different sizes.
    pub fn shows_the_same(&self, other: &Self, area: Area) -> bool {
        let area = area.intersection(self.area());
        // On the canvas, so nothing is below zero.
        let (left, right) = (area.left as usize, area.right.max(area.left) as usize);
        let row = |y: i32| {
            let start = y as usize * self.width() as usize;
            (start + left) * 4..(start + right) * 4
        };
        self.area() == other.area()
            && (area.top..area.bottom).all(|y| self.pixels().get(row(y)) == other.pixels().get(row(y)))
    }
}

/// Grey pixels as red, green, blue and alpha.
pub fn rgba_of_grey(pixels: &[u8]) -> Vec<u8> {
    each(pixels, |&[grey]: &[u8; 1]| [grey, grey, grey, 255])
}

/// Grey pixels with alpha as red, green, blue and alpha.
pub fn rgba_of_grey_alpha(pixels: &[u8]) -> Vec<u8> {
    each(pixels, |&[grey, alpha]: &[u8; 2]| [grey, grey, grey, alpha])
}

/// Pixels of red, green and blue with alpha.
pub fn rgba_of_rgb(pixels: &[u8]) -> Vec<u8> {
    each(pixels, |&[r, g, b]: &[u8; 3]| [r, g, b, 255])
}

/// Turns each group of bytes into another one.
fn each<const FROM: usize, const TO: usize>(bytes: &[u8], turn: impl Fn(&[u8; FROM]) -> [u8; TO]) -> Vec<u8> {
    let (groups, _) = bytes.as_chunks::<FROM>();
    let mut turned = vec![0; groups.len() * TO];
    let (places, _) = turned.as_chunks_mut::<TO>();
    for (place, group) in places.iter_mut().zip(groups) {
        *place = turn(group);
    }
    turned
}
