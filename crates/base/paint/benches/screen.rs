//! What a screenshot costs: drawing a screen with sixty texts, and its PNG.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark stops at what is wrong, and reads the clock"
)]

use clawperator_paint::{Area, Block, Canvas, Color, Icon, TextStyle, Weight, text_width};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

fn screen() -> Canvas {
    let mut canvas = Canvas::new(1080, 2400, Color::WHITE).unwrap();
    for row in 0..30 {
        let top = row * 80;
        canvas.fill_rounded(Area::new(20, top + 4, 1060, top + 76), 24.0, Color::rgb(0x00E8_DEF8));
        canvas.icon(Icon::by_name("wifi"), Area::new(40, top + 10, 100, top + 70), Color::BLACK);
        let title = TextStyle::new(38.0, Color::BLACK).weight(Weight::Medium);
        let summary = TextStyle::new(28.0, Color::rgb(0x0049_454F));
        canvas.text(&format!("Row number {row}"), &title, Block::line(Area::new(120, top, 1000, top + 44)));
        let area = Area::new(120, top + 40, 1000, top + 78);
        canvas.text("Connected, and quite a long summary of it", &summary, Block::line(area));
    }
    canvas
}

fn benches(criterion: &mut Criterion) {
    criterion.bench_function("draw a screen", |bencher| bencher.iter(screen));
    let canvas = screen();
    criterion.bench_function("encode a screen", |bencher| bencher.iter(|| canvas.to_png()));
    criterion.bench_function("draw and encode on a fresh thread", |bencher| {
        // A new thread has kept no letters yet.
        bencher.iter(|| std::thread::spawn(|| screen().to_png()).join().unwrap());
    });
    let style = TextStyle::new(38.0, Color::BLACK);
    criterion.bench_function("measure a line", |bencher| {
        bencher.iter(|| text_width(black_box("Connected, and quite a long summary of it"), &style));
    });
}

criterion_group!(all, benches);
criterion_main!(all);
