//! The screen as a picture.

mod control;
mod edge;
mod system;

use super::Phone;
use super::keyboard::Types;
use super::toast::Toast;
use super::window::SystemWindow;
use crate::app::widget::TextAlign;
use crate::view::{Appearance, Rgba, TextLook, View};
use clawperator_paint::{
    Align, Area, Block, Canvas, CanvasError, Color, Icon, Shadow, TextStyle, VerticalAlign, Weight,
    line_height, text_width, wrap,
};
use clawperator_ui::{Bounds, Flag};

/// The colours of the phone's own drawing.
const INK: Color = Color::rgb(0x1d1b20);
const QUIET: Color = Color::rgb(0x49454f);
const ACCENT: Color = Color::rgb(0x6750a4);
const ON_ACCENT: Color = Color::WHITE;
const SOFT: Color = Color::rgb(0xeaddff);
const PAPER: Color = Color::rgb(0xf3edf7);
const LINE: Color = Color::rgb(0xcac4d0);
const OFF: Color = Color::rgb(0x9e9aa3);

impl Phone {
    /// A picture of the screen.
    ///
    /// # Errors
    /// [`CanvasError`] if the screen is larger than a picture can be.
    pub fn picture(&self) -> Result<Canvas, CanvasError> {
        let (width, height) = self.display.size();
        let size = |side: i32| u32::try_from(side).unwrap_or(0);
        let mut canvas = Canvas::new(size(width), size(height), Color::BLACK)?;
        if !self.power.awake || !self.power.booted {
            return Ok(canvas);
        }
        let app = self.front_app();
        let mut painter = Painter { canvas: &mut canvas, phone: self };
        let locked = self.power.locked;
        let over_app = self.front_window().is_some() || locked;
        let dialog = self.front_dialog().is_some();
        if let Some(app) = app.as_ref().filter(|_| !locked && !self.is_secure())
            && let Some(mut view) = self.screen_view(app)
        {
            self.run_under_handle(&mut view);
            painter.view(&view);
        }
        let covers = |window: &SystemWindow| matches!(window, SystemWindow::Shade | SystemWindow::Recents);
        if self.front_window().is_some_and(|window| !covers(window)) || dialog {
            let all = painter.canvas.area();
            painter.canvas.fill(all, Color::BLACK.with_alpha(0x60));
        }
        if (over_app || (dialog && !self.is_secure()))
            && let Some((_, view)) = self.active_view(app.as_ref())
        {
            painter.view(&view);
        }
        if self.keyboard_shown && !over_app {
            painter.keyboard();
        }
        painter.overlay();
        painter.toast();
        painter.bars();
        Ok(canvas)
    }

    fn toast_style(&self) -> TextStyle {
        TextStyle::new(self.display.px(14) as f32, INK)
    }

    /// Where a toast is shown.
    pub(crate) fn toast_bounds(&self, toast: &Toast) -> Bounds {
        let (width, height) = self.display.size();
        let words = (text_width(&toast.text, &self.toast_style()) as i32).min(width * 3 / 4);
        let left = (width - words) / 2 - self.display.px(20);
        let top = height - self.display.px(120);
        Bounds::new(left, top, width - left, top + self.display.px(44))
    }
}

struct Painter<'c> {
    canvas: &'c mut Canvas,
    phone: &'c Phone,
}

impl Painter<'_> {
    fn px(&self, dp: u16) -> i32 {
        self.phone.display.px(dp)
    }

    fn view(&mut self, view: &View<'_>) {
        if view.visible.is_empty() {
            return;
        }
        let area = area(view.bounds);
        if matches!(view.look, Appearance::Fab) {
            // It falls beside the button, too.
            let shadow = Shadow {
                radius: self.px(16) as f32,
                blur: self.px(8) as f32,
                color: Color::BLACK.with_alpha(0x40),
            };
            self.canvas.shadow(area.moved(0, self.px(3)), shadow);
        }
        self.canvas.with_clip(self::area(view.visible), |canvas| {
            let mut painter = Painter { canvas, phone: self.phone };
            painter.look(view, area);
            view.children.iter().for_each(|child| painter.view(child));
        });
    }

    fn look(&mut self, view: &View<'_>, area: Area) {
        match &view.look {
            Appearance::Clear => {}
            Appearance::Fill(color) => self.canvas.fill(area, rgba(*color)),
            Appearance::Wallpaper => self.wallpaper(area),
            Appearance::Shade => self.shade(area),
            Appearance::Round(color) => {
                let radius = self.px(28).min(area.height() / 2) as f32;
                self.canvas.fill_rounded(area, radius, rgba(*color));
            }
            Appearance::Task(symbol, color) => self.task(view, area, (symbol, rgba(*color))),
            Appearance::Card(color) => self.card(view, area, rgba(*color)),
            Appearance::Bar => self.canvas.fill(area, Color::rgb(0xfffbfe)),
            Appearance::Paper => {
                let radius = self.px(28) as f32;
                self.canvas.fill_rounded(area, radius, PAPER);
            }
            Appearance::Text(look) => self.words(view, area, *look),
            Appearance::Button(style) => self.button(view, area, *style),
            Appearance::Icon(name, color) => {
                // A letter in a circle of its own colour stands for a person.
                let person = color.is_some() && matches!(Icon::by_name(name), Icon::Letter(_));
                let color = color.map_or(if enabled(view) { QUIET } else { OFF }, rgba);
                self.symbol(name, self.middle(area, if person { 40 } else { 24 }), color);
            }
            Appearance::AppIcon(name, color) => self.app_icon(view, area, (name, rgba(*color))),
            Appearance::Image(color) => {
                let color = color.map_or(SOFT, rgba);
                self.canvas.fill_rounded(area, self.px(8) as f32, color);
                let style = TextStyle::new(self.px(16) as f32, contrast(color));
                self.canvas.text(&view.text, &style, Block::line(area).align(Align::Center));
            }
            Appearance::Switch => self.switch(view, area),
            Appearance::Checkbox | Appearance::Radio => self.tick(view, area),
            Appearance::Field { .. } => self.field(view, area),
            Appearance::Slider(part) => self.slider(view, area, *part),
            Appearance::Progress(percent) => self.progress(view, area, *percent),
            Appearance::Web { .. } => self.canvas.fill(area, Color::WHITE),
            Appearance::Divider => self.canvas.fill(area, LINE),
            Appearance::Tab => {
                if view.flags.has(Flag::Selected) {
                    let line = Area::new(area.left, area.bottom - self.px(3), area.right, area.bottom);
                    self.canvas.fill(line, ACCENT);
                }
            }
            Appearance::Snackbar => self.canvas.fill_rounded(area, self.px(6) as f32, Color::rgb(0x322f35)),
            Appearance::Fab => {
                self.canvas.fill_rounded(area, self.px(16) as f32, SOFT);
                self.symbol(&view.hint, self.middle(area, 24), ACCENT);
            }
        }
    }

    /// The square of that size in the middle of an area.
    fn middle(&self, area: Area, dp: u16) -> Area {
        let side = self.px(dp).min(area.width()).min(area.height());
        let left = area.left + (area.width() - side) / 2;
        let top = area.top + (area.height() - side) / 2;
        Area::new(left, top, left + side, top + side)
    }

    fn symbol(&mut self, name: &str, place: Area, color: Color) {
        self.canvas.icon(Icon::by_name(name), place, color);
    }

    /// An app's icon, and its name below if it has one.
    fn app_icon(&mut self, view: &View<'_>, area: Area, (symbol, color): Symbol<'_>) {
        let label = if view.text.is_empty() { 0 } else { self.px(32) };
        let above = Area::new(area.left, area.top, area.right, area.bottom - label);
        let side = self.px(48).min(above.width()).min(above.height());
        self.canvas.circle(above.center(), side as f32 / 2.0, color);
        self.symbol(symbol, self.middle(above, 28), Color::WHITE);
        let style = TextStyle::new(self.px(14) as f32, Color::WHITE);
        let below = Area::new(area.left, above.bottom, area.right, area.bottom);
        let block = Block::lines(below, 1).align(Align::Center);
        self.canvas.text(&view.text, &style, block);
    }

    fn card(&mut self, view: &View<'_>, area: Area, color: Color) {
        if system::is_tile(view) {
            self.tile(view, area, color);
        } else if view.hint.is_empty() {
            self.canvas.fill_rounded(area, self.px(12) as f32, color);
        } else {
            self.notification(view, area, color);
        }
    }

    fn words(&mut self, view: &View<'_>, area: Area, look: TextLook) {
        let TextLook { sp, bold, color, align, lines, sides } = look;
        let sides = self.px(sides);
        let area = Area::new(area.left + sides, area.top, area.right - sides, area.bottom);
        let color = match color {
            Some(color) => rgba(color),
            None if enabled(view) => INK,
            None => OFF,
        };
        let weight = if bold { Weight::Medium } else { Weight::Regular };
        let mut style = TextStyle::new(self.px(sp) as f32, color).weight(weight);
        if lines == 1 {
            let fits = area.width() as f32 / text_width(&view.text, &style).max(1.0);
            style.size_px *= fits.clamp(0.5, 1.0);
        }
        let height = wrap(&view.text, &style, area.width() as f32, lines).len() as f32 * line_height(&style);
        // What does not fit is cut off at its end, never at its beginning.
        let place = if height > area.height() as f32 { VerticalAlign::Top } else { VerticalAlign::Middle };
        let align = match align {
            TextAlign::Start => Align::Start,
            TextAlign::Center => Align::Center,
            TextAlign::End => Align::End,
        };
        self.canvas.text(&view.text, &style, Block::lines(area, lines).align(align).place(place));
    }

    fn overlay(&mut self) {
        let Some(overlay) = self.phone.overlay.as_ref().filter(|_| !self.phone.power.locked) else {
            return;
        };
        let bubble = area(self.phone.overlay_bounds());
        self.canvas.circle(bubble.center(), bubble.width() as f32 / 2.0, ACCENT);
        let style = TextStyle::new(self.px(14) as f32, ON_ACCENT).weight(Weight::Medium);
        self.canvas.text(&overlay.text, &style, Block::line(bubble).align(Align::Center));
    }

    fn toast(&mut self) {
        let Some(toast) = self.phone.toasts.current() else {
            return;
        };
        let (style, area) = (self.phone.toast_style(), area(self.phone.toast_bounds(toast)));
        self.canvas.fill_rounded(area, self.px(22) as f32, Color::rgb(0xe6e0e9));
        self.canvas.text(
            &toast.text,
            &style,
            Block::lines(area, 2).align(Align::Center).place(VerticalAlign::Middle),
        );
    }

    fn keyboard(&mut self) {
        let board = area(self.phone.keyboard_bounds());
        self.canvas.fill(board, Color::rgb(0xe8e0eb));
        for key in self.phone.keys() {
            let place = area(key.bounds).inset(self.px(2));
            let (color, words) = match key.types {
                Types::Letter(letter) => (Color::WHITE, letter.to_string()),
                Types::Delete => (SOFT, String::new()),
                Types::Enter => (ACCENT, String::new()),
                Types::Page(page) => (SOFT, page.sign().to_owned()),
            };
            self.canvas.fill_rounded(place, self.px(6) as f32, color);
            self.key_mark(key.types, place);
            let sp = if words.chars().count() > 1 { 14 } else { 20 };
            let style = TextStyle::new(self.px(sp) as f32, contrast(color));
            self.canvas.text(&words, &style, Block::line(place).align(Align::Center));
        }
    }

    /// The bar at the top, and the handle at the bottom.
    fn bars(&mut self) {
        let (width, height) = self.phone.display.size();
        let bar = self.px(24);
        let ink = contrast(self.color_at(width / 2, bar / 2));
        let time = self.phone.name("clock", "time").map(|time| time.to_string()).unwrap_or_default();
        // The shade has a clock of its own.
        if !matches!(self.phone.front_window(), Some(SystemWindow::Shade)) {
            let style = TextStyle::new(self.px(13) as f32, ink).weight(Weight::Medium);
            let place = Area::new(self.px(20), 0, width / 2, bar);
            self.canvas.text(&time, &style, Block::line(place));
        }
        let mut right = width - self.px(20);
        let side = self.px(16);
        let (airplane, wifi) = (self.phone.is_on("airplane_mode_on"), self.phone.is_on("wifi_on"));
        let icons = [("battery", true), ("signal", !airplane), ("wifi", wifi)];
        for (name, _) in icons.into_iter().filter(|(_, shown)| *shown) {
            let top = (bar - side) / 2;
            self.canvas.icon(Icon::by_name(name), Area::new(right - side, top, right, top + side), ink);
            right -= side + self.px(6);
        }
        let handle = self.px(108);
        let top = height - self.px(13);
        let area = Area::new((width - handle) / 2, top, (width + handle) / 2, top + self.px(4));
        let ink = contrast(self.color_at(width / 2, height - 1));
        self.canvas.fill_rounded(area, self.px(2) as f32, ink);
    }

    /// What was drawn at a place.
    fn color_at(&self, x: i32, y: i32) -> Color {
        let width = i64::from(self.canvas.width());
        let place = usize::try_from((i64::from(y) * width + i64::from(x)) * 4).unwrap_or(usize::MAX);
        let pixel = self.canvas.pixels().get(place..).and_then(|rest| rest.first_chunk::<3>());
        pixel.map_or(Color::WHITE, |[r, g, b]| Color::rgb(u32::from_be_bytes([0, *r, *g, *b])))
    }
}

fn enabled(view: &View<'_>) -> bool {
    view.flags.has(Flag::Enabled)
}

fn area(bounds: Bounds) -> Area {
    Area::new(bounds.left, bounds.top, bounds.right, bounds.bottom)
}

fn rgba(color: Rgba) -> Color {
    Color::rgb(color >> 8).with_alpha((color & 0xff) as u8)
}

/// Black or white, whichever can be read on a colour.
fn contrast(color: Color) -> Color {
    if color.brightness() > 140 { INK } else { Color::WHITE }
}

/// An icon and the colour behind it.
type Symbol<'a> = (&'a str, Color);
