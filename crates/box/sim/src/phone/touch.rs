//! Fingers on the screen: a touch becomes a click, a long click, a scroll or a
//! gesture of the phone's own.

use super::Phone;
use super::event::EventKind;
use super::window::SystemWindow;
use crate::app::App;
use crate::app::effect::Effect;
use crate::app::value::Value;
use crate::view::{Axis, Click, Scroll, ScrollKind, View, ViewKey};
use clawperator_ui::Point;
use std::sync::Arc;

/// How long a finger must stay for a long click.
const LONG_PRESS_MS: u64 = 500;
/// How far a finger may stray and still click, in dp.
const SLOP: u16 = 8;
/// How near to a side or the top a gesture of the phone's begins, and how far it must go, in dp.
const EDGE: u16 = 20;
const EDGE_TRAVEL: u16 = 48;
/// The farthest a finger goes from the screen's corner, in pixels.
const FAR: i32 = 100_000;
/// How fast something that was thrown slows down, in dp per second squared.
const FRICTION: i64 = 2_600;

/// Over how long the speed of a finger is measured when it is lifted, and what
/// stands for a finger that has stopped.
const PACE_MS: u64 = 40;
const STOPPED_MS: u64 = 60_000;

/// What a finger does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    Down,
    Move,
    Up,
    Cancel,
}

/// Where a finger is at a time, from when it touched the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waypoint {
    pub ms: u64,
    pub place: Point,
}

/// A finger that is on the screen.
#[derive(Clone, Debug)]
pub(crate) struct ScreenTouch {
    start: Point,
    last: Point,
    began_ms: u64,
    /// How much longer it is there than the clock says.
    longer_ms: u64,
    /// What it drags, once it has moved far enough.
    drag: Drag,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drag {
    Still,
    /// It moves, and nothing moves with it.
    Nothing,
    View(ViewKey, Axis),
    Slider(ViewKey),
    /// It rested until what is under it took a long click.
    Held,
}

impl Phone {
    /// A finger does something at a place.
    pub fn motion(&mut self, motion: Motion, at: Point) {
        if !self.power.awake {
            return;
        }
        // No screen is larger, and whatever is worked out from a place must not overflow.
        let at = Point::new(at.x.clamp(-FAR, FAR), at.y.clamp(-FAR, FAR));
        self.last_activity_ms = self.clock.uptime_ms();
        match motion {
            Motion::Down => {
                self.touch = Some(ScreenTouch {
                    start: at,
                    last: at,
                    began_ms: self.clock.uptime_ms(),
                    longer_ms: 0,
                    drag: Drag::Still,
                });
            }
            Motion::Move => self.touch_moves(at),
            Motion::Up => {
                self.touch_moves(at);
                if let Some(touch) = self.touch.take() {
                    self.touch_ends(&touch);
                }
            }
            Motion::Cancel => self.touch = None,
        }
    }

    /// A finger touches and leaves at once.
    pub fn tap(&mut self, at: Point) {
        self.motion(Motion::Down, at);
        self.motion(Motion::Up, at);
    }

    /// A finger moves from one point to another in the given time. The phone's
    /// clock is not moved: the caller has waited already.
    pub fn swipe(&mut self, from: Point, to: Point, ms: u64) {
        self.trace(&[Waypoint { ms: 0, place: from }, Waypoint { ms, place: to }]);
    }

    /// A finger moves through points, each at its time. The phone's clock is
    /// not moved: the caller has waited already.
    pub fn trace(&mut self, way: &[Waypoint]) {
        let [first, between @ .., last] = way else { return };
        self.motion(Motion::Down, first.place);
        for point in between {
            self.motion(Motion::Move, point.place);
        }
        if let Some(touch) = &mut self.touch {
            touch.longer_ms = last_pace(way);
        }
        self.motion(Motion::Up, last.place);
    }

    /// Two fingers move, the first of them through these points. What scrolls
    /// follows it; nothing is clicked.
    pub fn trace_two(&mut self, way: &[Waypoint]) {
        let (Some(first), Some(last)) = (way.first(), way.last()) else {
            return;
        };
        let slop = self.display.px(SLOP).unsigned_abs();
        if last.place.apart(first.place) > slop {
            self.trace(way);
        }
    }

    fn touch_moves(&mut self, at: Point) {
        let Some(mut touch) = self.touch.take() else {
            return;
        };
        let (dx, dy) = (at.x - touch.start.x, at.y - touch.start.y);
        let slop = self.display.px(SLOP);
        if touch.drag == Drag::Still && dx.abs().max(dy.abs()) > slop {
            let axis = if dx.abs() > dy.abs() { Axis::Horizontal } else { Axis::Vertical };
            touch.drag =
                if self.is_long_clicked(&touch) { Drag::Held } else { self.what_drags(touch.start, axis) };
            if touch.drag == Drag::Held {
                self.click(touch.start, true);
            }
        }
        match touch.drag {
            Drag::View(key, axis) => {
                let by = match axis {
                    Axis::Vertical => touch.last.y - at.y,
                    Axis::Horizontal => touch.last.x - at.x,
                };
                self.scroll_view(key, by);
            }
            Drag::Slider(key) => self.with_view(key, |phone, app, view| {
                phone.slide(app, view, at.x);
            }),
            Drag::Still | Drag::Nothing | Drag::Held => {}
        }
        touch.last = at;
        self.touch = Some(touch);
    }

    /// Tells whether a finger rested long enough on something that takes a long
    /// click. Android tells it while the finger is still down.
    fn is_long_clicked(&self, touch: &ScreenTouch) -> bool {
        let held = self.clock.uptime_ms().saturating_sub(touch.began_ms);
        let app = self.front_app();
        let view = self.active_view(app.as_ref());
        let takes =
            |view: &&View<'_>| view.acts.long_click.is_some() || !matches!(view.acts.click, Click::Nothing);
        let taker = view.as_ref().and_then(|(_, view)| view.at(touch.start).into_iter().rev().find(takes));
        held >= LONG_PRESS_MS && taker.is_some_and(|view| view.acts.long_click.is_some())
    }

    /// What moves with a finger that began here.
    fn what_drags(&self, start: Point, axis: Axis) -> Drag {
        let app = self.front_app();
        let Some((_, view)) = self.active_view(app.as_ref()) else {
            return Drag::Nothing;
        };
        if self.edge_of(start).is_some() || self.is_on_keyboard(start) {
            return Drag::Nothing;
        }
        for view in view.at(start).into_iter().rev() {
            if matches!(view.acts.click, Click::Slide(_)) && axis == Axis::Horizontal {
                return Drag::Slider(view.key);
            }
            if view.scroll.as_ref().is_some_and(|scroll| scroll.axis == axis) {
                return Drag::View(view.key, axis);
            }
        }
        Drag::Nothing
    }

    fn touch_ends(&mut self, touch: &ScreenTouch) {
        let held = self.clock.uptime_ms().saturating_sub(touch.began_ms) + touch.longer_ms;
        self.leave_key_focus();
        match touch.drag {
            Drag::Still if self.is_on_keyboard(touch.start) => self.keyboard_tapped(touch.start),
            Drag::Still if self.overlay_clicked(touch.start) => {}
            Drag::Still if held >= LONG_PRESS_MS => self.click(touch.start, true),
            Drag::Still => self.click(touch.start, false),
            Drag::View(..) => self.throw(touch, held),
            Drag::Nothing => self.gesture(touch),
            Drag::Slider(_) | Drag::Held => {}
        }
    }

    /// What is thrown goes on for a while; a pager turns a page.
    fn throw(&mut self, touch: &ScreenTouch, held: u64) {
        let Drag::View(key, axis) = touch.drag else { return };
        let travel = match axis {
            Axis::Vertical => touch.start.y - touch.last.y,
            Axis::Horizontal => touch.start.x - touch.last.x,
        };
        let density = i64::from(self.display.density().max(1));
        let dp_per_s =
            i64::from(travel) * 160 / density * 1000 / i64::try_from(held.max(16)).unwrap_or(i64::MAX);
        let further = dp_per_s * dp_per_s.abs() / (2 * FRICTION) * density / 160;
        let further = i32::try_from(further.clamp(-100_000, 100_000)).unwrap_or(0);
        // A slow drag is let go of where it is.
        let thrown = dp_per_s.abs() > 300;
        self.with_view(key, |phone, app, view| match &view.scroll {
            Some(Scroll { kind: ScrollKind::Pages(bind), range, offset, .. }) => {
                let width = view.bounds.right - view.bounds.left;
                if thrown || travel.abs() > width / 3 {
                    let page = (offset + travel.signum()).clamp(0, *range);
                    phone.set(&app.package, bind, Value::Number(page.into()));
                    phone.tell(EventKind::ViewScrolled, &app.package, "");
                }
            }
            Some(Scroll { kind: ScrollKind::Free { on_scroll, on_end }, .. }) => {
                if thrown {
                    phone.scroll_view(key, further);
                }
                phone.tell(EventKind::ViewScrolled, &app.package, "");
                phone.run(&app.package, on_scroll, &view.acts.locals);
                phone.at_end(app, view, on_end);
            }
            None => {}
        });
    }

    fn at_end(&mut self, app: &Arc<App>, view: &View<'_>, on_end: &[Effect]) {
        let key = view.key;
        let offset = self.front_screen().map_or(0, |screen| screen.scroll(key));
        let mut ended = false;
        self.with_view(key, |_, _, view| {
            ended = view.scroll.as_ref().is_some_and(|scroll| offset >= scroll.range);
        });
        if ended {
            self.run(&app.package, on_end, &view.acts.locals);
        }
    }

    /// Scrolls a view; it stops at its ends.
    fn scroll_view(&mut self, key: ViewKey, by: i32) {
        let mut target = None;
        self.with_view(key, |_, _, view| {
            if let Some(Scroll { kind: ScrollKind::Free { .. }, range, offset, .. }) = &view.scroll {
                target = Some(offset.saturating_add(by).clamp(0, *range));
            }
        });
        let screen = self.front_screen_mut();
        if let Some((screen, target)) = screen.zip(target) {
            screen.scrolls.insert(key, target);
        }
    }

    /// Does something with a view of the front window.
    pub(super) fn with_view(&mut self, key: ViewKey, act: impl FnOnce(&mut Self, &Arc<App>, &View<'_>)) {
        let Some(app) = self.front_app() else { return };
        let found = self.active_view(Some(&app)).and_then(|(_, root)| root.find(key).cloned());
        if let Some(view) = found {
            act(self, &app, &view);
        }
    }

    /// Which side a touch began at.
    fn edge_of(&self, Point { x, y }: Point) -> Option<ScreenEdge> {
        let (width, height) = self.display.size();
        let edge = self.display.px(EDGE);
        if self.power.locked {
            return Some(ScreenEdge::Bottom);
        }
        if y < self.display.px(24) {
            Some(ScreenEdge::Top)
        } else if y >= height - self.display.px(24) {
            Some(ScreenEdge::Bottom)
        } else if x < edge || x >= width - edge {
            Some(ScreenEdge::Side)
        } else if matches!(self.front_window(), Some(SystemWindow::Shade)) {
            Some(ScreenEdge::Bottom)
        } else {
            None
        }
    }

    /// A gesture of the phone's own, if it was one.
    fn gesture(&mut self, touch: &ScreenTouch) {
        let (dx, dy) = (touch.last.x - touch.start.x, touch.last.y - touch.start.y);
        let enough = self.display.px(EDGE_TRAVEL);
        match self.edge_of(touch.start) {
            Some(ScreenEdge::Side) if dx.abs() > enough && dx.abs() > dy.abs() => self.back(),
            Some(ScreenEdge::Top) if dy > enough => self.open_shade(),
            Some(ScreenEdge::Bottom) if dy < -enough => {
                if self.power.locked {
                    self.unlock();
                } else if matches!(self.front_window(), Some(SystemWindow::Shade)) {
                    self.close_shade();
                } else {
                    self.go_home();
                }
            }
            _ => {}
        }
    }

    /// Shows the notifications.
    pub fn open_shade(&mut self) {
        if !matches!(self.front_window(), Some(SystemWindow::Shade)) {
            self.push_window(SystemWindow::Shade);
            self.window_changed();
        }
    }

    /// Takes the notifications away.
    pub fn close_shade(&mut self) {
        self.windows.retain(|window| !matches!(window, SystemWindow::Shade));
        self.window_changed();
    }

    /// Lets the phone be used.
    pub fn unlock(&mut self) {
        self.power.locked = false;
        self.window_changed();
    }
}

/// How long a finger would take for its whole way at the speed of its end: that
/// speed decides how far a list is thrown.
fn last_pace(way: &[Waypoint]) -> u64 {
    let (Some(first), Some(last)) = (way.first(), way.last()) else {
        return 0;
    };
    let far = |from: &Waypoint| u64::from(last.place.apart(from.place));
    let is_before = |point: &&Waypoint| point.ms + PACE_MS <= last.ms;
    let before = way.iter().rev().find(is_before).unwrap_or(first);
    let time = last.ms.saturating_sub(before.ms);
    match (far(before), far(first)) {
        (_, 0) => last.ms,
        (0, _) => STOPPED_MS,
        (end, whole) => (whole * time / end).min(STOPPED_MS),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScreenEdge {
    Top,
    Bottom,
    Side,
}
