//! What a picture of a screen costs before a model gets it: decode, hash, scale,
//! overlay, and both pictures encoded, beside what the original needs.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at what is wrong, and prints"
)]

use clawperator_agent::snapshot::{
    ImageKind, MAX_ELEMENTS, Mark, Scale, ScreenImage, Size, VisualHash, draw_marks,
};
use clawperator_paint::{Area, Block, Canvas, Color, Icon, TextStyle};
use clawperator_ui::Bounds;
use std::hint::black_box;
use std::time::Instant;

/// What the original needs for the same picture on a computer with two cores, in
/// milliseconds: about 150 to 225 to scale and 480 for the overlay. This was
/// measured once, with its own code; it is not run here.
const ORIGINAL_MS: (u32, u32) = (630, 700);
/// What it may take here, in milliseconds.
const LIMIT_MS: f64 = 60.0;
const ROUNDS: usize = 40;
const SCREEN: Size = Size { width: 1080, height: 2400 };

/// A screen with a photo on top and rows of text below it, as a phone sends it.
fn screen() -> Vec<u8> {
    let mut canvas = Canvas::new(SCREEN.width, SCREEN.height, Color::WHITE).unwrap();
    let mut noise = 1_u32;
    for y in 0..150 {
        for x in 0..270 {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let color = (x * 0x01_00_00) & 0xFF_00_00 | (y * 0x01_00) & 0xFF_00 | (noise >> 26);
            let (left, top) = (x as i32 * 4, y as i32 * 4);
            canvas.fill(Area::new(left, top, left + 4, top + 4), Color::rgb(color));
        }
    }
    for (row, bounds) in rows().enumerate() {
        let area = Area::new(bounds.left, bounds.top, bounds.right, bounds.bottom);
        canvas.fill_rounded(area.inset(4), 24.0, Color::rgb(0xE8_DE_F8));
        canvas.icon(Icon::by_name("wifi"), Area::new(24, area.top + 6, 48, area.top + 26), Color::BLACK);
        let text = format!("Row number {row}, and quite a long summary of it");
        let style = TextStyle::new(22.0, Color::BLACK);
        canvas.text(&text, &style, Block::line(Area { left: 70, ..area }));
    }
    canvas.to_png()
}

/// As many rows as a model can be told of.
fn rows() -> impl Iterator<Item = Bounds> {
    (0..MAX_ELEMENTS as i32).map(|row| Bounds {
        left: 10,
        top: 610 + row * 27,
        right: 1070,
        bottom: 610 + (row + 1) * 27,
    })
}

fn marks(picture: Size) -> Vec<Mark> {
    let scale = Scale::of(SCREEN, picture);
    let numbered = rows().zip(1..);
    numbered
        .map(|(bounds, number)| Mark {
            label: number.to_string(),
            bounds: scale.bounds_to_picture(&bounds, picture),
        })
        .collect()
}

/// What is done, in this order.
const STEPS: [&str; 6] = ["decode", "hash", "scale", "encode", "overlay", "encode with boxes"];

/// How long each step took, in milliseconds, and how large the pictures are.
fn once(png: &[u8], kind: ImageKind) -> ([f64; STEPS.len()], [usize; 2]) {
    let mut began = Instant::now();
    let mut lap = || {
        let took = began.elapsed().as_secs_f64() * 1000.0;
        began = Instant::now();
        took
    };
    let frame = ScreenImage::decode(png).unwrap();
    let decode = lap();
    black_box(VisualHash::of(&frame));
    let hash = lap();
    let size = SCREEN.for_model(None);
    let mut small = frame.scaled(size).unwrap();
    let scale = lap();
    let plain = small.encode(kind).unwrap().len();
    let encode = lap();
    draw_marks(&mut small, &marks(size));
    let overlay = lap();
    let boxes = small.encode(kind).unwrap().len();
    ([decode, hash, scale, encode, overlay, lap()], [plain, boxes])
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let png = screen();
    println!(
        "{} x {} pixels, a PNG of {} bytes, {MAX_ELEMENTS} elements, one thread, medians of {ROUNDS}",
        SCREEN.width,
        SCREEN.height,
        png.len()
    );
    for word in ImageKind::WORDS {
        let kind = ImageKind::from_word(word).unwrap();
        let (_, bytes) = once(&png, kind);
        let rounds: Vec<_> = (0..ROUNDS).map(|_| once(&png, kind).0).collect();
        let of = |sum: &dyn Fn(&[f64; STEPS.len()]) -> f64| median(rounds.iter().map(sum).collect());
        let both = of(&|round| round.iter().sum());
        let one = of(&|round| round.iter().sum::<f64>() - round[3]);
        let steps: Vec<_> = STEPS
            .iter()
            .enumerate()
            .map(|(at, name)| format!("{name} {:.1}", of(&|round| round[at])))
            .collect();
        let judged = if one <= LIMIT_MS { "within" } else { "ABOVE" };
        println!(
            "{word}: the picture with boxes {one:.1} ms ({judged} {LIMIT_MS} ms; the original: {} to {} ms), \
             the plain one as well {both:.1} ms: {}; {} and {} bytes",
            ORIGINAL_MS.0,
            ORIGINAL_MS.1,
            steps.join(", "),
            bytes[0],
            bytes[1],
        );
    }
}
