//! Draws what a user works with: buttons, switches, fields.

use super::{ACCENT, INK, LINE, OFF, ON_ACCENT, Painter, QUIET, SOFT, enabled};
use crate::app::widget::ButtonStyle;
use crate::view::{Look, View};
use clawperator_paint::{Align, Area, Block, Color, Icon, Pen, Point, Ring, Stroke, TextStyle, Weight};
use clawperator_ui::Flag;

impl Painter<'_> {
    pub(super) fn button(&mut self, view: &View<'_>, area: Area, style: ButtonStyle) {
        let box_area = area.inset(self.px(4));
        let radius = box_area.height() as f32 / 2.0;
        let ink = match (style, enabled(view)) {
            (ButtonStyle::Filled, true) => {
                self.canvas.fill_rounded(box_area, radius, ACCENT);
                ON_ACCENT
            }
            (ButtonStyle::Filled, false) => {
                self.canvas.fill_rounded(box_area, radius, Color::rgb(0xe3e0e4));
                OFF
            }
            (ButtonStyle::Outlined, on) => {
                let stroke = Stroke {
                    radius,
                    width: self.px(1).max(1) as f32,
                    color: if on { Color::rgb(0x79747e) } else { LINE },
                };
                self.canvas.stroke_rounded(box_area, stroke);
                if on { ACCENT } else { OFF }
            }
            (ButtonStyle::Text, true) => ACCENT,
            (ButtonStyle::Text, false) => OFF,
        };
        let words = TextStyle::new(self.px(14) as f32, ink).weight(Weight::Medium);
        self.canvas
            .text(&view.text, &words, Block::line(box_area).align(Align::Center));
    }

    pub(super) fn label(&mut self, view: &View<'_>, area: Area) {
        let style = TextStyle::new(self.px(16) as f32, if enabled(view) { INK } else { OFF });
        self.canvas.text(&view.text, &style, Block::line(area));
    }

    pub(super) fn switch(&mut self, view: &View<'_>, area: Area) {
        let on = view.flags.has(Flag::Checked);
        let (width, height) = (self.px(52), self.px(32));
        let top = area.top + (area.height() - height) / 2;
        let track = Area::new(area.right - width, top, area.right, top + height);
        let radius = height as f32 / 2.0;
        let color = match (on, enabled(view)) {
            (true, true) => ACCENT,
            (true, false) => OFF,
            (false, _) => Color::rgb(0xe7e0ec),
        };
        self.canvas.fill_rounded(track, radius, color);
        if !on {
            let stroke = Stroke {
                radius,
                width: self.px(2) as f32,
                color: Color::rgb(0x79747e),
            };
            self.canvas.stroke_rounded(track, stroke);
        }
        let x = if on {
            track.right - height / 2
        } else {
            track.left + height / 2
        };
        let thumb = if on { self.px(12) } else { self.px(8) };
        let color = if on { Color::WHITE } else { Color::rgb(0x79747e) };
        self.canvas
            .circle(Point::new(x as f32, track.center().y), thumb as f32, color);
        self.label(view, Area::new(area.left, area.top, track.left, area.bottom));
    }

    pub(super) fn tick(&mut self, view: &View<'_>, area: Area) {
        let side = self.px(20);
        let left = area.left + self.px(4);
        let top = area.top + (area.height() - side) / 2;
        let place = Area::new(left, top, left + side, top + side);
        let on = view.flags.has(Flag::Checked);
        let round = matches!(view.look, Look::Radio);
        let color = if on { ACCENT } else { QUIET };
        let radius = if round {
            side as f32 / 2.0
        } else {
            self.px(2) as f32
        };
        if on && !round {
            self.canvas.fill_rounded(place, radius, ACCENT);
            self.canvas.icon(Icon::named("check"), place, Color::WHITE);
        } else {
            let width = self.px(2) as f32;
            self.canvas.stroke_rounded(place, Stroke { radius, width, color });
        }
        if on && round {
            self.canvas.circle(place.center(), self.px(5) as f32, ACCENT);
        }
        self.label(
            view,
            Area::new(place.right + self.px(12), area.top, area.right, area.bottom),
        );
    }

    pub(super) fn field(&mut self, view: &View<'_>, area: Area, multiline: bool) {
        let focused = view.flags.has(Flag::Focused);
        let stroke = Stroke {
            radius: self.px(4) as f32,
            width: self.px(if focused { 2 } else { 1 }).max(1) as f32,
            color: if focused { ACCENT } else { Color::rgb(0x79747e) },
        };
        self.canvas.stroke_rounded(area.inset(self.px(2)), stroke);
        let hint = view.text == view.hint && !view.hint.is_empty();
        let style = TextStyle::new(self.px(16) as f32, if hint { OFF } else { INK });
        let room = area.inset(self.px(14));
        let block = if multiline {
            Block::lines(room, 20)
        } else {
            Block::line(room)
        };
        self.canvas.text(&view.text, &style, block);
        if focused && !multiline {
            let width = if hint {
                0.0
            } else {
                clawperator_paint::text_width(&view.text, &style)
            };
            let x = room.left as f32 + width.min(room.width() as f32) + 2.0;
            let pen = Pen {
                width: self.px(1).max(1) as f32,
                color: ACCENT,
            };
            self.canvas.line(
                Point::new(x, room.top as f32),
                Point::new(x, room.bottom as f32),
                pen,
            );
        }
    }

    pub(super) fn slider(&mut self, area: Area, part: u16) {
        let middle = area.center().y as i32;
        let (left, right) = (area.left + self.px(8), area.right - self.px(8));
        let x = left + (right - left) * i32::from(part) / 1000;
        let thick = self.px(2);
        self.canvas.fill_rounded(
            Area::new(left, middle - thick, right, middle + thick),
            thick as f32,
            SOFT,
        );
        self.canvas.fill_rounded(
            Area::new(left, middle - thick, x, middle + thick),
            thick as f32,
            ACCENT,
        );
        self.canvas
            .circle(Point::new(x as f32, middle as f32), self.px(10) as f32, ACCENT);
    }

    pub(super) fn progress(&mut self, area: Area, percent: Option<u16>) {
        match percent {
            Some(percent) => {
                let middle = area.center().y as i32;
                let thick = self.px(2);
                let bar = |right: i32| Area::new(area.left, middle - thick, right, middle + thick);
                self.canvas.fill_rounded(bar(area.right), thick as f32, SOFT);
                self.canvas.fill_rounded(
                    bar(area.left + area.width() * i32::from(percent) / 100),
                    thick as f32,
                    ACCENT,
                );
            }
            None => {
                let ring = Ring {
                    center: area.center(),
                    radius: self.px(18) as f32,
                    start: 0.0,
                    sweep: 270.0,
                };
                let pen = Pen {
                    width: self.px(4) as f32,
                    color: ACCENT,
                };
                self.canvas.arc(ring, pen);
            }
        }
    }

    pub(super) fn web(&mut self, view: &View<'_>, area: Area) {
        self.canvas.fill(area, Color::WHITE);
        let style = TextStyle::new(self.px(16) as f32, INK);
        self.canvas
            .text(&view.hint, &style, Block::lines(area.inset(self.px(16)), 60));
    }
}
