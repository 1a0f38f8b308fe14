//! What a model sees of a phone: a scaled picture, the elements on it, and the
//! same picture with a numbered box around each of them. The pure parts, and
//! the [`Observer`] that asks a phone for them.

mod cache;
mod capture;
mod elements;
mod frame;
mod hash;
mod marks;
mod observer;
mod render;
mod scale;
mod schema;

pub use elements::{MAX_ELEMENTS, elements};
pub use frame::{ImageError, ImageKind, ScreenImage};
pub use hash::VisualHash;
pub use marks::{Mark, draw_marks, place_badges};
pub use observer::{ObserveError, Observer, SnapshotOptions, observe_once};
pub(crate) use render::secrets;
pub use scale::{Scale, Size};
pub use schema::{CaptureMetrics, ScreenSnapshot, UiElementSnapshot, UiElementsSource};
