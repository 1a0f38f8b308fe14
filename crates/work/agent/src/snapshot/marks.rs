//! Draws marks on a picture: a frame around each element and a badge with its
//! label. Badges never overlap each other, and go where the picture is empty, so
//! that they cover as little of what it says as possible. Pure.

use super::cache::area;
use super::frame::ScreenImage;
use clawperator_paint::{
    Align, Area, Block, Canvas, Color, Font, TextStyle, VerticalAlign, Weight, line_height, text_width,
};
use clawperator_ui::Bounds;

const COLORS: [Color; 6] = [
    Color::rgb(0x00_E5_FF),
    Color::rgb(0xFF_EE_58),
    Color::rgb(0x81_C7_84),
    Color::rgb(0xFF_8A_65),
    Color::rgb(0xCE_93_D8),
    Color::rgb(0x4D_D0_E1),
];
/// The colour of labels, and of the line around badges and frames: bright
/// frames would be lost on a bright screen.
const INK: Color = Color::rgb(0x00_10_18);
const TEXT: TextStyle = TextStyle::new(15.0, INK).weight(Weight::Bold).font(Font::Mono);
/// The room beside and above a label.
const PADDING: i32 = 3;
const LINE: i32 = 2;
/// From one pixel to the next there is an edge if they differ so much.
const EDGE: u8 = 24;
/// How many covered edges a place is worse than the one before it in the order of places.
const WORSE: usize = 4;

/// An element to be marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub label: String,
    pub bounds: Bounds,
}

/// Draws marks on a picture.
pub fn draw_marks(frame: &mut ScreenImage, marks: &[Mark]) {
    let badges = place_badges(frame, marks);
    let canvas = frame.canvas();
    let colors = || COLORS.iter().cycle().copied();
    for (mark, color) in marks.iter().zip(colors()) {
        draw_frame(canvas, area(&mark.bounds), color);
    }
    for ((mark, badge), color) in marks.iter().zip(badges).zip(colors()) {
        let Some(badge) = badge else { continue };
        canvas.fill(badge, INK);
        canvas.fill(badge.inset(1), color);
        let block = Block::line(badge).align(Align::Center).place(VerticalAlign::Middle);
        canvas.text(&mark.label, &TEXT, block);
    }
}

fn draw_frame(canvas: &mut Canvas, area: Area, color: Color) {
    for (by, width, color) in [(-1, 1, INK), (0, LINE, color)] {
        let Area { left, top, right, bottom } = area.inset(by);
        canvas.fill(Area::new(left, top, right, top.saturating_add(width)), color);
        canvas.fill(Area::new(left, bottom.saturating_sub(width), right, bottom), color);
        canvas.fill(Area::new(left, top, left.saturating_add(width), bottom), color);
        canvas.fill(Area::new(right.saturating_sub(width), top, right, bottom), color);
    }
}

/// Where the badge of each mark goes. No two of them overlap; there is none for
/// a mark that no room is left for.
pub fn place_badges(frame: &ScreenImage, marks: &[Mark]) -> Vec<Option<Area>> {
    let mut taken: Vec<Area> = Vec::new();
    let mut badges = Vec::with_capacity(marks.len());
    for mark in marks {
        let badge = place(frame, mark, &taken);
        taken.extend(badge);
        badges.push(badge);
    }
    badges
}

fn place(frame: &ScreenImage, mark: &Mark, taken: &[Area]) -> Option<Area> {
    let size = frame.size();
    // A canvas has no side that does not fit.
    let picture = Area::new(0, 0, size.width as i32, size.height as i32);
    let badge = Badge {
        width: text_width(&mark.label, &TEXT).ceil() as i32 + 2 * PADDING,
        height: line_height(&TEXT).ceil() as i32,
    };
    let is_free = |area: &Area| {
        area.intersection(picture) == *area && taken.iter().all(|other| other.intersection(*area).is_empty())
    };
    let element = area(&mark.bounds).intersection(picture);
    let near = badge.places(element).into_iter().filter(is_free).enumerate();
    let best = near.min_by_key(|(order, area)| edges(frame, *area) + order * WORSE);
    best.map(|(_, area)| area).or_else(|| badge.around(element, picture).find(is_free))
}

#[derive(Clone, Copy)]
struct Badge {
    width: i32,
    height: i32,
}

impl Badge {
    fn at(self, left: i32, top: i32) -> Area {
        Area::new(left, top, left.saturating_add(self.width), top.saturating_add(self.height))
    }

    /// The places at an element: inside its corners, where it is clear whose
    /// badge it is, then at its outside.
    fn places(self, element: Area) -> [Area; 12] {
        let Area { left, top, right, bottom } = element;
        let (last_left, last_top) = (right - self.width, bottom - self.height);
        let middle = top + (element.height() - self.height) / 2;
        [
            self.at(left, top),
            self.at(last_left, top),
            self.at(last_left, bottom - self.height),
            self.at(left, last_top),
            self.at(last_left, middle),
            self.at(left, middle),
            self.at(left, top - self.height),
            self.at(last_left, top - self.height),
            self.at(left, bottom),
            self.at(last_left, bottom),
            self.at(left - self.width, middle),
            self.at(right, middle),
        ]
    }

    /// Every place in steps of a badge, the nearest first.
    fn around(self, element: Area, picture: Area) -> impl Iterator<Item = Area> {
        let steps = (picture.width() / self.width.max(1)).max(picture.height() / self.height.max(1)) + 1;
        (1..=steps).flat_map(move |ring| {
            (-ring..=ring).flat_map(move |down| {
                // Between the first and the last row, a ring has two places.
                let step = if down.abs() == ring { 1 } else { 2 * ring };
                (-ring..=ring).step_by(step as usize).map(move |across| {
                    self.at(element.left + across * self.width, element.top + down * self.height)
                })
            })
        })
    }
}

/// How many edges are in an area of a picture: of letters and icons.
fn edges(frame: &ScreenImage, area: Area) -> usize {
    let at = |x: i32, y: i32| frame.brightness(x.unsigned_abs(), y.unsigned_abs());
    let mut edges = 0;
    for y in area.top..area.bottom - 1 {
        for x in area.left..area.right - 1 {
            let here = at(x, y);
            let is_edge = here.abs_diff(at(x + 1, y)) > EDGE || here.abs_diff(at(x, y + 1)) > EDGE;
            edges += usize::from(is_edge);
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn white(width: u32, height: u32) -> Canvas {
        Canvas::new(width, height, Color::WHITE).unwrap()
    }

    fn mark(label: usize, [left, top, right, bottom]: [i32; 4]) -> Mark {
        Mark { label: label.to_string(), bounds: Bounds::new(left, top, right, bottom) }
    }

    fn overlap(badges: &[Option<Area>]) -> bool {
        let badges: Vec<Area> = badges.iter().flatten().copied().collect();
        let pairs = badges.iter().enumerate();
        pairs
            .flat_map(|(number, one)| badges.iter().skip(number + 1).map(move |two| (one, two)))
            .any(|(one, two)| !one.intersection(*two).is_empty())
    }

    #[test]
    fn a_mark_is_a_frame_with_a_badge() {
        let mut frame = ScreenImage::from(white(100, 100));
        draw_marks(&mut frame, &[mark(17, [10, 20, 90, 80])]);
        let color = |x, y| frame.brightness(x, y);
        let (paper, ink, line) = (Color::WHITE.brightness(), INK.brightness(), COLORS[0].brightness());
        assert_eq!((color(50, 50), color(5, 5)), (paper, paper));
        assert_eq!((color(50, 19), color(50, 20), color(50, 78), color(50, 80)), (ink, line, line, ink));
        assert_eq!((color(9, 50), color(10, 50), color(89, 50), color(90, 50)), (ink, line, line, ink));
        // The badge, and the letters on it.
        assert_eq!((color(10, 20), color(12, 22)), (ink, line));
        let letters = (12..25).flat_map(|x| (22..36).map(move |y| (x, y)));
        assert!(letters.into_iter().any(|(x, y)| color(x, y) < 60));
    }

    #[test]
    fn badges_never_overlap() {
        let frame = ScreenImage::from(white(768, 1707));
        // All at one place, and rows without any room between them.
        let heap: Vec<_> = (1..=64).map(|n| mark(n, [300, 800, 340, 820])).collect();
        let rows: Vec<_> = (0..64).map(|n| mark(n as usize, [0, n * 8, 768, n * 8 + 8])).collect();
        let nested: Vec<_> = (0..40).map(|n| mark(n as usize, [n, n, 768 - n, 1707 - n])).collect();
        for marks in [heap, rows, nested] {
            let badges = place_badges(&frame, &marks);
            assert!(badges.iter().all(Option::is_some));
            assert!(!overlap(&badges));
        }
    }

    #[test]
    fn a_badge_avoids_what_the_element_says() {
        let mut canvas = white(400, 200);
        let area = Area::new(20, 60, 180, 100);
        let text = TextStyle::new(30.0, Color::BLACK).weight(Weight::Bold);
        canvas.text("Settings", &text, Block::line(area));
        let frame = ScreenImage::from(canvas);
        let badges = place_badges(&frame, &[mark(1, [20, 60, 180, 100])]);
        let badge = badges[0].unwrap();
        assert_eq!(edges(&frame, badge), 0, "{badge:?}");
        assert!(edges(&frame, Area::new(20, 60, 60, 100)) > 0);
    }

    #[test]
    fn what_is_off_the_picture_or_without_room_breaks_nothing() {
        let mut tiny = ScreenImage::from(white(5, 5));
        let marks = [mark(1, [0, 0, 5, 5]), mark(2, [i32::MIN, i32::MIN, i32::MAX, i32::MAX])];
        assert_eq!(place_badges(&tiny, &marks), [None, None]);
        draw_marks(&mut tiny, &marks);
        let small = ScreenImage::from(white(60, 40));
        let many: Vec<_> = (0..64).map(|n| mark(n, [0, 0, 60, 40])).collect();
        assert!(!overlap(&place_badges(&small, &many)));
        let outside = place_badges(&small, &[mark(1, [500, 500, 600, 600]), mark(2, [60, 0, 60, 0])]);
        assert!(!overlap(&outside));
    }
}
