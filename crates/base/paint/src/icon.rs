//! How icons are drawn. Their names and shapes are in the table beside this file.

use crate::area::{Area, Point};
use crate::canvas::Canvas;
use crate::color::{Color, coverage};
use crate::distance::{Arc, covered, length, polygon, rounded, segment};
use crate::glyph;
use crate::icon_table::{GRID, Icon, IconIndex, LINE, Mark, ROWS};
use crate::limits::MAX_ICON_PX;
use crate::mask::Mask;
use crate::mask_cache::{self, MaskKey};
use crate::style::{TextStyle, Weight};

impl Canvas {
    /// Draws an icon as large as the area lets it be square, in its middle.
    pub fn icon(&mut self, icon: Icon, area: Area, color: Color) {
        let side = area.width().min(area.height()).min(MAX_ICON_PX as i32);
        if side <= 0 || area.intersection(self.clip()).is_empty() {
            return;
        }
        let middle = |from: i32, length: i32| from.saturating_add((length - side) / 2);
        let (x, y) = (middle(area.left, area.width()), middle(area.top, area.height()));
        let key = MaskKey::Icon { icon, side: side as u32 };
        mask_cache::with(key, || mask(icon, side as u32), |mask| self.stamp(mask, mask.area(x, y), color));
    }
}

fn mask(icon: Icon, side: u32) -> Mask {
    match icon {
        Icon::Drawn(IconIndex(index)) => {
            drawn(ROWS.get(usize::from(index)).map_or(&[], |(_, marks)| marks), side)
        }
        Icon::Letter(letter) => lettered(letter, side),
    }
}

fn drawn(marks: &[Mark], side: u32) -> Mask {
    let scale = side as f32 / GRID;
    let arcs: Vec<Option<Arc>> = marks.iter().map(Mark::arc).collect();
    square(side, |x, y| {
        let at = Point::new(x / scale, y / scale);
        let mut distance = f32::MAX;
        for (mark, arc) in marks.iter().zip(&arcs) {
            let own = mark.distance(at, arc.as_ref());
            distance = if mark.cuts() { distance.max(-own) } else { distance.min(own) };
        }
        coverage(covered(distance * scale))
    })
}

/// A disc out of which a letter is cut, so that it shows on any background.
fn lettered(letter: char, side: u32) -> Mask {
    let half = side as f32 / 2.0;
    let style = TextStyle::new(half * 1.1, Color::BLACK).weight(Weight::Medium);
    let mut letters = Mask::default();
    glyph::stamp(letter, &style, 0, |mask| letters = mask.clone());
    // The letter's own middle goes to the disc's.
    let dx = letters.left + letters.width as i32 / 2 - side as i32 / 2;
    let dy = letters.top + letters.height() as i32 / 2 - side as i32 / 2;
    square(side, |x, y| {
        let disc = coverage(covered(length(x - half, y - half) - half * 0.92));
        disc.saturating_sub(letters.at(x as i32 + dx, y as i32 + dy))
    })
}

fn square(side: u32, covered: impl Fn(f32, f32) -> u8) -> Mask {
    let pixels =
        (0..side * side).map(|index| covered((index % side) as f32 + 0.5, (index / side) as f32 + 0.5));
    Mask { left: 0, top: 0, width: side as usize, coverage: pixels.collect(), advance: None }
}

impl Mark {
    fn cuts(&self) -> bool {
        matches!(self, Self::Cut(_))
    }

    fn arc(&self) -> Option<Arc> {
        match *self {
            Self::Arc(_, _, radius, start, sweep) => Some(Arc::new(radius, start, sweep)),
            _ => None,
        }
    }

    /// How far a point of the grid is from the mark; `arc` is its [`Mark::arc`].
    fn distance(&self, at: Point, arc: Option<&Arc>) -> f32 {
        match *self {
            Self::Line(x, y, x2, y2) => segment(at, Point::new(x, y), Point::new(x2, y2)) - LINE / 2.0,
            Self::Bar(x, y, x2, y2, width) => segment(at, Point::new(x, y), Point::new(x2, y2)) - width / 2.0,
            Self::Ring(x, y, radius) => (length(at.x - x, at.y - y) - radius).abs() - LINE / 2.0,
            Self::Disc(x, y, radius) => length(at.x - x, at.y - y) - radius,
            Self::Arc(x, y, ..) => {
                let at = Point::new(at.x - x, at.y - y);
                arc.map_or(f32::MAX, |arc| arc.distance(at)) - LINE / 2.0
            }
            Self::Frame(area, radius) => boxed(at, area, radius).abs() - LINE / 2.0,
            Self::Box(area, radius) => boxed(at, area, radius),
            Self::Poly(corners) => polygon(at, corners) - 0.4,
            Self::Cut(mark) => mark.distance(at, None),
        }
    }
}

fn boxed(at: Point, edges: [f32; 4], radius: f32) -> f32 {
    let [left, top, right, bottom] = edges;
    let at = Point::new(at.x - f32::midpoint(left, right), at.y - f32::midpoint(top, bottom));
    rounded(at, Point::new((right - left) / 2.0, (bottom - top) / 2.0), radius)
}
