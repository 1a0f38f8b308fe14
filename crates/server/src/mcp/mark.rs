//! Draws the refs of elements on a picture: a frame around each and its number.
//! Pure.

use crate::picture::Pixels;
use serde_json::Value;

/// The digits, five rows of three pixels each; the leftmost is the highest bit.
const DIGITS: [[u8; 5]; 10] = [
    [7, 5, 5, 5, 7],
    [2, 6, 2, 2, 7],
    [7, 1, 7, 4, 7],
    [7, 1, 3, 1, 7],
    [5, 5, 7, 1, 1],
    [7, 4, 7, 1, 7],
    [7, 4, 7, 5, 7],
    [7, 1, 2, 2, 2],
    [7, 5, 7, 5, 7],
    [7, 5, 7, 1, 7],
];
/// How many pixels of the picture a pixel of a digit takes.
const SCALE: i64 = 3;
/// The colour of frames, and of what is behind digits.
const FRAME: [u8; 3] = [220, 20, 90];
/// The colour of digits.
const INK: [u8; 3] = [255, 255, 255];

/// An element with a ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The number of its ref.
    number: String,
    /// Left, top, right and bottom on the phone's screen.
    bounds: [i64; 4],
}

impl Mark {
    /// The marks of a view in JSON: of the elements that can be acted on.
    pub(super) fn of_view(view: &str) -> Vec<Self> {
        let view: Value = serde_json::from_str(view).unwrap_or_default();
        let elements = view["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
        elements.iter().filter_map(Self::of_element).collect()
    }

    fn of_element(element: &Value) -> Option<Self> {
        let number = element["ref"].as_str()?.strip_prefix("@e")?.to_owned();
        let sides = element["bounds"].as_array()?;
        let side = |at: usize| sides.get(at).and_then(Value::as_i64);
        let bounds = [side(0)?, side(1)?, side(2)?, side(3)?];
        (element["role"] != "text").then_some(Self { number, bounds })
    }
}

/// Draws marks on a picture.
pub(super) fn draw(marks: &[Mark], pixels: &mut Pixels<'_>) {
    for mark in marks {
        let scaled = |at: i64, (to, from): (u32, u32)| at * i64::from(to) / i64::from(from.max(1));
        let across = |at| scaled(at, (pixels.size.0, pixels.screen.0));
        let down = |at| scaled(at, (pixels.size.1, pixels.screen.1));
        let [left, top, right, bottom] = mark.bounds;
        let (left, right, top, bottom) = (across(left), across(right), down(top), down(bottom));
        fill(pixels, (left..right, top..top + 2), FRAME);
        fill(pixels, (left..right, bottom - 2..bottom), FRAME);
        fill(pixels, (left..left + 2, top..bottom), FRAME);
        fill(pixels, (right - 2..right, top..bottom), FRAME);
        write(pixels, &mark.number, (left, top));
    }
}

/// Writes a number on a field of its own.
fn write(pixels: &mut Pixels<'_>, number: &str, (left, top): (i64, i64)) {
    let digits: Vec<usize> = number
        .bytes()
        .map(|byte| usize::from(byte.wrapping_sub(b'0')))
        .collect();
    let width = (digits.len() as i64 * 4 + 1) * SCALE;
    fill(pixels, (left..left + width, top..top + 7 * SCALE), FRAME);
    for (place, rows) in digits.iter().filter_map(|digit| DIGITS.get(*digit)).enumerate() {
        let left = left + (place as i64 * 4 + 1) * SCALE;
        for (row, bits) in rows.iter().enumerate() {
            let top = top + (row as i64 + 1) * SCALE;
            for column in (0..3_i64).filter(|column| bits & (4 >> column) != 0) {
                let left = left + column * SCALE;
                fill(pixels, (left..left + SCALE, top..top + SCALE), INK);
            }
        }
    }
}

/// Fills a rectangle, as far as it is on the picture.
fn fill(
    pixels: &mut Pixels<'_>,
    (across, down): (std::ops::Range<i64>, std::ops::Range<i64>),
    colour: [u8; 3],
) {
    let (width, height) = (i64::from(pixels.size.0), i64::from(pixels.size.1));
    for y in down.start.max(0)..down.end.min(height) {
        for x in across.start.max(0)..across.end.min(width) {
            let at = usize::try_from((y * width + x) * 3).unwrap_or(usize::MAX);
            if let Some(pixel) = pixels.rgb.get_mut(at..at.saturating_add(3)) {
                pixel.copy_from_slice(&colour);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_a_frame_with_a_number() {
        let view = r#"{"nodes": [{"ref": "@e17", "role": "button", "bounds": [20, 20, 180, 180]},
            {"ref": "@e18", "role": "text", "bounds": [0, 0, 9, 9]}, {"role": "button"}]}"#;
        let marks = Mark::of_view(view);
        assert_eq!(marks.len(), 1);
        let mut rgb = vec![0; 100 * 100 * 3];
        let mut pixels = Pixels {
            rgb: &mut rgb,
            size: (100, 100),
            screen: (200, 200),
        };
        draw(&marks, &mut pixels);
        let at = |x: usize, y: usize| &rgb[(y * 100 + x) * 3..][..3];
        assert_eq!(
            (at(50, 10), at(89, 50), at(50, 50), at(5, 5)),
            (&FRAME[..], &FRAME[..], &[0; 3][..], &[0; 3][..])
        );
        // The stem of the one.
        assert_eq!(at(10 + 6, 10 + 6), INK);
        // Off the picture nothing is drawn, and nothing breaks.
        draw(
            &[Mark {
                number: "x9".to_owned(),
                bounds: [-50, 190, i64::MIN / 1000, 400],
            }],
            &mut Pixels {
                rgb: &mut rgb,
                size: (100, 100),
                screen: (0, 200),
            },
        );
    }
}
