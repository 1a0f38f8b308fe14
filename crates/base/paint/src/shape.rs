//! Smooth shapes: rounded boxes, their borders and shadows, circles, lines and
//! arcs. A radius or width that is no number counts as zero.

use crate::area::{Area, Point};
use crate::canvas::Canvas;
use crate::color::{Color, coverage};
use crate::distance::{Arc, covered, length, rounded, segment};
use crate::limits::MAX_SIDE_PX;

/// The border of a rounded box, drawn inside the box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// The radius of the outer corners.
    pub radius: f32,
    /// How thick the border is.
    pub width: f32,
    pub color: Color,
}

/// The shadow of a rounded box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shadow {
    /// The radius of the box's corners.
    pub radius: f32,
    /// How far the shadow reaches.
    pub blur: f32,
    /// Its colour where it is deepest.
    pub color: Color,
}

/// What a line or an arc is drawn with; its ends are round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pen {
    /// How thick the line is.
    pub width: f32,
    pub color: Color,
}

/// A part of a circle, as a progress ring shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ring {
    pub center: Point,
    /// From the middle to the middle of the line.
    pub radius: f32,
    /// Where it begins, in degrees clockwise from the top.
    pub start: f32,
    /// How far it goes, in degrees clockwise; 360 and more is all of it.
    pub sweep: f32,
}

impl Canvas {
    /// Lays a colour over a box with round corners; a radius of half a side or
    /// more makes its ends half circles.
    pub fn fill_rounded(&mut self, area: Area, radius: f32, color: Color) {
        let shape = RoundedBox::new(area, radius);
        let parts = shape.parts(shape.radius);
        for (index, part) in parts.into_iter().enumerate() {
            // The corners are the even ones of nine, but for the middle.
            if index % 2 == 0 && index != 4 {
                self.cover(part, color, |x, y| covered(shape.distance(x, y)));
            } else {
                self.fill(part, color);
            }
        }
    }

    /// Draws the border of a box with round corners, just inside the box.
    pub fn stroke_rounded(&mut self, area: Area, stroke: Stroke) {
        let shape = RoundedBox::new(area, stroke.radius);
        let width = size(stroke.width);
        for (index, part) in shape.parts(shape.radius.max(width)).into_iter().enumerate() {
            if index != 4 {
                self.cover(part, stroke.color, |x, y| {
                    let distance = shape.distance(x, y);
                    covered(distance) - covered(distance + width)
                });
            }
        }
    }

    /// Draws the soft shadow of a box with round corners: draw it before the
    /// box, and move it down a little.
    pub fn shadow(&mut self, area: Area, shadow: Shadow) {
        let shape = RoundedBox::new(area, shadow.radius);
        let blur = size(shadow.blur).max(1.0);
        if area.is_empty() {
            return;
        }
        self.cover(area.inset(-(blur as i32)), shadow.color, |x, y| {
            let part = (0.5 - shape.distance(x, y) / (2.0 * blur)).clamp(0.0, 1.0);
            part * part * (3.0 - 2.0 * part)
        });
    }

    /// Lays a picture over an area with round corners: its upper left part, as
    /// far as there is room.
    pub fn lay(&mut self, picture: &Self, area: Area, radius: f32) {
        let shape = RoundedBox::new(area, radius);
        let seen = self.visible_part(area);
        for y in seen.top..seen.bottom {
            let from = (y - area.top) as usize * picture.width() as usize;
            let row = picture.pixels().chunks_exact(4).skip(from).take(picture.width() as usize);
            let colors = row.skip((seen.left - area.left) as usize);
            let pixels = self.row_mut(y, seen).chunks_exact_mut(4);
            for ((x, pixel), color) in (seen.left..).zip(pixels).zip(colors) {
                let [r, g, b, a] = [color[0], color[1], color[2], color[3]];
                let covered = covered(shape.distance(x as f32 + 0.5, y as f32 + 0.5));
                Color { r, g, b, a }.over(pixel, coverage(covered));
            }
        }
    }

    /// Draws a filled circle.
    pub fn circle(&mut self, center: Point, radius: f32, color: Color) {
        let radius = size(radius);
        if radius > 0.0 {
            let area = around(&[center], radius);
            self.cover(area, color, |x, y| covered(length(x - center.x, y - center.y) - radius));
        }
    }

    /// Draws a line with round ends.
    pub fn line(&mut self, from: Point, to: Point, pen: Pen) {
        let half = size(pen.width) / 2.0;
        if half > 0.0 {
            let area = around(&[from, to], half);
            self.cover(area, pen.color, |x, y| covered(segment(Point::new(x, y), from, to) - half));
        }
    }

    /// Draws a part of a circle with round ends.
    pub fn arc(&mut self, ring: Ring, pen: Pen) {
        let (half, radius) = (size(pen.width) / 2.0, size(ring.radius));
        if half > 0.0 {
            let arc = Arc::new(radius, ring.start, ring.sweep);
            let Point { x: cx, y: cy } = ring.center;
            self.cover(around(&[ring.center], radius + half), pen.color, |x, y| {
                covered(arc.distance(Point::new(x - cx, y - cy)) - half)
            });
        }
    }
}

/// A box with round corners, made ready for many questions.
struct RoundedBox {
    area: Area,
    center: Point,
    half: Point,
    radius: f32,
}

impl RoundedBox {
    fn new(area: Area, radius: f32) -> Self {
        let half = Point::new(area.width() as f32 / 2.0, area.height() as f32 / 2.0);
        Self { area, center: area.center(), half, radius: size(radius).min(half.x).min(half.y) }
    }

    fn distance(&self, x: f32, y: f32) -> f32 {
        rounded(Point::new(x - self.center.x, y - self.center.y), self.half, self.radius)
    }

    /// The box in three rows of three parts, the outer ones `edge` thick, so
    /// that only the parts with an edge in them need be looked at closely.
    fn parts(&self, edge: f32) -> [Area; 9] {
        let Area { left, top, right, bottom } = self.area;
        let edge = (edge + 1.0).ceil() as i32;
        let x = cuts(left, right, edge);
        let y = cuts(top, bottom, edge);
        std::array::from_fn(|index| {
            let (column, row) = (index % 3, index / 3);
            Area::new(x[column], y[row], x[column + 1], y[row + 1])
        })
    }
}

fn cuts(from: i32, to: i32, edge: i32) -> [i32; 4] {
    let middle = i32::midpoint(from, to);
    [from, from.saturating_add(edge).min(middle), to.saturating_sub(edge).max(middle), to]
}

fn size(value: f32) -> f32 {
    // `max` and `min` turn what is no number into the other value.
    value.max(0.0).min(MAX_SIDE_PX as f32 * 2.0)
}

fn around(points: &[Point], reach: f32) -> Area {
    let edge = |value: f32, by: f32| (value + by).floor() as i32;
    let mut area = Area::new(i32::MAX, i32::MAX, i32::MIN, i32::MIN);
    for point in points {
        area.left = area.left.min(edge(point.x, -reach - 1.0));
        area.top = area.top.min(edge(point.y, -reach - 1.0));
        area.right = area.right.max(edge(point.x, reach + 2.0));
        area.bottom = area.bottom.max(edge(point.y, reach + 2.0));
    }
    area
}
