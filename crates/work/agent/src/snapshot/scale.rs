//! How large the picture is that a model gets, and where in it the places of the phone are. Pure.

use clawperator_ui::{Bounds, Point};

/// The longest side for models of the Claude family.
const CLAUDE_LONGEST: u32 = 1568;
const OTHERS_SHORTEST: u32 = 768;

/// How many columns and rows a picture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl Size {
    /// The size of the picture for a model, by its name. It is never larger than this size.
    pub fn for_model(self, model: Option<&str>) -> Self {
        let name = model.unwrap_or_default().to_lowercase();
        let (side, most) = if name.contains("claude") || name.contains("anthropic") {
            (self.width.max(self.height), CLAUDE_LONGEST)
        } else {
            (self.width.min(self.height), OTHERS_SHORTEST)
        };
        self.shrunk(side, most)
    }

    /// The size of the same shape whose longer side has at most so many pixels.
    pub fn within(self, longest: u32) -> Self {
        self.shrunk(self.width.max(self.height), longest)
    }

    /// The size of the same shape whose shorter side has at most so many pixels.
    pub fn with_short_side(self, shortest: u32) -> Self {
        self.shrunk(self.width.min(self.height), shortest)
    }

    /// Shrinks both sides so that `side` becomes `most`, if it is longer.
    fn shrunk(self, side: u32, most: u32) -> Self {
        if side <= most {
            return self;
        }
        let factor = f64::from(most) / f64::from(side);
        // A product of two sides of a picture fits.
        let scaled = |side: u32| rounded(f64::from(side) * factor).max(1.0) as u32;
        Self { width: scaled(self.width), height: scaled(self.height) }
    }
}

/// How many pixels of the phone one pixel of the picture stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    pub x: f64,
    pub y: f64,
}

impl Scale {
    /// The scale of a picture of a screen.
    pub fn of(screen: Size, picture: Size) -> Self {
        let ratio = |screen: u32, picture: u32| f64::from(screen) / f64::from(picture.max(1));
        Self { x: ratio(screen.width, picture.width), y: ratio(screen.height, picture.height) }
    }

    /// The rectangle of the picture that shows one of the phone.
    pub fn bounds_to_picture(self, bounds: &Bounds, picture: Size) -> Bounds {
        let at = |x, y| self.to_picture(Point { x, y }, picture);
        let (first, end) = (at(bounds.left, bounds.top), at(bounds.right, bounds.bottom));
        Bounds::new(first.x, first.y, end.x, end.y)
    }

    /// The point of the picture that shows a point of the phone.
    pub fn to_picture(self, point: Point, picture: Size) -> Point {
        let (x, y) = (f64::from(point.x) / self.x, f64::from(point.y) / self.y);
        Point::new(on(x, picture.width), on(y, picture.height))
    }
}

/// The nearest whole number from 0 to the last pixel of a side. What is no number is 0.
fn on(at: f64, side: u32) -> i32 {
    let last = f64::from(side.saturating_sub(1));
    // `max` takes the other number if one is none.
    rounded(at).max(0.0).min(last) as i32
}

/// Halves go up, also below zero: as the models' own tools count.
fn rounded(number: f64) -> f64 {
    (number + 0.5).floor()
}
