//! How far a point is from the edge of a shape: negative inside, positive
//! outside. Everything smooth is drawn from these. Only arithmetic that gives
//! the same bits on every machine is used, so no sine of the system's.

use crate::area::Point;

/// How much of a pixel is covered whose middle is this far from an edge.
pub(crate) fn covered(distance: f32) -> f32 {
    (0.5 - distance).clamp(0.0, 1.0)
}

/// Distance to a rectangle with round corners, by its middle and half its sides.
pub(crate) fn rounded(at: Point, half: Point, radius: f32) -> f32 {
    let (x, y) = (at.x.abs() - half.x + radius, at.y.abs() - half.y + radius);
    length(x.max(0.0), y.max(0.0)) + x.max(y).min(0.0) - radius
}

/// Distance to the line between two points.
pub(crate) fn segment(at: Point, from: Point, to: Point) -> f32 {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let (px, py) = (at.x - from.x, at.y - from.y);
    let square = dx * dx + dy * dy;
    let along = if square > 0.0 { ((px * dx + py * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
    length(px - dx * along, py - dy * along)
}

/// Distance to a polygon given by its corners.
pub(crate) fn polygon(at: Point, corners: &[(f32, f32)]) -> f32 {
    let Some(&last) = corners.last() else {
        return f32::MAX;
    };
    let (mut nearest, mut inside, mut before) = (f32::MAX, false, last);
    for &corner in corners {
        let (from, to) = (Point::new(before.0, before.1), Point::new(corner.0, corner.1));
        nearest = nearest.min(segment(at, from, to));
        let crosses = (from.y > at.y) != (to.y > at.y);
        if crosses && at.x < (to.x - from.x) * (at.y - from.y) / (to.y - from.y) + from.x {
            inside = !inside;
        }
        before = corner;
    }
    if inside { -nearest } else { nearest }
}

/// A part of a circle around the origin, made ready for many questions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arc {
    radius: f32,
    sweep: f32,
    start: Point,
    end: Point,
}

impl Arc {
    /// Degrees run clockwise from the top.
    pub(crate) fn new(radius: f32, start: f32, sweep: f32) -> Self {
        let (start, sweep) = if sweep < 0.0 { (start + sweep, -sweep) } else { (start, sweep) };
        Self { radius, sweep, start: direction(start), end: direction(start + sweep) }
    }

    /// Distance to the arc, which has no width.
    pub(crate) fn distance(&self, at: Point) -> f32 {
        let cross = |a: Point, b: Point| a.x * b.y - a.y * b.x;
        let (after_start, before_end) = (cross(self.start, at) >= 0.0, cross(at, self.end) >= 0.0);
        let within = match self.sweep {
            sweep if sweep >= 360.0 => true,
            sweep if sweep > 180.0 => after_start || before_end,
            _ => after_start && before_end,
        };
        if within {
            return (length(at.x, at.y) - self.radius).abs();
        }
        let to = |end: Point| length(at.x - end.x * self.radius, at.y - end.y * self.radius);
        to(self.start).min(to(self.end))
    }
}

pub(crate) fn length(x: f32, y: f32) -> f32 {
    (x * x + y * y).sqrt()
}

/// The unit vector that many degrees clockwise from the top.
fn direction(degrees: f32) -> Point {
    Point::new(sine(degrees), -sine(degrees + 90.0))
}

fn sine(degrees: f32) -> f32 {
    let turned = degrees.rem_euclid(360.0);
    let (half, sign) = if turned >= 180.0 { (turned - 180.0, -1.0) } else { (turned, 1.0) };
    let quarter = if half > 90.0 { 180.0 - half } else { half };
    let x = quarter.to_radians();
    let square = x * x;
    // The Taylor series to the ninth power: exact to f32's last few bits on a quarter turn.
    let series = [-1.0 / 72.0, -1.0 / 42.0, -1.0 / 20.0, -1.0 / 6.0];
    sign * x * series.iter().fold(1.0, |sum, factor| 1.0 + square * factor * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sine_is_near_the_real_one() {
        for degrees in -720..720 {
            let (got, real) = (sine(degrees as f32), (degrees as f32).to_radians().sin());
            assert!((got - real).abs() < 1e-5, "{degrees}: {got} and not {real}");
        }
    }

    #[test]
    fn an_arc_is_near_where_it_is_drawn_and_far_elsewhere() {
        // (start, sweep, point, near)
        let cases = [
            (0.0, 90.0, Point::new(7.07, -7.07), true),
            (0.0, 90.0, Point::new(-7.07, -7.07), false),
            (0.0, 270.0, Point::new(-7.07, 7.07), true),
            (0.0, 270.0, Point::new(-7.07, -7.07), false),
            (90.0, -90.0, Point::new(7.07, -7.07), true),
            (0.0, 360.0, Point::new(-7.07, -7.07), true),
        ];
        for (start, sweep, at, near) in cases {
            let distance = Arc::new(10.0, start, sweep).distance(at);
            assert_eq!(distance < 0.1, near, "{start} {sweep} {at:?}: {distance}");
        }
    }
}
