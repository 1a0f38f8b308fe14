//! Pictures without what may be secret, and events as they are written.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod parts;

use clawperator_events::{Pixels, RunEvent, blank, is_partly_black};
use clawperator_ui::Bounds;

#[test]
fn areas_are_black_and_the_rest_stays() {
    let white = Pixels { width: 4, height: 3, rgb: vec![255; 36] };
    let area = |left, top, right, bottom| Bounds { left, top, right, bottom };
    let areas = [area(1, 1, 3, 2), area(-5, 2, 1, 99), area(3, 0, 2, 9), area(9, 9, 12, 12)];
    let blanked = Pixels::read(&blank(&white.write().unwrap(), &areas).unwrap()).unwrap();
    let shown: Vec<u8> = blanked.rgb.chunks_exact(3).map(|pixel| pixel[0] / 255).collect();
    assert_eq!(shown, [1, 1, 1, 1, 1, 0, 0, 1, 0, 1, 1, 1]);
    assert_eq!(blank(b"no picture", &areas), None);
    assert_eq!(is_partly_black(&blanked.write().unwrap()), Some(true));
    assert_eq!(is_partly_black(&white.write().unwrap()), Some(false));
    assert_eq!(is_partly_black(b"no picture"), None);
}

#[test]
fn an_event_is_read_as_it_is_written() {
    let begin = serde_json::json!({"event": "begin", "format": 1, "version": "", "commandId": "c",
        "taskId": "t", "device": "d", "startedMs": 0, "payload": "", "execution": {}});
    let event = RunEvent {
        run_id: "r".to_owned(),
        device: "d".to_owned(),
        seq: 0,
        at_us: 0,
        event: serde_json::from_value(begin).unwrap(),
    };
    let text = serde_json::to_string(&event).unwrap();
    assert_eq!(serde_json::from_str::<RunEvent>(&text).unwrap(), event);
}
