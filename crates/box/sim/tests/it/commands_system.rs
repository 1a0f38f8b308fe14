//! The phone's own commands, as they are typed.

use clawperator_sim::fault::Fault;
use clawperator_sim::phone::{DumpViews, Intent};
use clawperator_sim::{Handset, Setup, TimeKind, shell_user};
use clawperator_ui::Point;
use clawperator_userland::{Actor, Errno, Identity, Machine, ShellResult, run};
use std::sync::Arc;
use std::time::Duration;

const CONFORMANCE: &str = "com.clawperator.conformance";

async fn type_line(handset: &Arc<Handset>, line: &str) -> ShellResult {
    run(handset.clone(), shell_user(), line, b"").await
}

/// A command line, a part of what it prints, and its exit code.
type Row<'a> = (&'a str, &'a str, u8);

async fn check(handset: &Arc<Handset>, rows: &[Row<'_>]) {
    for (line, part, code) in rows {
        let ShellResult { code: got, stdout, stderr } = type_line(handset, line).await;
        let said = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        assert!(said.contains(part), "`{line}` says {said:?}, not {part:?}");
        assert_eq!(got, *code, "`{line}` says {said:?}");
        assert!(!part.is_empty() || said.is_empty(), "`{line}` says {said:?}");
    }
}

fn faulty(faults: &[&str]) -> Arc<Handset> {
    Handset::new(Setup {
        faults: faults.iter().map(|text| Fault::parse(text).unwrap()).collect(),
        ..Setup::default()
    })
}

fn open(handset: &Handset, package: &str) {
    handset.with(|phone| phone.start(&Intent::launch(package)).unwrap());
}

/// The middle of what has this id.
fn middle(handset: &Handset, id: &str) -> Point {
    let tree = handset.with(|phone| phone.tree(DumpViews::All).unwrap());
    let wanted = format!("{CONFORMANCE}:id/{id}");
    let mut nodes = tree.nodes().map(|(_, node)| node);
    nodes.find(|node| node.resource_id.as_deref() == Some(&wanted)).unwrap().bounds.center()
}

/// What is in a file.
fn content(handset: &Handset, path: &str) -> Result<Vec<u8>, Errno> {
    let root = Identity::root();
    let actor = Actor { who: &root, umask: 0, now: Duration::ZERO };
    let read = handset.kernel().files.with(|files| files.read(&actor, path));
    read.map(|bytes| bytes.to_vec())
}

async fn screen(handset: &Arc<Handset>) -> String {
    let dumped = type_line(handset, "uiautomator dump /dev/tty").await;
    String::from_utf8(dumped.stdout).unwrap()
}

#[tokio::test]
async fn input_says_what_a_phone_says() {
    let handset = Handset::new(Setup::default());
    check(
        &handset,
        &[
            ("input tap 5 5", "", 0),
            ("input touchscreen tap 5.5 5.25", "", 0),
            ("input -d 0 tap 5 5", "", 0),
            ("input tap", "Argument expected after \"tap\"", 255),
            ("input tap 5", "Argument expected after \"5\"", 255),
            ("input tap a b", "Error: Invalid arguments for command: tap", 255),
            ("input swipe 1 2 3 4 5 6", "Error: Invalid arguments for command: swipe", 255),
            ("input swipe 1 2000 1 4 50", "", 0),
            ("input draganddrop 1 2 3 4", "", 0),
            ("input motionevent DOWN 1 2", "", 0),
            ("input motionevent CANCEL", "", 0),
            ("input motionevent FLY 1 2", "Unknown action: FLY", 255),
            ("input text hello", "", 0),
            ("input text ''", "", 0),
            ("input text", "Argument expected after \"text\"", 255),
            ("input text grüße", "java.lang.NullPointerException: Attempt to get length of null array", 255),
            ("input keyevent HOME KEYCODE_HOME 3", "", 0),
            ("input keyevent --longpress 67", "", 0),
            ("input keyevent NO_SUCH_KEY", "", 0),
            ("input keyevent", "Argument expected", 255),
            ("input keycombination CTRL_LEFT A", "", 0),
            ("input keycombination CTRL_LEFT", "at least 2", 255),
            ("input press", "", 0),
            ("input roll 1 1", "", 0),
            ("input fly", "Unknown command: fly", 255),
            ("input", "Usage: input", 255),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_tap_presses_what_is_there_and_text_goes_where_the_cursor_is() {
    let handset = Handset::new(Setup::default());
    open(&handset, CONFORMANCE);
    let Point { x, y } = middle(&handset, "btn_increment");
    type_line(&handset, &format!("input tap {x} {y}; input tap {x}.7 {y}")).await;
    assert!(screen(&handset).await.contains("Counter: 2"));
}

#[tokio::test]
async fn input_is_lost_or_doubled_where_a_fault_says_so() {
    for (fault, shown) in [("input_dropped", "Counter: 0"), ("input_doubledx1", "Counter: 3")] {
        let handset = faulty(&[fault]);
        open(&handset, CONFORMANCE);
        let Point { x, y } = middle(&handset, "btn_increment");
        let ended = type_line(&handset, &format!("input tap {x} {y} && input tap {x} {y}")).await;
        assert_eq!(ended.code, 0);
        assert!(screen(&handset).await.contains(shown), "{fault}");
    }
}

#[tokio::test]
async fn a_dump_goes_to_a_file_or_the_stream() {
    let handset = Handset::new(Setup::default());
    open(&handset, CONFORMANCE);
    check(
        &handset,
        &[
            ("uiautomator dump", "UI hierchary dumped to: /sdcard/window_dump.xml\n", 0),
            ("uiautomator dump --compressed /data/local/tmp/a.xml && echo success", "a.xml\nsuccess\n", 0),
            ("uiautomator 'dump' '/dev/tty'", "</hierarchy>UI hierchary dumped to: /dev/tty\n", 0),
            // The real tool says so, too, where it could write nothing.
            ("uiautomator dump /system/x.xml", "UI hierchary dumped to: /system/x.xml", 0),
            ("uiautomator", "Usage: uiautomator", 0),
            ("uiautomator runtest x.jar", "cannot run test packages", 1),
        ],
    )
    .await;
    let xml = String::from_utf8(content(&handset, "/sdcard/window_dump.xml").unwrap()).unwrap();
    assert!(clawperator_ui::read(&xml).is_ok());
}

#[tokio::test]
async fn a_dump_fails_as_the_faults_say() {
    let rows = [
        ("dump_not_idle", "ERROR: could not get idle state.\n"),
        ("dump_null_root", "ERROR: null root node returned by UiTestAutomationBridge.\n"),
    ];
    for (fault, said) in rows {
        let handset = faulty(&[fault]);
        let ended = type_line(&handset, "uiautomator dump").await;
        assert!(ended.stdout.is_empty() && ended.code == 0, "{fault}");
        assert_eq!(String::from_utf8(ended.stderr).unwrap(), said);
        assert!(content(&handset, "/sdcard/window_dump.xml").is_err());
    }
    let handset = faulty(&["dump_stale+1x1"]);
    open(&handset, CONFORMANCE);
    let before = screen(&handset).await;
    let Point { x, y } = middle(&handset, "btn_increment");
    type_line(&handset, &format!("input tap {x} {y}")).await;
    assert_eq!(screen(&handset).await, before);
    assert!(screen(&handset).await.contains("Counter: 1"));
    let handset = faulty(&["dump_cut_off"]);
    let part = screen(&handset).await;
    assert!(part.ends_with("UI hierchary dumped to: /dev/tty\n") && !part.contains("</hierarchy>"));
}

#[tokio::test(start_paused = true)]
async fn a_dump_waits_in_the_phone_s_time_until_the_screen_is_still() {
    let handset = Handset::new(Setup {
        latency: clawperator_sim::Latency::PixelLike,
        time: TimeKind::Virtual,
        ..Setup::default()
    });
    let dumping = tokio::spawn({
        let handset = handset.clone();
        async move { type_line(&handset, "uiautomator dump").await }
    });
    let mut waited = 0;
    while !dumping.is_finished() {
        tokio::time::sleep(Duration::from_millis(1)).await;
        handset.advance(Duration::from_millis(20));
        waited += 20;
        assert!(waited < 5_000);
    }
    assert!(waited >= 1_000, "{waited}");
    assert_eq!(dumping.await.unwrap().code, 0);
}

#[tokio::test]
async fn only_one_watches_the_screen_at_a_time() {
    let handset = Handset::new(Setup::default());
    let watching = tokio::spawn({
        let handset = handset.clone();
        async move { type_line(&handset, "uiautomator events").await }
    });
    let mut refused = type_line(&handset, "uiautomator dump").await;
    while refused.code == 0 {
        tokio::task::yield_now().await;
        refused = type_line(&handset, "uiautomator dump").await;
    }
    assert_eq!(refused.code, 137);
    assert!(String::from_utf8(refused.stderr).unwrap().contains("already registered!"));
    watching.abort();
    assert!(watching.await.is_err());
    assert_eq!(type_line(&handset, "uiautomator dump").await.code, 0);
}

#[tokio::test]
async fn a_picture_is_a_png_or_raw() {
    let handset = Handset::new(Setup::default());
    let png = type_line(&handset, "screencap -p").await.stdout;
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let raw = type_line(&handset, "screencap").await.stdout;
    assert_eq!(raw.len(), 16 + 1080 * 2400 * 4);
    assert_eq!(raw[..12], [0x38, 4, 0, 0, 0x60, 9, 0, 0, 1, 0, 0, 0]);
    check(
        &handset,
        &[
            ("screencap /sdcard/a.png", "", 0),
            ("screencap -d 7", "not valid", 1),
            ("screencap -p /system/a.png", "Error opening file: /system/a.png", 1),
            ("screencap -x", "usage", 1),
            ("screenrecord /sdcard/a.mp4", "no video encoder", 1),
        ],
    )
    .await;
    assert_eq!(content(&handset, "/sdcard/a.png").unwrap(), png);
}

#[tokio::test]
async fn settings_are_read_and_written() {
    let handset = Handset::new(Setup::default());
    check(
        &handset,
        &[
            ("settings get global device_name", "Clawperator sim\n", 0),
            ("settings get system user_rotation", "0\n", 0),
            ("settings get secure no_such_thing", "null\n", 0),
            ("settings --user 0 put secure x 'a b'", "", 0),
            ("settings get --user current secure x", "a b\n", 0),
            ("settings list secure", "x=a b\n", 0),
            ("settings delete secure x", "Deleted 1 rows\n", 0),
            ("settings delete secure x", "Deleted 0 rows\n", 0),
            ("settings get moon x", "Invalid namespace 'moon'", 255),
            ("settings get", "No namespace", 255),
            ("settings get secure", "Bad arguments", 255),
            ("settings fly", "Unknown command: fly", 255),
            ("settings", "Settings provider", 255),
            ("settings put system user_rotation 1; wm user-rotation", "lock 1\n", 0),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_display_has_a_size_a_density_and_a_rotation() {
    let handset = Handset::new(Setup::default());
    check(
        &handset,
        &[
            ("wm size", "Physical size: 1080x2400\n", 0),
            ("wm size 720x1600", "", 0),
            ("wm size", "Override size: 720x1600\n", 0),
            ("wm size reset", "", 0),
            ("wm size huge", "Error: bad size", 255),
            ("wm size 1x1", "out of bounds", 255),
            ("wm density", "Physical density: 420\n", 0),
            ("wm density 320; wm density", "Override density: 320\n", 0),
            ("wm density x", "Error: bad number", 255),
            ("wm user-rotation lock 1; wm user-rotation", "lock 1\n", 0),
            ("wm user-rotation free; wm user-rotation", "free\n", 0),
            ("wm user-rotation lock 7", "rotation", 255),
            ("wm dismiss-keyguard", "", 0),
            ("wm", "Window manager", 255),
            ("wm fly", "Unknown command", 255),
        ],
    )
    .await;
    assert_eq!(handset.with(|phone| phone.display.size()), (2400, 1080));
}

const FOCUS: &str = "u0 com.clawperator.conformance/com.clawperator.conformance.MainActivity}";

/// What clients look for in what services say.
const SAID: &[Row<'_>] = &[
    ("dumpsys display", "orientation=0, logicalFrame=Rect(0, 0 - 1080, 2400)", 0),
    ("dumpsys input", "SurfaceOrientation: 0\n", 0),
    ("dumpsys window displays", "init=1080x2400 420dpi cur=1080x2400 app=1080x2337", 0),
    ("dumpsys window displays", FOCUS, 0),
    ("dumpsys window", "mFocusedApp=ActivityRecord{", 0),
    ("dumpsys window policy", "KeyguardServiceDelegate\n      showing=false\n", 0),
    ("dumpsys window", "mDreamingLockscreen=false", 0),
    ("dumpsys activity activities", "u0 com.clawperator.conformance/.MainActivity t", 0),
    ("dumpsys activity activities", "topResumedActivity=ActivityRecord{", 0),
    ("dumpsys activity top", "  ACTIVITY com.clawperator.conformance/.MainActivity ", 0),
    ("dumpsys activity top", "pid=", 0),
    ("dumpsys activity recents", "* Recent #0: Task{", 0),
    ("dumpsys activity processes", "com.clawperator.conformance/u0a", 0),
    ("dumpsys power", "mWakefulness=Awake\n", 0),
    ("dumpsys power", "Display Power: state=ON\n", 0),
    ("dumpsys power", "mHoldingDisplaySuspendBlocker=true\n", 0),
    ("dumpsys input_method", "mInputShown=false", 0),
    ("dumpsys battery", "  level: 85\n", 0),
    ("dumpsys battery set level 12; dumpsys battery", "  level: 12\n", 0),
    ("dumpsys battery unplug; dumpsys battery", "USB powered: false\n", 0),
    ("dumpsys battery reset; dumpsys battery", "  level: 85\n", 0),
    ("dumpsys package com.clawperator.conformance", "versionCode=1 minSdk=24 targetSdk=34\n", 0),
    ("dumpsys package com.clawperator.conformance", "versionName=1.0.0\n", 0),
    ("dumpsys package no.such", "Unable to find package: no.such\n", 0),
    ("dumpsys SurfaceFlinger --display-id", "Display 4619827259835644672 (HWC display 0):", 0),
    ("dumpsys gfxinfo com.clawperator.conformance reset", "Total frames rendered", 0),
    ("dumpsys telephony.registry", "mCallState=0", 0),
    ("dumpsys moon", "Can't find service: moon\n", 0),
    ("dumpsys -l", "  activity\n", 0),
    ("dumpsys -t 5 power", "mWakefulness", 0),
];

#[tokio::test]
async fn services_say_what_clients_look_for() {
    let handset = Handset::new(Setup::default());
    open(&handset, CONFORMANCE);
    check(&handset, SAID).await;
    type_line(&handset, "input keyevent POWER").await;
    check(
        &handset,
        &[
            ("dumpsys power", "mWakefulness=Asleep\n", 0),
            ("dumpsys window", "mCurrentFocus=null\n", 0),
            ("dumpsys window", "        mIsShowing=true\n", 0),
            ("dumpsys window", "      showingAndNotOccluded=true\n", 0),
            ("dumpsys window policy", "KeyguardServiceDelegate\n      showing=true\n", 0),
        ],
    )
    .await;
}

#[tokio::test]
async fn keyboards_are_listed_and_chosen() {
    let handset = Handset::new(Setup::default());
    let latin = clawperator_sim::phone::LATIN;
    check(
        &handset,
        &[
            ("ime list -s", latin, 0),
            ("ime list -a", &format!("mId={latin} "), 0),
            (&format!("ime set {latin}"), "selected for user #0", 0),
            ("ime set no.such/.Board", "Unknown input method no.such/.Board", 255),
            ("ime reset", "Selected:", 0),
            ("ime", "ime <command>", 255),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_log_is_read_filtered_and_cleared() {
    let handset = Handset::new(Setup::default());
    check(
        &handset,
        &[
            ("logcat -d", "--------- beginning of system\n01-01 09:41:00.0", 0),
            ("logcat '-d' -v brief", "I/SystemServer( 1000): Boot completed", 0),
            ("logcat -c", "", 0),
            ("logcat -d", "", 0),
            ("log -p e -t Mine hello there", "", 0),
            ("log -t Other bye", "", 0),
            ("logcat -d -v raw", "hello there\nbye\n", 0),
            ("logcat -d -v tag -s Mine", "--------- beginning of main\nE/Mine    : hello there\n", 0),
            ("logcat -d -v raw Mine:S '*:F'", "", 0),
            ("export ANDROID_LOG_TAGS='*:S'; logcat -d", "", 0),
            ("logcat -d -v raw -e 'b.e'", "--------- beginning of main\nbye\n", 0),
            ("logcat -t 1 -v raw", "--------- beginning of main\nbye\n", 0),
            ("logcat -T '01-01 00:00:00.000' -m 1 -v raw", "hello there\n", 0),
            ("logcat -t '2027-01-01 00:00:00.000'", "", 0),
            ("logcat --pid=1 -d", "", 0),
            ("logcat -g", "main: ring buffer is", 0),
            ("logcat -b all -d -f /data/local/tmp/log", "", 0),
            ("logcat -b moon", "Unknown buffer 'moon'", 1),
            ("logcat -v moon", "Invalid parameter \"moon\" to -v", 1),
            ("logcat -Q", "unrecognized option", 1),
            ("log -p x y", "bad -p", 1),
        ],
    )
    .await;
    let written = content(&handset, "/data/local/tmp/log").unwrap();
    assert!(String::from_utf8(written).unwrap().contains("E Mine    : hello there\n"));
}

#[tokio::test]
async fn a_follower_of_the_log_hears_what_comes() {
    let handset = Handset::new(Setup::default());
    let following = tokio::spawn({
        let handset = handset.clone();
        async move { type_line(&handset, "logcat -T 1 -m 2 -v raw Mine:V '*:S'").await }
    });
    let mut said = 0;
    while !following.is_finished() {
        type_line(&handset, &format!("log -t Mine number {said}")).await;
        tokio::task::yield_now().await;
        said += 1;
        assert!(said < 1_000);
    }
    let heard = String::from_utf8(following.await.unwrap().stdout).unwrap();
    assert_eq!(heard.lines().filter(|line| line.starts_with("number")).count(), 2, "{heard}");
}

#[tokio::test]
async fn the_phone_s_user_and_faults_are_controlled() {
    let handset = Handset::new(Setup {
        time: TimeKind::Virtual,
        latency: clawperator_sim::Latency::PixelLike,
        seed: 7,
        ..Setup::default()
    });
    check(
        &handset,
        &[
            ("simctl seed", "7\n", 0),
            ("simctl fault reboot@0% input_droppedx2", "", 0),
            ("simctl fault list", "reboot@0% passed=0 struck=0\ninput_droppedx2", 0),
            ("simctl fault fire", "unknown fault `fire`", 1),
            ("simctl fault points", "dump_stale:", 0),
            ("simctl fault clear", "", 0),
            ("simctl fault list", "", 0),
            ("simctl advance 1500", "", 0),
            ("simctl advance soon", "not a number", 1),
            ("simctl rotate 1", "", 0),
            ("simctl rotate 4", "not 0", 1),
            ("simctl battery 5", "", 0),
            ("simctl battery 101", "not a percentage", 1),
            ("simctl notify Hello World", "", 0),
            ("simctl steal com.clawperator.messenger", "", 0),
            ("simctl steal no.such", "there is no app", 1),
            ("simctl lock", "", 0),
            ("simctl unlock", "", 0),
            ("simctl ring 555", "", 0),
            ("simctl", "usage: simctl", 1),
            ("simctl help", "usage: simctl", 0),
        ],
    )
    .await;
    handset.with(|phone| {
        assert_eq!(phone.clock.uptime, Duration::from_millis(1500));
        assert_eq!((phone.display.rotation, phone.battery.level), (1, 5));
        assert_eq!(phone.focus().unwrap().package, "com.google.android.dialer");
    });
    let real = Handset::new(Setup::default());
    check(&real, &[("simctl advance 1", "cannot be advanced", 1)]).await;
}

/// Switches, and how to see that they were switched.
const SWITCHED: &[Row<'_>] = &[
    ("svc wifi disable", "", 0),
    ("settings get global wifi_on", "0\n", 0),
    ("cmd wifi status", "Wifi is disabled\n", 0),
    ("cmd wifi set-wifi-enabled enabled; cmd wifi status", "Wifi is enabled\n", 0),
    ("svc power stayon usb; settings get global stay_on_while_plugged_in", "2\n", 0),
    ("svc usb getFunctions", "adb\n", 0),
    ("svc moon enable", "Available commands", 1),
    ("svc", "Available commands", 1),
    ("appops set com.clawperator.messenger CAMERA ignore", "", 0),
    ("appops get com.clawperator.messenger", "CAMERA: ignore\n", 0),
    ("cmd appops get com.clawperator.messenger OP_CAMERA", "CAMERA: ignore\n", 0),
    ("appops get no.such", "Error: No UID for no.such in user 0", 255),
    ("appops set com.clawperator.messenger CAMERA fly", "is not valid", 255),
    ("cmd clipboard get text", "No shell command implementation.\n", 255),
    ("cmd statusbar expand-notifications", "", 0),
    ("dumpsys statusbar", "mExpandedVisible=true", 0),
    ("cmd statusbar collapse", "", 0),
    ("cmd uimode night yes", "Night mode: yes\n", 0),
    ("cmd uimode night", "Night mode: yes\n", 0),
    ("cmd notification post -t Title tag Words; dumpsys notification", "android.text=String (Words)", 0),
    ("cmd connectivity airplane-mode enable; settings get global airplane_mode_on", "1\n", 0),
    ("cmd settings get system user_rotation", "0\n", 0),
    ("cmd input tap 1 1", "", 0),
    ("cmd window size", "Physical size: 1080x2400\n", 0),
    ("cmd moon", "cmd: Can't find service: moon\n", 20),
    ("cmd", "No service specified", 20),
    ("cmd -l", "  window\n", 0),
    ("service check window", "Service window: found\n", 0),
    ("service check moon", "Service moon: not found\n", 0),
    ("service list", "services:\n0\t", 0),
    ("service call window 1", "Result: Parcel(", 0),
    ("service", "Usage", 10),
];

#[tokio::test]
async fn switches_and_services_answer() {
    let handset = Handset::new(Setup::default());
    check(&handset, SWITCHED).await;
}

#[tokio::test]
async fn the_machine_tells_of_its_processes_network_and_rights() {
    let handset = Handset::new(Setup::default());
    open(&handset, CONFORMANCE);
    check(
        &handset,
        &[
            ("ps -A", "system_server", 0),
            ("ps -A", CONFORMANCE, 0),
            ("ps -ef", "UID            PID  PPID", 0),
            ("ps -A -o PID,NAME", "    1 init\n", 0),
            ("ps -o FLY", "ps: bad -o 'FLY'\n            ^\n", 1),
            ("ps -p 1", "init", 0),
            ("pidof system_server", "1000\n", 0),
            ("pidof no.such", "", 1),
            ("ip addr show wlan0", "inet 10.0.2.15/24", 0),
            ("ip route", "src 10.0.2.15\n", 0),
            ("ip moon", "unknown", 1),
            ("ifconfig wlan0", "inet addr:10.0.2.15", 0),
            ("nc 127.0.0.1 9", "Connection refused", 1),
            ("nc example.com 80", "No address", 1),
            ("nc", "usage", 1),
            ("getevent -lp", "ABS_MT_POSITION_X", 0),
            ("sendevent /dev/input/event1 0 0 0", "Permission denied", 1),
            ("getenforce", "Enforcing\n", 0),
            ("su", "not found", 127),
            (
                "content query --uri content://settings/secure --where \"name='android_id'\"",
                "Row: 0 _id=1, name=android_id, value=",
                0,
            ),
            ("content insert --uri content://settings/system --bind name:s:q --bind value:s:1", "", 0),
            ("content query --uri content://settings/system/q", "name=q, value=1\n", 0),
            ("content query --uri content://moon", "Could not find provider: moon", 1),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_reboot_ends_what_is_open() {
    let handset = Handset::new(Setup::default());
    open(&handset, CONFORMANCE);
    check(&handset, &[("log -t Tag old; logcat -d -s Tag", "old", 0)]).await;
    type_line(&handset, "reboot").await;
    let told =
        [("logcat -d -s Tag | grep -c old", "0\n", 1), ("logcat -d -s SystemServer", "Boot completed", 0)];
    check(&handset, &told).await;
    assert_ne!(handset.with(|phone| phone.front_package().map(str::to_owned)).as_deref(), Some(CONFORMANCE));
}

#[tokio::test]
async fn text_goes_where_the_cursor_is_and_nowhere_else() {
    let handset = Handset::new(Setup::default());
    open(&handset, "com.clawperator.messenger");
    let before = screen(&handset).await;
    // No field has asked for text yet.
    check(&handset, &[("input text hello", "", 0)]).await;
    assert_eq!(screen(&handset).await, before);
    type_line(&handset, "am start -n com.clawperator.form/.LoginActivity").await;
    let tree = handset.with(|phone| phone.tree(DumpViews::All).unwrap());
    let mut nodes = tree.nodes().map(|(_, node)| node);
    let field = nodes.find(|node| node.class == "android.widget.EditText").unwrap().bounds;
    let tap = format!("input tap {} {}", field.left + 9, field.top + 9);
    type_line(&handset, &format!("{tap}; input text 'one%stwo'; input text gr\u{fc}n")).await;
    assert!(screen(&handset).await.contains("text=\"one two\""));
    check(&handset, &[("dumpsys input_method", "mInputShown=true", 0)]).await;
    type_line(&handset, "input keycombination CTRL_LEFT A; input keyevent 67 KEYCODE_Z").await;
    assert!(screen(&handset).await.contains("text=\"z\""));
}

/// Words that no command expects.
const NONSENSE: &[&str] = &[
    "",
    "-",
    "--",
    "-\u{e9}",
    "--user",
    "-d",
    "-1",
    "99999999999999999999",
    "\u{1f600}",
    "a:b:c",
    "--uri",
    "set",
    "get",
    "volume",
];

/// Lets everything else run for some time that no clock measures.
async fn turns() {
    for _ in 0..300 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn no_command_minds_nonsense() {
    let handset = Handset::new(Setup::default());
    let root = Identity::root();
    let actor = Actor { who: &root, umask: 0, now: Duration::ZERO };
    let files = handset.kernel().files.with(|files| files.list(&actor, "/system/bin"));
    for name in files.unwrap().into_iter().map(|entry| entry.name) {
        for (number, one) in NONSENSE.iter().enumerate() {
            let two = NONSENSE[(number * 5 + 3) % NONSENSE.len()];
            let line = format!("{name} '{one}' '{two}'");
            // Some follow until they are killed; others reboot the phone.
            tokio::select! {
                _ = run(handset.clone(), shell_user(), &line, b"") => {}
                () = turns() => {}
            }
        }
    }
}

#[tokio::test]
async fn a_screen_that_never_stands_still_is_not_dumped_and_a_secure_one_says_so() {
    let handset = Handset::new(Setup::default());
    let open = "am start -a android.intent.action.VIEW -d trouble://";
    type_line(&handset, &format!("{open}never_idle")).await;
    check(&handset, &[("uiautomator dump", "ERROR: could not get idle state.\n", 0)]).await;
    type_line(&handset, &format!("{open}secure")).await;
    check(
        &handset,
        &[
            ("dumpsys window windows", "fl=LAYOUT_IN_SCREEN SECURE ", 0),
            ("uiautomator dump", "UI hierchary dumped", 0),
            ("cmd package list packages -s com.android.settings", "package:com.android.settings\n", 0),
            ("cmd activity force-stop com.clawperator.trouble", "", 0),
        ],
    )
    .await;
}

#[tokio::test]
async fn an_app_file_adds_commands() {
    let file = r#"
package: com.example.tool
label: Tool
state: {count: 0}
commands:
  - {name: count, prints: "{count} {arg1}\n", do: [{set: {count: "{count + 1}"}}]}
  - {name: grumble, complains: "no: {args}\n", exit: 3}
"#;
    let setup =
        Setup { apps: vec![Arc::new(clawperator_sim::app::parse(file).unwrap())], ..Setup::default() };
    let handset = Handset::new(setup);
    let run = |script: &'static str| run(handset.clone(), shell_user(), script, b"");
    run("count a").await;
    let second = run("count b | tr b c").await;
    assert_eq!((second.code, &second.stdout[..]), (0, &b"2 c\n"[..]));
    let refused = run("grumble x y").await;
    assert_eq!((refused.code, &refused.stderr[..]), (3, &b"no: x y\n"[..]));
}

#[tokio::test]
async fn the_kernel_tells_about_the_phone() {
    let handset = Handset::new(Setup::default());
    open(&handset, CONFORMANCE);
    check(
        &handset,
        &[
            ("grep -c ^cpu /proc/stat", "9\n", 0),
            ("grep -c ^processor /proc/cpuinfo; nproc", "8\n8\n", 0),
            ("ls -d /sys/devices/system/cpu/cpu[0-9] | wc -l", "8\n", 0),
            ("cat /sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "2400000\n", 0),
            ("cat /proc/$(pidof com.clawperator.conformance)/cmdline", "com.clawperator.conformance\0", 0),
            ("cat /proc/$(pidof com.clawperator.conformance)/stat", " (tor.conformance) S 300 ", 0),
            ("P=$(pidof com.clawperator.conformance); [ $(ls /proc/$P/task) = $P ] && grep VmRSS /proc/$P/status", "64000 kB", 0),
            ("cat /proc/self/comm", "cat\n", 0),
            ("for p in /proc/[0-9]*; do cat $p/comm; done", "system_server\n", 0),
            ("cat /proc/net/dev", " wlan0:", 0),
            ("cat /proc/net/tcp", "local_address", 0),
            ("grep ' /data ' /proc/mounts", "/dev/block/dm-44 /data f2fs rw", 0),
            ("mount | grep /data", "/dev/block/dm-44 on /data type f2fs (rw", 0),
            ("cat /proc/meminfo", "MemTotal:        7734272 kB\n", 0),
            ("free | grep Mem:", "7919894528", 0),
            ("dumpsys battery set level 42; cat /sys/class/power_supply/battery/capacity", "42\n", 0),
            ("dumpsys battery set ac 1; dumpsys battery", "AC powered: true\n  USB powered: false", 0),
            ("cat /sys/class/power_supply/*/online", "1\n0\n", 0),
            ("dumpsys battery unplug; cat /sys/class/power_supply/battery/status", "Discharging\n", 0),
            ("echo x > /proc/stat", "Read-only file system", 1),
            ("cat /proc/99999/stat", "No such file or directory", 1),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_foreign_clients_ask_is_answered() {
    let handset = Handset::new(Setup::default());
    open(&handset, CONFORMANCE);
    check(
        &handset,
        &[
            ("ip -f inet addr show wlan0", "inet 10.0.2.15/24", 0),
            ("ip -4 addr show wlan0", "inet 10.0.2.15/24", 0),
            ("df /data | tail -n 1", "/dev/block/dm-44 115343360 42882", 0),
            ("df /sdcard/Download | tail -n 1", " /storage/emulated\n", 0),
            ("df -h /data", "110G", 0),
            ("dumpsys diskstats", "Data-Free: 72460938K / 115343360K total = 62% free\n", 0),
            ("df /none", "df: '/none': No such file or directory\n", 1),
            ("[ $(pm dump com.clawperator.conformance | wc -l) -ge $(dumpsys package com.clawperator.conformance | wc -l) ] && echo long", "long\n", 0),
            ("dumpsys window windows | grep -c mCurrentFocus", "0\n", 1),
            ("dumpsys window displays | grep mCurrentFocus", "conformance", 0),
            ("dumpsys window windows | grep -m 1 ActivityRecord", "u0 com.clawperator.conformance/.MainActivity t", 0),
            ("am broadcast -a android.intent.action.AIRPLANE_MODE --ez state true", "SecurityException: Permission Denial: not allowed to send broadcast android.intent.action.AIRPLANE_MODE", 255),
            ("am get-standby-bucket com.clawperator.conformance", "10\n", 0),
            ("am set-standby-bucket com.clawperator.conformance rare; am get-standby-bucket com.clawperator.conformance", "40\n", 0),
            ("am set-standby-bucket com.clawperator.conformance odd", "Unknown bucket: odd", 255),
            ("dumpsys deviceidle force-idle; cmd deviceidle get deep", "Now forced in to deep idle mode\nIDLE\n", 0),
            ("dumpsys deviceidle unforce; dumpsys deviceidle get deep", "deep state: ACTIVE\nACTIVE\n", 0),
            ("dumpsys batterystats -c", "9,0,l,bt,", 0),
            ("dumpsys usagestats", "package=com.clawperator.conformance standbyBucket=40", 0),
            ("dumpsys accessibility", "Enabled services:{", 0),
            ("content query --uri content://sms/inbox", "No result found.\n", 0),
            ("content query --uri content://nothing/here", "Could not find provider: nothing", 1),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_log_is_printed_with_every_detail() {
    let handset = Handset::new(Setup { time: TimeKind::Virtual, ..Setup::default() });
    handset.advance(Duration::from_millis(1_500));
    check(
        &handset,
        &[
            ("log -t Tag hello", "", 0),
            ("logcat -d -s Tag:V -v year", "2026-01-01 09:41:01.500  ", 0),
            ("logcat -d -s Tag:V -v epoch", "         1767260461.500  ", 0),
            ("uiautomator dump --windows /dev/tty | grep -o '<display id=\"0\"><window index=\"0\" title=\"[^\"]*\"'", "<display id=\"0\"><window index=\"0\" title=\"Navigation bar\"\n", 0),
            ("uiautomator dump --windows /dev/tty | grep -o 'type=\"TYPE_APPLICATION\"><hierarchy rotation=\"0\"'", "type=\"TYPE_APPLICATION\"><hierarchy rotation=\"0\"\n", 0),
            ("logcat -d -s Tag:V -v monotonic,usec", "     1.500000  ", 0),
            ("logcat -d -s Tag:V -v zone", "01-01 09:41:01.500 +0000  ", 0),
            ("logcat -d -s Tag:V -v uid", "01-01 09:41:01.500  2000  ", 0),
            ("logcat -d -s Tag:V -v brief -v uid", "I/Tag     ( 2000:", 0),
            ("logcat -d -v odd", "Invalid parameter \"odd\" to -v", 1),
        ],
    )
    .await;
    let entry = type_line(&handset, "logcat -d -B -s Tag:V").await.stdout;
    assert_eq!(entry.len(), 28 + 1 + 4 + 6, "{entry:?}");
    assert_eq!((entry[0], entry[2]), (11, 28));
    assert_eq!(&entry[12..16], &1_767_260_461_u32.to_le_bytes());
    assert_eq!(&entry[28..], b"\x04Tag\0hello\0");
}

#[tokio::test]
async fn a_monkey_that_listens_does_what_it_is_told() {
    let handset = Handset::new(Setup::default());
    open(&handset, CONFORMANCE);
    let Point { x, y } = middle(&handset, "btn_increment");
    let lines = format!("tap {x} {y}\ngetvar display.width\ntap a b\nodd\nquit\n");
    let script = format!(
        "monkey --port 1080 & while ! printf '{lines}' | nc localhost 1080; do sleep 0.01; done; wait"
    );
    let said = type_line(&handset, &script).await;
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(said.contains("OK\nOK:1080\nERROR:invalid arguments\nERROR:unrecognized command\n"), "{said}");
    let dump = type_line(&handset, "uiautomator dump /dev/tty").await.stdout;
    assert!(String::from_utf8(dump).unwrap().contains("Counter: 1"));
}
