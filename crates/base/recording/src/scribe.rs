//! Turns what fingers did and what the screen showed into events.
//!
//! It receives each gesture when it ends, and the screen each time it was read. An event that needs
//! the screen reserves its number until then: readers order events by number, not by line.

mod edge;
mod element;
mod field;
mod secret;

use crate::event::{
    ClickLength, PressKey, RecordedAct, RecordedEvent, Scroll, TextChange, TextOmission, WindowChange,
};
use crate::gesture::{Display, Gesture, way};
use crate::limits::MAX_RESTLESS;
use crate::restless::restless;
use crate::touched::{scrolled_element, touched_element};
use crate::write::snapshot;
use clawperator_contract::{Direction, Number};
use clawperator_ui::{Bounds, Point, Screen, Tree};
use edge::EdgeSwipe;
use element::{element, nothing};
use field::Typing;
use secret::RecordingSecrets;

/// The phone's screen at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScreenReading {
    pub tree: Tree,
    pub package: String,
    pub activity: Option<String>,
    /// Where the keyboard is, if it is shown.
    pub keyboard: Option<Bounds>,
}

/// How the user navigates the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steering {
    /// With buttons: a swipe from the side belongs to the app.
    Buttons,
    /// With swipes from the edges, or unknown.
    #[default]
    Swipes,
}

/// Turns gestures and screens into the events of a recording.
#[derive(Debug, Default)]
pub struct Scribe {
    display: Display,
    steering: Steering,
    launcher: Option<String>,
    next: u32,
    before: Option<ScreenReading>,
    /// The screen as it was last written to the file.
    shown: Option<String>,
    /// Something was done since the screen was last read.
    stale: bool,
    /// The keyboard was touched since the screen was last read.
    typing: bool,
    /// Where the screen changed by itself since the last event.
    restless: Vec<String>,
    /// The number of a text that was typed before something else was done.
    kept_for_text: Option<Number>,
    /// A swipe from the edge; the next screen shows what it did.
    edge: Option<EdgeSwipe>,
    secrets: RecordingSecrets,
}

impl Scribe {
    /// A scribe that has not seen a screen yet.
    pub fn new(display: Display, steering: Steering, launcher: Option<String>) -> Self {
        Self { display, steering, launcher, ..Self::default() }
    }

    /// The display as it was last seen.
    pub fn display(&self) -> Display {
        self.display
    }

    /// Records a gesture.
    pub fn record_gesture(&mut self, gesture: Gesture, ts: Number) -> Vec<RecordedEvent> {
        let events = match gesture {
            Gesture::Tap(at) => self.press(at, ClickLength::Short, ts),
            Gesture::LongPress(at) => self.press(at, ClickLength::Long, ts),
            Gesture::Swipe { from, to } => self.swipe(from, to, ts),
            Gesture::Several => {
                let act = PressKey { key: None, inferred: true };
                vec![self.event(ts, RecordedAct::PressKey(act))]
            }
            Gesture::Key(key) => {
                self.keep_for_text();
                let act = PressKey { key: Some(key), inferred: false };
                vec![self.event(ts, RecordedAct::PressKey(act))]
            }
        };
        self.stale |= !events.is_empty() || self.edge.is_some();
        events
    }

    /// Records that text was typed without touching the phone's keyboard; the next screen shows it.
    pub fn note_typing(&mut self) {
        self.typing = true;
    }

    /// Records the screen.
    pub fn record_screen(&mut self, mut seen: ScreenReading, ts: Number) -> Vec<RecordedEvent> {
        // Passwords are removed first; nothing below sees them.
        seen.tree = self.secrets.hidden(&seen.tree);
        self.display.rotation = seen.tree.rotation;
        let untouched = !(self.stale || self.typing || self.edge.is_some());
        if let Some(before) = self.before.as_ref().filter(|_| untouched) {
            self.restless.extend(restless(&before.tree, &seen.tree));
            self.restless.truncate(MAX_RESTLESS);
        }
        let mut events: Vec<RecordedEvent> = self.text(&seen, ts).into_iter().collect();
        events.extend(self.edge_meant(&seen));
        let front = |seen: &ScreenReading| (seen.package.clone(), seen.activity.clone());
        let changed = self.before.as_ref().is_none_or(|before| front(before) != front(&seen));
        self.shown = Some(snapshot(&seen.tree));
        let window = changed.then(|| WindowChange {
            package: seen.package.clone(),
            class_name: seen.activity.clone(),
            ..WindowChange::default()
        });
        self.before = Some(seen);
        (self.stale, self.typing, self.kept_for_text) = (false, false, None);
        events.extend(window.map(|act| self.event(ts, RecordedAct::WindowChange(act))));
        events
    }

    /// The recording ends: how the screen is then.
    pub fn end(&mut self, ts: Number) -> Option<RecordedEvent> {
        let before = self.before.as_ref()?;
        let act = WindowChange {
            package: before.package.clone(),
            class_name: before.activity.clone(),
            closing: true,
            ..WindowChange::default()
        };
        Some(self.event(ts, RecordedAct::WindowChange(act)))
    }

    fn number(&mut self) -> Number {
        let number = Number::from(self.next);
        self.next += 1;
        number
    }

    fn event(&mut self, ts: Number, act: RecordedAct) -> RecordedEvent {
        RecordedEvent {
            ts,
            seq: self.number(),
            snapshot: self.shown.clone(),
            stale: self.stale,
            restless: std::mem::take(&mut self.restless),
            act,
        }
    }

    /// Keeps a number for a text that was typed before what comes now.
    fn keep_for_text(&mut self) {
        if self.typing && self.kept_for_text.is_none() {
            self.kept_for_text = Some(self.number());
        }
    }

    fn front(&self) -> String {
        self.before.as_ref().map_or(String::new(), |seen| seen.package.clone())
    }

    fn on_keyboard(&self, at: Point) -> bool {
        let keyboard = self.before.as_ref().and_then(|seen| seen.keyboard);
        keyboard.is_some_and(|keyboard| keyboard.contains(at))
    }

    fn press(&mut self, at: Point, press: ClickLength, ts: Number) -> Vec<RecordedEvent> {
        if self.on_keyboard(at) {
            self.typing = true;
            return Vec::new();
        }
        self.keep_for_text();
        if let Some(button) = self.button_at(at) {
            self.keep_edge(button, ts);
            return Vec::new();
        }
        let found = self.before.as_ref().and_then(|seen| {
            let screen = Screen::new(&seen.tree);
            touched_element(&screen, at).map(|id| element(&seen.tree, id, at, press))
        });
        let act = found.unwrap_or_else(|| nothing(self.front(), at, press));
        vec![self.event(ts, RecordedAct::Click(act))]
    }

    fn swipe(&mut self, from: Point, to: Point, ts: Number) -> Vec<RecordedEvent> {
        if self.on_keyboard(from) {
            self.typing = true;
            return Vec::new();
        }
        self.keep_for_text();
        if let Some(edge) = self.edge_of(from, to) {
            self.keep_edge(edge, ts);
            return Vec::new();
        }
        let act = self.scroll(from, to);
        vec![self.event(ts, RecordedAct::Scroll(act))]
    }

    fn scroll(&self, from: Point, to: Point) -> Scroll {
        let (dx, dy) = way(from, to);
        // What is below comes into view when the finger goes up.
        let direction = match (dy.abs() >= dx.abs(), dy < 0, dx < 0) {
            (true, true, _) => Direction::Down,
            (true, false, _) => Direction::Up,
            (false, _, true) => Direction::Right,
            (false, _, false) => Direction::Left,
        };
        let zero = Number::from(0);
        let mut act = Scroll {
            package: self.front(),
            resource_id: None,
            scroll_x: zero,
            scroll_y: zero,
            max_scroll_x: zero,
            max_scroll_y: zero,
            direction: Some(direction),
            container: None,
            travel: None,
        };
        let Some(seen) = &self.before else { return act };
        let screen = Screen::new(&seen.tree);
        if let Some(id) = scrolled_element(&screen, from) {
            let node = seen.tree.node(id);
            let size = screen.visible_bounds(id);
            let (gone, length) = match direction {
                Direction::Down | Direction::Up => (dy, i64::from(size.bottom) - i64::from(size.top)),
                Direction::Left | Direction::Right => (dx, i64::from(size.right) - i64::from(size.left)),
            };
            act.resource_id = node.resource_id.clone().filter(|id| !id.is_empty());
            act.container = Some(node.bounds);
            let share = (gone.abs() as f64 / length.max(1) as f64 * 100.0).round() / 100.0;
            act.travel = Number::new(share);
        }
        act
    }

    /// The text that was typed since the screen was last read.
    fn text(&mut self, seen: &ScreenReading, ts: Number) -> Option<RecordedEvent> {
        let before = self.before.as_ref()?;
        // Anything else that was done may have taken the keyboard away.
        let alone = self.kept_for_text.is_none() && self.edge.is_none();
        let typing = match (self.typing, before.keyboard.is_some() && seen.keyboard.is_none()) {
            (false, _) => Typing::None,
            (true, true) if alone => Typing::Submitted,
            (true, _) => Typing::Typed,
        };
        let (act, snapshot) = match field::field_change(before, seen, typing) {
            Some(change) if change.on_new => (change.act, Some(snapshot(&seen.tree))),
            Some(change) => (change.act, self.shown.clone()),
            // Text was typed, but the screen changed before it could be read.
            None if self.typing && field::is_gone(before, seen) => {
                let act = TextChange {
                    package: before.package.clone(),
                    untold: Some(TextOmission::Unseen),
                    submitted: typing == Typing::Submitted,
                    ..TextChange::default()
                };
                (act, self.shown.clone())
            }
            None => return None,
        };
        let seq = self.kept_for_text.take().unwrap_or_else(|| self.number());
        let act = RecordedAct::TextChange(act);
        Some(RecordedEvent { ts, seq, snapshot, stale: false, restless: Vec::new(), act })
    }
}
