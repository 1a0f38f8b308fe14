//! Gestures and looks become events.

use crate::drawing::tree;
use clawperator_contract::{Key, Number};
use clawperator_recording::{Display, Gesture, RecordedEvent, ScreenReading, Scribe, Steering, event_line};
use clawperator_ui::{Bounds, Point};
use serde_json::Value;

const SCREEN: Display = Display::upright(1080, 2400);
const LIST: &str = "FrameLayout [0,0][1080,2400]
 RecyclerView [0,200][1080,2300] #s:id/list scrollable
  LinearLayout [0,200][1080,400] clickable
   TextView \"Network\" [0,200][1080,300]
 EditText \"Search\" [0,0][1080,100] #s:id/search clickable
 EditText \"\" [0,100][1080,200] #s:id/pin clickable password";

fn seen(drawing: &str, package: &str, keyboard: Option<&str>) -> ScreenReading {
    ScreenReading {
        tree: tree(drawing),
        package: package.to_owned(),
        activity: Some(format!("{package}.Main")),
        keyboard: keyboard.map(|bounds| Bounds::parse(bounds).unwrap()),
    }
}

/// Events in few words.
fn short(events: &[RecordedEvent]) -> String {
    let line = |event: &RecordedEvent| {
        let value: Value = serde_json::from_str(&event_line(event)).unwrap();
        let mut words = format!("{}:{}", value["seq"], value["type"].as_str().unwrap());
        for key in [
            "packageName",
            "resourceId",
            "text",
            "clickType",
            "direction",
            "travel",
            "key",
            "untold",
            "submitted",
            "untyped",
            "stale",
            "closing",
        ] {
            if let Some(said) = value.get(key).filter(|said| !said.is_null()) {
                words.push_str(&format!(" {}", said.to_string().replace('"', "")));
            }
        }
        words
    };
    events.iter().map(line).collect::<Vec<_>>().join("; ")
}

fn scribe() -> Scribe {
    let mut scribe = Scribe::new(SCREEN, Steering::Swipes, Some("home".to_owned()));
    assert_eq!(short(&scribe.record_screen(seen(LIST, "s", None), Number::from(0))), "0:window_change s");
    scribe
}

fn done(scribe: &mut Scribe, gesture: Gesture) -> String {
    short(&scribe.record_gesture(gesture, Number::from(1)))
}

fn look(scribe: &mut Scribe, drawing: &str, package: &str) -> String {
    short(&scribe.record_screen(seen(drawing, package, None), Number::from(2)))
}

fn swipe([x, y, to_x, to_y]: [i32; 4]) -> Gesture {
    Gesture::Swipe { from: Point { x, y }, to: Point { x: to_x, y: to_y } }
}

#[test]
fn touches_are_told_by_what_they_hit() {
    let mut scribe = scribe();
    assert_eq!(done(&mut scribe, Gesture::Tap(Point::new(500, 250))), "1:click  Network");
    // Until the screen is read again, it may be another.
    assert_eq!(
        done(&mut scribe, Gesture::LongPress(Point::new(500, 50))),
        "2:click  s:id/search Search long_click true"
    );
    assert_eq!(look(&mut scribe, LIST, "s"), "");
    assert_eq!(done(&mut scribe, Gesture::Tap(Point::new(500, 2390))), "3:click s");
    look(&mut scribe, LIST, "s");
    assert_eq!(done(&mut scribe, swipe([500, 1500, 500, 450])), "4:scroll s s:id/list down 0.5");
    assert_eq!(look(&mut scribe, LIST, "t"), "5:window_change t");
    assert_eq!(done(&mut scribe, swipe([500, 50, 100, 60])), "6:scroll t right");
    look(&mut scribe, LIST, "t");
    assert_eq!(done(&mut scribe, Gesture::Key(Key::Recents)), "7:press_key recents");
    assert_eq!(done(&mut scribe, Gesture::Several), "8:press_key unknown true");
    assert_eq!(
        short(&scribe.end(Number::from(9)).into_iter().collect::<Vec<_>>()),
        "9:window_change t true true"
    );
}

#[test]
fn text_is_recorded_once_the_screen_was_read() {
    let mut scribe = scribe();
    let focused = LIST.replace("#s:id/search clickable", "#s:id/search clickable focused");
    let keyboard = || seen(&focused, "s", Some("[0,1600][1080,2400]"));
    assert_eq!(short(&scribe.record_screen(keyboard(), Number::from(1))), "");
    for x in [100, 200, 300] {
        assert_eq!(done(&mut scribe, Gesture::Tap(Point::new(x, 2000))), "");
    }
    let typed = focused.replace("\"Search\"", "\"abc\"");
    let shown = || ScreenReading { keyboard: keyboard().keyboard, ..seen(&typed, "s", None) };
    let told = scribe.record_screen(shown(), Number::from(2));
    assert_eq!(short(&told), "1:text_change s s:id/search abc");
    assert_eq!(short(&scribe.record_screen(shown(), Number::from(2))), "");
    // Typed, and something clicked at once: the text's number comes first.
    scribe.record_screen(
        ScreenReading { keyboard: keyboard().keyboard, ..seen(&typed, "s", None) },
        Number::from(1),
    );
    done(&mut scribe, Gesture::Tap(Point::new(100, 2000)));
    assert_eq!(done(&mut scribe, Gesture::Tap(Point::new(500, 250))), "3:click  Network");
    let more = typed.replace("\"abc\"", "\"abcd\"");
    assert_eq!(look(&mut scribe, &more, "s"), "2:text_change s s:id/search abcd");
    // The field was gone before the screen was read.
    scribe.record_screen(
        ScreenReading { keyboard: keyboard().keyboard, ..seen(&more, "s", None) },
        Number::from(1),
    );
    done(&mut scribe, Gesture::Tap(Point::new(100, 2000)));
    assert_eq!(look(&mut scribe, "FrameLayout [0,0][1080,2400]", "s"), "4:text_change s  unseen true");
}

#[test]
fn a_keyboard_that_goes_away_has_submitted() {
    let mut scribe = scribe();
    let focused = LIST.replace("#s:id/search clickable", "#s:id/search clickable focused");
    let keyboard = |drawing: &str| seen(drawing, "s", Some("[0,1600][1080,2400]"));
    scribe.record_screen(keyboard(&focused), Number::from(1));
    done(&mut scribe, Gesture::Tap(Point::new(1000, 2300)));
    assert_eq!(look(&mut scribe, LIST, "s"), "1:text_change s s:id/search Search true");
    // The screen went away with it.
    scribe.record_screen(keyboard(&focused), Number::from(1));
    done(&mut scribe, Gesture::Tap(Point::new(1000, 2300)));
    let other = "FrameLayout [0,0][1080,2400]";
    assert_eq!(look(&mut scribe, other, "s"), "2:text_change s  unseen true");
    // Back takes the keyboard away, too.
    scribe.record_screen(keyboard(&focused), Number::from(1));
    done(&mut scribe, Gesture::Tap(Point::new(1000, 2300)));
    assert_eq!(done(&mut scribe, Gesture::Key(Key::Back)), "4:press_key back");
    let typed = focused.replace("\"Search\"", "\"x\"");
    assert_eq!(look(&mut scribe, &typed, "s"), "3:text_change s s:id/search x");
}

#[test]
fn a_password_is_never_told() {
    let mut scribe = scribe();
    let focused = LIST.replace("clickable password", "clickable password focused");
    scribe.record_screen(seen(&focused, "s", Some("[0,1600][1080,2400]")), Number::from(1));
    done(&mut scribe, Gesture::Tap(Point::new(100, 2000)));
    let typed = focused.replace("\"\" [0,100]", "\"hunter2\" [0,100]");
    let events = scribe.record_screen(seen(&typed, "s", None), Number::from(2));
    assert_eq!(short(&events), "1:text_change s s:id/pin  password true");
    let mut lines: String = events.iter().map(event_line).collect();
    lines.extend(
        scribe.record_gesture(Gesture::Tap(Point::new(500, 150)), Number::from(3)).iter().map(event_line),
    );
    assert!(!lines.contains("hunter2"), "{lines}");
}

#[test]
fn a_password_that_is_made_visible_is_not_told_either() {
    let dots = "\u{2022}".repeat(10);
    for id in ["#s:id/secret", ""] {
        let sign_in = |text: &str, flags: &str, below: &str| {
            format!(
                "FrameLayout [0,0][1080,2400]
 EditText \"{text}\" [0,100][1080,200] {id} clickable {flags}
 CheckBox \"Show_password\" [0,300][1080,400] clickable
 TextView \"{below}\" [0,400][1080,500] clickable"
            )
            .replace("  ", " ")
            .replace("\n\u{20}\u{20}", "\n ")
        };
        let mut scribe = Scribe::new(SCREEN, Steering::Swipes, None);
        let mut events = Vec::new();
        let mut see = |scribe: &mut Scribe, drawing: &str| {
            let seen = seen(drawing.trim_end(), "s", Some("[0,1600][1080,2400]"));
            events.extend(scribe.record_screen(seen, Number::from(1)));
        };
        see(&mut scribe, &sign_in("Password", "password", "x"));
        see(&mut scribe, &sign_in(&dots, "password focused", "x"));
        see(&mut scribe, &sign_in("topsecret9", "focused", "x"));
        see(&mut scribe, &sign_in("topsecret9", "focused", "Is_topsecret9_good?"));
        let mut told: Vec<RecordedEvent> = [Point::new(500, 150), Point::new(500, 450)]
            .into_iter()
            .flat_map(|at| scribe.record_gesture(Gesture::Tap(at), Number::from(3)))
            .collect();
        scribe.record_gesture(Gesture::Tap(Point::new(100, 2000)), Number::from(3));
        see(&mut scribe, &sign_in("topsecret9zz", "focused", "topsecret9zz"));
        see(&mut scribe, &sign_in("Password", "focused", "Password"));
        told.extend(events);
        told.extend(scribe.end(Number::from(4)));
        let lines: String = told.iter().map(event_line).collect();
        assert!(!lines.contains("topsecret9"), "{lines}");
        // What is no secret is still there.
        assert!(lines.contains("Show password") && lines.contains("Is •••••••••• good?"), "{lines}");
        assert!(lines.contains("text=\\\"Password"), "{lines}");
        assert!(lines.contains("\"untold\":\"password\""), "{lines}");
    }
}

#[test]
fn a_field_whose_id_says_so_is_secret() {
    let mut scribe = Scribe::new(SCREEN, Steering::Swipes, None);
    let drawing = |text: &str| {
        format!(
            "FrameLayout [0,0][1080,2400]\n EditText \"{text}\" [0,100][1080,200] #s:id/login_pin focused"
        )
    };
    let keyboard = Some("[0,1600][1080,2400]");
    let mut told = scribe.record_screen(seen(&drawing(""), "s", keyboard), Number::from(1));
    scribe.record_gesture(Gesture::Tap(Point::new(100, 2000)), Number::from(3));
    told.extend(scribe.record_screen(seen(&drawing("4711"), "s", keyboard), Number::from(1)));
    let lines: String = told.iter().map(event_line).collect();
    assert!(!lines.contains("4711") && lines.contains("untold"), "{lines}");
}

#[test]
fn swipes_from_the_edge_are_told_by_what_came_of_them() {
    let other = "FrameLayout [0,0][1080,2400]\n Button \"x\" [0,0][9,9]";
    let side = swipe([2, 1000, 500, 1010]);
    let up = swipe([500, 2398, 500, 1000]);
    for (gesture, drawing, package, expected) in [
        (side, other, "s", "1:press_key back"),
        (side, LIST, "s", ""),
        (up, other, "home", "1:press_key home; 2:window_change home"),
        (up, other, "s", "1:press_key unknown"),
        (swipe([500, 3, 500, 900]), other, "s", "1:press_key unknown"),
    ] {
        let mut scribe = scribe();
        assert_eq!(done(&mut scribe, gesture), "");
        assert_eq!(look(&mut scribe, drawing, package), expected);
    }
    let mut buttons = Scribe::new(SCREEN, Steering::Buttons, None);
    buttons.record_screen(seen(LIST, "s", None), Number::from(0));
    assert_eq!(done(&mut buttons, side), "1:scroll s s:id/list left 0.46");
    for (x, package, expected) in [
        (540, "home", "1:press_key home; 2:window_change home"),
        (200, "t", "1:press_key back; 2:window_change t"),
        (900, "home", "1:press_key unknown; 2:window_change home"),
    ] {
        let mut scribe = Scribe::new(SCREEN, Steering::Buttons, Some("home".to_owned()));
        scribe.record_screen(seen(LIST, "s", None), Number::from(0));
        assert_eq!(done(&mut scribe, Gesture::Tap(Point::new(x, 2380))), "");
        assert_eq!(look(&mut scribe, other, package), expected);
    }
}

#[test]
fn a_text_that_changed_without_a_key_says_so() {
    let keyboard = Some("[0,1600][1080,2400]");
    let focused = LIST.replace("#s:id/search clickable", "#s:id/search clickable focused");
    let typed = focused.replace("\"Search\"", "\"abc\"");
    let mut scribe = scribe();
    scribe.record_screen(seen(&focused, "s", keyboard), Number::from(1));
    done(&mut scribe, Gesture::Tap(Point::new(100, 2000)));
    let told = scribe.record_screen(seen(&typed, "s", keyboard), Number::from(2));
    assert_eq!(short(&told), "1:text_change s s:id/search abc");
    // The app empties the field, and its hint is there again.
    let told = scribe.record_screen(seen(&focused, "s", keyboard), Number::from(3));
    assert_eq!(short(&told), "2:text_change s s:id/search Search true");
    assert!(event_line(&told[0]).contains("\"untyped\":true"));
}

#[test]
fn what_changes_while_nothing_is_done_is_noted() {
    let meter = |power: &str| {
        format!(
            "FrameLayout [0,0][1080,2400]\n TextView \"Meter\" [0,0][1080,20]\n TextView \"{power}\" [0,20][1080,40] #c:id/power\n Button \"Send\" [0,60][50,80] #c:id/send clickable"
        )
    };
    let mut scribe = scribe();
    let mut noted = |power: &[&str]| {
        for power in power {
            look(&mut scribe, &meter(power), "c");
        }
        let events = scribe.record_gesture(Gesture::Tap(Point::new(10, 70)), Number::from(1));
        events[0].restless.clone()
    };
    assert_eq!(noted(&["10_W", "11_W", "12_W"]), ["c:id/power", "c:id/power"]);
    // The first look after a touch shows what the touch did.
    assert_eq!(noted(&["13_W", "13_W"]), [""; 0]);
    assert_eq!(noted(&["13_W", "14_W"]), ["c:id/power"]);
    // A value in the place of none is no change.
    assert_eq!(noted(&["--", "15_W"]), [""; 0]);
}
