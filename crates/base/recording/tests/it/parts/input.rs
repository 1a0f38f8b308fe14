//! Tests of `input.rs`.

use clawperator_contract::Key;
use clawperator_recording::*;
use std::time::Duration;

#[test]
fn lines_are_read_as_kernels_write_them() {
    let parse = |line: &str| InputEvent::parse(line).map(|event| event.signal);
    for (line, signal) in [
        ("EV_ABS       ABS_MT_TRACKING_ID   00000012            ", Signal::Tracking(Contact::Down)),
        ("EV_ABS       ABS_MT_TRACKING_ID   ffffffff            ", Signal::Tracking(Contact::Up)),
        ("EV_ABS       ABS_MT_POSITION_X    000001a4            ", Signal::X(420)),
        ("EV_ABS       ABS_MT_POSITION_Y    ffffffff            ", Signal::Y(-1)),
        ("EV_ABS       ABS_MT_SLOT          00000001            ", Signal::Slot(1)),
        ("EV_KEY       BTN_TOUCH            DOWN                ", Signal::Touch(Contact::Down)),
        ("EV_KEY       KEY_BACK             UP                  ", Signal::Key(Key::Back, Contact::Up)),
        ("EV_KEY       KEY_BACK             REPEAT              ", Signal::Other),
        ("EV_KEY       0244                 DOWN                ", Signal::Key(Key::Recents, Contact::Down)),
        ("EV_SYN       SYN_REPORT           00000000            ", Signal::Report),
        ("EV_MSC       MSC_SCAN             00000001            ", Signal::Other),
    ] {
        let line = format!("[   12345.678901] /dev/input/event1: {line}");
        assert_eq!(parse(&line), Some(signal), "{line}");
    }
    let event = InputEvent::parse("[ 7.000250] /dev/input/event3: EV_SYN SYN_REPORT 00000000").unwrap();
    assert_eq!((event.at, event.device.as_str()), (Duration::from_micros(7_000_250), "/dev/input/event3"));
    for noise in [
        "",
        "add device 1: /dev/input/event0",
        "  name:     \"gpio_keys\"",
        "[ x] /dev/input/event1: EV_SYN SYN_REPORT 0",
        "[ 1.5] /dev/input/event1: EV_ABS ABS_MT_POSITION_X",
        "[ 1.000005] /dev/input/event1: EV_ABS ABS_MT_POSITION_X zz",
        "could not get driver version for /dev/input/mouse0, Not a typewriter",
    ] {
        assert_eq!(InputEvent::parse(noise), None, "{noise}");
    }
}

#[test]
fn screens_are_told_from_keys_and_pads() {
    let text = "add device 1: /dev/input/event0\n  name:     \"gpio_keys\"\n  events:\n    KEY (0001): KEY_POWER\n  input props:\n    <none>\nadd device 2: /dev/input/event2\n  name:     \"pad\"\n  events:\n    ABS (0003): ABS_MT_POSITION_X     : value 0, min 0, max 99, fuzz 0, flat 0, resolution 0\n                ABS_MT_POSITION_Y     : value 0, min 0, max 99, fuzz 0, flat 0, resolution 0\n  input props:\n    INPUT_PROP_POINTER\nadd device 3: /dev/input/event1\n  name:     \"screen\"\n  events:\n    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0\n                ABS_MT_POSITION_X     : value 0, min 0, max 4095, fuzz 0, flat 0, resolution 0\n                ABS_MT_POSITION_Y     : value 0, min -5, max 32767, fuzz 0, flat 0, resolution 0\n  input props:\n    INPUT_PROP_DIRECT\n";
    let screen = TouchScreen { device: "/dev/input/event1".to_owned(), x: 0..=4095, y: -5..=32767 };
    assert_eq!(TouchScreen::parse_all(text), std::slice::from_ref(&screen));
    let silent = text.replace("INPUT_PROP_DIRECT", "<none>");
    assert_eq!(TouchScreen::parse_all(&silent).len(), 2);
    assert_eq!(TouchScreen::parse_all(""), []);
}
