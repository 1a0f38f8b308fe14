//! What the pages say of HTTP and MCP, where it was once not so.

use crate::mcp_client::McpClient;
use crate::mcp_http::{post_to, request, result};
use crate::support::{Ask, Client, app, client, folder, phones, server, server_with};
use clawperator_adb::DeviceEntry;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::Discovery;
use clawperator_phone::{Deadline, Phone};
use futures_core::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

const CONFORMANCE: &str = "com.clawperator.conformance";

fn sleep(id: &str, ms: u64) -> Value {
    json!({"execution": {"commandId": id, "taskId": "t", "source": "test", "timeoutMs": 20_000,
        "expectedFormat": "android-ui-automator",
        "actions": [{"id": "s", "type": "sleep", "params": {"durationMs": ms}}]}})
}

/// Waits until a run has its phone.
async fn until_running(client: &Client) {
    for _ in 0..200 {
        if client.get("/runs?state=running").await.json()["count"] == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("nothing runs");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_second_execution_while_one_runs_is_423_unless_it_waits() {
    let server = server("documented-423").await;
    let client = client(&server);
    let port = server.port;
    let first = tokio::spawn(async move {
        let client = crate::support::client(&server);
        let status = client.post("/execute", &sleep("first", 3_000)).await.status;
        (status, server)
    });
    until_running(&client).await;
    for path in ["/execute", "/snapshot", "/screenshot"] {
        let refused = client.post(path, &sleep("second", 1)).await;
        assert_eq!(refused.refusal(), (423, "EXECUTION_CONFLICT_IN_FLIGHT".to_owned()), "{path} at {port}");
        let owner = &refused.json()["error"]["details"]["owner"]["commandId"];
        assert_eq!(owner, "first", "{path}");
    }
    // Who does not wait for the answer waits for the phone.
    let body = sleep("later", 1).to_string();
    let later = client
        .ask(Ask {
            method: "POST",
            path: "/execute",
            headers: &["Content-Type: application/json", "Prefer: respond-async"],
            body: &body,
        })
        .await;
    assert_eq!(later.status, 202, "{later:?}");
    let waited = client.post("/execute?wait_for_device_ms=10000", &sleep("waits", 1)).await;
    assert_eq!(waited.status, 200, "{waited:?}");
    let (status, _server) = first.await.unwrap();
    assert_eq!(status, 200);
    let place = later.json()["location"].as_str().unwrap().to_owned();
    let mut run = client.get(&place).await.json();
    while run["state"] != "ended" {
        tokio::time::sleep(Duration::from_millis(20)).await;
        run = client.get(&place).await.json();
    }
    assert_eq!(run["status"], "success", "{run}");
}

#[tokio::test]
async fn a_word_of_a_query_that_is_none_is_refused_on_every_route() {
    let server = server("documented-query").await;
    let client = client(&server);
    let api = client.get("/openapi.json").await.json();
    let mut tried = 0;
    for (path, methods) in api["paths"].as_object().unwrap() {
        for (method, about) in methods.as_object().unwrap() {
            for parameter in about["parameters"].as_array().unwrap_or(&Vec::new()) {
                let schema = &parameter["schema"];
                let is_free = schema["type"] == "string" && schema.get("enum").is_none();
                if parameter["in"] != "query" {
                    continue;
                }
                let name = parameter["name"].as_str().unwrap();
                let odds = ["", "%20", "bogus", "-1", "99999999999999999999", "%00", "true%20", "2.5"];
                for odd in odds.into_iter().take(if is_free { 2 } else { 8 }) {
                    let path = path.replace("{id}", "x").replace("{name}", "x");
                    let path = format!("{path}?{name}={odd}");
                    let answer = client
                        .ask(Ask {
                            method: &method.to_uppercase(),
                            path: &path,
                            headers: &["Content-Type: application/json"],
                            body: if method == "post" { "{}" } else { "" },
                        })
                        .await;
                    assert_eq!(answer.refusal(), (400, "INVALID_REQUEST".to_owned()), "{path}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 60, "{tried}");
    for path in ["/health", "/ready", "/page/tree?device=phone-1&", "/page/steps"] {
        let join = if path.contains('?') { "" } else { "?" };
        let answer = client.get(&format!("{path}{join}nonsense=1")).await;
        assert_eq!(answer.status, 400, "{path}");
    }
    for odd in ["tools=x", "tools=", "tools=agent&x=1", "x=1"] {
        let answer = post_to(&client, &format!("/mcp?{odd}"), &json!({}), &[]).await;
        assert_eq!(answer.status, 400, "{odd}");
    }
}

#[tokio::test]
async fn a_list_refuses_a_cursor_that_is_none_of_ours() {
    let app = Arc::new(app("documented-cursor", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        for cursor in
            [json!(""), json!("2"), json!("made-up"), json!(5), json!({"a": 1}), json!([]), json!(true)]
        {
            let answer = client.ask(method, json!({"cursor": cursor})).await;
            assert_eq!(answer["error"]["code"], -32602, "{method} {cursor}: {answer}");
        }
        let answer = client.ask(method, json!({})).await;
        assert!(answer["result"].is_object(), "{answer}");
    }
}

#[tokio::test]
async fn a_message_on_a_pipe_that_cannot_be_read_gets_an_error() {
    let app = Arc::new(app("documented-pipe", &["phone-1"]));
    let (ours, its) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(its);
    let tools = clawperator_server::mcp::Tools::Phone;
    tokio::spawn(clawperator_server::mcp::serve(app, tools, reader, writer));
    let (reader, mut writer) = tokio::io::split(ours);
    let mut lines = BufReader::new(reader).lines();
    let mut ask = async |line: Vec<u8>| -> Value {
        writer.write_all(&line).await.unwrap();
        writer.write_all(b"\n").await.unwrap();
        let waiting = tokio::time::timeout(Duration::from_secs(20), lines.next_line());
        let line = waiting.await.unwrap().unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    };
    let large = "x".repeat(5 << 20);
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let call = |id: &str, inside: &str| {
        format!(r#"{{"method":"tools/call","params":{{"a":{inside},"id":"no"}},"jsonrpc":"2.0","id":{id}}}"#)
    };
    // Before the greeting and after it, wherever the id stands.
    for round in 0..2 {
        for (line, id) in [
            (call("7", &format!("\"{large}\"")), json!(7)),
            (call("\"seven\"", &deep), json!("seven")),
            (format!(r#"{{"id":8,"jsonrpc":"2.0","method":"x","params":{deep}}}"#), json!(8)),
            (format!(r#"{{"jsonrpc":"2.0","method":"\"}}{{","id":9,"params":["\"",{deep}]}}"#), json!(9)),
            (format!("\"{large}\""), json!(null)),
        ] {
            let answer = ask(line.into_bytes()).await;
            assert_eq!(answer["error"]["code"], -32600, "{round} {id}: {answer}");
            assert_eq!(answer.get("id"), Some(&id), "{answer}");
        }
        // What is no JSON has no id.
        for line in [
            b"hello".to_vec(),
            b"{".to_vec(),
            br#"{"jsonrpc":"2.0","id":4,"method":"ping""#.to_vec(),
            "[".repeat(50_000).into_bytes(),
            b"\xff\xfe".to_vec(),
            b"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"\xff\"}".to_vec(),
        ] {
            let shown = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
            let answer = ask(line).await;
            assert_eq!(answer["error"]["code"], -32700, "{round} {shown}: {answer}");
            assert_eq!(answer.get("id"), Some(&json!(null)), "{answer}");
        }
        for odd in ["{\"a\":1}", "[1]", "null", "true", "1.5"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{odd},"method":"ping"}}"#);
            let answer = ask(line.into_bytes()).await;
            assert_eq!(answer["error"]["code"], -32600, "{round} {odd}: {answer}");
            assert_eq!(answer.get("id"), Some(&json!(null)), "{answer}");
        }
        if round == 0 {
            let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
            assert!(ask(hello.to_string().into_bytes()).await["result"].is_object());
        }
    }
    let list = ask(br#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#.to_vec()).await;
    assert!(list["result"]["tools"].is_array(), "{list}");
}

#[tokio::test]
async fn an_act_on_what_is_not_there_ends_before_a_client_gives_up() {
    let app = Arc::new(app("documented-act", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    client.call("open", json!({"app": CONFORMANCE})).await;
    for step in [
        json!({"do": "tap", "on": "Nowhere"}),
        json!({"do": "long_press", "on": "Nowhere"}),
        json!({"do": "type", "on": "Nowhere", "text": "x"}),
        json!({"do": "drag", "on": "Nowhere", "to": "1,1"}),
    ] {
        let began = Instant::now();
        let told = client.call("act", json!({"steps": [step]})).await;
        assert!(told.is_error && told.text.contains("NODE_NOT_FOUND"), "{told:?}");
        assert!(began.elapsed() < Duration::from_secs(5), "{step}: {:?}", began.elapsed());
    }
    let began = Instant::now();
    let patient = json!({"do": "tap", "on": "Nowhere", "timeout_ms": 6_500});
    client.call("act", json!({"steps": [patient]})).await;
    assert!(began.elapsed() > Duration::from_secs(5), "{:?}", began.elapsed());
    let odd = json!({"do": "tap", "on": "Nowhere", "timeout_ms": 60_000});
    let told = client.call("act", json!({"steps": [odd]})).await;
    assert!(told.text.contains("timeout_ms"), "{told:?}");
}

/// Two phones, none of them named.
#[derive(Debug)]
struct Several;

impl Discovery for Several {
    fn find<'d>(&'d self, name: &'d str) -> BoxFuture<'d, Result<String, Failure>> {
        Box::pin(async move { Ok(name.to_owned()) })
    }

    fn connect<'d>(&'d self, _: Option<&'d str>, _: Deadline) -> BoxFuture<'d, Result<Phone, Failure>> {
        let failure = Failure::of(ErrorCode::MultipleDevices, "several phones are connected");
        Box::pin(async move { Err(failure.with(|details| details.devices = vec!["a".to_owned()])) })
    }

    fn list(&self, _: Deadline) -> BoxFuture<'_, Result<Vec<DeviceEntry>, Failure>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

#[tokio::test]
async fn without_a_session_the_hint_for_several_phones_names_the_argument() {
    let server = server_with("documented-several", |its| {
        its.engine = phones::engine(&Arc::new(Several), &folder("documented-several-state"), None);
    })
    .await;
    let client = client(&server);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    let call = request("tools/call", &json!({"name": "observe", "arguments": {}, "_meta": meta}));
    let headers = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: observe"];
    let answer = post_to(&client, "/mcp", &call, &headers).await;
    let text = result(&answer).to_string();
    assert!(text.contains("Name one as device in each call"), "{text}");
    let mut session = McpClient::connect(&Arc::new(app_of_several())).await;
    let told = session.call("observe", json!({})).await;
    assert!(told.text.contains("device with use"), "{told:?}");
}

fn app_of_several() -> clawperator_server::App {
    let mut app = app("documented-several-pipe", &["phone-1"]);
    app.engine = phones::engine(&Arc::new(Several), &folder("documented-several-pipe-state"), None);
    app
}
