//! The screen that a phone described last, and whether a picture still shows it. In doubt it does
//! not: a box that is not there any more is worse than none. Pure.

use super::elements::renumber;
use super::frame::ScreenImage;
use super::hash::VisualHash;
use super::schema::UiElementSnapshot;
use bytes::Bytes;
use clawperator_paint::Area;
use clawperator_phone::Front;
use clawperator_ui::{Bounds, Tree};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long a description is used. Using it does not make it younger.
const OLDEST: Duration = Duration::from_secs(15);
/// In how many bits the hashes of two pictures of one screen may differ.
const MOST_BITS: u32 = 4;

/// A screen as it was described.
#[derive(Debug)]
pub(super) struct Cache {
    pub(super) tree: Arc<Tree>,
    pub(super) front: Front,
    /// Its picture as the phone sent it, and as pixels.
    pub(super) png: Bytes,
    pub(super) frame: Arc<ScreenImage>,
    pub(super) hash: VisualHash,
    pub(super) at: Instant,
}

impl Cache {
    pub(super) fn is_young(&self) -> bool {
        self.at.elapsed() <= OLDEST
    }

    /// Whether the same window is in front, on a screen of the same size and
    /// rotation. In doubt it is not.
    pub(super) fn has_front(&self, front: Option<&Front>) -> bool {
        front.is_some_and(|front| front.is_steady() && front.state() == self.front.state())
    }

    /// Whether this is certainly the screen: it is young, the same window is in
    /// front, and the picture is the same to the last pixel.
    pub(super) fn is_certain(&self, png: &Bytes, front: Option<&Front>) -> bool {
        self.is_young() && self.has_front(front) && self.png == *png
    }

    /// Whether this may be the screen: as [`Self::is_certain`], but the picture
    /// only looks alike. Each element must then be compared by itself.
    pub(super) fn is_likely(&self, hash: VisualHash, front: Option<&Front>) -> bool {
        self.is_young() && self.has_front(front) && self.hash.distance(hash) <= MOST_BITS
    }

    /// Those elements that look the same to the last pixel, numbered anew.
    pub(super) fn still_there(
        &self,
        mut elements: Vec<UiElementSnapshot>,
        frame: &ScreenImage,
    ) -> Vec<UiElementSnapshot> {
        elements.retain(|element| self.frame.shows_the_same(frame, area(&element.bounds)));
        renumber(&mut elements);
        elements
    }
}

pub(super) fn area(bounds: &Bounds) -> Area {
    Area::new(bounds.left, bounds.top, bounds.right, bounds.bottom)
}
