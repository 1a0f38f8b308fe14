//! A drawn glyph or icon: how far each of its pixels is covered. It has no colour yet.

use crate::area::Area;

/// Coverage of a small rectangle of pixels, placed relative to an origin.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mask {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) width: usize,
    /// Row after row, `width` bytes each.
    pub(crate) coverage: Vec<u8>,
    /// How far the pen moves, where a font of the machine's says so.
    pub(crate) advance: Option<f32>,
}

impl Mask {
    /// The coverage at a place relative to the origin; nothing outside.
    pub(crate) fn at(&self, x: i32, y: i32) -> u8 {
        let column = usize::try_from(i64::from(x) - i64::from(self.left)).unwrap_or(usize::MAX);
        let row = usize::try_from(i64::from(y) - i64::from(self.top)).unwrap_or(usize::MAX);
        if column >= self.width {
            return 0;
        }
        let index = row.checked_mul(self.width).and_then(|start| start.checked_add(column));
        index.and_then(|index| self.coverage.get(index)).copied().unwrap_or(0)
    }

    /// The area it lies on if its origin is at a place.
    pub(crate) fn area(&self, x: i32, y: i32) -> Area {
        let (left, top) = (x.saturating_add(self.left), y.saturating_add(self.top));
        let right = left.saturating_add_unsigned(self.width as u32);
        Area::new(left, top, right, top.saturating_add_unsigned(self.height() as u32))
    }

    pub(crate) fn height(&self) -> usize {
        self.coverage.len().checked_div(self.width).unwrap_or(0)
    }
}
