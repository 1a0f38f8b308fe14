//! Where on the screen an element is.

use crate::point::Point;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A rectangle in pixels: left and top are inside, right and bottom are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bounds {
    pub left: i32,
    pub top: i32,
    /// The column behind the last.
    pub right: i32,
    /// The row behind the last.
    pub bottom: i32,
}

impl Bounds {
    /// The rectangle between these edges.
    pub const fn new(left: i32, top: i32, right: i32, bottom: i32) -> Self {
        Self { left, top, right, bottom }
    }

    /// Reads `[left,top][right,bottom]`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.as_bytes();
        let mut edges = [0; 4];
        for (place, edge) in edges.iter_mut().enumerate() {
            let end = if place % 2 == 0 {
                rest = rest.strip_prefix(b"[")?;
                b','
            } else {
                b']'
            };
            let length = rest.iter().position(|byte| *byte == end)?;
            *edge = whole_number(&rest[..length])?;
            rest = &rest[length + 1..];
        }
        let [left, top, right, bottom] = edges;
        rest.is_empty().then_some(Self::new(left, top, right, bottom))
    }

    /// Whether a point is inside.
    pub fn contains(&self, point: Point) -> bool {
        (self.left..self.right).contains(&point.x) && (self.top..self.bottom).contains(&point.y)
    }

    /// The point in the middle.
    pub fn center(&self) -> Point {
        let middle = |a: i32, b: i32| ((i64::from(a) + i64::from(b)) / 2) as i32;
        Point::new(middle(self.left, self.right), middle(self.top, self.bottom))
    }

    /// How large it is; less than nothing for an empty one. It fits whatever the sides are.
    pub(crate) fn area(&self) -> i128 {
        let side = |from: i32, to: i32| i128::from(to) - i128::from(from);
        side(self.left, self.right) * side(self.top, self.bottom)
    }

    /// What is inside both.
    pub fn overlap(&self, other: &Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    /// The smallest rectangle around both; one that is empty does not count.
    pub fn around(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { *other } else { *self };
        }
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// Tells whether there is nothing inside.
    pub fn is_empty(&self) -> bool {
        self.left >= self.right || self.top >= self.bottom
    }
}

/// A number as phones write it: digits, and a minus where it is needed.
fn whole_number(text: &[u8]) -> Option<i32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{}][{},{}]", self.left, self.top, self.right, self.bottom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_as_they_are_written() {
        for text in ["[0,0][1080,2400]", "[-42,63][1080,-7]"] {
            assert_eq!(Bounds::parse(text).unwrap().to_string(), text);
        }
        for bad in
            ["", "[0,0]", "[0,0][1,2", "[0,0][1,2]]", "[a,0][1,2]", "[0 ,0][1,2]", "[0,0][1,99999999999]"]
        {
            assert_eq!(Bounds::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_middle_and_the_area_do_not_overflow() {
        let wide = Bounds::new(i32::MAX - 2, 0, i32::MAX, 3);
        assert_eq!((wide.center(), wide.area()), (Point::new(i32::MAX - 1, 1), 6));
        let all = Bounds { left: i32::MIN, top: i32::MIN, ..wide };
        assert!(all.area() > 0);
        assert!(Bounds::default().is_empty());
    }

    #[test]
    fn two_rectangles_overlap_and_are_enclosed() {
        for (one, two, overlap, around) in [
            ("[0,0][9,9]", "[5,5][20,20]", "[5,5][9,9]", "[0,0][20,20]"),
            ("[0,0][9,9]", "[2,3][4,5]", "[2,3][4,5]", "[0,0][9,9]"),
            ("[0,0][9,9]", "[9,0][20,9]", "[9,0][9,9]", "[0,0][20,9]"),
            ("[0,0][9,9]", "[30,30][30,40]", "[30,30][9,9]", "[0,0][9,9]"),
        ] {
            let [a, b] = [one, two].map(|text| Bounds::parse(text).unwrap());
            for (a, b) in [(a, b), (b, a)] {
                assert_eq!(a.overlap(&b).to_string(), overlap);
                assert_eq!(a.around(&b).to_string(), around);
            }
        }
    }
}
