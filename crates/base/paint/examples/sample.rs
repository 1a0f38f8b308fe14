//! Draws a settings screen with a dialog, or with `icons` after the path all
//! icons: `cargo run -p clawperator-paint --example sample -- /tmp/sample.png`.
#![allow(clippy::disallowed_methods, reason = "an example may read its arguments and write its file")]

use std::error::Error;

use clawperator_paint::{
    Align, Area, Block, Canvas, CanvasError, Color, Font, Icon, Pen, Point, Ring, Shadow, Stroke, TextStyle,
    Weight, text_width,
};

const WIDTH: i32 = 1080;
const INK: Color = Color::rgb(0x1D_1B_20);
const SOFT_INK: Color = Color::rgb(0x49_45_4F);
const PAPER: Color = Color::rgb(0xFE_F7_FF);
const CARD: Color = Color::rgb(0xF3_ED_F7);
const ACCENT: Color = Color::rgb(0x67_50_A4);
const TINT: Color = Color::rgb(0xE8_DE_F8);
const OUTLINE: Color = Color::rgb(0x79_74_7E);

/// Icon, its colour, title, summary.
const ROWS: [(&str, u32, &str, &str); 6] = [
    ("wifi", 0x1A_73_E8, "Network & internet", "Mobile, Wi-Fi, hotspot"),
    ("bluetooth", 0x00_89_7B, "Connected devices", "Bluetooth, pairing"),
    ("apps", 0xE3_74_00, "Apps", "Assistant, recent apps, default apps"),
    ("bell", 0xD9_30_25, "Notifications", "Notification history, conversations"),
    ("battery", 0x18_80_38, "Battery", "84% – about 1 day, 6 hours left"),
    ("storage", 0x67_50_A4, "Storage", "62% used – 48.6 GB free"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("the path of the picture is missing")?;
    let canvas = match arguments.next().as_deref() {
        Some("icons") => icons()?,
        Some("texts") => texts()?,
        Some("plain") => settings(|_| ())?,
        _ => settings(|canvas| dialog(canvas, Area::new(100, 960, 980, 1560)))?,
    };
    Ok(std::fs::write(path, canvas.to_png())?)
}

fn settings(above: fn(&mut Canvas)) -> Result<Canvas, CanvasError> {
    let mut canvas = Canvas::new(WIDTH as u32, 2400, PAPER)?;
    status_bar(&mut canvas);
    app_bar(&mut canvas);
    for (index, row) in ROWS.iter().enumerate() {
        list_row(&mut canvas, 470 + index as i32 * 196, *row);
    }
    text_field(&mut canvas, Area::new(63, 1680, 1017, 1830));
    buttons(&mut canvas, 1890);
    above(&mut canvas);
    let bar = Area::new(390, 2364, 690, 2376);
    canvas.fill_rounded(bar, 6.0, INK);
    Ok(canvas)
}

fn status_bar(canvas: &mut Canvas) {
    let clock = TextStyle::new(40.0, INK).weight(Weight::Medium);
    canvas.text("12:30", &clock, Block::line(Area::new(63, 20, 400, 100)));
    for (icon, left) in [("wifi", 846), ("signal", 906), ("battery", 966)] {
        canvas.icon(Icon::by_name(icon), Area::new(left, 34, left + 50, 84), INK);
    }
}

fn app_bar(canvas: &mut Canvas) {
    canvas.icon(Icon::by_name("back"), Area::new(42, 150, 108, 216), INK);
    canvas.icon(Icon::by_name("search"), Area::new(870, 150, 936, 216), INK);
    canvas.icon(Icon::by_name("more"), Area::new(972, 150, 1038, 216), INK);
    canvas.text("Settings", &TextStyle::new(84.0, INK), Block::line(Area::new(63, 270, 1017, 400)));
}

fn list_row(canvas: &mut Canvas, top: i32, (icon, color, title, summary): (&str, u32, &str, &str)) {
    let middle = top + 98;
    canvas.circle(Point::new(117.0, middle as f32), 56.0, Color::rgb(color).with_alpha(36));
    canvas.icon(Icon::by_name(icon), Area::new(87, middle - 30, 147, middle + 30), Color::rgb(color));
    let title_style = TextStyle::new(50.0, INK);
    canvas.text(title, &title_style, Block::line(Area::new(222, top + 34, 850, top + 100)));
    let summary_style = TextStyle::new(36.0, SOFT_INK);
    canvas.text(summary, &summary_style, Block::line(Area::new(222, top + 100, 850, top + 150)));
    match icon {
        "wifi" | "bell" => switch(canvas, Area::new(880, middle - 42, 1017, middle + 42), true),
        "bluetooth" => switch(canvas, Area::new(880, middle - 42, 1017, middle + 42), false),
        "storage" => progress(canvas, Point::new(960.0, middle as f32)),
        _ => canvas.icon(
            Icon::by_name("chevron_right"),
            Area::new(960, middle - 33, 1026, middle + 33),
            OUTLINE,
        ),
    }
}

fn switch(canvas: &mut Canvas, area: Area, on: bool) {
    let middle = f32::midpoint(area.top as f32, area.bottom as f32);
    if on {
        canvas.fill_rounded(area, 42.0, ACCENT);
        let thumb = Point::new(area.right as f32 - 42.0, middle);
        canvas.circle(thumb, 32.0, Color::WHITE);
        let tick = Area::new(area.right - 62, area.top + 22, area.right - 22, area.top + 62);
        canvas.icon(Icon::by_name("check"), tick, ACCENT);
    } else {
        canvas.fill_rounded(area, 42.0, Color::rgb(0xE6_E0_E9));
        canvas.stroke_rounded(area, Stroke { radius: 42.0, width: 5.0, color: OUTLINE });
        canvas.circle(Point::new(area.left as f32 + 42.0, middle), 21.0, OUTLINE);
    }
}

fn progress(canvas: &mut Canvas, center: Point) {
    let ring = Ring { center, radius: 42.0, start: 0.0, sweep: 360.0 };
    canvas.arc(ring, Pen { width: 10.0, color: TINT });
    canvas.arc(Ring { sweep: 223.0, ..ring }, Pen { width: 10.0, color: ACCENT });
}

fn text_field(canvas: &mut Canvas, area: Area) {
    canvas.stroke_rounded(area, Stroke { radius: 12.0, width: 5.0, color: ACCENT });
    let label = Area::new(area.left + 36, area.top - 22, area.left + 250, area.top + 22);
    canvas.fill(label, PAPER);
    canvas.text("Device name", &TextStyle::new(34.0, ACCENT), Block::line(label).align(Align::Center));
    let style = TextStyle::new(46.0, INK);
    let words = "Phone in a box 📱";
    canvas.text(words, &style, Block::line(area.inset(42)));
    let caret = Point::new(area.left as f32 + 46.0 + text_width(words, &style), 0.0);
    let (top, bottom) = (area.top as f32 + 46.0, area.bottom as f32 - 46.0);
    canvas.line(Point::new(caret.x, top), Point::new(caret.x, bottom), Pen { width: 4.0, color: ACCENT });
}

fn buttons(canvas: &mut Canvas, top: i32) {
    let text = TextStyle::new(40.0, Color::WHITE).weight(Weight::Medium);
    let filled = Area::new(63, top, 523, top + 120);
    canvas.fill_rounded(filled, 60.0, ACCENT);
    canvas.text("Save changes", &text, Block::line(filled).align(Align::Center));
    let outlined = Area::new(557, top, 1017, top + 120);
    canvas.stroke_rounded(outlined, Stroke { radius: 60.0, width: 3.0, color: OUTLINE });
    let text = TextStyle { color: ACCENT, ..text };
    canvas.text("Cancel", &text, Block::line(outlined).align(Align::Center));
    let note = "Serial number: EMU-0001-CLAW · שלום עולם · 你好 · Grüße, Ελληνικά, Привет";
    let mono = TextStyle::new(32.0, SOFT_INK).font(Font::Mono);
    canvas.text(note, &mono, Block::lines(Area::new(63, top + 160, 1017, top + 300), 2));
}

fn dialog(canvas: &mut Canvas, area: Area) {
    canvas.fill(canvas.area(), Color::BLACK.with_alpha(82));
    canvas
        .shadow(area.moved(0, 12), Shadow { radius: 84.0, blur: 48.0, color: Color::BLACK.with_alpha(110) });
    canvas.fill_rounded(area, 84.0, CARD);
    canvas.icon(Icon::by_name("trash"), Area::new(504, area.top + 66, 576, area.top + 138), ACCENT);
    let title = TextStyle::new(66.0, INK);
    let row = Area::new(area.left + 72, area.top + 160, area.right - 72, area.top + 250);
    canvas.text("Forget this network?", &title, Block::line(row).align(Align::Center));
    let body = TextStyle::new(42.0, SOFT_INK);
    let words = "All passwords for “Guest Wi-Fi” will be deleted from this phone. You can always connect again later.";
    canvas.text(
        words,
        &body,
        Block::lines(Area::new(area.left + 72, row.bottom + 24, area.right - 72, row.bottom + 190), 3),
    );
    let button = TextStyle::new(42.0, ACCENT).weight(Weight::Medium);
    for (label, right) in [("Cancel", area.right - 300), ("Forget", area.right - 84)] {
        let room = Area::new(right - 220, area.bottom - 130, right, area.bottom - 50);
        canvas.text(label, &button, Block::line(room).align(Align::End));
    }
}

fn icons() -> Result<Canvas, CanvasError> {
    let mut canvas = Canvas::new(1000, 1120, PAPER)?;
    let letters = ["youtube", "zoom", "Ünal"];
    for (index, name) in Icon::names().chain(letters).enumerate() {
        let (left, top) = (index as i32 % 10 * 100, index as i32 / 10 * 160);
        canvas.icon(Icon::by_name(name), Area::new(left + 14, top + 20, left + 86, top + 92), INK);
        let label = Area::new(left, top + 96, left + 100, top + 120);
        canvas.text(name, &TextStyle::new(16.0, SOFT_INK), Block::line(label).align(Align::Center));
    }
    Ok(canvas)
}

fn texts() -> Result<Canvas, CanvasError> {
    let mut canvas = Canvas::new(1080, 1200, Color::WHITE)?;
    let mut top = 20;
    for font in [Font::Sans, Font::Mono] {
        for weight in [Weight::Regular, Weight::Medium, Weight::Bold] {
            for size in [22.0, 32.0, 48.0] {
                let style = TextStyle::new(size, INK).font(font).weight(weight);
                let area = Area::new(20, top, 1060, top + size as i32 + 12);
                canvas.text(
                    "Hamburgefonstiv 0123 – Wi-Fi, Zürich; 😀 ★ → ✓ é\u{301}",
                    &style,
                    Block::line(area),
                );
                top = area.bottom;
            }
        }
    }
    let body = TextStyle::new(36.0, INK);
    let words = "שלום עולם (test) 123\nمرحبا بالعالم\nनमस्ते ไทย 한국어 日本語 \u{10FFFD}\n👩‍👩‍👧 👍🏽 🇩🇪 ☀️ ⚙ ♡";
    canvas.text(words, &body, Block::lines(Area::new(20, top, 1060, 1200), 9));
    Ok(canvas)
}
