//! An app's dialogs.

use super::{Layout, MANY_LINES, Room, clip, group};
use crate::app::spec::Dialog;
use crate::app::widget::{ButtonStyle, TextAlign};
use crate::view::class::{BUTTON, FRAME, LINEAR, TEXT};
use crate::view::{Appearance, SystemAct, View, ViewKey};
use clawperator_paint::Weight;
use clawperator_ui::Bounds;

/// Between a dialog's edge and what it shows.
const PADDING: u16 = 24;

pub(crate) fn dialog<'a>(layout: &mut Layout<'a, '_>, dialog: &'a Dialog) -> View<'a> {
    let key = ViewKey::default().part(7);
    let inside = layout.phone.content_bounds();
    let padding = layout.px(PADDING);
    let inner = inner_width(layout);
    let width = inner + 2 * padding;
    let left = inside.left + (inside.right - inside.left - width) / 2;
    let words = [
        DialogWords::new(layout, "alertTitle", layout.text(dialog.title.as_ref()), 24),
        DialogWords::new(layout, "message", layout.text(dialog.message.as_ref()), 14),
    ];
    let words_height: i32 = words.iter().map(|words| words.height).sum();
    let body_height = layout.stacked(&dialog.body, inner, 0).min((inside.bottom - inside.top) * 3 / 5);
    let buttons_height = if dialog.buttons.is_empty() { 0 } else { layout.px(56) };
    let height = words_height + body_height + buttons_height + 2 * padding;
    let top = inside.top + (inside.bottom - inside.top - height).max(0) / 2;
    let window = Bounds::new(left, top, left + width, top + height);
    let mut at = top + padding;
    let mut row = |height: i32| {
        at += height;
        Bounds::new(left + padding, at - height, left + padding + inner, at)
    };
    let mut parts = Vec::new();
    for (number, words) in words.into_iter().enumerate().filter(|(_, words)| words.height > 0) {
        let place = row(words.height);
        parts.push(words.view(key.part(10 + number), place));
    }
    let body = Room { key: key.part(8), bounds: row(body_height) };
    parts.extend(layout.below(&dialog.body, body, 0));
    let foot = Bounds {
        left,
        top: window.bottom - buttons_height - padding / 2,
        right: window.right - padding,
        bottom: window.bottom - padding / 2,
    };
    parts.extend(dialog_buttons(layout, dialog, foot));
    window_of(key, window, parts)
}

/// How wide what a dialog shows is.
fn inner_width(layout: &Layout<'_, '_>) -> i32 {
    let inside = layout.phone.content_bounds();
    let width = (inside.right - inside.left - 2 * layout.px(28)).min(layout.px(560));
    width - 2 * layout.px(PADDING)
}

/// A dialog's window around what it shows.
fn window_of(key: ViewKey, window: Bounds, parts: Vec<View<'_>>) -> View<'_> {
    let mut paper = group(key.part(0), LINEAR, window, parts);
    paper.look = Appearance::Paper;
    let mut content = group(key.part(1), FRAME, window, vec![paper]);
    content.id = "android:id/content".to_owned();
    let mut view = group(key, FRAME, window, vec![content]);
    clip(&mut view, window);
    view
}

/// A dialog's title or message, and how high it is with the space below it.
struct DialogWords {
    id: &'static str,
    text: String,
    sp: u16,
    height: i32,
    space: i32,
}

impl DialogWords {
    fn new(layout: &Layout<'_, '_>, id: &'static str, text: String, sp: u16) -> Self {
        let style = layout.style(sp, Weight::Regular);
        let lines = clawperator_paint::wrap(&text, &style, inner_width(layout) as f32, 40).len();
        let space = layout.px(16);
        let height = (clawperator_paint::line_height(&style) * lines as f32).ceil() as i32 + space;
        Self { height: if text.is_empty() { 0 } else { height }, id, text, sp, space }
    }

    fn view<'a>(self, key: ViewKey, room: Bounds) -> View<'a> {
        let bounds = Bounds { bottom: room.bottom - self.space, ..room };
        let mut view = group(key, TEXT, bounds, Vec::new());
        view.id = format!("android:id/{}", self.id);
        view.text = self.text;
        view.look = Appearance::words(self.sp, TextAlign::Start, MANY_LINES);
        view
    }
}

/// The buttons, the last one at the end.
fn dialog_buttons<'a>(layout: &Layout<'a, '_>, dialog: &'a Dialog, room: Bounds) -> Vec<View<'a>> {
    /// The usual ids: two buttons are "no" and "yes".
    const IDS: [&[&str]; 4] =
        [&[], &["button1"], &["button2", "button1"], &["button3", "button2", "button1"]];
    let style = layout.style(14, Weight::Medium);
    let widths = dialog.buttons.iter().map(|button| {
        let words = layout.text(Some(&button.text));
        clawperator_paint::text_width(&words, &style).ceil() as i32 + layout.px(32)
    });
    let widths: Vec<i32> = widths.collect();
    let mut left = room.right - widths.iter().sum::<i32>();
    let ids = IDS.get(dialog.buttons.len()).copied().unwrap_or_default();
    let mut views = Vec::new();
    for (number, button) in dialog.buttons.iter().enumerate() {
        let place = Bounds { left, right: left + widths[number], ..room };
        let view = group(ViewKey::default().part(9).part(number), BUTTON, place, Vec::new());
        let mut view = view.pressable(SystemAct::DialogButton(number));
        view.text = layout.text(Some(&button.text));
        view.id = match (&button.id, ids.get(number)) {
            (Some(id), _) => layout.resource_id(&layout.text(Some(id))),
            (None, Some(id)) => format!("android:id/{id}"),
            (None, None) => String::new(),
        };
        view.look = Appearance::Button(ButtonStyle::Text);
        views.push(view);
        left += widths[number];
    }
    views
}
