//! The server's methods for what a finger does. Pure.

use super::super::touch::{DRAG_STEP, Finger, LONG_PRESS, SwipePath};
use clawperator_ui::Point;
use serde_json::{Value, json};
use std::time::Duration;

/// How long a finger rests that touches for a moment.
const TAP: Duration = Duration::from_millis(20);
/// How long the server takes for a step of a swipe.
const STEP: Duration = Duration::from_millis(5);

impl Finger {
    /// Where it goes down, and for a drag where it goes up.
    pub(super) fn points(self) -> Vec<Point> {
        match self {
            Self::Tap(at) | Self::LongPress(at) => vec![at],
            Self::Swipe(path) => vec![path.from],
            Self::Drag(path, _) => vec![path.from, path.to],
        }
    }

    /// The server's method for it, and what it takes.
    pub(super) fn call(self) -> (&'static str, Value) {
        let click = |at: Point, time: Duration| ("click", json!([at.x, at.y, time.as_millis()]));
        match self {
            Self::Tap(at) => click(at, TAP),
            Self::LongPress(at) => click(at, LONG_PRESS),
            Self::Swipe(SwipePath { from, to, takes }) => {
                let steps = (takes.as_millis() / STEP.as_millis()).max(1);
                ("swipe", json!([from.x, from.y, to.x, to.y, steps]))
            }
            Self::Drag(path, hold) => ("swipePoints", path.drag_call(hold)),
        }
    }
}

impl SwipePath {
    /// The points of a drag and how many steps the finger takes from one to the
    /// next. The finger rests where points are the same.
    fn drag_call(self, hold: Duration) -> Value {
        let rests = hold.as_millis().div_ceil(DRAG_STEP.as_millis());
        let resting = (0..=rests).map(|_| self.from);
        let points = resting.chain(self.drag_points()).flat_map(|point| [point.x, point.y]);
        json!([points.collect::<Vec<_>>(), DRAG_STEP.as_millis() / STEP.as_millis()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finger_is_one_call() {
        let (from, to) = (Point { x: 10, y: 900 }, Point { x: 13, y: 600 });
        let takes = Duration::from_millis(150);
        let path = SwipePath { from, to, takes };
        for (finger, method, params) in [
            (Finger::Tap(from), "click", json!([10, 900, 20])),
            (Finger::LongPress(from), "click", json!([10, 900, 650])),
            (Finger::Swipe(path), "swipe", json!([10, 900, 13, 600, 30])),
            // Two rests of 50 ms, then three moves.
            (
                Finger::Drag(path, Duration::from_millis(90)),
                "swipePoints",
                json!([[10, 900, 10, 900, 10, 900, 11, 800, 12, 700, 13, 600], 10]),
            ),
        ] {
            assert_eq!(finger.call(), (method, params));
        }
    }
}
