//! Draws a phone's screen into pixels: fills, rounded boxes, icons, text, and the PNG of it all.
//! The same calls give the same bytes on one machine; on another one only characters that no font
//! in the binary has may look different, and even they take the same room.
//!
//! This crate does not know about Android, adb or UI trees.

mod area;
mod canvas;
mod color;
mod direction;
mod distance;
mod font;
mod glyph;
mod icon;
mod icon_table;
pub mod limits;
mod mask;
mod mask_cache;
mod picture;
mod pixels;
mod resample;
mod script;
mod shape;
mod style;
mod system_font;
mod text;
mod wrap;

pub use area::{Area, Point};
pub use canvas::{Canvas, CanvasError};
pub use color::Color;
pub use font::{line_height, text_width};
pub use icon_table::Icon;
pub use pixels::{rgba_of_grey, rgba_of_grey_alpha, rgba_of_rgb};
pub use resample::PictureError;
pub use shape::{Pen, Ring, Shadow, Stroke};
pub use style::{Align, Block, Font, TextStyle, VerticalAlign, Weight};
pub use wrap::{LineEnding, TextLine, wrap};
