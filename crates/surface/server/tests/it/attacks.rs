//! What a caller sends is data: no shell of the phone runs it, and no page of
//! ours shows it as anything but text.

use crate::support::{Answer, Server, client, folder, server_in};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use clawperator_phone::Deadline;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::time::Duration;

/// What a shell would run, in every way of writing it that we know.
const SHELL: [&str; 8] = [
    "$(touch /sdcard/canary)",
    "`touch /sdcard/canary`",
    "; touch /sdcard/canary ;",
    "| touch /sdcard/canary",
    "&& touch /sdcard/canary",
    "'; touch /sdcard/canary; '",
    "\"; touch /sdcard/canary; \"",
    "\ntouch /sdcard/canary\n",
];

/// Whether something that was sent ran on the phone.
async fn canary_exists(server: &Server) -> bool {
    let deadline = Deadline::after(Duration::from_secs(10));
    let phone = server.phones.link("phone-1", deadline).await.unwrap();
    let shown = phone.shell("ls /sdcard", Bytes::new(), deadline).await.unwrap();
    String::from_utf8(shown.stdout.to_vec()).unwrap().contains("canary")
}

/// An execution with this text wherever a text can be.
fn execution(text: &str) -> Value {
    let matcher = json!({"textEquals": text, "resourceId": text, "contentDescContains": text});
    json!({"commandId": text, "taskId": text, "source": text, "timeoutMs": 1000,
    "expectedFormat": "android-ui-automator", "actions": [
        {"id": text, "type": "open_app", "params": {"applicationId": text}},
        {"id": "a", "type": "open_uri", "params": {"uri": text}},
        {"id": "b", "type": "close_app", "params": {"applicationId": text}},
        {"id": "c", "type": "click", "params": {"matcher": matcher}},
        {"id": "d", "type": "enter_text", "params": {"matcher": matcher, "text": text}},
        {"id": "e", "type": "press_key", "params": {"key": text}},
        {"id": "f", "type": "start_recording", "params": {"sessionId": text}},
        {"id": "g", "type": "take_screenshot", "params": {"path": text}}]})
}

#[tokio::test(start_paused = true)]
async fn no_text_of_a_request_reaches_a_shell() {
    let server = server_in(&folder("http_canary"), |_| ()).await;
    let client = client(&server);
    for text in SHELL {
        let whole = execution(text);
        // Together, and each action alone: a first failure ends an execution.
        let mut bodies = vec![whole.clone()];
        let is_quoted = text.contains(['$', '\'', '\n']);
        for action in whole["actions"].as_array().unwrap().iter().filter(|_| is_quoted) {
            let mut one = whole.clone();
            one["actions"] = json!([action]);
            one["commandId"] = json!("c");
            bodies.push(one);
        }
        for body in bodies {
            for device in [json!(null), json!(text)] {
                let mut sent = json!({"execution": body, "operatorPackage": text});
                if device.is_string() {
                    sent["deviceId"] = device;
                } else {
                    sent.as_object_mut().unwrap().remove("operatorPackage");
                }
                let answer = client.post("/execute", &sent).await;
                assert_ne!(answer.status, 0, "{sent}");
                assert!(!answer.body.contains("INTERNAL_ERROR"), "{sent}: {}", answer.body);
            }
        }
        client.post("/snapshot", &json!({"deviceId": text})).await;
        client.post("/screenshot", &json!({"path": text})).await;
        client.post("/skills/x/run", &json!({"args": [text], "deviceId": text})).await;
    }
    assert!(!canary_exists(&server).await);
    // The canary would be seen.
    let deadline = Deadline::after(Duration::from_secs(10));
    let phone = server.phones.link("phone-1", deadline).await.unwrap();
    phone.shell("touch /sdcard/canary", Bytes::new(), deadline).await.unwrap();
    assert!(canary_exists(&server).await);
}

/// The policy of a page that a server sends lets the page's script run, by its
/// hash, and no other.
pub(crate) fn runs_its_own_script_only(page: &Answer) {
    let mut lines = page.head.lines();
    let policy = lines.find_map(|line| line.strip_prefix("content-security-policy: "));
    let policy = policy.unwrap_or_else(|| panic!("{}", page.head));
    for tag in ["script", "style"] {
        let (_, inside) = page.body.split_once(&format!("<{tag}>")).unwrap();
        let (inside, _) = inside.split_once(&format!("</{tag}>")).unwrap();
        let hash = STANDARD.encode(Sha256::digest(inside));
        assert!(policy.contains(&format!("{tag}-src 'sha256-{hash}';")), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(policy.ends_with("frame-ancestors 'none'"), "{policy}");
}

#[tokio::test]
async fn a_report_shows_what_was_sent_as_text() {
    let server = server_in(&folder("http_script"), |_| ()).await;
    let client = client(&server);
    let script = "<script>alert(1)</script><img src=x onerror=alert(1)>";
    let mut sent = execution(script);
    sent["commandId"] = json!("script-1");
    let action = json!({"id": script, "type": "click", "params": {"matcher": {"textEquals": script}}});
    sent["actions"] = json!([action]);
    assert_eq!(client.post("/execute", &json!({"execution": sent})).await.status, 200);
    let report = client.get("/journals/script-1/report").await;
    runs_its_own_script_only(&report);
    let page = report.body;
    assert!(page.contains("&lt;script&gt;"), "the text is there");
    assert!(!page.contains("<script>alert") && !page.contains("<img src=x"));
}
