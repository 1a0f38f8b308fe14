//! Executions over HTTP: their outcome, their keys, and what became of them.

use crate::support::{Answer, Ask, Client, Server, client, folder, server, server_in};
use clawperator_server::http::ServerEnd;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

fn payload(id: &str, actions: &Value) -> Value {
    json!({"execution": {"commandId": id, "taskId": "t", "source": "test", "timeoutMs": 30_000,
        "expectedFormat": "android-ui-automator", "actions": actions}})
}

fn sleep(id: &str, ms: u64) -> Value {
    payload(id, &json!([{"id": "s", "type": "sleep", "params": {"durationMs": ms}}]))
}

fn count(id: &str) -> Value {
    payload(
        id,
        &json!([
            {"id": "count", "type": "click", "params": {"matcher": {"textEquals": "Increment"}}},
            {"id": "read", "type": "read_text", "params": {"matcher": {"textContains": "Counter"}}}
        ]),
    )
}

async fn open_counter(client: &Client) {
    let app = json!({"applicationId": "com.clawperator.conformance"});
    let open = payload("open", &json!([{"id": "o", "type": "open_app", "params": app}]));
    assert_eq!(client.post("/execute", &open).await.status, 200);
}

async fn send(client: &Client, header: &str, body: &Value) -> Answer {
    let ask = Ask {
        method: "POST",
        path: "/execute",
        headers: &["Content-Type: application/json", header],
        body: &body.to_string(),
    };
    client.ask(ask).await
}

fn counter(answer: &Answer) -> String {
    answer.json()["envelope"]["stepResults"][1]["data"]["text"].to_string()
}

/// Waits until a run has ended.
async fn ended(client: &Client, place: &str) -> Value {
    loop {
        let run = client.get(place).await.json();
        if run["state"] == "ended" {
            return run;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_key_runs_once_also_after_the_server_was_started_again() {
    let place = folder("http_key");
    let server = server_in(&place, |_| ()).await;
    let there = client(&server);
    open_counter(&there).await;
    let key = "Idempotency-Key: order 66";
    let first = send(&there, key, &count("c1")).await;
    assert_eq!((first.status, counter(&first).as_str()), (200, "\"Counter: 1\""));
    let again = send(&there, key, &count("c1")).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert!(again.head.contains("idempotency-replayed: true"));
    assert!(!first.head.contains("idempotency-replayed"));
    let other = send(&there, key, &count("c2")).await;
    assert_eq!(other.refusal(), (409, "IDEMPOTENCY_CONFLICT".to_owned()));
    assert_eq!(server.end().await, ServerEnd::Quietly);

    let server = server_in(&place, |_| ()).await;
    let again = send(&client(&server), key, &count("c1")).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    for bad in ["Idempotency-Key: ", &format!("Idempotency-Key: {}", "x".repeat(256))] {
        let refused = send(&client(&server), bad, &count("c1")).await;
        assert_eq!(refused.refusal(), (400, "INVALID_REQUEST".to_owned()));
    }
}

#[tokio::test]
async fn the_same_snapshot_is_one_execution_if_it_has_a_key() {
    let server = server("http_snapshot_key").await;
    let client = client(&server);
    let ask = Ask {
        method: "POST",
        path: "/snapshot",
        headers: &["Content-Type: application/json", "Idempotency-Key: look"],
        body: "{}",
    };
    let (first, again) = (client.ask(ask).await, client.ask(ask).await);
    assert_eq!((first.status, again.status), (200, 200));
    assert_eq!(first.body, again.body);
}

#[tokio::test]
async fn who_does_not_wait_gets_the_outcome_later_also_from_another_server() {
    let place = folder("http_async");
    let server = server_in(&place, |_| ()).await;
    let there = client(&server);
    open_counter(&there).await;
    let accepted = send(&there, "Prefer: respond-async, wait=5", &count("c1")).await;
    assert_eq!(accepted.status, 202);
    let location = accepted.json()["location"].as_str().unwrap().to_owned();
    assert!(accepted.head.contains(&format!("location: {location}")));
    let run = ended(&there, &location).await;
    assert_eq!((&run["status"], &run["httpStatus"]), (&json!("success"), &json!(200)));
    assert_eq!(run["result"]["envelope"]["commandId"], "c1");
    server.end().await;
    let server = server_in(&place, |_| ()).await;
    let later = client(&server).get(&location).await.json();
    assert_eq!(later["result"], run["result"]);
    let unknown = client(&server).get("/runs/run-1").await;
    assert_eq!(unknown.refusal(), (404, "RUN_NOT_FOUND".to_owned()));
}

/// Waits until a run has its phone.
async fn running(client: &Client) -> Value {
    loop {
        let runs = client.get("/runs?state=running").await.json();
        if let Some(run) = runs["runs"].get(0) {
            return run.clone();
        }
        tokio::task::yield_now().await;
    }
}

/// Starts a request and leaves before it is answered.
async fn start_and_leave(server: &Server, query: &str) {
    let mut stream = client(server).connect().await;
    let body = sleep("slow", 20_000).to_string();
    let head = format!(
        "POST /execute{query} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    running(&client(server)).await;
}

#[tokio::test]
async fn a_client_that_leaves_cancels_only_if_it_said_so() {
    let server = server("http_leaves").await;
    let there = client(&server);
    start_and_leave(&server, "").await;
    let run = running(&there).await;
    let cancel = format!("/runs/{}/cancel", run["runId"].as_str().unwrap());
    let cancelled = there.post(&cancel, &json!({})).await.json();
    assert_eq!(cancelled["cancelled"], true);
    let place = format!("/runs/{}", run["runId"].as_str().unwrap());
    let run = ended(&there, &place).await;
    assert_eq!(run["result"]["error"]["code"], "EXECUTION_CANCELLED");
    assert_eq!(run["httpStatus"], 503);
    let again = Ask { method: "DELETE", path: &place, ..Ask::default() };
    assert_eq!(there.ask(again).await.json()["cancelled"], false);

    start_and_leave(&server, "?cancel_on_disconnect=true").await;
    loop {
        let runs = there.get("/runs?state=ended").await.json();
        if runs["count"] == 2 {
            break;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_cancels_what_does_not_finish_in_time() {
    let server = server("http_ends").await;
    let there = client(&server);
    let slow = sleep("slow", 25_000);
    let asked = there.post("/execute", &slow);
    let (answer, ended) = tokio::join!(asked, async {
        running(&client(&server)).await;
        server.end().await
    });
    assert_eq!(ended, ServerEnd::Cancelled(1));
    assert_eq!(answer.refusal(), (503, "EXECUTION_CANCELLED".to_owned()));
}

#[tokio::test]
async fn a_screenshot_stays_in_its_folder() {
    let place = folder("http_shot");
    let server = server_in(&place, |_| ()).await;
    let client = client(&server);
    let outside = place.join("outside.png");
    let inside = place.join("state/screenshots");
    std::fs::create_dir_all(inside.join("folder")).unwrap();
    std::os::unix::fs::symlink("/tmp", inside.join("link")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", inside.join("passwd")).unwrap();
    for path in [
        "../x.png",
        "/etc/x.png",
        "/etc/passwd",
        outside.to_str().unwrap(),
        "a/../../x.png",
        "./a.png",
        "link/a.png",
        "passwd",
        "folder",
    ] {
        let refused = client.post("/screenshot", &json!({"path": path})).await;
        assert_eq!(refused.refusal(), (400, "INVALID_PATH".to_owned()), "{path}");
        let shot = json!([{"id": "s", "type": "take_screenshot", "params": {"path": path}}]);
        let refused = client.post("/execute", &payload("c", &shot)).await;
        assert_eq!(refused.refusal(), (400, "INVALID_PATH".to_owned()), "{path}");
    }
    let taken = client.post("/screenshot", &json!({"path": "day/a.png"})).await.json();
    let path = taken["envelope"]["stepResults"][0]["data"]["path"].as_str().unwrap();
    assert_eq!(path, place.join("state/screenshots/day/a.png").to_str().unwrap());
    assert!(std::fs::read(path).unwrap().starts_with(b"\x89PNG"));
}

#[tokio::test]
async fn observe_shows_what_a_model_sees() {
    let server = server("observe").await;
    let path = "/devices/phone-1/observe?som=true&image=webp&model=claude-opus-4.6";
    let seen = client(&server).get(path).await;
    assert_eq!(seen.status, 200);
    let seen = seen.json();
    assert_eq!((&seen["ok"], &seen["deviceId"]), (&json!(true), &json!("phone-1")));
    assert_eq!((&seen["scaledWidth"], &seen["scaledHeight"]), (&json!(706), &json!(1568)));
    // What a WebP begins with, in base 64.
    assert!(seen["somScreenshotBase64"].as_str().unwrap().starts_with("UklGR"));
    let elements = seen["uiElements"].as_array().unwrap();
    assert_eq!(json!(elements.len()), seen["captureMetrics"]["uiElementsCount"]);
    for (path, status, code) in [
        ("/devices/nobody/observe", 404, "DEVICE_NOT_FOUND"),
        ("/devices/phone-1/observe?image=gif", 400, "INVALID_REQUEST"),
        ("/devices/phone-1/observe?som=maybe", 400, "INVALID_REQUEST"),
        ("/devices/phone-1/observe?model=", 400, "INVALID_REQUEST"),
    ] {
        assert_eq!(client(&server).get(path).await.refusal(), (status, code.to_owned()), "{path}");
    }
}
