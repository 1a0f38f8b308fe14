//! Whatever is asked for, nothing panics, and nothing is drawn where it must
//! not be.

use clawperator_paint::{
    Align, Area, Block, Color, Font, Icon, LineEnding, Pen, Point, Ring, Shadow, Stroke, TextStyle,
    VerticalAlign, Weight, text_width, wrap,
};
use proptest::prelude::*;

use crate::{drawn, white};

fn edge() -> impl Strategy<Value = i32> {
    prop_oneof![4 => -20..80, 1 => any::<i32>(), 1 => Just(i32::MIN), 1 => Just(i32::MAX)]
}

fn area() -> impl Strategy<Value = Area> {
    (edge(), edge(), edge(), edge())
        .prop_map(|(left, top, right, bottom)| Area::new(left, top, right, bottom))
}

fn size() -> impl Strategy<Value = f32> {
    let odd =
        prop_oneof![Just(f32::NAN), Just(f32::INFINITY), Just(f32::NEG_INFINITY), Just(f32::MAX), Just(-0.0)];
    prop_oneof![4 => -5.0f32..60.0, 1 => any::<f32>(), 1 => odd]
}

fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        2 => any::<char>(),
        8 => prop::char::range(' ', '~'),
        4 => prop::sample::select(vec![' ', '\n', '\t', '\u{301}', '\u{200D}', '-', '…', 'א', 'ب', '(', '😀', '你', '\u{FE0F}']),
    ];
    prop::collection::vec(character, 0..40).prop_map(String::from_iter)
}

fn style() -> impl Strategy<Value = TextStyle> {
    let weight = prop::sample::select(vec![Weight::Regular, Weight::Medium, Weight::Bold]);
    let font = prop::sample::select(vec![Font::Sans, Font::Mono]);
    (size(), weight, font)
        .prop_map(|(size, weight, font)| TextStyle::new(size, Color::BLACK).weight(weight).font(font))
}

fn block() -> impl Strategy<Value = Block> {
    let align = prop::sample::select(vec![Align::Start, Align::Center, Align::End]);
    let place = prop::sample::select(vec![VerticalAlign::Top, VerticalAlign::Middle, VerticalAlign::Bottom]);
    (area(), align, place, any::<u16>()).prop_map(|(area, align, place, lines)| Block {
        area,
        align,
        place,
        lines,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn boxes_stay_inside(area in area(), radius in size(), width in size()) {
        let color = Color::BLACK.with_alpha(200);
        let mut canvas = white(60, 50);
        canvas.fill(area, color);
        canvas.fill_gradient(area, color, Color::WHITE);
        canvas.fill_rounded(area, radius, color);
        canvas.stroke_rounded(area, Stroke { radius, width, color });
        canvas.icon(Icon::by_name("wifi"), area, color);
        canvas.icon(Icon::Letter('Q'), area, color);
        if let Some(ink) = drawn(&canvas) {
            prop_assert_eq!(ink.intersection(area), ink);
        }
        canvas.shadow(area, Shadow { radius, blur: width, color });
        prop_assert_eq!(canvas.to_png(), canvas.clone().to_png());
    }

    #[test]
    fn lines_do_not_panic(places in [size(), size(), size(), size()], width in size(), clip in area()) {
        let [x, y, x2, y2] = places;
        let pen = Pen { width, color: Color::BLACK };
        let mut canvas = white(60, 50);
        canvas.with_clip(clip, |canvas| {
            canvas.line(Point::new(x, y), Point::new(x2, y2), pen);
            canvas.circle(Point::new(x, y), x2, Color::BLACK);
            canvas.arc(Ring { center: Point::new(x, y), radius: width, start: x2, sweep: y2 }, pen);
        });
        if let Some(ink) = drawn(&canvas) {
            prop_assert_eq!(ink.intersection(clip), ink);
        }
    }

    #[test]
    fn text_stays_inside(text in text(), style in style(), block in block()) {
        let mut canvas = white(60, 50);
        canvas.text(&text, &style, block);
        if let Some(ink) = drawn(&canvas) {
            prop_assert_eq!(ink.intersection(block.area), ink);
        }
        prop_assert!(text_width(&text, &style).is_finite());
    }

    #[test]
    fn wrapping_loses_no_character(text in text(), style in style(), width in size()) {
        let lines = wrap(&text, &style, width, u16::MAX);
        let joined: String = lines.iter().map(|line| line.text).collect();
        prop_assert_eq!(joined, text.replace('\n', ""));
        prop_assert!(lines.iter().all(|line| line.ending == LineEnding::Whole));
    }

    #[test]
    fn wrapping_keeps_to_its_lines(text in text(), style in style(), (width, lines) in (size(), 0u16..6)) {
        let wrapped = wrap(&text, &style, width, lines);
        prop_assert!(wrapped.len() <= usize::from(lines));
        let all = wrap(&text, &style, width, u16::MAX);
        let cut = wrapped.last().is_some_and(|line| line.ending == LineEnding::Ellipsis);
        let unseen = all.iter().skip(usize::from(lines)).any(|line| !line.text.trim().is_empty());
        prop_assert_eq!(cut, lines > 0 && unseen);
    }
}
