//! Draws what a user works with: buttons, switches, fields.

use super::super::click::SLIDER_EDGE;
use super::super::keyboard::{KeyboardPage, Types};
use super::{ACCENT, INK, LINE, OFF, ON_ACCENT, Painter, QUIET, SOFT, enabled};
use crate::app::widget::ButtonStyle;
use crate::view::{Appearance, View};
use clawperator_paint::{
    Align, Area, Block, Color, Icon, Pen, Point, Ring, Stroke, TextStyle, Weight, text_width,
};
use clawperator_ui::Flag;

/// A line on a key: two points from its middle, in dp.
type Segment = ((f32, f32), (f32, f32));

const DELETE: [Segment; 7] = [
    ((-12.0, 0.0), (-5.0, -8.0)),
    ((-12.0, 0.0), (-5.0, 8.0)),
    ((-5.0, -8.0), (11.0, -8.0)),
    ((-5.0, 8.0), (11.0, 8.0)),
    ((11.0, -8.0), (11.0, 8.0)),
    ((-1.0, -3.5), (6.0, 3.5)),
    ((-1.0, 3.5), (6.0, -3.5)),
];
const ENTER: [Segment; 4] = [
    ((10.0, -7.0), (10.0, 2.0)),
    ((10.0, 2.0), (-10.0, 2.0)),
    ((-10.0, 2.0), (-4.0, -4.0)),
    ((-10.0, 2.0), (-4.0, 8.0)),
];
const SHIFT: [Segment; 7] = [
    ((0.0, -9.0), (-9.0, 0.0)),
    ((0.0, -9.0), (9.0, 0.0)),
    ((-9.0, 0.0), (-4.0, 0.0)),
    ((9.0, 0.0), (4.0, 0.0)),
    ((-4.0, 0.0), (-4.0, 8.0)),
    ((4.0, 0.0), (4.0, 8.0)),
    ((-4.0, 8.0), (4.0, 8.0)),
];

impl Painter<'_> {
    pub(super) fn button(&mut self, view: &View<'_>, area: Area, style: ButtonStyle) {
        let box_area = area.inset(self.px(4));
        let radius = box_area.height() as f32 / 2.0;
        let ground = self.color_at(area.left + area.width() / 2, area.top + self.px(2));
        // The accent cannot be read on a dark screen.
        let accent = if ground.brightness() > 140 { ACCENT } else { SOFT };
        let ink = match (style, enabled(view)) {
            (ButtonStyle::Filled, true) => {
                self.canvas.fill_rounded(box_area, radius, ACCENT);
                ON_ACCENT
            }
            (ButtonStyle::Filled, false) => {
                self.canvas.fill_rounded(box_area, radius, Color::rgb(0xe3e0e4));
                OFF
            }
            (ButtonStyle::Tonal, on) => {
                let color = if on { SOFT } else { Color::rgb(0xe3e0e4) };
                self.canvas.fill_rounded(box_area, radius, color);
                if on { INK } else { OFF }
            }
            (ButtonStyle::Outlined, on) => {
                let stroke = Stroke {
                    radius,
                    width: self.px(1).max(1) as f32,
                    color: if on { Color::rgb(0x79747e) } else { LINE },
                };
                self.canvas.stroke_rounded(box_area, stroke);
                if on { accent } else { OFF }
            }
            (ButtonStyle::Text, true) => accent,
            (ButtonStyle::Text, false) => OFF,
        };
        // The keys of a keypad have large signs.
        let key = area.height() >= self.px(72) && view.text.chars().count() <= 3;
        let words = TextStyle::new(self.px(if key { 28 } else { 14 }) as f32, ink).weight(Weight::Medium);
        self.canvas.text(&view.text, &words, Block::line(box_area).align(Align::Center));
    }

    /// The words beside a switch or a box: at the side where reading begins.
    pub(super) fn label(&mut self, view: &View<'_>, area: Area) {
        let style = TextStyle::new(self.px(16) as f32, if enabled(view) { INK } else { OFF });
        let mut room = area;
        if view.rtl {
            let width = text_width(&view.text, &style).ceil() as i32 + 1;
            room.left = room.left.max(room.right - width);
        }
        self.canvas.text(&view.text, &style, Block::line(room));
    }

    /// An area's place on a screen that is written from right to left.
    fn turned(view: &View<'_>, place: Area, area: Area) -> Area {
        if !view.rtl {
            return place;
        }
        let turn = |x: i32| area.left + area.right - x;
        Area::new(turn(place.right), place.top, turn(place.left), place.bottom)
    }

    pub(super) fn switch(&mut self, view: &View<'_>, area: Area) {
        let on = view.flags.has(Flag::Checked);
        // One that has little room is smaller, not cut off.
        let height = self.px(32).min(area.height());
        let width = (height * 52 / 32).min(area.width());
        let top = area.top + (area.height() - height) / 2;
        let track = Area::new(area.right - width, top, area.right, top + height);
        let words = Area::new(area.left, area.top, track.left - self.px(8), area.bottom);
        let track = Self::turned(view, track, area);
        let radius = height as f32 / 2.0;
        let (fill, line, thumb) = match (on, enabled(view)) {
            (true, true) => (ACCENT, ACCENT, Color::WHITE),
            (true, false) => (LINE, LINE, Color::WHITE),
            (false, true) => (Color::rgb(0xe7e0ec), Color::rgb(0x79747e), Color::rgb(0x79747e)),
            (false, false) => (Color::rgb(0xf3f0f4), LINE, LINE),
        };
        self.canvas.fill_rounded(track, radius, fill);
        if !on {
            let stroke = Stroke { radius, width: self.px(2) as f32, color: line };
            self.canvas.stroke_rounded(track, stroke);
        }
        let x = if on == view.rtl { track.left + height / 2 } else { track.right - height / 2 };
        let size = height as f32 * if on { 0.375 } else { 0.25 };
        self.canvas.circle(Point::new(x as f32, track.center().y), size, thumb);
        self.label(view, Self::turned(view, words, area));
    }

    pub(super) fn tick(&mut self, view: &View<'_>, area: Area) {
        let side = self.px(20);
        let left = area.left + self.px(4);
        let top = area.top + (area.height() - side) / 2;
        let place = Area::new(left, top, left + side, top + side);
        let words = Area::new(place.right + self.px(12), area.top, area.right, area.bottom);
        let place = Self::turned(view, place, area);
        let on = view.flags.has(Flag::Checked);
        let round = matches!(view.look, Appearance::Radio);
        let color = match (enabled(view), on) {
            (false, _) => LINE,
            (true, true) => ACCENT,
            (true, false) => QUIET,
        };
        let radius = if round { side as f32 / 2.0 } else { self.px(2) as f32 };
        if on && !round {
            self.canvas.fill_rounded(place, radius, color);
            self.canvas.icon(Icon::by_name("check"), place, Color::WHITE);
        } else {
            let width = self.px(2) as f32;
            self.canvas.stroke_rounded(place, Stroke { radius, width, color });
        }
        if on && round {
            self.canvas.circle(place.center(), self.px(5) as f32, color);
        }
        self.label(view, Self::turned(view, words, area));
    }

    pub(super) fn field(&mut self, view: &View<'_>, area: Area) {
        let Appearance::Field { multiline, selected } = view.look else {
            return;
        };
        let usable = enabled(view);
        let focused = view.flags.has(Flag::Focused) && usable;
        let frame = area.inset(self.px(2));
        if !usable {
            self.canvas.fill_rounded(frame, self.px(4) as f32, Color::rgb(0xf3f0f4));
        }
        let stroke = Stroke {
            radius: self.px(4) as f32,
            width: self.px(if focused { 2 } else { 1 }).max(1) as f32,
            color: match (usable, focused) {
                (false, _) => LINE,
                (true, true) => ACCENT,
                (true, false) => Color::rgb(0x79747e),
            },
        };
        self.canvas.stroke_rounded(frame, stroke);
        let hint = view.text == view.hint && !view.hint.is_empty();
        let style = TextStyle::new(self.px(16) as f32, if hint || !usable { OFF } else { INK });
        let sides = self.px(14);
        // A field in a low row keeps its words in the middle.
        let ends = sides.min((area.height() - self.px(22)).max(0) / 2);
        let room = Area::new(area.left + sides, area.top + ends, area.right - sides, area.bottom - ends);
        let block = if multiline { Block::lines(room, 20) } else { Block::line(room) };
        let width = if hint { 0.0 } else { text_width(&view.text, &style) };
        if selected && focused && !multiline {
            let right = room.left + width.min(room.width() as f32) as i32;
            self.canvas.fill(Area::new(room.left, room.top, right, room.bottom), SOFT);
        }
        self.canvas.text(&view.text, &style, block);
        if focused && !multiline && !selected {
            let x = room.left as f32 + width.min(room.width() as f32) + 2.0;
            let pen = Pen { width: self.px(1).max(1) as f32, color: ACCENT };
            self.canvas.line(Point::new(x, room.top as f32), Point::new(x, room.bottom as f32), pen);
        }
    }

    pub(super) fn slider(&mut self, view: &View<'_>, area: Area, part: u16) {
        let middle = area.center().y as i32;
        let thumb = self.px(SLIDER_EDGE);
        let (left, right) = (area.left + thumb, area.right - thumb);
        let x = left + (right - left) * i32::from(part) / 1000;
        let thick = self.px(2);
        let (rest, color) = if enabled(view) { (SOFT, ACCENT) } else { (Color::rgb(0xe3e0e4), OFF) };
        for (right, color) in [(right, rest), (x, color)] {
            let bar = Area::new(left, middle - thick, right, middle + thick);
            self.canvas.fill_rounded(bar, thick as f32, color);
        }
        self.canvas.circle(Point::new(x as f32, middle as f32), thumb as f32, color);
    }

    pub(super) fn progress(&mut self, view: &View<'_>, area: Area, percent: Option<u16>) {
        let low = area.height() < self.px(12);
        // Without room for a circle, part of a bar shows the same.
        if percent.is_some() || low {
            let percent = i32::from(percent.unwrap_or(40));
            let middle = area.center().y as i32;
            let thick = self.px(2).min(area.height() / 2).max(1);
            for (part, color) in [(100, SOFT), (percent, ACCENT)] {
                let right = area.left + area.width() * part / 100;
                let bar = Area::new(area.left, middle - thick, right, middle + thick);
                self.canvas.fill_rounded(Self::turned(view, bar, area), thick as f32, color);
            }
            return;
        }
        let width = self.px(4) as f32;
        let side = area.height().min(area.width()) as f32;
        let ring = Ring {
            center: area.center(),
            radius: (self.px(18) as f32).min((side - width) / 2.0),
            start: 0.0,
            sweep: 270.0,
        };
        let pen = Pen { width, color: ACCENT };
        self.canvas.arc(ring, pen);
    }

    /// What is drawn on a key that types no letter: delete and enter.
    pub(super) fn key_mark(&mut self, types: Types, place: Area) {
        let (middle, unit) = (place.center(), self.px(1) as f32);
        let mut line = |from: (f32, f32), to: (f32, f32), color| {
            let at = |(x, y): (f32, f32)| Point::new(middle.x + x * unit, middle.y + y * unit);
            let pen = Pen { width: 2.0 * unit, color };
            self.canvas.line(at(from), at(to), pen);
        };
        let (marks, color): (&[Segment], Color) = match types {
            Types::Delete => (&DELETE, INK),
            Types::Enter => (&ENTER, ON_ACCENT),
            Types::Page(KeyboardPage::Capitals) => (&SHIFT, INK),
            Types::Letter(_) | Types::Page(_) => return,
        };
        for (from, to) in marks {
            line(*from, *to, color);
        }
    }
}
