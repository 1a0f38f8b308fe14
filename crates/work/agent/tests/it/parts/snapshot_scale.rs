//! Tests of `snapshot/scale.rs`.

use clawperator_agent::snapshot::*;
use clawperator_agent::space::Space;
use clawperator_contract::Number;
use serde_json::{Value, json};

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
            let size = Some((side(&at["width"]), side(&at["height"])));
            let space = Space { scale_x: number(&at["scaleX"]), scale_y: number(&at["scaleY"]), size };
            let coordinate = |name: &str| Number::new(number(&at[name])).unwrap();
            assert_eq!(json!(space.pixel(coordinate("x"), coordinate("y"))), *expected, "{name}");
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
fn a_strip_keeps_a_column() {
    let strip = Size { width: 1, height: 100_000 };
    assert_eq!(strip.within(100), Size { width: 1, height: 100 });
}
