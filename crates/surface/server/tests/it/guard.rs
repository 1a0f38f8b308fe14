//! Who is let in, and what a request may cost.

use crate::support::{Ask, Client, client, server, server_with};
use clawperator_server::http::ServerEnd;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server with a token.
macro_rules! locked {
    ($name:literal) => {
        server_with($name, |app| app.token = Some(TOKEN.to_owned())).await
    };
}

async fn get(client: &Client, path: &str, headers: &[&str]) -> (u16, String) {
    let ask = Ask { method: "GET", path, headers, body: "" };
    let answer = client.ask(ask).await;
    match answer.status {
        200 | 204 => (answer.status, String::new()),
        _ => answer.refusal(),
    }
}

fn refused(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test]
async fn without_the_token_nothing_is_answered_but_health() {
    let server = locked!("guard_token");
    let client = client(&server);
    let right = format!("Authorization: Bearer {TOKEN}");
    let (wrong, short) = (right.replace("0123", "0124"), &right[..right.len() - 1]);
    assert_eq!(get(&client, "/health", &[]).await, (200, String::new()));
    for path in ["/devices", "/nope", "/openapi.json", "/mcp", "/events"] {
        for headers in [&[][..], &[wrong.as_str()], &[short], &["Authorization: Bearer"]] {
            let answer = get(&client, path, headers).await;
            assert_eq!(answer, refused(401, "UNAUTHORIZED"), "{path} {headers:?}");
        }
    }
    assert_eq!(get(&client, "/devices", &[&right]).await, (200, String::new()));
    assert_eq!(get(&client, "/nope", &[&right]).await, refused(404, "ROUTE_NOT_FOUND"));
    // A token in an address would be in somebody's log.
    let in_address = format!("/devices?token={TOKEN}");
    assert_eq!(get(&client, &in_address, &[]).await.0, 401);
}

#[tokio::test]
async fn a_page_gets_a_cookie_for_the_token() {
    let server = locked!("guard_cookie");
    let client = client(&server);
    let wrong = client.post("/session", &json!({"token": "x"})).await;
    assert_eq!(wrong.refusal(), refused(401, "UNAUTHORIZED"));
    let number = client.post("/session", &json!({"token": 17})).await;
    assert_eq!(number.refusal(), refused(400, "INVALID_REQUEST"));
    let signed_in = client.post("/session", &json!({"token": TOKEN})).await;
    assert_eq!(signed_in.status, 204);
    let cookie = signed_in.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.unwrap();
    assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains(TOKEN), "{cookie}");
    let (shown, _) = cookie.split_once(';').unwrap();
    let line = format!("Cookie: {shown}");
    assert_eq!(get(&client, "/devices", &[&line]).await, (200, String::new()));
}

#[tokio::test]
async fn a_foreign_name_or_page_is_refused_also_with_the_token() {
    let server = locked!("guard_names");
    let client = client(&server);
    let token = format!("Authorization: Bearer {TOKEN}");
    let here = format!("Host: 127.0.0.1:{}", server.port);
    let own = format!("Origin: http://127.0.0.1:{}", server.port);
    for (headers, expected) in [
        (["Host: evil.example", "X: 1"], (403, "HOST_REFUSED")),
        (["Host: 127.0.0.1.evil.example:3000", "X: 1"], (403, "HOST_REFUSED")),
        (["Host: localhost", "X: 1"], (200, "")),
        ([&here, "Origin: http://evil.example"], (403, "ORIGIN_REFUSED")),
        ([&here, "Origin: null"], (403, "ORIGIN_REFUSED")),
        ([&here, &own], (200, "")),
    ] {
        for path in ["/devices", "/health"] {
            let all = [headers[0], headers[1], &token];
            let answer = get(&client, path, &all).await;
            assert_eq!(answer, refused(expected.0, expected.1), "{path} {headers:?}");
        }
    }
}

#[tokio::test]
async fn every_answer_forbids_to_store_frame_or_guess() {
    let server = locked!("guard_headers");
    for path in ["/health", "/devices"] {
        let head = client(&server).get(path).await.head;
        for line in [
            "cache-control: no-store",
            "x-content-type-options: nosniff",
            "x-frame-options: DENY",
            "content-security-policy: default-src 'none'",
        ] {
            assert!(head.contains(line), "{path}: {head}");
        }
        assert!(!head.contains("access-control"), "{head}");
    }
}

#[tokio::test]
async fn of_a_body_of_a_gigabyte_next_to_nothing_is_read() {
    let server = server("guard_gigabyte").await;
    let client = client(&server);
    let announced = "POST /session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1073741824\r\n\r\n";
    assert_eq!(client.raw(announced).await.refusal(), refused(413, "PAYLOAD_TOO_LARGE"));
    // Without an announcement it is refused when it becomes too large.
    let mut stream = client.connect().await;
    let head = "POST /session HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut reader, mut writer) = stream.into_split();
    let sending = tokio::spawn(async move {
        let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
        let mut sent = 0;
        // Until the server is tired of it.
        while sent < 1 << 30 && writer.write_all(chunk.as_bytes()).await.is_ok() {
            sent += chunk.len();
        }
        sent
    });
    let mut answer = [0; 12];
    reader.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    drop(reader);
    let sent = sending.await.unwrap();
    assert!(sent < 64 << 20, "the server took {sent} bytes");
}

#[tokio::test(start_paused = true)]
async fn who_sends_too_slowly_is_cut_off() {
    let server = server("guard_slow").await;
    let client = client(&server);
    // The head does not come.
    let cut = client.raw("GET /health HTTP/1.1\r\nHost: local").await;
    assert!(cut.status == 0 || cut.status == 408, "{cut:?}");
    // The body does not come.
    let late = "POST /session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{";
    let late = client.raw(late).await;
    assert_eq!(late.refusal(), refused(408, "REQUEST_TIMEOUT"));
    assert_eq!(client.get("/health").await.status, 200);
}

#[tokio::test]
async fn too_many_or_too_long_headers_are_refused() {
    let server = server("guard_headers_limit").await;
    let client = client(&server);
    let many: Vec<String> = (0..100).map(|number| format!("X-{number}: 1")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let long = format!("X: {}", "x".repeat(32 << 10));
    for headers in [&many[..], &[&long]] {
        let ask = Ask { method: "GET", path: "/health", headers, body: "" };
        assert_eq!(client.ask(ask).await.status, 431);
    }
}

#[tokio::test]
async fn odd_paths_are_not_found_and_break_nothing() {
    let server = server("guard_paths").await;
    let client = client(&server);
    for path in [
        "/%zz",
        "/%",
        "/%ff%fe",
        "/devices%2f..%2f..%2fetc%2fpasswd",
        "/../../etc/passwd",
        "//",
        "/devices/",
        "/%00",
    ] {
        assert_eq!(client.get(path).await.refusal(), refused(404, "ROUTE_NOT_FOUND"), "{path}");
    }
    let ask = Ask { method: "DELETE", path: "/devices", ..Ask::default() };
    assert_eq!(client.ask(ask).await.refusal(), refused(405, "METHOD_NOT_ALLOWED"));
    assert_eq!(client.raw("nonsense\r\n\r\n").await.status, 400);
}

#[tokio::test]
async fn a_server_that_ends_lets_go_of_idle_connections() {
    let server = server("guard_end").await;
    let client = client(&server);
    let mut idle = client.connect().await;
    idle.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = [0; 15];
    idle.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200 OK");
    assert_eq!(server.end().await, ServerEnd::Quietly);
    let mut rest = Vec::new();
    idle.read_to_end(&mut rest).await.unwrap();
}
