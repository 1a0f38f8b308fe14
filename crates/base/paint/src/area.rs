//! Where something is drawn: areas of whole pixels, and points between them.

/// A rectangle of pixels; `right` and `bottom` are just outside. An area whose
/// edges are the wrong way round is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    pub left: i32,
    pub top: i32,
    /// The column after the last one.
    pub right: i32,
    /// The row after the last one.
    pub bottom: i32,
}

impl Area {
    /// An area by its four edges.
    pub const fn new(left: i32, top: i32, right: i32, bottom: i32) -> Self {
        Self { left, top, right, bottom }
    }

    /// How many columns it has.
    pub const fn width(self) -> i32 {
        let width = self.right.saturating_sub(self.left);
        if width > 0 { width } else { 0 }
    }

    /// How many rows it has.
    pub const fn height(self) -> i32 {
        let height = self.bottom.saturating_sub(self.top);
        if height > 0 { height } else { 0 }
    }

    /// True when it has no pixel.
    pub const fn is_empty(self) -> bool {
        self.width() == 0 || self.height() == 0
    }

    /// The part that both areas have.
    pub fn intersection(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    /// The area with `by` pixels taken off at every side; a negative number adds them.
    pub const fn inset(self, by: i32) -> Self {
        Self {
            left: self.left.saturating_add(by),
            top: self.top.saturating_add(by),
            right: self.right.saturating_sub(by),
            bottom: self.bottom.saturating_sub(by),
        }
    }

    /// The area moved to the right and down.
    pub const fn moved(self, right: i32, down: i32) -> Self {
        Self {
            left: self.left.saturating_add(right),
            top: self.top.saturating_add(down),
            right: self.right.saturating_add(right),
            bottom: self.bottom.saturating_add(down),
        }
    }

    /// The point in the middle.
    pub fn center(self) -> Point {
        let middle = |from: i32, to: i32| ((f64::from(from) + f64::from(to)) / 2.0) as f32;
        Point { x: middle(self.left, self.right), y: middle(self.top, self.bottom) }
    }
}

/// A point; `0.5, 0.5` is the middle of the first pixel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub x: f32,
    pub y: f32,
}

impl Point {
    /// A point by its coordinates.
    pub const fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }
}
