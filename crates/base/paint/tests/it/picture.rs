//! What a canvas becomes: a PNG, another size, another side up, a terminal's text.

use std::io::Cursor;

use clawperator_paint::limits::MAX_SIDE_PX;
use clawperator_paint::{Area, Block, Canvas, CanvasError, Color, Icon, TextStyle};

use crate::{at, white};

fn screen() -> Canvas {
    let mut canvas = Canvas::new(270, 600, Color::rgb(0xFE_F7_FF)).unwrap();
    canvas.fill_gradient(Area::new(0, 0, 270, 100), Color::rgb(0x67_50_A4), Color::WHITE.with_alpha(0));
    canvas.fill_rounded(Area::new(10, 110, 260, 200), 20.0, Color::rgb(0xE8_DE_F8));
    canvas.icon(Icon::by_name("settings"), Area::new(20, 130, 70, 180), Color::BLACK);
    canvas.icon(Icon::by_name("nobody knows"), Area::new(20, 230, 70, 280), Color::BLACK);
    let style = TextStyle::new(24.0, Color::BLACK);
    canvas.text("Wi-Fi 😀 שלום 你好", &style, Block::line(Area::new(80, 130, 250, 180)));
    canvas
}

#[test]
fn a_png_holds_the_pixels_that_were_drawn() {
    for canvas in [screen(), white(1, 1), Canvas::new(3, 7, Color::rgb(0x12_34_56).with_alpha(77)).unwrap()] {
        let png = canvas.to_png();
        let mut reader = png::Decoder::new(Cursor::new(png)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (canvas.width(), canvas.height()));
        assert_eq!(info.color_type, png::ColorType::Rgba);
        assert_eq!(pixels, canvas.pixels());
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "each thread keeps its own letters")]
fn the_same_calls_give_the_same_bytes() {
    let first = screen().to_png();
    assert_eq!(first, screen().to_png(), "with letters kept from the first time");
    let fresh = std::thread::spawn(|| screen().to_png()).join().unwrap();
    assert_eq!(first, fresh, "on a thread that has kept none");
}

#[test]
fn a_canvas_has_sides_within_bounds() {
    for (width, height) in [(0, 1), (1, 0), (MAX_SIDE_PX + 1, 1), (1, u32::MAX)] {
        let error = Canvas::new(width, height, Color::WHITE).unwrap_err();
        assert_eq!(error, CanvasError::Size { width, height });
    }
    assert_eq!(white(MAX_SIDE_PX, 1).area(), Area::new(0, 0, 8192, 1));
}

#[test]
fn scaling_averages() {
    let mut canvas = white(4, 2);
    canvas.fill(Area::new(0, 0, 1, 2), Color::BLACK);
    let small = canvas.scaled(2, 1);
    assert_eq!((small.width(), small.height()), (2, 1));
    assert_eq!(at(&small, 0, 0), [128, 128, 128, 255]);
    assert_eq!(at(&small, 1, 0), [255; 4]);
    let large = canvas.scaled(8, 4);
    assert_eq!(at(&large, 1, 3), [0, 0, 0, 255]);
    assert_eq!(at(&large, 2, 3), [255; 4]);
    assert_eq!(canvas.scaled(0, u32::MAX).area(), Area::new(0, 0, 1, 8192));
}

#[test]
fn turning_is_clockwise_and_four_turns_are_none() {
    let mut canvas = white(3, 2);
    canvas.fill(Area::new(0, 0, 1, 1), Color::BLACK);
    let black = [0, 0, 0, 255];
    // (turns, size, where the corner went)
    for (turns, size, corner) in
        [(0, (3, 2), (0, 0)), (1, (2, 3), (1, 0)), (2, (3, 2), (2, 1)), (3, (2, 3), (0, 2))]
    {
        let turned = canvas.rotated(turns);
        assert_eq!((turned.width(), turned.height()), size, "{turns}");
        assert_eq!(at(&turned, corner.0, corner.1), black, "{turns}");
    }
    assert_eq!(screen().rotated(1).rotated(3).pixels(), screen().pixels());
    assert_eq!(screen().rotated(4).pixels(), screen().pixels());
}

#[test]
fn a_terminal_shows_two_rows_a_line() {
    let mut canvas = white(2, 2);
    canvas.fill(Area::new(0, 1, 2, 2), Color::rgb(0x01_02_03));
    assert_eq!(canvas.to_terminal(2), "\x1b[38;2;255;255;255;48;2;1;2;3m▀▀\x1b[0m\n");
    let text = screen().to_terminal(40);
    assert_eq!(text.lines().count(), 45);
    assert!(text.lines().all(|line| line.matches('▀').count() == 40));
    assert_eq!(white(5, 5).to_terminal(0).matches('▀').count(), 1);
}
