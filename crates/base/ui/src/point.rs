//! A place on a screen.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A place on a screen, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

impl Point {
    /// The place in a column and a row.
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    /// How far it is to another place, along the side where it is farther.
    pub fn apart(self, other: Self) -> u32 {
        self.x.abs_diff(other.x).max(self.y.abs_diff(other.y))
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.x, self.y)
    }
}
