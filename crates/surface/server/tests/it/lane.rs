//! The lane of an execution over HTTP.

use crate::support::{Answer, Ask, Client, Server, client, server};
use clawperator_adb::{Device, ServiceStream};
use clawperator_phone::Deadline;
use serde_json::{Value, json};
use std::time::Duration;

const SERVER: &str = "shell:echo jar >/data/local/tmp/u2.jar; CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008";

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(30))
}

/// Starts the resident server, which ends with what is returned.
async fn start(server: &Server) -> (Device, ServiceStream) {
    let device = server.phones.link("phone-1", soon()).await.unwrap();
    let mut stream = device.open(SERVER, soon()).await.unwrap();
    let mut printed = String::new();
    while !printed.contains("listening") {
        let more = stream.split().0.receive().await.unwrap().unwrap();
        printed.push_str(&String::from_utf8_lossy(&more));
    }
    (device, stream)
}

async fn execute(client: &Client, lane: Option<&str>, actions: &Value) -> Answer {
    let mut body = json!({"execution": {"commandId": "c", "taskId": "t", "source": "test",
        "timeoutMs": 30_000, "expectedFormat": "android-ui-automator", "actions": actions}});
    if let Some(lane) = lane {
        body["lane"] = lane.into();
    }
    let ask = Ask {
        method: "POST",
        path: "/execute",
        headers: &["Content-Type: application/json"],
        body: &body.to_string(),
    };
    client.ask(ask).await
}

fn open() -> Value {
    json!([{"id": "o", "type": "open_app", "params": {"applicationId": "com.clawperator.conformance"}}])
}

fn count() -> Value {
    json!([
        {"id": "count", "type": "click", "params": {"matcher": {"textEquals": "Increment"}}},
        {"id": "read", "type": "read_text", "params": {"matcher": {"textContains": "Counter"}}}
    ])
}

/// The counter, and the lane that the result names.
fn told(answer: &Answer) -> (String, Value) {
    let result = answer.json();
    let text = &result["envelope"]["stepResults"][1]["data"]["text"];
    (text.as_str().unwrap_or_default().to_owned(), result["lane"].clone())
}

#[tokio::test]
async fn the_lane_of_an_execution_is_used_and_named() {
    let server = server("http_lane").await;
    let there = client(&server);
    assert_eq!(execute(&there, None, &open()).await.status, 200);
    // There is no server: nothing is done.
    let refused = execute(&there, Some("resident"), &count()).await;
    assert_eq!(refused.refusal(), (409, "LANE_UNAVAILABLE".to_owned()));
    let hint = &refused.json()["error"]["details"]["hint"];
    assert!(hint.to_string().contains("lane setup"), "{refused:?}");
    let dumped = execute(&there, Some("dump"), &count()).await;
    assert_eq!(told(&dumped), ("Counter: 1".to_owned(), Value::Null));
    // There is one.
    let resident = start(&server).await;
    for (lane, counter, named) in [
        (Some("resident"), "Counter: 2", Value::from("resident")),
        (Some("auto"), "Counter: 3", Value::from("resident")),
        (None, "Counter: 4", Value::from("resident")),
    ] {
        let answer = execute(&there, lane, &count()).await;
        assert_eq!(told(&answer), (counter.to_owned(), named), "{lane:?}");
    }
    drop(resident);
    let odd = execute(&there, Some("fast"), &count()).await;
    assert_eq!(odd.refusal(), (400, "INVALID_REQUEST".to_owned()));
}
