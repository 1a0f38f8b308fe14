//! Fills, boxes, circles, lines, arcs, icons.

use clawperator_paint::{Area, Canvas, Color, Icon, Pen, Point, Ring, Shadow, Stroke};

use crate::{at, drawn, white};

const BLACK: [u8; 4] = [0, 0, 0, 255];
const WHITE: [u8; 4] = [255; 4];

#[test]
fn a_fill_covers_its_area_and_blends() {
    let mut canvas = white(4, 4);
    canvas.fill(Area::new(-5, 1, 2, 3), Color::BLACK);
    assert_eq!(drawn(&canvas), Some(Area::new(0, 1, 2, 3)));
    canvas.fill(Area::new(3, 0, 99, 1), Color::BLACK.with_alpha(128));
    assert_eq!(at(&canvas, 3, 0), [127, 127, 127, 255]);
    let mut clear = Canvas::new(1, 1, Color::TRANSPARENT).unwrap();
    clear.fill(clear.area(), Color::rgb(0x64_32_0A).with_alpha(128));
    assert_eq!(at(&clear, 0, 0), [0x64, 0x32, 0x0A, 128]);
}

#[test]
fn clips_narrow_and_end() {
    let mut canvas = white(10, 10);
    canvas.with_clip(Area::new(2, 2, 8, 8), |canvas| {
        canvas.with_clip(Area::new(0, 0, 5, 5), |canvas| {
            canvas.fill(canvas.area(), Color::BLACK);
        });
    });
    assert_eq!(drawn(&canvas), Some(Area::new(2, 2, 5, 5)));
    canvas.fill(canvas.area(), Color::BLACK);
    assert_eq!(drawn(&canvas), Some(canvas.area()));
}

#[test]
fn a_rounded_box_has_full_edges_and_open_corners() {
    for area in [Area::new(2, 2, 32, 22), Area::new(2, 2, 31, 21)] {
        let mut canvas = white(40, 30);
        canvas.fill_rounded(area, 8.0, Color::BLACK);
        assert_eq!(drawn(&canvas), Some(area));
        assert_eq!(at(&canvas, 2, 2), WHITE);
        assert_eq!(at(&canvas, 16, 2), BLACK);
        assert_eq!(at(&canvas, 2, 12), BLACK);
        assert_eq!(at(&canvas, 16, 12), BLACK);
    }
}

#[test]
fn a_half_transparent_pill_has_no_seams() {
    for side in [19, 20, 21] {
        let mut canvas = white(60, 30);
        canvas.fill_rounded(Area::new(1, 1, 1 + side * 2, 1 + side), 99.0, Color::BLACK.with_alpha(100));
        let inside: Vec<_> =
            (4..side * 2 - 4).map(|x| at(&canvas, x as u32, (1 + side / 2) as u32)).collect();
        assert!(inside.iter().all(|pixel| *pixel == inside[0]), "{side}: {inside:?}");
    }
}

#[test]
fn a_stroke_leaves_the_middle() {
    let mut canvas = white(40, 40);
    canvas.stroke_rounded(Area::new(4, 4, 36, 36), Stroke { radius: 6.0, width: 3.0, color: Color::BLACK });
    assert_eq!(drawn(&canvas), Some(Area::new(4, 4, 36, 36)));
    for (x, y, color) in [(20, 4, BLACK), (20, 6, BLACK), (20, 7, WHITE), (4, 20, BLACK), (20, 20, WHITE)] {
        assert_eq!(at(&canvas, x, y), color, "{x} {y}");
    }
}

#[test]
fn circles_lines_and_arcs_are_where_they_were_asked_for() {
    let pen = Pen { width: 4.0, color: Color::BLACK };
    let mut canvas = white(40, 40);
    canvas.circle(Point::new(20.0, 20.0), 10.0, Color::BLACK);
    assert_eq!(drawn(&canvas), Some(Area::new(10, 10, 30, 30)));

    let mut canvas = white(40, 40);
    canvas.line(Point::new(10.0, 20.0), Point::new(30.0, 20.0), pen);
    assert_eq!(drawn(&canvas), Some(Area::new(8, 18, 32, 22)));

    let mut canvas = white(40, 40);
    canvas.arc(Ring { center: Point::new(20.0, 20.0), radius: 10.0, start: 0.0, sweep: 90.0 }, pen);
    assert_eq!(at(&canvas, 27, 13), BLACK, "to the right of the top");
    assert_eq!(at(&canvas, 13, 13), WHITE, "to the left of the top");
    assert_eq!(at(&canvas, 27, 27), WHITE, "below");
}

#[test]
fn a_shadow_fades_outwards() {
    let mut canvas = white(60, 60);
    canvas.shadow(Area::new(20, 20, 40, 40), Shadow { radius: 4.0, blur: 10.0, color: Color::BLACK });
    let row: Vec<_> = (8..30).map(|x| at(&canvas, x, 30)[0]).collect();
    assert!(row.is_sorted_by(|far, near| far >= near), "{row:?}");
    assert_eq!(at(&canvas, 5, 30), WHITE);
}

#[test]
fn every_icon_draws_something_of_its_own() {
    let mut pictures: Vec<Vec<u8>> = Vec::new();
    for name in Icon::names().chain(["youtube", "zoom", "!", ""]) {
        let mut canvas = white(48, 48);
        canvas.icon(Icon::by_name(name), Area::new(4, 4, 44, 44), Color::BLACK);
        let area = drawn(&canvas).unwrap_or_else(|| panic!("{name} draws nothing"));
        assert_eq!(area.intersection(Area::new(4, 4, 44, 44)), area, "{name}");
        assert!(!pictures.contains(&canvas.pixels().to_vec()), "{name} looks like another one");
        pictures.push(canvas.pixels().to_vec());
    }
}

#[test]
fn icons_are_found_by_any_spelling_of_any_name() {
    let back = Icon::by_name("back");
    for name in ["arrow_back", "ic_arrow_back", "Arrow Back", "arrow-back", " BACK "] {
        assert_eq!(Icon::by_name(name), back, "{name}");
    }
    assert_eq!(Icon::by_name("youtube"), Icon::Letter('Y'));
    assert_eq!(Icon::by_name(""), Icon::Letter('?'));
}
