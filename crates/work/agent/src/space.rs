//! The coordinates of a model and those of a phone. Pure.

use crate::action::AgentAction;
use clawperator_contract::Number;
use clawperator_ui::Point;
use serde::{Deserialize, Serialize};

/// How a model's picture lies on a phone's screen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Space {
    /// How many pixels of the phone one of the picture stands for, across.
    pub scale_x: f64,
    pub scale_y: f64,
    /// How wide and how high the phone's screen is, if known.
    pub size: Option<(u32, u32)>,
}

impl Default for Space {
    /// The pixels of the phone itself.
    fn default() -> Self {
        Self { scale_x: 1.0, scale_y: 1.0, size: None }
    }
}

impl Space {
    /// A point of the picture as a pixel of the phone: rounded, and on the screen.
    pub fn pixel(&self, x: Number, y: Number) -> Point {
        let (width, height) = self.size.unwrap_or((u32::MAX, u32::MAX));
        let side = |value: Number, scale: f64, size: u32| {
            // `as` cuts to what fits, and a screen has at least one pixel.
            let last = f64::from(size.saturating_sub(1).min(i32::MAX as u32));
            (value.get() * scale).round().clamp(0.0, last) as i32
        };
        Point::new(side(x, self.scale_x, width), side(y, self.scale_y, height))
    }

    /// An action of a model with the places of the phone, as a person is shown it.
    pub fn on_phone(&self, action: &AgentAction) -> AgentAction {
        let mut action = action.clone();
        for [x, y] in places(&mut action) {
            let at = self.pixel(*x, *y);
            (*x, *y) = (at.x.into(), at.y.into());
        }
        action
    }
}

/// Where an action touches: where the finger goes down, and where it goes up if it moves.
fn places(action: &mut AgentAction) -> Vec<[&mut Number; 2]> {
    match action {
        AgentAction::Tap(at) => vec![[&mut at.x, &mut at.y]],
        AgentAction::Swipe(way) => vec![[&mut way.x1, &mut way.y1], [&mut way.x2, &mut way.y2]],
        AgentAction::Drag(way) => vec![[&mut way.x1, &mut way.y1], [&mut way.x2, &mut way.y2]],
        AgentAction::LongPressDrag(way) => vec![[&mut way.x1, &mut way.y1], [&mut way.x2, &mut way.y2]],
        _ => Vec::new(),
    }
}
