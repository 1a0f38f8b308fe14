//! Text: its position, its line breaks, and the placeholder for missing glyphs.

use clawperator_paint::{
    Align, Area, Block, Canvas, Color, Font, LineEnding, TextStyle, VerticalAlign, Weight, line_height,
    text_width, wrap,
};

use crate::{drawn, white};

const STYLE: TextStyle = TextStyle::new(20.0, Color::BLACK);

fn ink(text: &str, block: Block) -> Option<Area> {
    let mut canvas = white(300, 100);
    canvas.text(text, &STYLE, block);
    drawn(&canvas)
}

/// How many pixels are not white.
fn weight_of(text: &str, style: &TextStyle) -> usize {
    let mut canvas = white(300, 100);
    canvas.text(text, style, Block::line(canvas.area()));
    canvas.pixels().chunks_exact(4).filter(|pixel| *pixel != [255; 4]).count()
}

#[test]
fn letters_emoji_and_other_scripts_draw_something() {
    for text in ["a", "Ü", "я", "Ω", "😀", "★", "→", "✓", "א", "م", "你", "한", "\u{10FFFD}"] {
        assert!(ink(text, Block::line(Area::new(0, 0, 300, 100))).is_some(), "{text}");
    }
    for text in ["", " ", "\t", "\u{200B}", "\n", "\u{A0}", "\0"] {
        assert_eq!(ink(text, Block::line(Area::new(0, 0, 300, 100))), None, "{text:?}");
    }
}

#[test]
fn a_missing_character_is_a_box_in_fixed_room() {
    let mut canvas = white(100, 60);
    canvas.text("\u{10FFFD}", &TextStyle::new(40.0, Color::BLACK), Block::lines(canvas.area(), 1));
    let area = drawn(&canvas).unwrap();
    assert!(area.width() >= 15 && area.width() <= 24 && area.height() >= 25, "{area:?}");
    let middle = area.center();
    assert_eq!(crate::at(&canvas, middle.x as u32, middle.y as u32), [255; 4], "it is open");
    assert_eq!(text_width("\u{10FFFD}", &STYLE), 12.0);
    assert_eq!(text_width("\u{2FFF0}", &STYLE), 20.0);
    assert_eq!(text_width("你好", &STYLE), 40.0);
}

#[test]
fn text_stays_in_its_area() {
    let area = Area::new(40, 30, 90, 46);
    for text in ["Wwwwwwwwwww", "jjjÅÅÅÅ", "one two three four five six", "שלום עולם, שלום לכולם"]
    {
        for align in [Align::Start, Align::Center, Align::End] {
            for place in [VerticalAlign::Top, VerticalAlign::Middle, VerticalAlign::Bottom] {
                let ink = ink(text, Block::lines(area, 3).align(align).place(place)).unwrap();
                assert_eq!(ink.intersection(area), ink, "{text} {align:?} {place:?}");
            }
        }
    }
}

#[test]
fn lines_are_aligned_by_the_way_they_run() {
    let room = Block::line(Area::new(0, 0, 300, 100));
    // (text, alignment, left edge at most, left edge at least)
    let cases = [
        ("abc", Align::Start, 3, 0),
        ("abc", Align::Center, 145, 120),
        ("abc", Align::End, 299, 250),
        ("אבג", Align::Start, 299, 250),
        ("אבג", Align::End, 3, 0),
    ];
    for (text, align, most, least) in cases {
        let left = ink(text, room.align(align)).unwrap().left;
        assert!((least..=most).contains(&left), "{text} {align:?}: {left}");
    }
}

#[test]
fn places_go_from_top_to_bottom() {
    let tops = [VerticalAlign::Top, VerticalAlign::Middle, VerticalAlign::Bottom]
        .map(|place| ink("x", Block::line(Area::new(0, 0, 300, 100)).place(place)).unwrap().top);
    assert!(tops.is_sorted() && tops[0] < tops[2] - 50, "{tops:?}");
}

#[test]
fn heavier_text_has_more_ink_and_more_room() {
    for font in [Font::Sans, Font::Mono] {
        let styles =
            [Weight::Regular, Weight::Medium, Weight::Bold].map(|weight| STYLE.weight(weight).font(font));
        let inks = styles.map(|style| weight_of("Settings", &style));
        assert!(inks.is_sorted() && inks[0] < inks[2], "{inks:?}");
        let widths = styles.map(|style| text_width("Settings", &style));
        assert!(widths.is_sorted() && widths[0] < widths[2], "{widths:?}");
    }
}

#[test]
fn widths_add_up_and_marks_take_none() {
    let both = text_width("ab", &STYLE);
    assert_eq!(both, text_width("a", &STYLE) + text_width("b", &STYLE));
    for text in ["a\u{301}b", "a\u{200D}b\u{FE0F}", "\u{202E}ab", "ab\r"] {
        assert_eq!(text_width(text, &STYLE), both, "{text:?}");
    }
    let mono = STYLE.font(Font::Mono);
    assert_eq!(text_width("iiii", &mono), text_width("WWWW", &mono));
    assert!((line_height(&STYLE) - 23.44).abs() < 0.01);
}

/// What a text becomes: its lines, with `…` where one is cut and `|` between.
fn wrapped(text: &str, columns: u16, lines: u16) -> String {
    let style = STYLE.font(Font::Mono);
    let width = text_width("m", &style) * f32::from(columns);
    let lines = wrap(text, &style, width, lines).into_iter();
    let shown = lines.map(|line| {
        assert!(line.width <= width + 0.5 || line.text.chars().count() <= 1, "{line:?}");
        line.text.to_owned() + if line.ending == LineEnding::Ellipsis { "…" } else { "" }
    });
    shown.collect::<Vec<_>>().join("|")
}

#[test]
fn text_is_wrapped() {
    // (text, columns, lines, expected)
    let cases = [
        ("", 10, 9, ""),
        ("one two three", 7, 9, "one two |three"),
        ("one two three", 9, 9, "one two |three"),
        ("abcdefgh", 3, 9, "abc|def|gh"),
        ("a abcdefgh", 3, 9, "a |abc|def|gh"),
        ("a\nb\n\nc\n", 10, 9, "a|b||c|"),
        ("well-known", 6, 9, "well-|known"),
        ("a\u{A0}b c", 3, 9, "a\u{A0}b |c"),
        ("one two three", 7, 1, "one tw…"),
        ("one two three", 8, 1, "one two…"),
        ("one two three", 5, 2, "one |two…"),
        ("one\ntwo", 10, 1, "one…"),
        ("one two", 7, 1, "one two"),
        ("one\n\n ", 10, 1, "one"),
        ("abc", 0, 9, "a|b|c"),
        ("abc", 10, 0, ""),
        ("e\u{301}e\u{301}e\u{301}", 2, 9, "e\u{301}e\u{301}|e\u{301}"),
    ];
    for (text, columns, lines, expected) in cases {
        assert_eq!(wrapped(text, columns, lines), expected, "{text:?} {columns} {lines}");
    }
}

#[test]
fn wide_characters_break_anywhere_but_before_a_full_stop() {
    let lines =
        |text| wrap(text, &STYLE, 60.0, 9).iter().map(|line| line.text.to_owned()).collect::<Vec<_>>();
    assert_eq!(lines("你好世界你好"), ["你好世", "界你好"]);
    assert_eq!(lines("你好世。界"), ["你好", "世。界"]);
}

#[test]
fn a_cut_line_shows_an_ellipsis() {
    let area = Area::new(0, 0, 60, 30);
    let mut cut = white(300, 100);
    cut.text("Settings and more", &STYLE, Block::line(area));
    let line = wrap("Settings and more", &STYLE, 60.0, 1)[0];
    assert_eq!(line.ending, LineEnding::Ellipsis);
    let mut written: Canvas = white(300, 100);
    written.text(&format!("{}…", line.text), &STYLE, Block::line(area));
    assert_eq!(cut.pixels(), written.pixels());
}

#[test]
fn a_line_of_a_million_characters_is_drawn_as_far_as_it_is_seen() {
    let wide = Area::new(0, 0, i32::MAX, 100);
    for text in ["x".repeat(1_000_000), "א".repeat(1_000_000), "\u{301}".repeat(1_000_000)] {
        let mut canvas = white(300, 100);
        canvas.text(&text, &STYLE, Block::lines(wide, 1));
        canvas.text(&text, &STYLE, Block::lines(Area::new(0, 0, 300, 100), u16::MAX));
        assert!(drawn(&canvas).is_some());
    }
}
