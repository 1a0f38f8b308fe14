//! Draws single characters into masks, and keeps the last ones drawn: a screen
//! uses the same few letters again and again.

use ab_glyph::{Font as _, FontRef, GlyphId, PxScale, point};

use crate::color::coverage;
use crate::distance::covered;
use crate::font::{EmbeddedFont, advance, find, own_advance_em};
use crate::mask::Mask;
use crate::mask_cache::{self, MaskKey};
use crate::script::{is_unseen, is_without_width};
use crate::style::TextStyle;
use crate::system_font;

/// Letters are placed to this part of a pixel, so that their distances look even.
pub(crate) const STEPS_PER_PX: u8 = 4;

/// A glyph's outline reaches at most so many ems; a broken font's may not.
const MAX_REACH_EM: f32 = 4.0;

/// Draws a character with the pen on the baseline at `step` parts of a pixel.
/// White space draws nothing; a character that no font has is a box.
pub(crate) fn stamp(c: char, style: &TextStyle, step: u8, draw: impl FnOnce(&Mask)) {
    let key =
        MaskKey::Glyph { c, size: style.size().to_bits(), weight: style.weight, font: style.font, step };
    mask_cache::with(key, || mask(c, style, f32::from(step) / f32::from(STEPS_PER_PX)), draw);
}

/// How far the pen moves for a character as it is drawn: less than its room
/// where a glyph of the machine's needs less, so that words keep together.
pub(crate) fn drawn_advance(c: char, style: &TextStyle) -> f32 {
    let room = advance(c, style);
    if room == 0.0 || c.is_whitespace() || find(c, style).is_some() {
        return room;
    }
    let mut own = None;
    stamp(c, style, 0, |mask| own = mask.advance);
    own.unwrap_or(room)
}

fn mask(c: char, style: &TextStyle, shift: f32) -> Mask {
    let size = style.size();
    if c.is_whitespace() || is_unseen(c) {
        return Mask::default();
    }
    if let Some(found) = find(c, style) {
        let swell = found.swell * size;
        let pen = OutlinePen { size: size * found.scale, x: shift + swell * 0.6, swell };
        return outline(found.face, found.glyph, pen);
    }
    let room = advance(c, style);
    // The machine's fonts are not light: they grow as the mono font does.
    let swell = EmbeddedFont::Mono.swell(style.weight) * size;
    let drawn = system_font::with_face(c, |face| {
        let glyph = face.glyph_id(c);
        let own = own_advance_em(face, glyph) * size;
        // The room is fixed, so a glyph that is wider is made to fit it.
        let fit = if own > room && room > 0.0 { room / own } else { 1.0 };
        let mask = outline(face, glyph, OutlinePen { size: size * fit, x: shift, swell });
        Mask { advance: Some(own * fit), ..mask }
    });
    drawn.unwrap_or_else(|| if is_without_width(c) { Mask::default() } else { missing(room, size) })
}

/// How an outline is drawn: its em in pixels, where it starts, how far it is pushed out.
#[derive(Clone, Copy)]
struct OutlinePen {
    size: f32,
    x: f32,
    swell: f32,
}

fn outline(face: &FontRef<'_>, glyph: GlyphId, pen: OutlinePen) -> Mask {
    let height_em = face.height_unscaled() / face.units_per_em().unwrap_or(1000.0);
    let scale = PxScale::from(pen.size * height_em);
    let copies = offsets(pen.swell);
    let drawn = copies.iter().filter_map(|&(dx, dy)| {
        let outlined = face.outline_glyph(glyph.with_scale_and_position(scale, point(pen.x + dx, dy)))?;
        let bounds = outlined.px_bounds();
        let reach =
            bounds.min.x.abs().max(bounds.min.y.abs()).max(bounds.max.x.abs()).max(bounds.max.y.abs());
        (reach <= MAX_REACH_EM * pen.size.max(8.0)).then_some(outlined)
    });
    union(&drawn.collect::<Vec<_>>())
}

/// Where copies of a letter are drawn to make it heavier: only at its place, at
/// four corners around it, or all around it where corners would show.
fn offsets(swell: f32) -> Vec<(f32, f32)> {
    // Upright strokes grow more than level ones do, as in fonts made heavier by hand.
    let (x, y) = (swell, swell * 0.75);
    let (near_x, near_y) = (x * 0.71, y * 0.71);
    match swell {
        swell if swell < 0.05 => vec![(0.0, 0.0)],
        swell if swell < 0.7 => vec![(-x, -y), (x, -y), (-x, y), (x, y)],
        _ => vec![
            (0.0, 0.0),
            (-x, 0.0),
            (x, 0.0),
            (0.0, -y),
            (0.0, y),
            (-near_x, -near_y),
            (near_x, -near_y),
            (-near_x, near_y),
            (near_x, near_y),
        ],
    }
}

/// The letters laid on one another, each pixel covered as by the one that covers most of it.
fn union(copies: &[ab_glyph::OutlinedGlyph]) -> Mask {
    let edge = |of: fn(&ab_glyph::Rect) -> f32, pick: fn(f32, f32) -> f32| {
        copies.iter().map(|copy| of(&copy.px_bounds())).reduce(pick).unwrap_or(0.0) as i32
    };
    let (left, top) = (edge(|bounds| bounds.min.x, f32::min), edge(|bounds| bounds.min.y, f32::min));
    let width = (edge(|bounds| bounds.max.x, f32::max) - left).max(0) as usize;
    let height = (edge(|bounds| bounds.max.y, f32::max) - top).max(0) as usize;
    let mut mask = Mask { left, top, width, coverage: vec![0; width * height], advance: None };
    for copy in copies {
        let start = copy.px_bounds().min;
        let (right, down) = ((start.x as i32 - left) as usize, (start.y as i32 - top) as usize);
        copy.draw(|x, y, part| {
            let index = (y as usize + down) * width + x as usize + right;
            if let Some(slot) = mask.coverage.get_mut(index) {
                *slot = (*slot).max(coverage(part));
            }
        });
    }
    mask
}

/// The placeholder box for a character without a glyph.
fn missing(room: f32, size: f32) -> Mask {
    let width = (room - size * 0.12).max(2.0) as usize;
    let height = (size * 0.7).max(2.0) as usize;
    let line = (size / 16.0).max(1.0);
    let covered_at = |index: usize| {
        let (x, y) = (index % width, index / width);
        let (x, y) = (x.min(width - 1 - x), y.min(height - 1 - y));
        coverage(covered(x.min(y) as f32 + 0.5 - line))
    };
    Mask {
        left: (size * 0.06) as i32,
        top: -(height as i32),
        width,
        coverage: (0..width * height).map(covered_at).collect(),
        advance: None,
    }
}
