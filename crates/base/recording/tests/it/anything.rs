//! Nothing that comes in makes it panic, and the same gives the same.

use clawperator_contract::Number;
use clawperator_recording::{
    AppStart, Display, Fingers, Gesture, InputEvent, ScreenReading, Scribe, Steering, StepLog, TouchScreen,
    compile, event_line, read,
};
use clawperator_ui::{Bounds, Flag, Flags, Node, Point, Tree};
use proptest::prelude::*;

const HEADER: &str = r#"{"type":"recording_header","schemaVersion":1,"sessionId":"s","startedAt":1,"operatorPackage":"p","recorder":"host"}"#;

/// What is in every password field.
const SECRET: &str = "hunter2";

fn pixel() -> impl Strategy<Value = i32> {
    prop_oneof![-10..3000_i32, any::<i32>()]
}

fn node() -> impl Strategy<Value = (usize, Node)> {
    let bounds = [pixel(), pixel(), pixel(), pixel()].prop_map(|[left, top, right, bottom]| Bounds {
        left,
        top,
        right,
        bottom,
    });
    let class = prop_oneof![
        Just("android.widget.EditText"),
        Just("android.widget.Button"),
        Just("android.view.View"),
        Just("androidx.recyclerview.widget.RecyclerView")
    ];
    (0..4_usize, bounds, class, "[a-c ]{0,3}", any::<[bool; 6]>()).prop_map(
        |(depth, bounds, class, text, on)| {
            let flags = [
                Flag::Clickable,
                Flag::Scrollable,
                Flag::Focused,
                Flag::Password,
                Flag::LongClickable,
                Flag::Enabled,
            ];
            let set = flags.into_iter().zip(on).fold(Flags::default(), |set, (flag, on)| set.with(flag, on));
            let node = Node {
                class: class.to_owned(),
                resource_id: Some(text.clone()),
                text,
                bounds,
                flags: set,
                ..Node::default()
            };
            (depth, node)
        },
    )
}

fn tree() -> impl Strategy<Value = Tree> {
    (prop::collection::vec(node(), 0..12), 0..4_u8).prop_map(|(nodes, rotation)| {
        let mut tree = Tree::new(rotation);
        for (depth, node) in nodes {
            tree.push(depth, node);
        }
        tree
    })
}

#[derive(Clone, Debug)]
enum Thing {
    Did(Gesture),
    Saw(ScreenReading),
}

fn thing() -> impl Strategy<Value = Thing> {
    let point = || (pixel(), pixel()).prop_map(|(x, y)| Point { x, y });
    prop_oneof![
        point().prop_map(|at| Thing::Did(Gesture::Tap(at))),
        point().prop_map(|at| Thing::Did(Gesture::LongPress(at))),
        (point(), point()).prop_map(|(from, to)| Thing::Did(Gesture::Swipe { from, to })),
        Just(Thing::Did(Gesture::Several)),
        (tree(), "[ab]", any::<bool>()).prop_map(|(tree, package, typing)| Thing::Saw(ScreenReading {
            tree,
            package,
            activity: None,
            keyboard: typing.then(|| Bounds::parse("[0,1600][1080,2400]").unwrap()),
        })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_is_read_or_refused(lines in prop::collection::vec(".{0,40}", 0..6)) {
        let file = format!("{HEADER}\n{}", lines.join("\n"));
        if let Ok(recording) = read(&file) {
            let _ = StepLog::from(&recording);
            let _ = compile(&recording, AppStart::Clean);
        }
        let _ = read(&lines.join("\n"));
    }

    #[test]
    fn whatever_is_done_makes_a_recording_that_reads_and_compiles(
        things in prop::collection::vec(thing(), 1..20),
        buttons in any::<bool>(),
    ) {
        let steering = if buttons { Steering::Buttons } else { Steering::Swipes };
        let mut scribe = Scribe::new(Display::upright(1080, 2400), steering, Some("a".to_owned()));
        let mut file = format!("{HEADER}\n");
        for thing in things {
            let events = match thing {
                Thing::Did(gesture) => scribe.record_gesture(gesture, Number::from(1)),
                Thing::Saw(seen) => scribe.record_screen(seen, Number::from(2)),
            };
            file.extend(events.iter().map(event_line));
        }
        prop_assert!(!file.contains(SECRET), "a password was written");
        let recording = read(&file).unwrap();
        let seqs: Vec<f64> = recording.events.iter().map(|event| event.seq.get()).collect();
        prop_assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", seqs);
        let once = compile(&recording, AppStart::AsItIs).map(|compiled| serde_json::to_string(&compiled.checked.execution).unwrap());
        let again = compile(&recording, AppStart::AsItIs).map(|compiled| serde_json::to_string(&compiled.checked.execution).unwrap());
        prop_assert_eq!(once, again);
    }

    #[test]
    fn any_line_of_a_kernel_is_taken(
        lines in prop::collection::vec((0..6_usize, any::<u32>()), 0..40),
        size in (pixel(), pixel()),
        rotation in any::<u8>(),
    ) {
        let screen = TouchScreen { device: "/dev/input/event1".to_owned(), x: 0..=10, y: -5..=i32::MAX };
        let mut fingers = Fingers::new(vec![screen]);
        let names = ["EV_ABS ABS_MT_SLOT", "EV_ABS ABS_MT_TRACKING_ID", "EV_ABS ABS_MT_POSITION_X", "EV_ABS ABS_MT_POSITION_Y", "EV_SYN SYN_REPORT", "EV_KEY BTN_TOUCH"];
        for (name, value) in lines {
            let line = format!("[ 1.000000] /dev/input/event1: {} {value:08x}", names[name]);
            if let Some(event) = InputEvent::parse(&line) {
                let (width, height) = (size.0.clamp(0, 10_000), size.1.clamp(0, 10_000));
                let _ = fingers.feed(&event, Display { width, height, rotation });
            }
        }
    }
}
