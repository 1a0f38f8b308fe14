//! The pictures of a snapshot: scaled, without secrets, and with boxes. Pure.

use super::cache::area;
use super::frame::{ImageError, ImageKind, ScreenImage};
use super::marks::{Mark, draw_marks};
use super::scale::{Scale, Size};
use super::schema::UiElementSnapshot;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use clawperator_contract::text::is_blank;
use clawperator_paint::Area;
use clawperator_ui::Tree;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

pub(super) struct Render {
    pub(super) frame: Arc<ScreenImage>,
    pub(super) size: Size,
    /// Where secrets are on the phone's screen.
    pub(super) secrets: Vec<Area>,
    pub(super) marks: Option<Vec<Mark>>,
    pub(super) image: ImageKind,
}

/// The pictures, in base 64, and what they took.
pub(super) struct SnapshotPictures {
    pub(super) plain: String,
    pub(super) som: Option<String>,
    pub(super) scaling: Duration,
    pub(super) overlay: Duration,
}

impl Render {
    pub(super) fn run(self) -> Result<SnapshotPictures, ImageError> {
        let began = Instant::now();
        let mut small = self.frame.scaled(self.size)?;
        let scale = Scale::of(self.frame.size(), self.size);
        small.blank(self.secrets.iter().map(|area| shrunk(*area, scale)));
        let plain = BASE64.encode(small.encode(self.image)?);
        let scaling = began.elapsed();
        let began = Instant::now();
        let som = match self.marks.filter(|marks| !marks.is_empty()) {
            Some(marks) => {
                draw_marks(&mut small, &marks);
                Some(BASE64.encode(small.encode(self.image)?))
            }
            None => None,
        };
        Ok(SnapshotPictures { plain, som, scaling, overlay: began.elapsed() })
    }
}

pub(super) fn marks(elements: &[UiElementSnapshot]) -> Vec<Mark> {
    let mark =
        |element: &UiElementSnapshot| Mark { label: element.id.clone(), bounds: element.scaled_bounds };
    elements.iter().map(mark).collect()
}

/// Where a tree shows what was typed into a secret field, or a known secret.
pub(crate) fn secrets(tree: &Tree) -> Vec<Area> {
    let secret =
        tree.nodes().filter(|(id, node)| node.hides_secret || tree.is_secret(*id) && !is_blank(&node.text));
    secret.map(|(_, node)| area(&node.bounds)).collect()
}

/// An area of the screen in the picture, every touched pixel included: scaling mixes neighbours.
fn shrunk(area: Area, scale: Scale) -> Area {
    let (less, more) = (
        |at: i32, scale: f64| (f64::from(at) / scale).floor() as i32 - 2,
        |at: i32, scale: f64| (f64::from(at) / scale).ceil() as i32 + 2,
    );
    Area::new(
        less(area.left, scale.x),
        less(area.top, scale.y),
        more(area.right, scale.x),
        more(area.bottom, scale.y),
    )
}
