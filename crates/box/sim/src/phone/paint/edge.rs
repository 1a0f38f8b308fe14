//! What scrolls is drawn on under the handle at the bottom of the screen, as
//! far as the glass goes. The tree ends above it: nothing there can be touched.

use super::Phone;
use crate::layout::clip;
use crate::view::{Axis, View};
use clawperator_ui::Bounds;

/// So much room may be left between what scrolls and the end of the content, in dp.
const PADDING: u16 = 16;

impl Phone {
    /// Lets what scrolls be seen under the handle.
    pub(super) fn run_under_handle(&self, view: &mut View<'_>) {
        if !self.keyboard_shown {
            let edge = BottomEdge {
                content: self.content_bounds().bottom - self.display.px(PADDING),
                glass: self.display.bounds().bottom,
            };
            edge.extend(view);
        }
    }
}

/// Where the content ends at the earliest, and where the screen does.
struct BottomEdge {
    content: i32,
    glass: i32,
}

impl BottomEdge {
    /// Whether something in the view goes on below the content.
    fn extend(&self, view: &mut View<'_>) -> bool {
        if view.visible.is_empty() || view.visible.bottom < self.content {
            return false;
        }
        let scroll = view.scroll.as_ref();
        let scrolls = scroll.is_some_and(|scroll| scroll.axis == Axis::Vertical);
        if scrolls && view.bounds.bottom >= self.content {
            let room = Bounds { bottom: self.glass, ..view.visible };
            view.visible = room;
            view.children.iter_mut().for_each(|child| clip(child, room));
            return true;
        }
        let mut goes_on = false;
        for child in &mut view.children {
            goes_on |= self.extend(child);
        }
        if goes_on {
            view.visible.bottom = self.glass;
        }
        goes_on
    }
}
