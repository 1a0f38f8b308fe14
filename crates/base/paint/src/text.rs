//! Draws text on a canvas.

use crate::area::Point;
use crate::canvas::Canvas;
use crate::direction::{Direction, direction, visual};
use crate::font::{advance, find, line_height};
use crate::glyph::{STEPS_PER_PX, drawn_advance, stamp};
use crate::limits::MAX_LINE_CHARS;
use crate::script::is_without_width;
use crate::style::{Align, Block, TextStyle, VerticalAlign};
use crate::wrap::{ELLIPSIS, LineEnding, TextLine, wrap};

/// From a line's top to the feet of its letters, as part of its height.
const BASELINE: f32 = 0.79;

impl Canvas {
    /// Draws text within an area, wrapped as [`wrap`] does it.
    ///
    /// Hebrew, Arabic and the like are put into the order they are seen in, and a line that begins
    /// with them starts at the right. Letters are not joined or stacked as a shaper would do it. A
    /// character that neither the binary's fonts nor the machine's have is a box.
    pub fn text(&mut self, text: &str, style: &TextStyle, block: Block) {
        let area = block.area;
        if area.intersection(self.clip()).is_empty() {
            return;
        }
        let lines = wrap(text, style, area.width() as f32, block.lines);
        let height = line_height(style);
        let spare = area.height() as f32 - height * lines.len() as f32;
        let down = match block.place {
            VerticalAlign::Top => 0.0,
            VerticalAlign::Middle => spare / 2.0,
            VerticalAlign::Bottom => spare,
        };
        self.with_clip(area, |canvas| {
            let seen = canvas.clip();
            for (index, line) in lines.iter().enumerate() {
                let top = area.top as f32 + down + height * index as f32;
                if top < seen.bottom as f32 && top + height * 1.5 > seen.top as f32 {
                    let line = VisualLine::new(line, style);
                    let start = Point::new(start(&line, block), top + height * BASELINE);
                    canvas.text_line(&line, style, start);
                }
            }
        });
    }

    /// Draws a line from a point on its baseline.
    fn text_line(&mut self, seen: &VisualLine, style: &TextStyle, start: Point) {
        let clip = self.clip();
        let reach = style.size() * 2.0;
        let baseline = start.y.round() as i32;
        let mut pen = start.x;
        let mut base = (start.x, 0.0);
        for &c in &seen.characters {
            if pen > clip.right as f32 + reach {
                break;
            }
            let room = (seen.advance)(c, style);
            let near = pen > clip.left as f32 - reach;
            if near && is_without_width(c) {
                stamp(c, style, 0, |mask| {
                    // A mark is drawn over the middle of its character.
                    let x = base.0 + base.1 / 2.0 - mask.left as f32 - mask.width as f32 / 2.0;
                    self.stamp(mask, mask.area(x.round() as i32, baseline), style.color);
                });
            } else if near {
                let steps = (pen * f32::from(STEPS_PER_PX)).round() as i32;
                let (whole, step) =
                    (steps.div_euclid(STEPS_PER_PX.into()), steps.rem_euclid(STEPS_PER_PX.into()));
                stamp(c, style, step as u8, |mask| {
                    self.stamp(mask, mask.area(whole, baseline), style.color);
                });
            }
            if !is_without_width(c) {
                base = (pen, room);
            }
            pen += room;
        }
    }
}

/// A line as it is seen.
struct VisualLine {
    characters: Vec<char>,
    direction: Direction,
    /// How far the pen moves for a character.
    advance: fn(char, &TextStyle) -> f32,
    width: f32,
}

impl VisualLine {
    fn new(line: &TextLine<'_>, style: &TextStyle) -> Self {
        let shown = line.text.trim_end();
        let (shown, whole) = match shown.char_indices().nth(MAX_LINE_CHARS) {
            Some((end, _)) => (shown.get(..end).unwrap_or_default(), false),
            None => (shown, true),
        };
        let direction = direction(shown);
        let mut characters = visual(shown);
        match (line.ending, direction) {
            (LineEnding::Whole, _) => {}
            (LineEnding::Ellipsis, Direction::LeftToRight) => characters.push(ELLIPSIS),
            (LineEnding::Ellipsis, Direction::RightToLeft) => characters.insert(0, ELLIPSIS),
        }
        let own = characters.iter().all(|&c| is_without_width(c) || find(c, style).is_some());
        let advance = if own { advance } else { drawn_advance };
        let width =
            if own && whole { line.width } else { characters.iter().map(|&c| advance(c, style)).sum() };
        Self { characters, direction, advance, width }
    }
}

/// Where a line's first pixel goes.
fn start(line: &VisualLine, block: Block) -> f32 {
    let spare = block.area.width() as f32 - line.width;
    let right = block.area.left as f32 + spare;
    // A line too wide for its area shows its beginning, wherever that is.
    match (block.align, line.direction) {
        (Align::Center, _) if spare >= 0.0 => (block.area.left as f32 + spare / 2.0).round(),
        (Align::Start | Align::Center, Direction::RightToLeft) | (Align::End, Direction::LeftToRight) => {
            right
        }
        (Align::Start | Align::Center, Direction::LeftToRight) | (Align::End, Direction::RightToLeft) => {
            block.area.left as f32
        }
    }
}
