//! Recordings become executions.

use crate::drawing::{dump, tree};
use clawperator_recording::{AppStart, CompiledRecording, Likeness, Unsure, compare, compile, read};
use serde_json::{Value, json};

const HOME: &str = "FrameLayout\n TextView \"Settings\" [0,0][50,50] #l:id/icon clickable\n TextView \"Clock\" [50,0][100,50] #l:id/icon clickable";
const LIST: &str = "FrameLayout
 RecyclerView [0,20][100,200] #s:id/list scrollable
  LinearLayout [0,20][100,60] clickable
   TextView \"Network\" [0,20][100,40] #android:id/title
   TextView \"Wi-Fi\" [0,40][100,60] #android:id/summary
  LinearLayout [0,60][100,100] clickable long
   TextView \"Apps\" [0,60][100,80] #android:id/title
 ImageView @Search [0,0][20,20] #s:id/search clickable";
const BELOW: &str = "FrameLayout
 RecyclerView [0,20][100,200] #s:id/list scrollable
  LinearLayout [0,20][100,60] clickable
   TextView \"About_phone\" [0,20][100,40] #android:id/title";
const FORM: &str = "FrameLayout
 TextView \"Sign_in\" [0,0][100,20]
 EditText \"Name\" [0,20][100,40] #f:id/name clickable focused
 EditText [0,40][100,60] #f:id/pin clickable password
 Button \"OK\" [0,60][50,80] clickable
 Button \"OK\" [50,60][100,80] clickable
 View [0,80][10,90] clickable
 Button \"Call_0800\" [0,100][50,120] clickable";

/// Lines of a host recording: an event each, its `screen` written out.
fn recording(events: &[Value]) -> String {
    let header = json!({"type": "recording_header", "schemaVersion": 1, "sessionId": "s1", "startedAt": 0,
        "operatorPackage": "clawperator", "recorder": "host", "launcherPackage": "home"});
    let mut file = format!("{header}\n");
    for (seq, event) in events.iter().enumerate() {
        let mut event = event.clone();
        event["seq"] = json!(seq);
        event["ts"] = json!(seq * 1000);
        let screen = event.as_object_mut().unwrap().remove("screen");
        event["snapshot"] = match screen.as_ref().and_then(Value::as_str) {
            Some(drawing) => json!(dump(drawing)),
            None => Value::Null,
        };
        file.push_str(&format!("{event}\n"));
    }
    file
}

fn window(package: &str, screen: &str) -> Value {
    json!({"type": "window_change", "packageName": package, "className": null, "title": null, "screen": screen})
}

fn click(package: &str, bounds: [i32; 4], screen: &str) -> Value {
    json!({"type": "click", "packageName": package, "resourceId": null, "text": null, "contentDesc": null,
        "bounds": {"left": bounds[0], "top": bounds[1], "right": bounds[2], "bottom": bounds[3]},
        "at": {"x": bounds[0] + 1, "y": bounds[1] + 1}, "screen": screen})
}

fn scroll(screen: &str) -> Value {
    json!({"type": "scroll", "packageName": "s", "resourceId": null, "scrollX": 0, "scrollY": 0, "maxScrollX": 0,
        "maxScrollY": 0, "direction": "down", "travel": 0.2,
        "container": {"left": 0, "top": 20, "right": 100, "bottom": 200}, "screen": screen})
}

fn typed(text: &str, field: [i32; 4], screen: &str) -> Value {
    json!({"type": "text_change", "packageName": "f", "resourceId": null, "text": text, "screen": screen,
        "field": {"left": field[0], "top": field[1], "right": field[2], "bottom": field[3]}})
}

fn key(word: &str, screen: &str) -> Value {
    json!({"type": "press_key", "key": word, "screen": screen})
}

fn end(screen: &str) -> Value {
    let mut end = window("s", screen);
    end["closing"] = json!(true);
    end
}

fn compiled(events: &[Value]) -> CompiledRecording {
    compile(&read(&recording(events)).unwrap(), AppStart::Clean).unwrap()
}

/// The actions, one a line.
fn actions(compiled: &CompiledRecording) -> Vec<String> {
    let execution = json!(compiled.checked.execution);
    let actions = execution["actions"].as_array().unwrap().iter();
    actions
        .map(|action| {
            let kind = action["type"].as_str().unwrap();
            format!("{kind} {}", action["params"]).replace('"', "")
        })
        .collect()
}

/// What is not certain, but for the end: most of these recordings have none.
fn doubts(compiled: &CompiledRecording) -> String {
    let doubts = compiled
        .unsure
        .iter()
        .filter(|doubt| doubt.what != Unsure::EndUnseen)
        .map(|doubt| format!("{} {}", doubt.seq, doubt.what));
    doubts.collect::<Vec<_>>().join("; ")
}

#[test]
fn an_icon_of_the_home_screen_is_the_app_it_opens() {
    let compiled = compiled(&[
        window("home", HOME),
        click("home", [0, 0, 50, 50], HOME),
        window("s", LIST),
        click("s", [0, 20, 100, 60], LIST),
    ]);
    assert_eq!(
        actions(&compiled),
        [
            "press_key {key:home}",
            "close_app {applicationId:s}",
            "open_app {applicationId:s}",
            "click {matcher:{role:text,textEquals:Network}}",
        ]
    );
    assert_eq!(doubts(&compiled), "");
    assert!(compiled.steps[3].before.is_some());
}

#[test]
fn a_recording_in_which_nothing_is_done_says_so() {
    let icon = [window("home", HOME), click("home", [0, 0, 50, 50], HOME), window("s", LIST)];
    let mut touched = icon.to_vec();
    touched.push(click("s", [0, 20, 100, 60], LIST));
    for (events, idle) in [(&icon[2..], true), (&icon, true), (&touched, false)] {
        let compiled = compiled(events);
        assert_eq!(doubts(&compiled).contains("nothing was touched or typed"), idle, "{events:?}");
    }
}

#[test]
fn only_an_app_that_came_up_was_opened_by_an_icon() {
    let mut closing = window("s", LIST);
    closing["closing"] = json!(true);
    for (next, opened) in [
        (window("s", LIST), true),
        (window("home", HOME), false),
        (window("android", FORM), false),
        (window("com.android.systemui", FORM), false),
        (closing, false),
    ] {
        let compiled = compiled(&[window("home", HOME), click("home", [0, 0, 50, 50], HOME), next.clone()]);
        let has = |kind: &str| actions(&compiled).iter().any(|action| action.starts_with(kind));
        assert_eq!((has("open_app"), has("click")), (opened, !opened), "{next}");
    }
}

fn stale(mut event: Value) -> Value {
    event["stale"] = json!(true);
    event
}

#[test]
fn of_quick_touches_on_the_home_screen_the_first_opened_the_app() {
    let second = || stale(click("home", [50, 0, 100, 50], HOME));
    let compiled = compiled(&[
        window("home", HOME),
        click("home", [0, 0, 50, 50], HOME),
        second(),
        second(),
        window("s", LIST),
        end(LIST),
    ]);
    assert_eq!(
        actions(&compiled)[..3],
        ["press_key {key:home}", "close_app {applicationId:s}", "open_app {applicationId:s}",]
    );
    assert!(!actions(&compiled).iter().any(|action| action.starts_with("click")));
    let doubts = doubts(&compiled);
    assert!(doubts.starts_with("2 another app opened") && doubts.contains("3 another app"), "{doubts}");
}

#[test]
fn a_stale_click_is_doubted_whatever_it_did() {
    // It can only have been the icon, and still it was not seen.
    let opening =
        compiled(&[window("home", HOME), stale(click("home", [0, 0, 50, 50], HOME)), window("s", LIST)]);
    assert_eq!(actions(&opening)[2], "open_app {applicationId:s}");
    assert!(doubts(&opening).contains("1 the screen was captured before"));
    let leaving = compiled(&[
        window("s", LIST),
        click("s", [0, 20, 100, 60], LIST),
        stale(click("s", [0, 60, 100, 100], LIST)),
        window("t", FORM),
    ]);
    assert_eq!(actions(&leaving).len(), 3, "{:?}", actions(&leaving));
    assert!(doubts(&leaving).contains("2 another app opened"));
    let staying = compiled(&[
        window("s", LIST),
        click("s", [0, 20, 100, 60], LIST),
        stale(click("s", [0, 60, 100, 100], LIST)),
    ]);
    assert!(doubts(&staying).contains("2 the screen was captured before"));
}

#[test]
fn elements_are_named_by_id_then_by_role_and_label() {
    for (bounds, screen, expected, doubt) in [
        ([0, 0, 20, 20], LIST, "{matcher:{resourceId:s:id/search}}", ""),
        ([0, 60, 100, 100], LIST, "{matcher:{role:text,textEquals:Apps}}", ""),
        ([0, 20, 100, 40], FORM, "{matcher:{resourceId:f:id/name}}", ""),
        ([0, 60, 50, 80], FORM, "{matcher:{role:button,textEquals:OK}}", "2 elements fit"),
        ([50, 60, 100, 80], FORM, "{coordinate:{x:51,y:61}}", "has no name"),
        ([0, 80, 10, 90], FORM, "{coordinate:{x:1,y:81}}", "has no name"),
        ([0, 100, 50, 120], FORM, "{matcher:{role:button,textEquals:Call 0800}}", "has digits"),
    ] {
        let compiled = compiled(&[window("home", HOME), click("s", bounds, screen)]);
        let last = actions(&compiled).pop().unwrap();
        assert_eq!(last, format!("click {expected}"));
        let doubts = doubts(&compiled);
        assert!(doubts.contains(doubt) && doubts.is_empty() == doubt.is_empty(), "{doubts}");
    }
}

#[test]
fn a_long_click_stays_one() {
    let mut long = click("s", [0, 60, 100, 100], LIST);
    long["clickType"] = json!("long_click");
    let compiled = compiled(&[window("home", HOME), long]);
    assert_eq!(actions(&compiled)[1], "click {matcher:{role:text,textEquals:Apps},clickType:long_click}");
}

#[test]
fn scrolling_goes_to_what_is_clicked_next() {
    let all =
        compiled(&[window("home", HOME), scroll(LIST), scroll(BELOW), click("s", [0, 20, 100, 60], BELOW)]);
    assert_eq!(
        actions(&all)[1..],
        [
            "wait_for_node {matcher:{role:text,textEquals:Network},timeoutMs:10000}",
            "scroll_until {matcher:{role:text,textEquals:About phone},direction:down,maxDurationMs:30000}",
            "click {matcher:{role:text,textEquals:About phone}}",
        ]
    );
    let idle = compiled(&[window("home", HOME), scroll(LIST), click("s", [0, 20, 100, 60], LIST)]);
    assert_eq!(actions(&idle).len(), 2);
    assert!(doubts(&idle).contains("already in view"));
    let alone = compiled(&[window("home", HOME), scroll(LIST), key("back", BELOW)]);
    assert_eq!(
        actions(&alone)[2..],
        [
            // What a finger brought into view an action may not.
            "scroll {direction:down,distanceRatio:0.5}",
            "press_key {key:back}",
        ]
    );
}

#[test]
fn only_the_last_text_of_a_field_is_typed_and_no_password() {
    let (name, pin) = ([0, 20, 100, 40], [0, 40, 100, 60]);
    let mut secret = typed("", pin, FORM);
    secret["untold"] = json!("password");
    let compiled = compiled(&[
        window("home", HOME),
        typed("A", name, FORM),
        typed("Ada", name, FORM),
        secret,
        typed("", name, FORM),
    ]);
    assert_eq!(actions(&compiled)[1..], ["enter_text {matcher:{resourceId:f:id/name},text:Ada,clear:true}"]);
    let doubts = doubts(&compiled);
    assert!(
        doubts.contains("3 a password was typed") && doubts.contains("4 the field was emptied"),
        "{doubts}"
    );
}

#[test]
fn a_key_of_the_keyboard_submits() {
    let name = [0, 20, 100, 40];
    let mut gone = typed("", name, FORM);
    gone["untold"] = json!("unseen");
    gone["field"] = Value::Null;
    gone["submitted"] = json!(true);
    let mut there = typed("Ada", name, FORM);
    there["submitted"] = json!(true);
    for events in [
        vec![window("home", HOME), typed("Ada", name, FORM), gone],
        vec![window("home", HOME), typed("Ada", name, FORM), there],
    ] {
        let compiled = compiled(&events);
        assert_eq!(
            actions(&compiled)[1..],
            ["enter_text {matcher:{resourceId:f:id/name},text:Ada,submit:true,clear:true}"]
        );
        assert!(doubts(&compiled).contains("presses enter"));
    }
}

/// A page with a field that shows a text, and an event in which it changed.
fn chat(shown: &str) -> String {
    format!(
        "FrameLayout\n EditText \"{shown}\" [0,20][100,40] #f:id/text clickable\n Button \"Send\" [0,60][50,80] #f:id/send clickable"
    )
}

fn now(text: &str, before: &str, how: &str) -> Value {
    let mut event = typed(text, [0, 20, 100, 40], &chat(before));
    event["resourceId"] = json!("f:id/text");
    if !how.is_empty() {
        event[how] = json!(true);
    }
    event
}

#[test]
fn a_hint_is_not_typed() {
    let send = |shown: &str| click("f", [0, 60, 50, 80], &chat(shown));
    let start = |shown: &str| window("f", &chat(shown));
    let hello = || now("hello", "A_hint", "");
    for (events, expected, doubt) in [
        // The app empties the field, and its hint comes back.
        (
            vec![start("A_hint"), hello(), send("hello"), now("A hint", "hello", "untyped")],
            "hello,clear:true",
            "",
        ),
        (vec![start("A_hint"), hello(), now("A hint", "hello", "untyped")], "hello,clear:true", ""),
        // A recording that does not tell whether a key was touched.
        (
            vec![start("A_hint"), hello(), send("hello"), now("A hint", "hello", "")],
            "hello,clear:true",
            "3 the field was emptied",
        ),
        // The user deletes all of it.
        (vec![start("A_hint"), hello(), now("A hint", "hello", "")], "", "2 the field was emptied"),
        // A key of the keyboard sends it.
        (
            vec![start("A_hint"), hello(), now("A hint", "hello", "submitted")],
            "hello,submit:true,clear:true",
            "2 a key ended the typing",
        ),
        // What was there from the start may be a hint or a text.
        (
            vec![start("A_hint"), now("A hint", "A_hint", "submitted")],
            "A hint,submit:true,clear:true",
            "1 the field shows \"A hint\", which may be its hint",
        ),
        // The app emptied a field that had a text from the start.
        (
            vec![start("draft"), send("draft"), now("A hint", "draft", "untyped")],
            "A hint,clear:true",
            "2 the field shows \"A hint\", which may be its hint",
        ),
        // Another text as a whole may be a hint too; one that was typed on is none.
        (
            vec![start("A_hint"), hello(), send("hello"), now("Zebra", "hello", "")],
            "Zebra,clear:true",
            "3 the field shows \"Zebra\", which may be its hint",
        ),
        (vec![start("A_hint"), hello(), send("hello"), now("hellos", "hello", "")], "hellos,clear:true", ""),
        (vec![start("A_hint"), hello(), send("hello"), now("hi", "", "")], "hi,clear:true", ""),
    ] {
        let compiled = compiled(&events);
        let entered = actions(&compiled).into_iter().rfind(|action| action.starts_with("enter_text"));
        let text =
            entered.map(|action| action.split("text:").nth(1).unwrap().trim_end_matches('}').to_owned());
        assert_eq!(text.unwrap_or_default(), expected, "{events:?}");
        let doubts = doubts(&compiled)
            .replace("0 the recording began inside f; the execution begins at the app's first screen", "");
        let doubts = doubts.trim_start_matches("; ");
        assert!(doubts.starts_with(doubt) && doubts.is_empty() == doubt.is_empty(), "{doubts}");
    }
}

#[test]
fn the_end_is_waited_for_and_kept() {
    let compiled = compiled(&[window("s", FORM), key("back", FORM), end(LIST)]);
    assert_eq!(
        actions(&compiled)[2..],
        [
            "wait_for_node {matcher:{role:text,textEquals:Sign in},timeoutMs:10000}",
            "press_key {key:back}",
            "wait_for_node {matcher:{role:text,textEquals:Network},timeoutMs:10000}",
        ]
    );
    assert!(doubts(&compiled).contains("began inside s"));
    assert_eq!(compare(compiled.end.as_ref().unwrap(), &tree(LIST)).likeness, Likeness::Same);
}

#[test]
fn an_end_that_was_not_captured_is_none() {
    let clicked = || [window("s", LIST), click("s", [0, 20, 100, 60], LIST)];
    let [first, second] = clicked();
    for events in [&clicked()[..], &[first, second, stale(end(LIST))]] {
        let compiled = compiled(events);
        assert!(compiled.end.is_none());
        let last = compiled.unsure.last().unwrap();
        assert!(last.what.to_string().contains("the end is unknown"));
    }
}

#[test]
fn an_app_that_came_by_itself_is_opened_with_a_doubt() {
    let file = recording(&[window("home", HOME), key("unknown", HOME), window("android", HOME)]);
    // Six seconds later, with nothing done.
    let later = format!(
        "{}\n",
        json!({"type": "window_change", "packageName": "s", "seq": 9, "ts": 60_000, "snapshot": null})
    );
    let compiled = compile(&read(&(file + &later)).unwrap(), AppStart::AsItIs).unwrap();
    assert_eq!(actions(&compiled), ["press_key {key:home}", "open_app {applicationId:s}"]);
    let doubts = doubts(&compiled);
    assert!(doubts.contains("not understood") && doubts.contains("9 nothing recorded explains"), "{doubts}");
}

#[test]
fn an_app_that_follows_an_action_is_its_effect() {
    // The action is later than the time in which it counts as a cause.
    let mut events = vec![window("home", HOME)];
    events.extend(std::iter::repeat_n(key("back", HOME), 6));
    events.push(window("s", LIST));
    let compiled = compiled(&events);
    assert!(!actions(&compiled).iter().any(|action| action.starts_with("open_app")));
}

#[test]
fn the_operator_app_s_recordings_compile_too() {
    let screen = |drawing: &str| json!(dump(drawing)).to_string();
    let file = [
        r#"{"type":"recording_header","schemaVersion":1,"sessionId":"s1","startedAt":1,"operatorPackage":"p"}"#.to_owned(),
        format!(r#"{{"ts":0,"seq":0,"type":"window_change","packageName":"f","className":null,"title":null,"snapshot":{}}}"#, screen(FORM)),
        format!(r#"{{"ts":1,"seq":1,"type":"click","packageName":"f","resourceId":"f:id/name","text":null,"contentDesc":null,"bounds":{{"left":0,"top":20,"right":100,"bottom":40}},"snapshot":{}}}"#, screen(FORM)),
        r#"{"ts":2,"seq":2,"type":"text_change","packageName":"f","resourceId":null,"text":"hi"}"#.to_owned(),
        r#"{"ts":3,"seq":3,"type":"click","packageName":"f","resourceId":null,"text":"Gone","contentDesc":null,"bounds":{"left":0,"top":0,"right":1,"bottom":1},"snapshot":null}"#.to_owned(),
        r#"{"ts":4,"seq":4,"type":"scroll","packageName":"f","resourceId":null,"scrollX":0,"scrollY":0,"maxScrollX":0,"maxScrollY":0}"#.to_owned(),
        r#"{"ts":5,"seq":5,"type":"press_key","key":"back","snapshot":null}"#.to_owned(),
    ]
    .join("\n");
    let compiled = compile(&read(&file).unwrap(), AppStart::AsItIs).unwrap();
    assert_eq!(
        actions(&compiled),
        [
            "open_app {applicationId:f}",
            "click {matcher:{resourceId:f:id/name}}",
            "enter_text {matcher:{resourceId:f:id/name},text:hi,clear:true}",
            "click {matcher:{textEquals:Gone}}",
            "scroll {direction:down}",
            "press_key {key:back}",
        ]
    );
    assert!(doubts(&compiled).contains("3 there is no captured screen"));
}

#[test]
fn what_cannot_be_an_execution_says_so() {
    let empty = compile(&read(&recording(&[])).unwrap(), AppStart::Clean).unwrap_err();
    assert_eq!(empty.code.name(), "RECORDING_COMPILE_FAILED");
    let many: Vec<_> = std::iter::repeat_n(click("s", [0, 0, 20, 20], LIST), 60).collect();
    let long = compile(&read(&recording(&many)).unwrap(), AppStart::Clean).unwrap_err();
    assert_eq!(long.code.name(), "RECORDING_COMPILE_FAILED");
    let endless: Vec<_> = std::iter::repeat_n(typed("x", [9, 9, 10, 10], FORM), 5_001).collect();
    let endless = compile(&read(&recording(&endless)).unwrap(), AppStart::Clean).unwrap_err();
    assert!(endless.message.contains("5001 events"), "{}", endless.message);
}

#[test]
fn screens_are_compared_by_what_is_on_them() {
    let list = tree(LIST);
    for (other, likeness, missing) in [
        (LIST.to_owned(), Likeness::Same, ""),
        (LIST.replace("[0,60]", "[0,61]"), Likeness::Same, ""),
        (LIST.replace("Wi-Fi", "Off"), Likeness::Similar, "TextView android:id/summary \"Wi-Fi\""),
        (BELOW.to_owned(), Likeness::Different, "ImageView s:id/search \"Search\""),
    ] {
        let found = compare(&list, &tree(&other));
        assert_eq!(found.likeness, likeness, "{other}");
        assert!(missing.is_empty() || found.missing.iter().any(|line| line == missing), "{found:?}");
    }
}

const ROOM: &str = "FrameLayout
 TextView \"Living_room\" [0,0][100,20]
 TextView \"21.5_degrees\" [0,20][100,40] #h:id/now
 TextView \"Heating\" [0,40][100,60] #h:id/state
 TextView \"Calm\" [0,60][100,80] #h:id/mood
 TextView \"Dry\" [0,80][100,100] #h:id/air
 Switch \"Power\" [0,100][100,120] #h:id/power clickable checked";

#[test]
fn another_subject_or_state_is_not_similar() {
    let room = tree(ROOM);
    for (changes, likeness) in [
        (&[("21.5", "19.0")][..], Likeness::Similar),
        (&[("Heating", "Off")], Likeness::Similar),
        (&[("Heating", "Off"), ("Calm", "Loud")], Likeness::Similar),
        (&[("Heating", "Off"), ("Calm", "Loud"), ("Dry", "Wet")], Likeness::Different),
        (&[("Living_room", "Office")], Likeness::Different),
        (&[(" checked", "")], Likeness::Different),
        (&[("Living_room", "Office"), ("Heating", "Off"), (" checked", "")], Likeness::Different),
    ] {
        let mut other = ROOM.to_owned();
        for (from, to) in changes {
            other = other.replace(from, to);
        }
        assert_eq!(compare(&room, &tree(&other)).likeness, likeness, "{changes:?}");
    }
    // How many there are of something is no other title; which one is.
    for (one, other, likeness) in
        [("Inbox_(3)", "Inbox_(14)", Likeness::Similar), ("Room_1", "Room_2", Likeness::Different)]
    {
        let screen = |title: &str| tree(&format!("FrameLayout\n TextView \"{title}\" #a:id/title"));
        assert_eq!(compare(&screen(one), &screen(other)).likeness, likeness, "{one}");
    }
    // A password that is shown on one and not on the other is no difference.
    let field =
        |text: &str, flag: &str| tree(&format!("FrameLayout\n EditText \"{text}\" #a:id/x clickable{flag}"));
    assert_eq!(compare(&field("", " password"), &field("abc", "")).likeness, Likeness::Same);
}
