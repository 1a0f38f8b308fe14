//! Clients that take places and give nothing keep no other client out.

use crate::mcp_http::{post_to, request};
use crate::support::{Ask, Client, client, server, server_with};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Whether an honest client gets an answer, and how long that takes.
async fn health(client: &Client) -> Duration {
    let began = Instant::now();
    let asked = tokio::time::timeout(Duration::from_secs(5), client.get("/health"));
    let answer = asked.await.unwrap_or_else(|_| panic!("no answer within 5 s"));
    assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"));
    began.elapsed()
}

/// Who is kept out waits for ever; a busy computer takes a while.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a client does that stays.
const STALLS: [&str; 6] = [
    // Many requests at once, whose answers are not read.
    "PIPELINED",
    // Nothing.
    "",
    // A head without an end.
    "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    // A body that does not come.
    "POST /execute HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{",
    // Chunks without an end.
    "POST /execute HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    // An answer that is not read.
    "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clients_that_stall_keep_no_other_client_out() {
    let server = server("crowd-stall").await;
    let client = client(&server);
    let mut stalled = Vec::new();
    for number in 0..2_500 {
        // The tests of this process have their files, too.
        let Ok(mut stream) = tokio::net::TcpStream::connect(("127.0.0.1", server.port)).await else {
            break;
        };
        let text = match STALLS[number % STALLS.len()] {
            "PIPELINED" => STALLS[5].repeat(20),
            text => text.to_owned(),
        };
        // One that gave way already is as good.
        let _ = stream.write_all(text.as_bytes()).await;
        stalled.push(stream);
        if number % 250 == 249 {
            let took = health(&client).await;
            assert!(took < PATIENCE, "after {number}: {took:?}");
        }
    }
    assert!(health(&client).await < PATIENCE);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_client_that_is_being_answered_does_not_give_way() {
    let server = server("crowd-busy").await;
    let client = client(&server);
    let sleep = json!({"execution": {"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 20_000,
        "expectedFormat": "android-ui-automator",
        "actions": [{"id": "s", "type": "sleep", "params": {"durationMs": 3_000}}]}});
    let honest = tokio::spawn(async move {
        let answer = client.post("/execute", &sleep).await;
        (answer.status, client)
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut stalled = Vec::new();
    for _ in 0..2_500 {
        if let Ok(stream) = tokio::net::TcpStream::connect(("127.0.0.1", server.port)).await {
            stalled.push(stream);
        }
    }
    let (status, client) = honest.await.unwrap();
    assert_eq!(status, 200);
    assert!(health(&client).await < PATIENCE);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_read_ends_its_connection() {
    let server = server("crowd-unread").await;
    let client = client(&server);
    let mut stream = client.connect().await;
    let ask = "GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(400);
    // Until no more is taken: the other side waits for us to read.
    let _ = tokio::time::timeout(Duration::from_secs(5), stream.write_all(ask.as_bytes())).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let mut read = Vec::new();
    let ended = stream.read_to_end(&mut read).await;
    let answers = String::from_utf8_lossy(&read).matches("HTTP/1.1 200").count();
    assert!(ended.is_err() || answers < 400, "all {answers} answers were kept for it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn made_up_requests_keep_no_person_from_deciding() {
    let server = server("crowd-bogus").await;
    let client = client(&server);
    let asked = json!({"capability": "permission", "instruction": "May I?"});
    let made = client.post("/approvals", &asked).await.json();
    let (id, token) = {
        let link = made["link"].as_str().unwrap();
        let (path, token) = link.split_once('#').unwrap();
        (path.rsplit('/').next().unwrap().to_owned(), token.to_owned())
    };
    for number in 0..2_000 {
        let path = format!("/approve/ap-{number:016x}/request");
        let answer = client.get(&path).await;
        assert!([403, 429].contains(&answer.status), "{answer:?}");
    }
    // Also for the request itself, whose id an attacker may have seen.
    for _ in 0..20 {
        client.get(&format!("/approve/{id}/request")).await;
    }
    let token = token.strip_prefix("token=").unwrap_or(&token).to_owned();
    let header = format!("X-Approval-Token: {token}");
    let path = format!("/approve/{id}/request");
    let seen = client.ask(Ask { method: "GET", path: &path, headers: &[&header], body: "" }).await;
    assert_eq!(seen.status, 200, "{seen:?}");
    let path = format!("/approve/{id}/decision");
    let decided = client
        .ask(Ask {
            method: "POST",
            path: &path,
            headers: &[&header, "Content-Type: application/json"],
            body: r#"{"verdict": "approve"}"#,
        })
        .await;
    assert_eq!(decided.status, 200, "{decided:?}");
}

async fn initialize(client: &Client) -> String {
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let answer = post_to(client, "/mcp", &request("initialize", &hello), &[]).await;
    let mut lines = answer.head.lines();
    let session = lines.find(|line| line.to_lowercase().starts_with("mcp-session-id:"));
    session.unwrap_or_else(|| panic!("{answer:?}")).to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sessions_are_bounded_and_one_that_is_used_stays() {
    let server = server("crowd-sessions").await;
    let client = client(&server);
    let (used, unused) = (initialize(&client).await, initialize(&client).await);
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let list = request("tools/list", &json!({}));
    assert_eq!(post_to(&client, "/mcp", &ready, &[&used]).await.status, 202);
    for _ in 0..600 {
        initialize(&client).await;
    }
    assert_eq!(post_to(&client, "/mcp", &list, &[&unused]).await.status, 404);
    // Also where all others are used, a new one gets in.
    for _ in 0..300 {
        let session = initialize(&client).await;
        let answer = post_to(&client, "/mcp", &ready, &[&session]).await;
        assert_eq!(answer.status, 202, "{answer:?}");
        assert_eq!(post_to(&client, "/mcp", &ready, &[&used]).await.status, 202);
    }
    let last = initialize(&client).await;
    for session in [&used, &last] {
        let answer = post_to(&client, "/mcp", &list, &[session]).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

#[tokio::test]
async fn a_session_is_deleted_once() {
    let server = server("crowd-delete").await;
    let client = client(&server);
    let session = initialize(&client).await;
    let delete = async |session: &str| {
        let ask = Ask { method: "DELETE", path: "/mcp", headers: &[session], body: "" };
        client.ask(ask).await.status
    };
    assert_eq!(delete(&session).await, 204);
    assert_eq!(delete(&session).await, 404);
    assert_eq!(delete("Mcp-Session-Id: made-up").await, 404);
    let list = request("tools/list", &json!({}));
    assert_eq!(post_to(&client, "/mcp", &list, &[&session]).await.status, 404);
}

#[tokio::test]
async fn the_page_gets_a_new_link_of_a_request_that_waits() {
    let server = server_with("page-link", |_| ()).await;
    let client = client(&server);
    let asked = json!({"capability": "permission", "instruction": "May I?"});
    let made = client.post("/approvals", &asked).await.json();
    let id = made["id"].as_str().unwrap();
    let path = format!("/page/approvals/{id}/link");
    let link: Value = client.post(&path, &json!({})).await.json();
    assert!(link["link"].as_str().unwrap().contains(id), "{link}");
    assert_ne!(link["link"], made["link"], "the old one is void");
    let page = client.get("/").await.body;
    assert!(page.contains("id=\"requests\""), "every view has a place for them");
    let rejected = client.post(&format!("/approvals/{id}/reject"), &json!({})).await;
    assert_eq!(rejected.status, 200);
    assert_eq!(client.post(&path, &json!({})).await.refusal().1, "APPROVAL_CLOSED");
}
