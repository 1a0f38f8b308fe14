//! Tests of `snapshot_helper.rs`: the helper, asked as agent-device asks it.

use crate::resident::{HELPER as PACKAGE, installed};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clawperator_sim::phone::DumpViews;
use clawperator_sim::{Handset, Setup, shell_user};
use clawperator_userland::ShellResult;
use std::sync::Arc;

const RUNNER: &str = "com.callstack.agentdevice.snapshothelper/.SnapshotInstrumentation";

fn phone() -> Arc<Handset> {
    Handset::new(Setup { apps: vec![installed(PACKAGE)], ..Setup::default() })
}

async fn shell(handset: &Arc<Handset>, line: &str) -> ShellResult {
    clawperator_userland::run(handset.clone(), shell_user(), line, b"").await
}

async fn instrument(handset: &Arc<Handset>, extras: &str) -> String {
    let done = shell(handset, &format!("am instrument -w {extras} {RUNNER}")).await;
    assert_eq!(done.code, 0);
    String::from_utf8(done.stdout.clone()).unwrap()
}

/// The values of a field in an output, in their order.
fn values<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let wanted = format!(" {name}=");
    text.lines().filter_map(|line| line.split_once(&wanted)).map(|found| found.1).collect()
}

fn swipe(from: (i32, i32), to: (i32, i32)) -> String {
    let plan = serde_json::json!({"protocol": "android-touch-plan-v1", "kind": "swipe", "durationMs": 300, "pointers": [
        {"pointerId": 0, "samples": [
            {"offsetMs": 0, "x": from.0, "y": from.1},
            {"offsetMs": 240, "x": to.0, "y": to.1},
            {"offsetMs": 300, "x": to.0, "y": to.1},
        ]},
    ]});
    STANDARD.encode(plan.to_string())
}

#[tokio::test]
async fn one_call_gives_the_tree_in_pieces() {
    let handset = phone();
    shell(&handset, "am start -n com.android.settings/.Settings").await;
    let text = instrument(&handset, "-e maxDepth 128").await;
    let pieces = values(&text, "payloadBase64");
    let bytes: Vec<u8> = pieces.iter().flat_map(|piece| STANDARD.decode(piece).unwrap()).collect();
    let xml = String::from_utf8(bytes).unwrap();
    assert!(pieces.len() > 1 && xml.contains("com.android.settings:id/"), "{text}");
    assert_eq!(values(&text, "ok"), ["true"]);
    assert_eq!(values(&text, "truncated"), ["false"]);
    assert!(text.ends_with("INSTRUMENTATION_CODE: -1\n"));
    let few = instrument(&handset, "-e maxNodes 3 -e emitChunks false -e outputPath /sdcard/a.xml").await;
    assert_eq!(values(&few, "nodeCount"), ["3"]);
    assert_eq!(values(&few, "truncated"), ["true"]);
    assert!(values(&few, "payloadBase64").is_empty());
    let file = shell(&handset, "grep -c hierarchy /sdcard/a.xml").await;
    assert_ne!(file.stdout, b"0\n");
    // It has ended, and the screen can be watched by others.
    assert_ne!(shell(&handset, &format!("pidof {PACKAGE}")).await.code, 0);
    let dump = shell(&handset, "uiautomator dump /dev/tty").await;
    assert!(dump.stdout.starts_with(b"<?xml"));
}

#[tokio::test]
async fn what_scrolls_says_where_it_can_go() {
    let handset = phone();
    shell(&handset, "am start -n com.android.settings/.Settings").await;
    let list = async |extras: &str| {
        let text = instrument(&handset, extras).await;
        let pieces = values(&text, "payloadBase64");
        let bytes = pieces.iter().flat_map(|piece| STANDARD.decode(piece).unwrap());
        let xml = String::from_utf8(bytes.collect()).unwrap();
        let said = |way: &str, ends: &str| xml.contains(&format!("can-scroll-{way}=\"{ends}\""));
        assert_eq!(xml.matches(" scrollable=\"true\"").count(), xml.matches(" can-scroll-forward=").count());
        (said("forward", "true"), said("backward", "true"))
    };
    assert_eq!(list("-e maxDepth 128").await, (true, false));
    for _ in 0..3 {
        let payload = swipe((540, 1500), (540, 1200));
        instrument(&handset, &format!("-e mode gesture -e payloadBase64 {payload}")).await;
        let (_, back) = list("-e maxDepth 128").await;
        assert!(back);
    }
    for _ in 0..20 {
        let payload = swipe((540, 1900), (540, 500));
        instrument(&handset, &format!("-e mode gesture -e payloadBase64 {payload}")).await;
    }
    assert_eq!(list("-e maxDepth 128").await, (false, true));
    // Nodes that are cut off take their answers with them.
    assert_eq!(list("-e maxNodes 3").await, (false, false));
}

#[tokio::test]
async fn fingers_move_as_the_plan_says() {
    let handset = phone();
    shell(&handset, "am start -n com.android.settings/.Settings").await;
    let before = handset.with(|phone| phone.tree(DumpViews::All)).unwrap();
    let payload = swipe((540, 1500), (540, 900));
    let text = instrument(&handset, &format!("-e mode gesture -e payloadBase64 {payload}")).await;
    assert_eq!(values(&text, "kind"), ["swipe"]);
    let after = handset.with(|phone| phone.tree(DumpViews::All)).unwrap();
    assert_ne!(before, after);
    // A finger that stops before it is lifted throws nothing.
    let place = |tree: &clawperator_ui::Tree, text: &str| {
        tree.nodes().find(|(_, node)| node.text == text).map(|(_, node)| node.bounds.top)
    };
    let moved = before.nodes().find_map(|(_, node)| {
        let (old, new) = (node.bounds.top, place(&after, &node.text)?);
        (!node.text.is_empty() && new != old).then_some(old - new)
    });
    assert_eq!(moved, Some(600));
    let (x, y, width) = {
        let text = instrument(&handset, "-e mode viewport").await;
        let number = |name: &str| values(&text, name)[0].parse::<i32>().unwrap();
        (number("x"), number("y"), number("width"))
    };
    assert!(x == 0 && y > 0 && width == 1080);
}

#[tokio::test]
async fn what_is_wrong_is_said_in_the_result() {
    let handset = phone();
    for (extras, wanted) in [
        ("-e mode dance", "Unsupported mode: dance"),
        ("-e mode gesture -e payloadBase64 !", "The payload is not base64"),
        ("-e mode gesture -e payloadBase64 e30=", "The payload is not a touch plan"),
        ("-e sessionPort nonsense", "The session's port cannot be used"),
    ] {
        let text = instrument(&handset, extras).await;
        assert_eq!(values(&text, "ok"), ["false"], "{extras}");
        assert_eq!(values(&text, "message"), [wanted], "{extras}");
    }
    handset.with(|phone| phone.uninstall(PACKAGE));
    let gone = shell(&handset, &format!("am instrument -w {RUNNER}")).await;
    assert_eq!(gone.code, 1);
}

/// Says one thing to a session.
async fn say(handset: &Arc<Handset>, request: &str) -> ShellResult {
    let line = format!("{request}\n");
    clawperator_userland::run(handset.clone(), shell_user(), "nc localhost 4000", line.as_bytes()).await
}

/// What `nc` says where nothing listens.
const REFUSED: &[u8] = b"nc: connect: Connection refused\n";

/// Asks a session one thing, as soon as it is there.
async fn ask(handset: &Arc<Handset>, request: &str) -> String {
    loop {
        let answer = say(handset, request).await;
        if answer.stderr != REFUSED {
            assert_eq!(answer.code, 0, "{answer:?}");
            return String::from_utf8(answer.stdout).unwrap();
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_session_answers_until_it_quits() {
    let handset = phone();
    let running = handset.clone();
    let session = tokio::spawn(async move { instrument(&running, "-e sessionPort 4000").await });
    let snapshot = ask(&handset, "snapshot s-1").await;
    let (head, xml) = snapshot.split_once("\n\n").unwrap();
    assert!(head.contains("requestId=s-1\n") && head.contains(&format!("byteLength={}", xml.len())));
    assert!(xml.contains("</hierarchy>"));
    assert!(ask(&handset, "viewport v-1").await.contains("\nwidth=1080\n"));
    assert!(ask(&handset, "dance d-1").await.contains("ok=false\n"));
    let payload = swipe((540, 1500), (540, 900));
    assert!(ask(&handset, &format!("gesture g-1 {payload}")).await.contains("kind=swipe\n"));
    // While it runs, it alone watches the screen.
    let dump = shell(&handset, "uiautomator dump /dev/tty").await;
    assert_ne!(dump.code, 0);
    assert_eq!(shell(&handset, &format!("pidof {PACKAGE}")).await.code, 0);
    assert!(ask(&handset, "quit q-1").await.contains("ok=true\n"));
    let said = session.await.unwrap();
    assert_eq!(values(&said, "sessionReady"), ["true"]);
    assert_eq!(values(&said, "sessionEnded"), ["true"]);
    assert_ne!(shell(&handset, &format!("pidof {PACKAGE}")).await.code, 0);
}

#[tokio::test]
async fn a_session_ends_with_its_app() {
    let handset = phone();
    let running = handset.clone();
    let session = tokio::spawn(async move { instrument(&running, "-e sessionPort 4000").await });
    assert!(ask(&handset, "viewport v-1").await.contains("ok=true\n"));
    shell(&handset, &format!("am force-stop {PACKAGE}")).await;
    assert!(session.await.unwrap().contains("Process crashed"));
    assert_eq!(say(&handset, "viewport v-2").await.stderr, REFUSED);
}
