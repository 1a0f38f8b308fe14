//! Puts widgets into their places.

use super::measure::{MAX_LINES, sides};
use super::{Layout, MAX_VIEWS, Room, ViewSize, group};
use crate::app::template::Template;
use crate::app::value::Value;
use crate::app::widget::{Column, Widget};
use crate::view::class::{FRAME, LINEAR, TEXT};
use crate::view::{Appearance, Axis, Click, Rgba, Scroll, ScrollKind, TextLook, View, ViewKey};
use clawperator_ui::{Bounds, Flag};
use std::borrow::Cow;

impl<'a> Layout<'a, '_> {
    /// The view of a widget in its room; none if it is not there.
    pub(super) fn place(&mut self, widget: &'a Widget, key: ViewKey, room: Bounds) -> Option<View<'a>> {
        self.views += 1;
        if self.views > MAX_VIEWS || !self.is_there(widget) {
            return None;
        }
        let traits = widget.traits();
        let mut view = self.view(key, &traits, room);
        if view.class.is_empty() {
            view.class = Cow::Borrowed(class(widget));
        }
        match widget {
            Widget::Column(column) => self.column(column, &mut view),
            Widget::Card(card) => {
                view.look = Appearance::Card(self.color(card.color.as_ref()).unwrap_or(CARD));
                let inside = inset(room, self.px(16), self.px(12));
                view.children = self.below(&card.children, Room { key, bounds: inside }, 4);
            }
            Widget::Row(row) => {
                view.look = self.fill(row.color.as_ref(), row.round);
                let inside = inset(room, self.px(row.padding), 0);
                view.children = self.beside_each_other(&row.children, Room { key, bounds: inside }, row.gap);
            }
            Widget::Stack(stack) => view.children = self.on_top(&stack.children, key, room),
            Widget::List(list) => self.list(list, &mut view),
            Widget::Grid(grid) => self.grid(grid, &mut view),
            Widget::Tabs(tabs) => self.tabs(tabs, &mut view),
            Widget::Pager(pager) => self.pager(pager, &mut view),
            Widget::Field(field) => self.field(field, &mut view),
            Widget::Slider(slider) => self.slider(slider, &mut view),
            Widget::Switch(switch) => {
                let click = Click::Toggle(&switch.bind, &switch.on_change);
                view.look = Appearance::Switch;
                self.two_state(&mut view, &switch.text, click);
                view.flags = view.flags.with(Flag::Checked, self.bound(&switch.bind).is_true());
            }
            Widget::Checkbox(checkbox) => {
                let click = Click::Toggle(&checkbox.bind, &checkbox.on_change);
                view.look = Appearance::Checkbox;
                self.two_state(&mut view, &checkbox.text, click);
                view.flags = view.flags.with(Flag::Checked, self.bound(&checkbox.bind).is_true());
            }
            Widget::Radio(radio) => {
                let value = Value::Text(self.text(Some(&radio.value)));
                let chosen = self.bound(&radio.bind).text() == value.text();
                let click = Click::Choose(&radio.bind, value, &radio.on_change);
                view.look = Appearance::Radio;
                self.two_state(&mut view, &radio.text, click);
                view.flags = view.flags.with(Flag::Checked, chosen);
            }
            _ => self.leaf(widget, &mut view),
        }
        if self.screen.focus == Some(key) && view.flags.has(Flag::Focusable) {
            view.flags = view.flags.with(Flag::Focused, true);
        }
        Some(view)
    }

    fn leaf(&mut self, widget: &'a Widget, view: &mut View<'a>) {
        match widget {
            Widget::Text(text) => {
                view.text = self.text(Some(&text.text));
                view.look = Appearance::Text(TextLook {
                    bold: text.bold || text.heading,
                    color: self.color(text.color.as_ref()),
                    sides: sides(text),
                    ..TextLook::plain(text.size.sp(), text.align, text.lines.unwrap_or(MAX_LINES))
                });
            }
            Widget::Button(button) => {
                view.text = self.text(Some(&button.text));
                view.look = Appearance::Button(button.style);
                // A button is clickable even if it does nothing.
                view.flags = view.flags.with(Flag::Clickable, true).with(Flag::Focusable, true);
                if button.on_click.is_none() && view.flags.has(Flag::Enabled) {
                    view.acts.click = Click::Effects(&[]);
                }
            }
            Widget::Icon(icon) => {
                let name = self.text(Some(&icon.name));
                view.text = self.text(icon.label.as_ref());
                view.look = match self.color(icon.disc.as_ref()) {
                    Some(disc) => Appearance::AppIcon(name, disc),
                    None => Appearance::Icon(name, self.color(icon.color.as_ref())),
                };
            }
            Widget::Image(image) => {
                view.look = Appearance::Image(self.color(image.color.as_ref()));
                view.text = self.text(image.label.as_ref());
            }
            Widget::Progress(progress) => {
                let percent = progress.value.as_ref().map(|value| {
                    let value = value.evaluate(&self.scope()).number().unwrap_or(0);
                    value.clamp(0, 100) as u16
                });
                view.look = Appearance::Progress(percent);
            }
            Widget::Web(web) => self.web(web, view),
            Widget::Divider(_) => view.look = Appearance::Divider,
            _ => {}
        }
    }

    fn column(&mut self, column: &'a Column, view: &mut View<'a>) {
        view.look = self.fill(column.color.as_ref(), column.round);
        let padding = self.px(column.padding);
        let inside = inset(view.bounds, padding, padding);
        if !column.scroll {
            view.children = self.below(&column.children, Room { key: view.key, bounds: inside }, column.gap);
            return;
        }
        let height = self.stacked(&column.children, inside.right - inside.left, column.gap) + 2 * padding;
        let height = stretched(height, &column.children, view.bounds);
        view.class = Cow::Borrowed("android.widget.ScrollView");
        let room = shifted(inside, self.scrolled(view, height), height - 2 * padding);
        let children = self.below(&column.children, Room { key: view.key.part(0), bounds: room }, column.gap);
        view.children = vec![group(
            view.key.part(0),
            LINEAR,
            shifted(view.bounds, view.bounds.top - room.top + padding, height),
            children,
        )];
    }

    /// Makes a view scroll over contents of a height, and tells how far it is.
    pub(super) fn scrolled(&self, view: &mut View<'a>, height: i32) -> i32 {
        let range = (height - (view.bounds.bottom - view.bounds.top)).max(0);
        let offset = self.screen.scroll(view.key).clamp(0, range);
        view.flags = view.flags.with(Flag::Scrollable, range > 0).with(Flag::Focusable, range > 0);
        view.scroll = (range > 0).then_some(Scroll {
            axis: Axis::Vertical,
            range,
            offset,
            kind: ScrollKind::Free { on_scroll: &[], on_end: &[] },
        });
        offset
    }

    /// Widgets below each other: what has a weight shares the height that the others leave.
    pub(super) fn below(&mut self, children: &'a [Widget], room: Room, gap: u16) -> Vec<View<'a>> {
        let Room { key, bounds: room } = room;
        let width = room.right - room.left;
        let sizes: Vec<ViewSize> = children.iter().map(|child| self.measure(child, width)).collect();
        let there: Vec<bool> = children.iter().map(|child| self.is_there(child)).collect();
        let weights: Vec<i32> =
            children.iter().map(|child| i32::from(child.traits().weight.unwrap_or(0))).collect();
        let gap = self.px(gap);
        let count = there.iter().filter(|there| **there).count() as i32;
        let fixed: i32 =
            (0..children.len()).filter(|n| there[*n] && weights[*n] == 0).map(|n| sizes[n].height).sum();
        let free = (room.bottom - room.top - fixed - gap * (count - 1).max(0)).max(0);
        let all: i32 = (0..children.len()).filter(|n| there[*n]).map(|n| weights[n]).sum();
        let mut top = room.top;
        let mut views = Vec::new();
        for (number, child) in children.iter().enumerate().filter(|(number, _)| there[*number]) {
            let height = match weights[number] {
                0 => sizes[number].height,
                weight => (i64::from(free) * i64::from(weight) / i64::from(all.max(1))) as i32,
            };
            let fills = child.traits().width.is_none() && !is_narrow(child);
            let right = if fills { room.right } else { room.left + sizes[number].width };
            let place = self.mirrored(Bounds::new(room.left, top, right, top + height), room);
            views.extend(self.place(child, key.part(number), place));
            top += height + gap;
        }
        views
    }

    fn beside_each_other(&mut self, children: &'a [Widget], room: Room, gap: u16) -> Vec<View<'a>> {
        let Room { key, bounds: room } = room;
        let sizes = self.beside(children, room.right - room.left, gap);
        let gap = self.px(gap);
        let mut left = room.left;
        let mut views = Vec::new();
        for (number, child) in children.iter().enumerate() {
            if !self.is_there(child) {
                continue;
            }
            let ViewSize { width, height } = sizes[number];
            // In the middle of the row's height, as phones do it, and over the
            // row's padding before anything is cut off.
            let top = room.top + (room.bottom - room.top - height).max(0) / 2;
            let bottom = (top + height).min(room.bottom.max(top));
            let place = self.mirrored(Bounds::new(left, top, left + width, bottom), room);
            views.extend(self.place(child, key.part(number), place));
            left += width + gap;
        }
        views
    }

    fn on_top(&mut self, children: &'a [Widget], key: ViewKey, room: Bounds) -> Vec<View<'a>> {
        let mut views = Vec::new();
        for (number, child) in children.iter().enumerate() {
            let size = self.measure(child, room.right - room.left);
            let place = Bounds { right: room.left + size.width, bottom: room.top + size.height, ..room };
            views.extend(self.place(child, key.part(number), place));
        }
        views
    }

    /// A screen that is written from right to left has its sides changed.
    pub(super) fn mirrored(&self, place: Bounds, room: Bounds) -> Bounds {
        if !self.rtl {
            return place;
        }
        Bounds {
            left: room.left + room.right - place.right,
            right: room.left + room.right - place.left,
            ..place
        }
    }

    fn fill(&self, color: Option<&Template>, round: bool) -> Appearance {
        let look = if round { Appearance::Round } else { Appearance::Fill };
        self.color(color).map_or(Appearance::Clear, look)
    }
}

/// What a card is like where its file says nothing.
const CARD: Rgba = 0xf3ed_f7ff;

/// The class a phone would name.
fn class(widget: &Widget) -> &'static str {
    match widget {
        Widget::Column(_) | Widget::Row(_) | Widget::Tabs(_) => LINEAR,
        Widget::Stack(_) => FRAME,
        Widget::Card(_) => "androidx.cardview.widget.CardView",
        Widget::List(_) | Widget::Grid(_) => "androidx.recyclerview.widget.RecyclerView",
        Widget::Pager(_) => "androidx.viewpager.widget.ViewPager",
        Widget::Text(_) => TEXT,
        Widget::Button(_) => "android.widget.Button",
        Widget::Icon(icon) if icon.label.is_some() => TEXT,
        Widget::Icon(icon) if icon.on_click.is_some() => "android.widget.ImageButton",
        Widget::Icon(_) | Widget::Image(_) => "android.widget.ImageView",
        Widget::Switch(_) => "android.widget.Switch",
        Widget::Checkbox(_) => "android.widget.CheckBox",
        Widget::Radio(_) => "android.widget.RadioButton",
        Widget::Field(_) => "android.widget.EditText",
        Widget::Slider(_) => "android.widget.SeekBar",
        Widget::Progress(_) => "android.widget.ProgressBar",
        Widget::Web(_) => super::web::CLASS,
        Widget::Divider(_) | Widget::Space(_) => "android.view.View",
    }
}

/// Tells whether a widget is no wider than it needs to be.
fn is_narrow(widget: &Widget) -> bool {
    match widget {
        // Words that can be clicked are rows of a list: as wide as it is.
        Widget::Text(text) => text.on_click.is_none() && text.align == crate::app::widget::TextAlign::Start,
        Widget::Button(_) => true,
        // An app's icon is centred in its cell.
        Widget::Icon(icon) => icon.disc.is_none(),
        _ => false,
    }
}

/// How high what scrolls is: what has a weight makes it fill its room.
pub(super) fn stretched(height: i32, children: &[Widget], room: Bounds) -> i32 {
    let fills = children.iter().any(|child| child.traits().weight.is_some());
    if fills { height.max(room.bottom - room.top) } else { height }
}

fn inset(room: Bounds, sides: i32, ends: i32) -> Bounds {
    let left = room.left + sides;
    let top = room.top + ends;
    Bounds::new(left, top, (room.right - sides).max(left), (room.bottom - ends).max(top))
}

fn shifted(room: Bounds, offset: i32, height: i32) -> Bounds {
    let top = room.top - offset;
    Bounds { top, bottom: top + height, ..room }
}
