//! Tests of what can be drawn, from outside.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, in its helping functions too")]

mod any_input;
mod parts;
mod picture;
mod shapes;
mod texts;

use clawperator_paint::{Area, Canvas, Color};

/// A white canvas.
fn white(width: u32, height: u32) -> Canvas {
    Canvas::new(width, height, Color::WHITE).unwrap()
}

/// The smallest area with all pixels that are not white.
fn drawn(canvas: &Canvas) -> Option<Area> {
    let mut found: Option<Area> = None;
    for (index, pixel) in canvas.pixels().chunks_exact(4).enumerate() {
        if pixel != [255; 4] {
            let (x, y) = (index as i32 % canvas.width() as i32, index as i32 / canvas.width() as i32);
            let area = found.get_or_insert(Area::new(x, y, x + 1, y + 1));
            area.left = area.left.min(x);
            area.right = area.right.max(x + 1);
            area.bottom = y + 1;
        }
    }
    found
}

/// The colour of a pixel.
fn at(canvas: &Canvas, x: u32, y: u32) -> [u8; 4] {
    let start = ((y * canvas.width() + x) * 4) as usize;
    canvas.pixels()[start..start + 4].try_into().unwrap()
}
