//! Draws text on a canvas.

use crate::canvas::Canvas;
use crate::direction::{Direction, direction, visual};
use crate::font::{advance, line_height};
use crate::glyph::{STEPS_PER_PX, stamp};
use crate::script::is_without_width;
use crate::style::{Align, Block, Place, TextStyle};
use crate::wrap::{ELLIPSIS, Ending, Line, wrap};

/// From a line's top to the feet of its letters, as part of its height.
const BASELINE: f32 = 0.79;

impl Canvas {
    /// Draws text within an area, wrapped as [`wrap`] does it.
    ///
    /// Hebrew, Arabic and the like are put into the order they are seen in, and
    /// a line that begins with them starts at the right. Letters are not joined
    /// or stacked as a shaper would do it. A character that neither the
    /// binary's fonts nor the machine's have is a box.
    pub fn text(&mut self, text: &str, style: &TextStyle, block: Block) {
        let area = block.area;
        if area.intersection(self.clip()).is_empty() {
            return;
        }
        let lines = wrap(text, style, area.width() as f32, block.lines);
        let height = line_height(style);
        let spare = area.height() as f32 - height * lines.len() as f32;
        let down = match block.place {
            Place::Top => 0.0,
            Place::Middle => spare / 2.0,
            Place::Bottom => spare,
        };
        self.with_clip(area, |canvas| {
            let seen = canvas.clip();
            for (index, line) in lines.iter().enumerate() {
                let top = area.top as f32 + down + height * index as f32;
                if top < seen.bottom as f32 && top + height * 1.5 > seen.top as f32 {
                    canvas.text_line(line, style, (start(line, block), top + height * BASELINE));
                }
            }
        });
    }

    fn text_line(&mut self, line: &Line<'_>, style: &TextStyle, (x, baseline): (f32, f32)) {
        let shown = line.text.trim_end();
        let mut characters = visual(shown);
        if line.ending == Ending::Ellipsis {
            match direction(shown) {
                Direction::LeftToRight => characters.push(ELLIPSIS),
                Direction::RightToLeft => characters.insert(0, ELLIPSIS),
            }
        }
        let seen = self.clip();
        let reach = style.size() * 2.0;
        let (mut pen, mut last) = (x, x);
        for c in characters {
            // A mark is drawn over the character it belongs to.
            let at = if is_without_width(c) { last } else { pen };
            if at > seen.right as f32 + reach {
                break;
            }
            if at > seen.left as f32 - reach {
                let steps = (at * f32::from(STEPS_PER_PX)).round() as i32;
                let (whole, step) = (
                    steps.div_euclid(STEPS_PER_PX.into()),
                    steps.rem_euclid(STEPS_PER_PX.into()),
                );
                let origin = (whole, baseline.round() as i32);
                stamp(c, style, step as u8, |mask| self.stamp(mask, origin, style.color));
            }
            last = at;
            pen += advance(c, style);
        }
    }
}

/// Where a line's first pixel goes.
fn start(line: &Line<'_>, block: Block) -> f32 {
    let spare = block.area.width() as f32 - line.width;
    let right = block.area.left as f32 + spare;
    // A line too wide for its area shows its beginning, wherever that is.
    match (block.align, direction(line.text)) {
        (Align::Center, _) if spare >= 0.0 => (block.area.left as f32 + spare / 2.0).round(),
        (Align::Start | Align::Center, Direction::RightToLeft) | (Align::End, Direction::LeftToRight) => {
            right
        }
        (Align::Start | Align::Center, Direction::LeftToRight) | (Align::End, Direction::RightToLeft) => {
            block.area.left as f32
        }
    }
}
