//! MCP over HTTP: clients with a session, and clients of the newest protocol,
//! which have none.

use crate::mcp_client::{Told, told};
use crate::support::{Answer, Ask, Client, client, server};
use clawperator_server::http::ServerEnd;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const CONFORMANCE: &str = "com.clawperator.conformance";

/// Sends a message; with these headers beside the usual ones.
async fn post(client: &Client, message: &Value, headers: &[&str]) -> Answer {
    post_to(client, "/mcp", message, headers).await
}

/// The same to another address.
pub(crate) async fn post_to(client: &Client, path: &str, message: &Value, headers: &[&str]) -> Answer {
    let usual = ["Content-Type: application/json", "Accept: application/json, text/event-stream"];
    let ask =
        Ask { method: "POST", path, headers: &[&usual[..], headers].concat(), body: &message.to_string() };
    client.ask(ask).await
}

/// The result of a call.
fn call_result(answer: &Answer) -> Told {
    told(&json!({"result": result(answer)}))
}

/// The result of an answer, whatever chunks and events it came in.
pub(crate) fn result(answer: &Answer) -> Value {
    let lines = answer.body.lines();
    let line = lines.filter_map(|line| line.strip_prefix("data: ").or(line.starts_with('{').then_some(line)));
    let mut messages = line.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let found = messages.find_map(|message| message.get("result").cloned());
    found.unwrap_or_else(|| panic!("{answer:?}"))
}

pub(crate) fn request(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

#[tokio::test]
async fn a_client_with_a_session_is_one_reader() {
    let server = server("mcp-http-session").await;
    let client = client(&server);
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let answer = post(&client, &request("initialize", &hello), &[]).await;
    let session = answer.head.lines().find(|line| line.to_lowercase().starts_with("mcp-session-id:"));
    let session = session.unwrap_or_else(|| panic!("{answer:?}")).to_owned();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(&client, &ready, &[&session]).await.status, 202);
    let call = async |tool: &str, arguments: Value| {
        let message = request("tools/call", &json!({"name": tool, "arguments": arguments}));
        call_result(&post(&client, &message, &[&session]).await)
    };
    assert!(call("open", json!({"app": CONFORMANCE})).await.text.contains("Open list"));
    let acted = call("act", json!({"steps": [{"do": "tap", "on": "Increment"}]})).await;
    assert!(acted.text.contains("Counter: 1") && !acted.text.contains("Open list"), "{acted:?}");
    // Another session is another reader.
    let other = post(&client, &request("tools/list", &json!({})), &["Mcp-Session-Id: none"]).await;
    assert_eq!(other.status, 404, "{other:?}");
}

#[tokio::test]
async fn a_client_without_a_session_says_what_it_saw() {
    let server = server("mcp-http-stateless").await;
    let client = client(&server);
    let call = async |tool: &str, arguments: Value| {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}});
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let name = format!("Mcp-Name: {tool}");
        let headers = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", &name];
        call_result(&post(&client, &request("tools/call", &params), &headers).await)
    };
    let opened = call("open", json!({"app": CONFORMANCE, "device": "phone-1"})).await;
    let (_, id) = opened.text.rsplit_once("\nsince: ").unwrap_or_else(|| panic!("{opened:?}"));
    let tap = json!([{"do": "tap", "on": "Increment"}]);
    let changed = call("act", json!({"steps": tap, "since": id})).await;
    assert!(changed.text.contains("Counter: 1") && !changed.text.contains("Open list"), "{changed:?}");
    // Who does not say it is shown everything.
    let whole = call("act", json!({"steps": tap})).await;
    assert!(whole.text.contains("Counter: 2") && whole.text.contains("Open list"), "{whole:?}");
}

#[tokio::test]
async fn a_stream_of_a_session_ends_with_the_server() {
    let server = server("mcp-http-end").await;
    let client = client(&server);
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let answer = post(&client, &request("initialize", &hello), &[]).await;
    let session = answer.head.lines().find(|line| line.to_lowercase().starts_with("mcp-session-id:"));
    let session = session.unwrap().to_owned();
    let mut stream = client.connect().await;
    let ask = format!(
        "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: text/event-stream\r\n{session}\r\n\r\n",
        server.port
    );
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut head = vec![0; 64];
    stream.read_exact(&mut head).await.unwrap();
    assert!(head.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&head));
    // It stays open until the server ends.
    let mut rest = Vec::new();
    let (read, ended) = tokio::join!(stream.read_to_end(&mut rest), server.end());
    assert!(read.is_ok() && matches!(ended, ServerEnd::Quietly), "{read:?} {ended:?}");
}
