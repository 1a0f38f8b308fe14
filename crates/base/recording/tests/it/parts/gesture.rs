//! Tests of `gesture.rs`.

use clawperator_contract::Key;
use clawperator_recording::*;
use clawperator_ui::Point;

const UPRIGHT: Display = Display::upright(1080, 2400);
const MIDDLE: Point = Point::new(540, 1200);

fn fingers() -> Fingers {
    Fingers::new(vec![TouchScreen { device: "/dev/input/event1".to_owned(), x: 0..=4095, y: 0..=8191 }])
}

/// Feeds lines of `milliseconds code value`; what was done.
fn feed(fingers: &mut Fingers, lines: &str, display: Display) -> Vec<Gesture> {
    let mut done = Vec::new();
    for line in lines.split(',') {
        let (ms, rest) = line.trim().split_once(' ').unwrap();
        let ms: u64 = ms.parse().unwrap();
        let kind = match rest.split(' ').next().unwrap() {
            "SYN_REPORT" => "EV_SYN",
            code if code.starts_with("ABS") => "EV_ABS",
            _ => "EV_KEY",
        };
        let line = format!("[{:>8}.{:06}] /dev/input/event1: {kind} {rest}", ms / 1000, ms % 1000 * 1000);
        done.extend(fingers.feed(&InputEvent::parse(&line).unwrap(), display));
    }
    done
}

const DOWN: &str = "0 ABS_MT_TRACKING_ID 00000001, 0 ABS_MT_POSITION_X 00000800, 0 ABS_MT_POSITION_Y 00001000, 0 SYN_REPORT 00000000";

#[test]
fn touches_are_taps_long_presses_and_swipes() {
    for (rest, expected) in [
        ("80 ABS_MT_TRACKING_ID ffffffff, 80 SYN_REPORT 00000000", Gesture::Tap(MIDDLE)),
        // A finger that trembles.
        (
            "40 ABS_MT_POSITION_X 00000808, 40 SYN_REPORT 00000000, 80 ABS_MT_TRACKING_ID ffffffff, 80 SYN_REPORT 00000000",
            Gesture::Tap(MIDDLE),
        ),
        ("600 ABS_MT_TRACKING_ID ffffffff, 600 SYN_REPORT 00000000", Gesture::LongPress(MIDDLE)),
        (
            "50 ABS_MT_POSITION_Y 00000800, 50 SYN_REPORT 00000000, 900 ABS_MT_TRACKING_ID ffffffff, 900 SYN_REPORT 00000000",
            Gesture::Swipe { from: MIDDLE, to: Point::new(540, 600) },
        ),
        // There and back again is no click.
        (
            "50 ABS_MT_POSITION_Y 00000800, 50 SYN_REPORT 00000000, 60 ABS_MT_POSITION_Y 00001000, 60 SYN_REPORT 00000000, 90 ABS_MT_TRACKING_ID ffffffff, 90 SYN_REPORT 00000000",
            Gesture::Swipe { from: MIDDLE, to: MIDDLE },
        ),
        (
            "10 ABS_MT_SLOT 00000001, 10 ABS_MT_TRACKING_ID 00000002, 10 SYN_REPORT 00000000, 90 ABS_MT_TRACKING_ID ffffffff, 90 ABS_MT_SLOT 00000000, 90 ABS_MT_TRACKING_ID ffffffff, 90 SYN_REPORT 00000000",
            Gesture::Several,
        ),
    ] {
        let lines = format!("{DOWN}, {rest}");
        assert_eq!(feed(&mut fingers(), &lines, UPRIGHT), [expected], "{rest}");
    }
}

#[test]
fn what_has_not_changed_is_remembered() {
    let mut fingers = fingers();
    let up = "80 ABS_MT_TRACKING_ID ffffffff, 80 SYN_REPORT 00000000";
    feed(&mut fingers, &format!("{DOWN}, {up}"), UPRIGHT);
    let again = "200 ABS_MT_TRACKING_ID 00000002, 200 ABS_MT_POSITION_X 00000400, 200 SYN_REPORT 00000000, 250 ABS_MT_TRACKING_ID ffffffff, 250 SYN_REPORT 00000000";
    assert_eq!(feed(&mut fingers, again, UPRIGHT), [Gesture::Tap(Point::new(270, 1200))]);
}

#[test]
fn an_unknown_position_is_not_the_corner() {
    // The kernel does not repeat positions from before we started to read.
    let mut fingers = fingers();
    let lines = "0 ABS_MT_TRACKING_ID 00000001, 0 ABS_MT_POSITION_Y 00001000, 0 SYN_REPORT 00000000, 50 ABS_MT_TRACKING_ID ffffffff, 50 SYN_REPORT 00000000";
    assert_eq!(feed(&mut fingers, lines, UPRIGHT), [Gesture::Several]);
}

#[test]
fn a_turned_screen_turns_the_places() {
    let up = "80 ABS_MT_TRACKING_ID ffffffff, 80 SYN_REPORT 00000000";
    let down = DOWN.replace("00000800", "00000000").replace("00001000", "00000000");
    for (rotation, x, y) in [(0, 0, 0), (1, 0, 1079), (2, 1079, 2399), (3, 2399, 0)] {
        let display = Display { rotation, ..UPRIGHT };
        let done = feed(&mut fingers(), &format!("{down}, {up}"), display);
        assert_eq!(done, [Gesture::Tap(Point { x, y })], "{rotation}");
    }
}

#[test]
fn old_screens_and_keys_are_understood() {
    let lines = "0 ABS_MT_POSITION_X 00000800, 0 ABS_MT_POSITION_Y 00001000, 0 BTN_TOUCH DOWN, 0 SYN_REPORT 00000000, 50 BTN_TOUCH UP, 50 SYN_REPORT 00000000, 90 KEY_BACK DOWN, 90 SYN_REPORT 00000000, 95 KEY_BACK UP";
    assert_eq!(feed(&mut fingers(), lines, UPRIGHT), [Gesture::Tap(MIDDLE), Gesture::Key(Key::Back)]);
}
