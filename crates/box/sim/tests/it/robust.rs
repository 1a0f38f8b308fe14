//! What once broke the phone, and must not again.

use crate::client::{connect, in_memory, phone, soon, until_gone};
use bytes::Bytes;
use clawperator_sim::app;
use clawperator_sim::fault::Fault;
use clawperator_sim::phone::{DumpViews, Intent, Motion, Phone};
use clawperator_sim::{Handset, Setup, TimeKind, Welcome, shell_user};
use clawperator_ui::Point;
use clawperator_userland::ShellResult;
use std::sync::Arc;
use std::time::Duration;

/// A phone with this app on it.
fn with_app(file: &str) -> Phone {
    let mut phone = Phone::new(Duration::ZERO, clawperator_sim::builtin::apps());
    phone.install(Arc::new(app::parse(file).unwrap()));
    phone
}

const HEAD: &str = "package: a.b\nlabel: A\nactivities: [{name: .M, screen: main, launcher: true}]\n";

async fn on(handset: &Arc<Handset>, script: &str) -> ShellResult {
    clawperator_userland::run(handset.clone(), shell_user(), script, b"").await
}

#[test]
fn an_app_that_leads_to_itself_ends() {
    let opens = format!("{HEAD}screens: {{main: {{on_open: [{{open: main}}]}}}}\n");
    with_app(&opens).start(&Intent::launch("a.b")).unwrap();
    let calls = format!(
        "{HEAD}screens: {{main: {{}}}}\non_broadcast: [{{action: x, do: [{{broadcast: {{action: x}}}}]}}]\n"
    );
    let mut phone = with_app(&calls);
    phone.broadcast(&Intent { action: Some("x".to_owned()), ..Intent::default() });
    assert!(phone.log.since(0).any(|entry| entry.tag == "Sim"));
}

#[test]
fn an_app_s_memory_does_not_grow_for_ever() {
    for effects in [
        "{set: {a: \"{a + a}\"}}",
        "{append: {l: \"{l}\"}}",
        "{set: {b: \"\"}}, {append: {b: \"{a}\"}}, {set: {a: \"{b}\"}}",
    ] {
        let file = format!(
            "{HEAD}state: {{a: xx, b: \"\", l: [x]}}\nscreens: {{main: {{timers: [{{after_ms: 16, repeat: true, do: [{effects}]}}]}}}}\n"
        );
        let mut phone = with_app(&file);
        phone.start(&Intent::launch("a.b")).unwrap();
        phone.advance(Duration::from_secs(3));
        assert!(phone.dump(DumpViews::All).is_ok());
    }
}

#[test]
fn nothing_is_too_far_or_too_large() {
    let mut phone = Phone::new(Duration::ZERO, clawperator_sim::builtin::apps());
    phone.start(&Intent::launch("com.android.settings")).unwrap();
    for (from, to) in [
        (Point::new(-2_000_000_000, 1500), Point::new(2_000_000_000, 1500)),
        (Point::new(500, 1500), Point::new(500, i32::MIN)),
        (Point::new(i32::MIN, i32::MIN), Point::new(i32::MAX, i32::MAX)),
    ] {
        phone.swipe(from, to, 0);
        phone.swipe(from, to, 10);
    }
    phone.motion(Motion::Down, Point::new(500, 1500));
    phone.motion(Motion::Move, Point::new(500, i32::MIN));
    phone.motion(Motion::Up, Point::new(i32::MAX, 1));
    assert!(phone.dump(DumpViews::All).is_ok());
    let wide = format!("{HEAD}screens: {{main: {{body: [row: {{width: 65535, children: []}}]}}}}\n");
    assert!(app::parse(&wide).is_err());
    let long = format!(
        "{HEAD}screens: {{main: {{body: [list: {{id: l, items: 100000, row_height: 4000, row: {{text: {{text: x}}}}}}], on_open: [{{scroll: {{id: l, row: 99999}}}}]}}}}\n"
    );
    let mut phone = with_app(&long);
    phone.display.density_override = Some(2_000);
    phone.start(&Intent::launch("a.b")).unwrap();
    assert!(phone.dump(DumpViews::All).is_ok());
}

#[test]
fn nothing_gets_past_the_lock_screen() {
    let mut phone = Phone::new(Duration::ZERO, clawperator_sim::builtin::apps());
    phone.start(&Intent::launch("com.android.settings")).unwrap();
    phone.switch_screen(false);
    phone.switch_screen(true);
    for key in ["BACK", "HOME", "APP_SWITCH", "NOTIFICATION"] {
        phone.press(
            clawperator_sim::phone::key_code(key).unwrap(),
            clawperator_sim::phone::PressLength::Short,
        );
    }
    phone.unlock();
    assert_eq!(phone.focus().unwrap().package, "com.android.settings");
}

#[tokio::test]
async fn a_virtual_clock_that_is_moved_far_loses_nothing() {
    let handset = Handset::new(Setup { time: TimeKind::Virtual, ..Setup::default() });
    on(&handset, "am start -a android.intent.action.VIEW -d trouble://changing").await;
    handset.advance(Duration::from_secs(3 * 3600));
    let dump = on(&handset, "uiautomator dump /dev/tty").await;
    let dump = String::from_utf8(dump.stdout).unwrap();
    assert!(dump.contains("21600"), "{dump}");
}

#[tokio::test]
async fn a_pattern_made_to_break_logcat_is_refused_or_run() {
    let handset = Handset::new(Setup::default());
    on(&handset, "logcat -d -e \"$(yes 'b*' | head -n 4000 | tr -d '\\n')\"").await;
    assert_eq!(on(&handset, "echo fine").await.stdout, b"fine\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_reboot_ends_every_connection() {
    for _ in 0..15 {
        let (handset, address) = phone(Setup::default(), Welcome::default()).await;
        let device = connect(&address).await.unwrap();
        let mut stream = device.open("exec:echo up; sleep 50", soon()).await.unwrap();
        let (mut sleeping, _input) = stream.split();
        assert_eq!(sleeping.receive().await.unwrap().unwrap(), "up\n");
        handset.reboot();
        // It ends; what comes after on this connection fails.
        while let Ok(Some(_)) = sleeping.receive().await {}
        let later = device.shell("true", Bytes::new(), soon()).await;
        assert!(later.is_err(), "{later:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_command_that_does_not_read_ends_with_its_host() {
    let (_handset, device) = in_memory(Setup::default()).await;
    let deadline = clawperator_adb::Deadline::after(Duration::from_millis(300));
    let unread = device.shell("sleep 333", Bytes::from(vec![0; 30_000_000]), deadline).await;
    assert!(unread.is_err());
    until_gone(&device, "sleep").await;
}

#[tokio::test]
async fn a_full_disk_is_emptied_with_the_fault() {
    let (handset, address) = phone(
        Setup { faults: vec![Fault::parse("low_storagex1").unwrap()], ..Setup::default() },
        Welcome::default(),
    )
    .await;
    let device = connect(&address).await.unwrap();
    let script = "echo x > /sdcard/x && echo written";
    let full = device.shell(script, Bytes::new(), soon()).await.unwrap();
    assert!(full.stdout.is_empty(), "{full:?}");
    handset.faults(|faults| faults.set_plan(Vec::new()));
    let fine = device.shell(script, Bytes::new(), soon()).await.unwrap();
    assert_eq!(&fine.stdout[..], b"written\n");
}
