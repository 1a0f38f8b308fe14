//! The focus of the keys. A finger gives it to fields alone; the keys of a
//! keyboard move it to anything that can have it.

use super::Phone;
use super::event::EventKind;
use crate::view::{Click, View, ViewKey};
use clawperator_ui::{Bounds, Flag, Point};

/// Where a key moves the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FocusMove {
    /// To the next element in reading order, from the last to the first.
    Forward,
    Up,
    Down,
    Left,
    Right,
}

/// An element that can have the focus.
#[derive(Clone, Copy)]
struct FocusStop {
    key: ViewKey,
    at: Bounds,
    is_field: bool,
}

impl Phone {
    /// Moves the focus. Where there is nothing, it stays.
    pub(super) fn move_focus(&mut self, way: FocusMove) {
        let Some(app) = self.front_app() else { return };
        let Some((_, root)) = self.active_view(Some(&app)) else {
            return;
        };
        let mut stops = Vec::new();
        collect(&root, &mut stops);
        let current = self.key_focus();
        let place = stops.iter().position(|stop| Some(stop.key) == current);
        let next = match (way, place) {
            (_, None) => stops.first(),
            (FocusMove::Forward, Some(place)) => stops.get(place + 1).or(stops.first()),
            (way, Some(place)) => nearest(&stops, stops[place].at, way),
        };
        let Some(next) = next.copied() else { return };
        drop(root);
        if next.is_field {
            self.focus_field(&app.package, next.key);
        } else if let Some(screen) = self.screen_of(&app.package) {
            (screen.focus, screen.all_selected) = (Some(next.key), false);
            self.keyboard_shown = false;
            self.tell(EventKind::ViewFocused, &app.package, "");
        }
    }

    pub(super) fn click_focused(&mut self) {
        let Some(app) = self.front_app() else { return };
        let Some(key) = self.key_focus() else { return };
        let at = self.active_view(Some(&app)).and_then(|(_, root)| Some(root.find(key)?.visible.center()));
        if let Some(at) = at {
            self.click(at, false);
        }
    }

    /// A finger takes the focus from what only keys can give it to.
    pub(super) fn leave_key_focus(&mut self) {
        if self.key_focus().is_some()
            && !self.can_write()
            && let Some(screen) = self.front_screen_mut()
        {
            screen.focus = None;
        }
    }

    fn key_focus(&self) -> Option<ViewKey> {
        self.front_screen()?.focus
    }
}

/// Every element that can have the focus, in reading order. A list can have it
/// only if nothing in it can.
fn collect(view: &View<'_>, stops: &mut Vec<FocusStop>) {
    let can = view.flags.has(Flag::Focusable) && view.flags.has(Flag::Enabled) && !view.visible.is_empty();
    let stop =
        FocusStop { key: view.key, at: view.visible, is_field: matches!(view.acts.click, Click::Write(_)) };
    let scrolls = view.flags.has(Flag::Scrollable);
    if can && !scrolls {
        stops.push(stop);
    }
    let before = stops.len();
    view.children.iter().for_each(|child| collect(child, stops));
    if can && scrolls && stops.len() == before {
        stops.push(stop);
    }
}

/// The nearest element on one side of a place.
fn nearest(stops: &[FocusStop], from: Bounds, way: FocusMove) -> Option<&FocusStop> {
    let Point { x, y } = from.center();
    let far = |stop: &FocusStop| {
        let to = stop.at.center();
        let (right, down) = (to.x - x, to.y - y);
        let (along, aside) = match way {
            FocusMove::Up => (-down, right),
            FocusMove::Left => (-right, down),
            FocusMove::Right => (right, down),
            FocusMove::Down | FocusMove::Forward => (down, right),
        };
        (along > 0).then_some((along, aside.abs()))
    };
    let beside = stops.iter().filter_map(|stop| Some((far(stop)?, stop)));
    beside.min_by_key(|(far, _)| *far).map(|(_, stop)| stop)
}
