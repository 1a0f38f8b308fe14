//! A bubble that an app shows over every other: a window that takes clicks and
//! never has the focus, so that no dump tells of it.

use super::Phone;
use crate::app::effect::{self, Effect};
use crate::view::Locals;
use clawperator_ui::{Bounds, Point};
use std::sync::Arc;

/// A bubble that is shown.
#[derive(Clone, Debug)]
pub(crate) struct ShownOverlay {
    pub(crate) package: String,
    pub(crate) text: String,
    effects: Arc<[Effect]>,
    locals: Locals,
}

impl Phone {
    /// Whose bubble is shown, if there is one.
    pub fn overlay_package(&self) -> Option<&str> {
        self.overlay.as_ref().map(|overlay| overlay.package.as_str())
    }

    pub(crate) fn overlay_bounds(&self) -> Bounds {
        let display = self.display.bounds();
        let (side, edge) = (self.display.px(56), self.display.px(8));
        let top = display.bottom / 3;
        Bounds::new(display.right - edge - side, top, display.right - edge, top + side)
    }

    pub(super) fn show_overlay(&mut self, package: &str, overlay: &effect::Overlay, locals: &Locals) {
        self.overlay = Some(ShownOverlay {
            package: package.to_owned(),
            text: self.filled(package, &overlay.text, locals),
            effects: overlay.effects.clone().into(),
            locals: locals.clone(),
        });
    }

    /// A click on the bubble; whether it was one.
    pub(super) fn overlay_clicked(&mut self, at: Point) -> bool {
        let hit = self.overlay_bounds().contains(at) && !self.power.locked;
        let Some(overlay) = self.overlay.clone().filter(|_| hit) else {
            return false;
        };
        self.run(&overlay.package, &overlay.effects, &overlay.locals);
        true
    }
}
