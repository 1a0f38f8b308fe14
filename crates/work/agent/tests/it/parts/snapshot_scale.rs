//! Tests of `snapshot/scale.rs`.

use clawperator_agent::snapshot::*;
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn side(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

#[test]
fn every_size_and_point_is_as_the_vectors_say() {
    for line in include_str!("../../vectors/scale.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let (name, expected) = (&case["name"], &case["expected"]);
        if let Some(at) = case.get("coords") {
            let scale = Scale { x: number(&at["scaleX"]), y: number(&at["scaleY"]) };
            let screen = Size { width: side(&at["width"]), height: side(&at["height"]) };
            let (x, y) = scale.to_phone((number(&at["x"]), number(&at["y"])), screen);
            let wanted = (number(&expected["x"]), number(&expected["y"]));
            assert_eq!((f64::from(x), f64::from(y)), wanted, "{name}");
            continue;
        }
        let screen = Size { width: side(&case["width"]), height: side(&case["height"]) };
        let picture = screen.for_model(case["model"].as_str());
        let scale = Scale::of(screen, picture);
        assert_eq!(
            (picture.width, picture.height),
            (side(&expected["width"]), side(&expected["height"])),
            "{name}"
        );
        assert_eq!(
            (scale.x, scale.y, picture != screen),
            (
                number(&expected["scaleX"]),
                number(&expected["scaleY"]),
                expected["resized"].as_bool().unwrap()
            ),
            "{name}"
        );
    }
}

#[test]
fn what_is_no_point_of_the_picture_is_brought_onto_the_screen() {
    let (scale, screen) = (Scale { x: 2.0, y: 2.0 }, Size { width: 10, height: 20 });
    for (point, on_screen) in
        [((f64::NAN, f64::INFINITY), (0, 19)), ((f64::NEG_INFINITY, 1e300), (0, 19)), ((4.9, 9.9), (9, 19))]
    {
        assert_eq!(scale.to_phone(point, screen), on_screen);
    }
    let strip = Size { width: 1, height: 100_000 };
    assert_eq!(strip.within(100), Size { width: 1, height: 100 });
}
