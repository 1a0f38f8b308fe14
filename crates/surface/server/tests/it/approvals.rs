//! Approvals over HTTP: who may ask, who may decide, and what the pages of
//! requests give away.

use crate::support::{Answer, Ask, Client, Server, client, folder, server, server_in, server_with};
use clawperator_agent::action::Capability;
use clawperator_agent::approval::notify::{Notice, Notifier};
use clawperator_agent::approval::{Desk, NewRequest};
use clawperator_events::Clock;
use clawperator_server::Approvals;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const BEARER: &str = "a-token-for-the-tests-of-approvals";

/// A request that was made: its id and its token.
struct Made {
    id: String,
    token: String,
}

async fn make(client: &Client, body: &Value) -> Made {
    let answer = client.post("/approvals", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = answer.json();
    let link = answer["link"].as_str().unwrap();
    let (page, token) = link.split_once('#').unwrap();
    let id = answer["id"].as_str().unwrap().to_owned();
    assert!(page.ends_with(&format!("/approve/{id}")) && token.len() == 43);
    Made { id, token: token.to_owned() }
}

fn login() -> Value {
    json!({"capability": "oauth", "instruction": "Sign in to the shop.", "uiTemplate": {"fields": [
        {"id": "user", "label": "User", "type": "text", "required": true},
        {"id": "pass", "label": "Password", "type": "password", "required": true}]}})
}

fn credentials() -> Value {
    json!({"fields": {"user": "walter", "pass": "hunter2-secret"}})
}

/// What the page of a request sends.
async fn page(client: &Client, made: &Made, what: &str, body: Option<&Value>) -> Answer {
    let token = format!("X-Approval-Token: {}", made.token);
    let path = format!("/approve/{}/{what}", made.id);
    let text = body.map(ToString::to_string).unwrap_or_default();
    client
        .ask(Ask {
            method: if body.is_some() { "POST" } else { "GET" },
            path: &path,
            headers: &[&token, "Content-Type: application/json"],
            body: &text,
        })
        .await
}

async fn state(client: &Client, made: &Made) -> Value {
    client.get(&format!("/approvals/{}", made.id)).await.json()
}

#[tokio::test]
async fn d18_a_terminal_shows_the_requests_of_other_processes() {
    static SHOWN: Mutex<Vec<(String, bool)>> = Mutex::new(Vec::new());
    fn show(notice: &Notice) {
        let mut shown = SHOWN.lock().unwrap();
        shown.push((notice.id.clone(), notice.link.is_empty()));
    }
    async fn shown(count: usize) -> Vec<(String, bool)> {
        while SHOWN.lock().unwrap().len() < count {
            tokio::task::yield_now().await;
        }
        SHOWN.lock().unwrap().clone()
    }
    let mut place = None;
    let server = server_with("approve-others", |app| {
        place = Some((app.state.clone(), app.engine.clone()));
        app.approvals =
            Approvals::new("http://localhost", Notifier { show: Some(show), ..Notifier::default() });
    })
    .await;
    let ours = make(&client(&server), &json!({"capability": "2fa", "instruction": "the code"})).await;
    // A desk of its own is what another process has.
    let (state, engine) = place.unwrap();
    let desk = Desk::open(&state, Arc::new(Clock::new(move || engine.now_ms()))).unwrap();
    let other = NewRequest::new(Capability::Permission, "May I?");
    let theirs = desk.create(other).await.unwrap();
    let expected = [(ours.id, false), (theirs.id, true)];
    let waiting = tokio::time::timeout(Duration::from_secs(20), shown(2));
    assert_eq!(waiting.await.unwrap(), expected);
}

#[tokio::test]
async fn a_page_decides_once_and_values_stay_inside() {
    let server = server("approve-once").await;
    let client = client(&server);
    let made = make(&client, &login()).await;
    let shown = page(&client, &made, "request", None).await.json();
    assert_eq!(
        (&shown["state"], &shown["page"]["title"]),
        (&json!("pending"), &json!("A sign-in is needed"))
    );
    let unfit = page(&client, &made, "decision", Some(&json!({"verdict": "approve"}))).await;
    assert_eq!(unfit.refusal(), (400, "APPROVAL_INVALID".to_owned()));
    let approve = json!({"verdict": "approve", "answer": credentials(), "note": "quickly"});
    assert_eq!(page(&client, &made, "decision", Some(&approve)).await.status, 200);
    let again = page(&client, &made, "decision", Some(&json!({"verdict": "reject"}))).await;
    assert_eq!(again.refusal(), (409, "APPROVAL_CLOSED".to_owned()));
    let known = state(&client, &made).await;
    assert_eq!(known["given"], json!([{"kind": "credentials", "fields": ["username", "password"]}]));
    assert_eq!((&known["state"], &known["note"]), (&json!("approved"), &json!("quickly")));
    let all = client.get("/approvals?state=approved").await.body;
    assert!(!all.contains("hunter2") && !all.contains("walter") && !all.contains(&made.token));
}

#[tokio::test]
async fn a_user_decides_with_the_bearer_token() {
    let server = server("approve-user").await;
    let client = client(&server);
    let (yes, no) = (make(&client, &login()).await, make(&client, &login()).await);
    let path = format!("/approvals/{}/approve", yes.id);
    let answer = client.post(&path, &json!({"answer": credentials()})).await.json();
    assert_eq!((&answer["state"], &answer["decidedBy"]), (&json!("approved"), &json!("http")));
    let path = format!("/approvals/{}/reject", no.id);
    let answer = client.post(&path, &json!({"note": "not now"})).await.json();
    assert_eq!((&answer["state"], &answer["note"]), (&json!("rejected"), &json!("not now")));
    let unknown = client.post("/approvals/ap-0/reject", &json!({})).await;
    assert_eq!(unknown.refusal(), (404, "APPROVAL_NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn hole_01_only_who_has_the_bearer_token_asks_and_a_link_is_for_one_request() {
    let server = server_with("hole-01", |app| app.token = Some(BEARER.to_owned())).await;
    let client = client(&server);
    for (method, path) in [
        ("POST", "/approvals"),
        ("GET", "/approvals"),
        ("GET", "/approvals/ap-1"),
        ("POST", "/approvals/ap-1/approve"),
        ("POST", "/approvals/ap-1/apply"),
        ("GET", "/approvals/events"),
    ] {
        let answer =
            client.ask(Ask { method, path, headers: &["Content-Type: application/json"], body: "{}" });
        assert_eq!(answer.await.refusal(), (401, "UNAUTHORIZED".to_owned()), "{path}");
    }
    let made = make_with_bearer(&client).await;
    let other = make_with_bearer(&client).await;
    // The link opens its request without the bearer token, and nothing else.
    assert_eq!(page(&client, &made, "request", None).await.status, 200);
    let crossed = Made { id: other.id, token: made.token.clone() };
    let reject = json!({"verdict": "reject"});
    for (what, body) in [("request", None), ("picture", None), ("decision", Some(&reject))] {
        let answer = page(&client, &crossed, what, body).await;
        assert_eq!(answer.refusal(), (403, "APPROVAL_TOKEN_REFUSED".to_owned()), "{what}");
    }
    let with_link = format!("Authorization: Bearer {}", made.token);
    let headers = [with_link.as_str()];
    let answer = client.ask(Ask { method: "GET", path: "/devices", headers: &headers, body: "" });
    assert_eq!(answer.await.status, 401);
}

async fn make_with_bearer(client: &Client) -> Made {
    let bearer = format!("Authorization: Bearer {BEARER}");
    let headers = [bearer.as_str(), "Content-Type: application/json"];
    let body = login().to_string();
    let ask = Ask { method: "POST", path: "/approvals", headers: &headers, body: &body };
    let answer = client.ask(ask).await.json();
    let token = answer["link"].as_str().unwrap().split_once('#').unwrap().1.to_owned();
    Made { id: answer["id"].as_str().unwrap().to_owned(), token }
}

#[tokio::test]
async fn hole_02_a_malformed_path_ends_nothing() {
    let server = server("hole-02").await;
    let client = client(&server);
    for path in [
        "/approve/%ff",
        "/approve/%ff/request",
        "/approve/%zz/request",
        "/approvals/%ff",
        "/approve/%2e%2e/request",
        "/approve//request",
    ] {
        let status = client.get(path).await.status;
        assert!((200..500).contains(&status), "{path}: {status}");
    }
    assert_eq!(client.get("/health").await.body, "ok\n");
}

#[tokio::test]
async fn hole_03_a_caller_cannot_choose_an_id() {
    let server = server("hole-03-http").await;
    let client = client(&server);
    let first = make(&client, &login()).await;
    let mut body = login();
    body["id"] = json!(first.id);
    body["requestId"] = json!(first.id);
    let second = make(&client, &body).await;
    assert_ne!(first.id, second.id);
    assert_eq!(page(&client, &first, "request", None).await.status, 200);
}

#[tokio::test]
async fn hole_04_a_poll_never_has_the_values() {
    let server = server("hole-04").await;
    let client = client(&server);
    let made = make(&client, &login()).await;
    let approve = json!({"verdict": "approve", "answer": credentials()});
    page(&client, &made, "decision", Some(&approve)).await;
    for _ in 0..2 {
        let polled =
            page(&client, &made, "request", None).await.body + &state(&client, &made).await.to_string();
        assert!(!polled.contains("hunter2") && !polled.contains("walter"), "{polled}");
    }
}

#[tokio::test]
async fn hole_05_the_page_has_a_policy_and_the_agents_html_has_no_origin() {
    let server = server("hole-05").await;
    let client = client(&server);
    let shell = client.get("/approve/ap-1").await;
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
        frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    assert!(shell.head.contains(&format!("content-security-policy: {policy}")), "{}", shell.head);
    assert!(
        shell.head.contains("referrer-policy: no-referrer") && shell.head.contains("x-frame-options: DENY")
    );
    let frame = client.get("/web/approve-frame.html").await;
    for part in
        ["sandbox allow-scripts;", "default-src 'none'", "form-action 'none'", "frame-ancestors 'self'"]
    {
        assert!(frame.head.contains(part), "{part}: {}", frame.head);
    }
    assert!(!frame.head.contains("allow-same-origin") && !frame.head.contains("connect-src"));
    // The page itself is the same for every request: nothing of one is in it.
    assert_eq!(shell.body, client.get("/approve/ap-2").await.body);
}

#[tokio::test]
async fn hole_06_other_sites_and_other_names_reach_no_approval() {
    let server = server("hole-06").await;
    let client = client(&server);
    let made = make(&client, &login()).await;
    let token = format!("X-Approval-Token: {}", made.token);
    let path = format!("/approve/{}/decision", made.id);
    for (header, code) in
        [("Origin: https://evil.example", "ORIGIN_REFUSED"), ("Host: evil.example", "HOST_REFUSED")]
    {
        for (path, body) in [(path.as_str(), r#"{"verdict":"approve"}"#), ("/approvals", "{}")] {
            let headers = [token.as_str(), header, "Content-Type: application/json"];
            let answer = client.ask(Ask { method: "POST", path, headers: &headers, body }).await;
            assert_eq!(answer.refusal(), (403, code.to_owned()));
        }
    }
    assert_eq!(state(&client, &made).await["state"], "pending");
}

/// In the original any member of a chat group could approve.
#[tokio::test]
async fn hole_08_nobody_decides_without_the_link_or_the_bearer_token() {
    let server = server_with("hole-08", |app| app.token = Some(BEARER.to_owned())).await;
    let client = client(&server);
    let made = make_with_bearer(&client).await;
    let nobody = Made { id: made.id.clone(), token: String::new() };
    let answer = page(&client, &nobody, "decision", Some(&json!({"verdict": "approve"}))).await;
    assert_eq!(answer.refusal(), (403, "APPROVAL_TOKEN_REFUSED".to_owned()));
}

/// The original let anybody register where requests are sent to, and passed
/// tokens on a command line.
#[tokio::test]
async fn hole_14_the_token_is_in_no_address_and_no_list() {
    let server = server("hole-14").await;
    let client = client(&server);
    let made = make(&client, &login()).await;
    // A token in the query is none.
    let path = format!("/approve/{}/request?token={}", made.id, made.token);
    assert_eq!(client.get(&path).await.status, 403);
    assert!(!client.get("/approvals").await.body.contains(&made.token));
    assert!(!client.get("/metrics").await.body.contains(&made.token));
}

#[tokio::test]
async fn wrong_tokens_are_slowed_down() {
    let server = server("approve-pace").await;
    let client = client(&server);
    let made = make(&client, &login()).await;
    let wrong = Made { id: made.id, token: "x".repeat(43) };
    let mut last = String::new();
    for _ in 0..12 {
        last = page(&client, &wrong, "request", None).await.refusal().1;
    }
    assert_eq!(last, "APPROVAL_TOO_FAST");
}

#[tokio::test]
async fn an_answer_is_read_only_after_its_token_and_only_so_far() {
    let server = server("approve-size").await;
    let client = client(&server);
    let made = make(&client, &login()).await;
    let large = json!({"verdict": "approve", "note": "x".repeat(300 << 10)});
    let answer = page(&client, &made, "decision", Some(&large)).await;
    assert_eq!(answer.refusal(), (413, "PAYLOAD_TOO_LARGE".to_owned()));
    let with_file = make(&client, &json!({"capability": "files", "instruction": "A file."})).await;
    let file = json!({"verdict": "approve", "answer": {"files": [{"role": "file", "name": "a.bin",
        "mediaType": "application/x-thing", "base64": "AAAA".repeat(100 << 10)}]}});
    assert_eq!(page(&client, &with_file, "decision", Some(&file)).await.status, 200);
    // The head alone is refused: nothing of the body was needed.
    let head = format!(
        "POST /approve/{}/decision HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nX-Approval-Token: wrong\r\n\
        Content-Length: 20000000\r\nConnection: close\r\n\r\n",
        made.id, server.port
    );
    assert_eq!(client.raw(&head).await.status, 403);
}

#[tokio::test]
async fn a_request_and_a_used_link_survive_a_restart() {
    let folder = folder("approve-restart");
    let first = server_in(&folder, |_| ()).await;
    let (one, two) = (make(&client(&first), &login()).await, make(&client(&first), &login()).await);
    let reject = json!({"verdict": "reject"});
    assert_eq!(page(&client(&first), &one, "decision", Some(&reject)).await.status, 200);
    first.end().await;
    let second = server_in(&folder, |_| ()).await;
    let client = client(&second);
    assert_eq!(page(&client, &one, "decision", Some(&reject)).await.status, 409);
    assert_eq!(page(&client, &two, "request", None).await.json()["state"], "pending");
    // The server that asked is gone; what was given is kept for the next one.
    let approve = json!({"verdict": "approve", "answer": credentials()});
    assert_eq!(page(&client, &two, "decision", Some(&approve)).await.status, 200);
    assert_eq!(state(&client, &two).await["dropped"], Value::Null);
}

/// A phone with the form for a login, whose field for an address has the focus.
async fn phone_with_a_field(server: &Server) {
    let client = client(server);
    let actions = json!([
        {"id": "open", "type": "open_app", "params": {"applicationId": "com.clawperator.form"}},
        {"id": "login", "type": "click", "params": {"matcher": {"resourceId": "com.clawperator.form:id/open_login"}}},
        {"id": "focus", "type": "click", "params": {"matcher": {"resourceId": "com.clawperator.form:id/input_email"}}}]);
    let execution = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 30_000,
        "expectedFormat": "android-ui-automator", "actions": actions});
    let answer = client.post("/execute", &json!({"execution": execution})).await.json();
    assert_eq!(answer["envelope"]["status"], "success", "{answer}");
}

#[tokio::test]
async fn what_was_approved_is_applied_on_the_screen_that_was_seen() {
    let server = server("approve-apply").await;
    let client = client(&server);
    phone_with_a_field(&server).await;
    let body = json!({"capability": "sms", "instruction": "The code.", "deviceId": "phone-1"});
    let made = make(&client, &body).await;
    let picture = page(&client, &made, "picture", None);
    let shown = page(&client, &made, "request", None).await.json();
    assert_eq!(shown["hasPicture"], true);
    // It is no text, so only its head is looked at.
    drop(picture);
    let apply = format!("/approvals/{}/apply", made.id);
    let early = client.post(&apply, &json!({})).await;
    assert_eq!(early.refusal(), (409, "APPROVAL_NOT_APPLIED".to_owned()));
    let approve = json!({"verdict": "approve", "answer": {"text": "code-4711"}});
    assert_eq!(page(&client, &made, "decision", Some(&approve)).await.status, 200);
    let applied = client.post(&apply, &json!({})).await.json();
    assert_eq!(applied["applied"], json!([{"kind": "text", "letters": 9, "result": "typed"}]), "{applied}");
    assert!(!applied.to_string().contains("4711"));
}

#[tokio::test]
async fn a_screen_that_has_changed_is_asked_about_again() {
    let server = server("approve-again").await;
    let client = client(&server);
    let body = json!({"capability": "sms", "instruction": "The code.", "deviceId": "phone-1"});
    let made = make(&client, &body).await;
    let approve = json!({"verdict": "approve", "answer": {"text": "code-4711"}});
    assert_eq!(page(&client, &made, "decision", Some(&approve)).await.status, 200);
    phone_with_a_field(&server).await;
    let answer = client.post(&format!("/approvals/{}/apply", made.id), &json!({})).await.json();
    assert_eq!(answer["applied"], json!([]), "{answer}");
    let again =
        client.get(&format!("/approvals/{}", answer["askedAgain"]["id"].as_str().unwrap())).await.json();
    assert_eq!((&again["state"], &again["againOf"]), (&json!("pending"), &json!(made.id)));
    // Nothing was typed.
    let typed = server.phones.asked("phone-1").iter().any(|line| line.contains("4711"));
    assert!(!typed);
}
