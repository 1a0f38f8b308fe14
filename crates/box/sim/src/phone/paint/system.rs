//! Draws what is the phone's own: the wallpaper, the shade, the open apps.

use super::super::Phone;
use super::super::task::Task;
use super::{ACCENT, INK, Painter, QUIET, Symbol, contrast};
use crate::view::View;
use clawperator_paint::{Align, Area, Block, Canvas, Color, TextStyle, Weight};
use clawperator_ui::Flag;

/// The sky of the wallpaper, from the top down.
const SKY: [Color; 3] = [Color::rgb(0x16213e), Color::rgb(0x4b4a86), Color::rgb(0xe59a7f)];
const SUN: Color = Color::rgb(0xffdcb0);
/// A round hill: where its middle is and how high its top, in percent of the
/// screen, how wide it is, in percent of the width, and its colour.
type Hill = (i32, i32, i32, u32);

/// The hills, the farthest first.
const HILLS: [Hill; 4] =
    [(24, 60, 130, 0x6d5580), (88, 65, 120, 0x4f4570), (14, 74, 140, 0x363559), (74, 82, 170, 0x23243f)];

impl Painter<'_> {
    pub(super) fn wallpaper(&mut self, area: Area) {
        let (width, height) = (area.width(), area.height());
        let at = |percent: i32| area.top + height * percent / 100;
        let [top, middle, low] = SKY;
        let (noon, horizon) = (at(45), at(80));
        self.canvas.fill_gradient(Area::new(area.left, area.top, area.right, noon), top, middle);
        self.canvas.fill_gradient(Area::new(area.left, noon, area.right, horizon), middle, low);
        let sun = Area::new(
            area.left + width * 58 / 100,
            at(53),
            area.left + width * 76 / 100,
            at(53) + width * 18 / 100,
        );
        self.canvas.fill_rounded(sun, sun.width() as f32 / 2.0, SUN);
        for hill in HILLS {
            self.hill(hill, area);
        }
    }

    /// A hill, down to the end of an area.
    fn hill(&mut self, (x, y, wide, color): Hill, area: Area) {
        let x = area.left + area.width() * x / 100;
        let top = area.top + area.height() * y / 100;
        let radius = area.width() * wide / 100;
        let square = |side: i32| i64::from(side) * i64::from(side);
        for y in top..area.bottom {
            let down = (radius - (y - top)).max(0);
            let half = (square(radius) - square(down)).max(0).isqrt();
            let half = i32::try_from(half).unwrap_or(radius);
            self.canvas.fill(Area::new(x - half, y, x + half, y + 1), Color::rgb(color));
        }
    }

    /// The paper of the shade, with the time and the date on it.
    pub(super) fn shade(&mut self, area: Area) {
        self.canvas.fill(area, Color::rgb(0xf1ecf6));
        let say = |name: &str| self.phone.name("clock", name).map(|text| text.to_string());
        let (time, date) = (say("time").unwrap_or_default(), say("day").unwrap_or_default());
        let row = Area::new(self.px(24), self.px(28), area.right - self.px(24), self.px(60));
        let style = TextStyle::new(self.px(26) as f32, INK);
        self.canvas.text(&time, &style, Block::line(row));
        let style = TextStyle::new(self.px(14) as f32, QUIET).weight(Weight::Medium);
        self.canvas.text(&date, &style, Block::line(row).align(Align::End));
        if self.phone.notifications().is_empty() {
            let words = Area::new(area.left, self.px(248), area.right, self.px(288));
            let style = TextStyle::new(self.px(14) as f32, QUIET);
            self.canvas.text("No notifications", &style, Block::line(words).align(Align::Center));
        }
    }

    /// A quick setting: its icon, its name, and whether it is on.
    pub(super) fn tile(&mut self, view: &View<'_>, area: Area, color: Color) {
        self.canvas.fill_rounded(area, self.px(28) as f32, color);
        let ink = contrast(color);
        let icon = Area::new(area.left, area.top, area.left + self.px(56), area.bottom);
        let symbol = match view.desc.as_str() {
            "Internet" => "wifi",
            "Airplane mode" => "airplane",
            "Battery Saver" => "battery",
            other => other,
        };
        self.symbol(symbol, self.middle(icon, 22), ink);
        let middle = area.top + area.height() / 2;
        let right = area.right - self.px(8);
        let rows = [
            (view.desc.as_str(), 15, Weight::Medium, middle - self.px(20), middle + self.px(1)),
            (view.text.as_str(), 13, Weight::Regular, middle, middle + self.px(20)),
        ];
        for (text, sp, weight, top, bottom) in rows {
            let style = TextStyle::new(self.px(sp) as f32, ink).weight(weight);
            let row = Area::new(icon.right, top, right, bottom);
            self.canvas.text(text, &style, Block::line(row));
        }
    }

    /// A notification: the icon of the app that sent it. Its words are views.
    pub(super) fn notification(&mut self, view: &View<'_>, area: Area, color: Color) {
        self.canvas.fill_rounded(area, self.px(24) as f32, color);
        let icon = Area::new(area.left + self.px(8), area.top, area.left + self.px(64), area.bottom);
        let (name, color) = self.icon_of(&view.hint);
        self.canvas.circle(icon.center(), self.px(20) as f32, color);
        self.symbol(&name, self.middle(icon, 24), Color::WHITE);
    }

    /// The symbol and the colour of an app's icon.
    fn icon_of(&self, package: &str) -> (String, Color) {
        let app = self.phone.packages.get(package).map(|package| &package.app);
        let (symbol, color) = app.map_or(("info", None), |app| {
            let symbol = if app.icon.symbol.is_empty() { &app.label } else { &app.icon.symbol };
            (symbol.as_str(), crate::layout::parse_color(&app.icon.color))
        });
        (symbol.to_owned(), color.map_or(ACCENT, super::rgba))
    }

    /// The card of an open app: its icon and name over what it shows.
    pub(super) fn task(&mut self, view: &View<'_>, area: Area, (symbol, color): Symbol<'_>) {
        let head = Area::new(area.left, area.top, area.right, area.top + self.px(36));
        let icon = Area::new(head.left, head.top, head.left + self.px(36), head.bottom);
        self.canvas.circle(icon.center(), self.px(13) as f32, color);
        self.symbol(symbol, self.middle(icon, 16), Color::WHITE);
        let words = Area::new(icon.right + self.px(4), head.top, head.right, head.bottom);
        let style = TextStyle::new(self.px(14) as f32, Color::WHITE).weight(Weight::Medium);
        self.canvas.text(&view.desc, &style, Block::line(words));
        let card = Area::new(area.left, head.bottom, area.right, area.bottom);
        let radius = self.px(20) as f32;
        self.canvas.fill_rounded(card, radius, Color::rgb(0xf3edf7));
        let phone = self.phone;
        let task = phone.tasks.iter().find(|task| task.package == view.hint);
        if let Some(picture) = task.and_then(|task| preview(phone, task, card.width())) {
            self.canvas.lay(&picture, card, radius);
        }
    }
}

/// What an app shows, so many pixels wide; nothing of a secure screen.
fn preview(phone: &Phone, task: &Task, width: i32) -> Option<Canvas> {
    let app = &phone.packages.get(&task.package)?.app;
    if app.screens.get(&task.top()?.name)?.secure {
        return None;
    }
    let size = |side: i32| u32::try_from(side).unwrap_or(0);
    let (full_width, full_height) = phone.display.size();
    let mut canvas = Canvas::new(size(full_width), size(full_height), Color::WHITE).ok()?;
    let view = phone.task_view(task, app)?;
    let mut painter = Painter { canvas: &mut canvas, phone };
    painter.view(&view);
    painter.bars();
    let height = i64::from(full_height) * i64::from(width) / i64::from(full_width.max(1));
    Some(canvas.scaled(size(width), u32::try_from(height).unwrap_or(1)))
}

/// Tells whether a card is a quick setting.
pub(super) fn is_tile(view: &View<'_>) -> bool {
    view.children.is_empty() && view.flags.has(Flag::Checkable)
}
