//! What is around an app's own widgets: the window and its bar.

use super::{Layout, MANY_LINES, Room, clip, group};
use crate::app::spec::Screen;
use crate::app::widget::TextAlign;
use crate::view::class::{BUTTON, FRAME, LINEAR, TEXT};
use crate::view::{Appearance, SystemAct, TextLook, View, ViewKey};
use clawperator_ui::Bounds;

/// The colour of a screen that shows the wallpaper.
const WALLPAPER: &str = "wallpaper";

/// The whole window of a screen.
pub(crate) fn screen<'a>(layout: &mut Layout<'a, '_>, screen: &'a Screen) -> View<'a> {
    if let Some(view) = super::captured::captured(&screen.captured) {
        return view;
    }
    let window = layout.phone.display.bounds();
    let inside = layout.phone.content_bounds();
    layout.rtl = screen.rtl;
    let root = ViewKey::default();
    let mut top = inside.top;
    let mut parts = Vec::new();
    if let Some(title) = &screen.title {
        let bottom = top + layout.px(64);
        let title = layout.text(Some(title));
        parts.push(bar(layout, screen, &title, Bounds { bottom, ..inside }));
        top = bottom;
    }
    let footer = layout.stacked(&screen.footer, inside.right - inside.left, 0);
    let body = Bounds { top, bottom: (inside.bottom - footer).max(top), ..inside };
    parts.push(content(layout, screen, body));
    if !screen.footer.is_empty() {
        let room = Bounds { top: body.bottom, ..inside };
        let children = layout.below(&screen.footer, Room { key: root.part(3), bounds: room }, 0);
        parts.push(group(root.part(3), LINEAR, room, children));
    }
    if let Some(fab) = &screen.fab {
        let (size, edge) = (layout.px(56), layout.px(16));
        let corner = Bounds {
            left: body.right - edge - size,
            top: body.bottom - edge - size,
            right: body.right - edge,
            bottom: body.bottom - edge,
        };
        let corner = layout.mirrored(corner, body);
        if let Some(mut button) = layout.place(fab, root.part(4), corner) {
            button.children.clear();
            button.hint = match &button.look {
                Appearance::Icon(name, _) => name.clone(),
                _ => "plus".to_owned(),
            };
            button.look = Appearance::Fab;
            parts.push(button);
        }
    }
    parts.extend(snackbar(layout, body));
    let mut content = group(root.part(1), FRAME, inside, parts);
    content.id = "android:id/content".to_owned();
    let holder = group(root.part(0), LINEAR, window, vec![content]);
    let mut view = group(root, FRAME, window, vec![holder]);
    view.look = match &screen.color {
        Some(color) if color.text(&layout.scope()) == WALLPAPER => Appearance::Wallpaper,
        color => Appearance::Fill(layout.color(color.as_ref()).unwrap_or(0xfffb_feff)),
    };
    clip(&mut view, window);
    view
}

fn content<'a>(layout: &mut Layout<'a, '_>, screen: &'a Screen, room: Bounds) -> View<'a> {
    let key = ViewKey::default().part(2);
    if !screen.scroll {
        let children = layout.below(&screen.body, Room { key, bounds: room }, 0);
        return group(key, LINEAR, room, children);
    }
    let height = layout.stacked(&screen.body, room.right - room.left, 0);
    let height = super::place::stretched(height, &screen.body, room);
    let mut view = group(key, "android.widget.ScrollView", room, Vec::new());
    let top = room.top - layout.scrolled(&mut view, height);
    let inner = Bounds { top, bottom: top + height, ..room };
    let children = layout.below(&screen.body, Room { key: key.part(0), bounds: inner }, 0);
    view.children = vec![group(key.part(0), LINEAR, inner, children)];
    view
}

fn bar<'a>(layout: &mut Layout<'a, '_>, screen: &'a Screen, title: &str, room: Bounds) -> View<'a> {
    let key = ViewKey::default().part(5);
    let mut children = Vec::new();
    let button = layout.px(56);
    let mut left = room.left + layout.px(16);
    if layout.screen.depth > 0 {
        let place = layout.mirrored(Bounds { left: room.left, right: room.left + button, ..room }, room);
        let up = group(key.part(0), "android.widget.ImageButton", place, Vec::new());
        let mut up = up.pressable(SystemAct::Back);
        up.desc = "Navigate up".to_owned();
        up.look = Appearance::Icon("back".to_owned(), None);
        children.push(up);
        left = room.left + button + layout.px(8);
    }
    let right = room.right - button * screen.actions.len() as i32;
    let place = layout.mirrored(Bounds { left, right: right.max(left), ..room }, room);
    let mut words = group(key.part(1), TEXT, place, Vec::new());
    words.text = title.to_owned();
    words.look = Appearance::words(22, TextAlign::Start, MANY_LINES);
    children.push(words);
    for (number, action) in screen.actions.iter().enumerate() {
        let left = right + button * number as i32;
        let place = layout.mirrored(Bounds { left, right: left + button, ..room }, room);
        children.extend(layout.place(action, key.part(2 + number), place));
    }
    let mut view = group(key, "android.view.ViewGroup", room, children);
    view.id = layout.resource_id("toolbar");
    view.look = Appearance::Bar;
    view
}

fn snackbar<'a>(layout: &mut Layout<'a, '_>, room: Bounds) -> Option<View<'a>> {
    let shown = layout.phone.snackbar_of(&layout.app.package)?;
    let (text, action) = (shown.text.clone(), shown.action.clone());
    let key = ViewKey::default().part(6);
    let edge = layout.px(8);
    let place = Bounds {
        left: room.left + edge,
        top: room.bottom - edge - layout.px(48),
        right: room.right - edge,
        bottom: room.bottom - edge,
    };
    let button = if action.is_empty() { 0 } else { layout.px(96) };
    let left = Bounds { left: place.left + layout.px(16), right: place.right - button, ..place };
    let mut words = group(key.part(0), TEXT, left, Vec::new());
    words.id = layout.resource_id("snackbar_text");
    words.text = text;
    words.look =
        Appearance::Text(TextLook { color: Some(0xffff_ffff), ..TextLook::plain(14, TextAlign::Start, 2) });
    let mut children = vec![words];
    if !action.is_empty() {
        let right = Bounds { left: place.right - button, ..place };
        let press = group(key.part(1), BUTTON, right, Vec::new());
        let mut press = press.pressable(SystemAct::SnackbarAction);
        press.id = layout.resource_id("snackbar_action");
        press.text = action;
        // The usual colour of such buttons cannot be read on a dark bar.
        let plain = TextLook::plain(14, TextAlign::Center, 1);
        press.look = Appearance::Text(TextLook { bold: true, color: Some(0xd0bc_ffff), ..plain });
        children.push(press);
    }
    let mut view = group(key, FRAME, place, children);
    view.look = Appearance::Snackbar;
    Some(view)
}
