//! What a model's coordinates mean on a phone.

use clawperator_agent::space::Space;
use clawperator_agent::tool::normalize;
use clawperator_contract::Number;
use serde_json::json;

#[test]
fn d24_places_in_a_question_are_those_of_the_phone() {
    let space = Space { scale_x: 2.0, scale_y: 3.0, size: Some((1080, 2400)) };
    for (tool, args, expected) in [
        ("tap", json!({"x": 10, "y": 10}), ["\"x\":20", "\"y\":30"]),
        ("swipe", json!({"x1": 1, "y1": 1, "x2": 10, "y2": 10}), ["\"x1\":2", "\"y2\":30"]),
        ("drag", json!({"x1": 1, "y1": 1, "x2": 9000, "y2": 1}), ["\"x2\":1079", "\"y1\":3"]),
        ("wait", json!({"durationMs": 5}), ["wait", "5"]),
    ] {
        let action = space.on_phone(&normalize(tool, &args).action);
        let text = serde_json::to_string(&action).unwrap();
        assert!(expected.iter().all(|part| text.contains(part)), "{text}");
    }
}

#[test]
fn a_point_is_rounded_and_stays_on_the_screen() {
    let space = Space { scale_x: 1080.0 / 768.0, scale_y: 2400.0 / 1707.0, size: Some((1080, 2400)) };
    for (from, to) in [
        ((0.0, 0.0), (0, 0)),
        ((384.0, 853.5), (540, 1200)),
        ((768.0, 1707.0), (1079, 2399)),
        ((1e12, -5.0), (1079, 0)),
        ((10.75, 1.0), (15, 1)),
    ] {
        let number = |value| Number::new(value).unwrap();
        let found = space.pixel(number(from.0), number(from.1));
        assert_eq!((found.x, found.y), to, "{from:?}");
    }
    let plain = Space::default();
    assert_eq!(json!(plain.pixel(Number::from(5000_u32), Number::from(7_u32))), json!({"x": 5000, "y": 7}));
}
