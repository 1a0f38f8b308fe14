//! Gestures and buttons of the system. Their effect on the screen tells what they were.

use super::{ScreenReading, Scribe, Steering, way};
use crate::event::{PressKey, RecordedAct, RecordedEvent};
use crate::touched::{takes, touched_element};
use clawperator_contract::{Key, Number};
use clawperator_ui::{Point, Screen};

/// How near to the screen's edge a gesture of the system's begins, as a share
/// of its smaller side: about twenty dp.
const EDGE_SHARE: i32 = 18;
/// How high a bar of buttons is, as a share of the screen's smaller side: about 48 dp.
const BAR_SHARE: i32 = 8;
/// The package of the system's own windows.
const SYSTEM_UI: &str = "com.android.systemui";

/// Where something was done that the system may take for its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Side,
    Bottom,
    Top,
    /// A button of the bar at the bottom: the middle one, or one beside it.
    Middle,
    Beside,
}

/// A swipe from an edge.
#[derive(Debug)]
pub(super) struct EdgeSwipe {
    seq: Number,
    ts: Number,
    edge: Edge,
    /// The screen before it.
    shown: Option<String>,
}

impl Scribe {
    pub(super) fn keep_edge(&mut self, edge: Edge, ts: Number) {
        let seq = self.number();
        let shown = self.shown.clone();
        self.edge = Some(EdgeSwipe { seq, ts, edge, shown });
    }

    /// The system's button at a point: on a phone that has such a bar, where
    /// the app does not receive the touch.
    pub(super) fn button_at(&self, at: Point) -> Option<Edge> {
        let (width, height) = self.display.turned();
        let bar = width.min(height) / BAR_SHARE;
        if self.steering == Steering::Swipes || at.y < height - bar {
            return None;
        }
        let seen = self.before.as_ref()?;
        let screen = Screen::new(&seen.tree);
        let taken = touched_element(&screen, at).is_some_and(|id| takes(&seen.tree, id));
        let middle = at.x > width / 3 && at.x < width * 2 / 3;
        (!taken).then_some(if middle { Edge::Middle } else { Edge::Beside })
    }

    /// The edge that a swipe comes from, if it can mean something to the system.
    pub(super) fn edge_of(&self, from: Point, to: Point) -> Option<Edge> {
        let (width, height) = self.display.turned();
        let edge = width.min(height) / EDGE_SHARE;
        let (dx, dy) = way(from, to);
        let sideways = dx.abs() > dy.abs();
        let inward = if from.x < edge { dx > 0 } else { dx < 0 };
        if from.y < edge && !sideways && dy > 0 {
            Some(Edge::Top)
        } else if self.steering == Steering::Buttons {
            None
        } else if from.y >= height - edge && !sideways && dy < 0 {
            Some(Edge::Bottom)
        } else if (from.x < edge || from.x >= width - edge) && sideways && inward {
            Some(Edge::Side)
        } else {
            None
        }
    }

    /// What a swipe from the edge meant, now that its end is seen. What could
    /// be several things is unknown.
    pub(super) fn edge_meant(&mut self, seen: &ScreenReading) -> Option<RecordedEvent> {
        let EdgeSwipe { seq, ts, edge, shown } = self.edge.take()?;
        let before = self.before.as_ref()?;
        let same = before.tree == seen.tree && before.package == seen.package;
        if same {
            return None;
        }
        let home = self.launcher.as_ref() == Some(&seen.package);
        let key = match edge {
            Edge::Side => Some(Key::Back),
            Edge::Bottom | Edge::Middle if home => Some(Key::Home),
            // Of the buttons beside, only back leads into an app.
            Edge::Beside if !home && seen.package != SYSTEM_UI => Some(Key::Back),
            Edge::Bottom | Edge::Top | Edge::Middle | Edge::Beside => None,
        };
        let act = RecordedAct::PressKey(PressKey { key, inferred: true });
        Some(RecordedEvent { ts, seq, snapshot: shown, stale: false, restless: Vec::new(), act })
    }
}
