//! Executions over HTTP that are answered with what changed.

use crate::mcp_client::tokens;
use crate::support::{client, server, server_with};
use clawperator_contract::LookAfter;
use serde_json::{Value, json};

fn body(actions: &Value) -> Value {
    json!({"execution": {"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 30_000,
        "expectedFormat": "android-ui-automator", "actions": actions}})
}

fn click(id: &str) -> Value {
    json!({"id": id, "type": "tap", "params": {"matcher": {"textEquals": "Increment"}}})
}

#[tokio::test]
async fn an_execution_that_acts_is_answered_with_what_changed_where_that_is_the_default() {
    let server = server_with("http-views", |app| app.looks = LookAfter::Always).await;
    let client = client(&server);
    let open =
        json!({"id": "o", "type": "open_app", "params": {"applicationId": "com.clawperator.conformance"}});
    let steps = async |path: &str, actions: Value| {
        let answer = client.post(path, &body(&actions)).await.json();
        assert_eq!(answer["envelope"]["status"], "success", "{answer}");
        answer["envelope"]["stepResults"].as_array().unwrap().clone()
    };
    let opened = steps("/execute", json!([open])).await;
    assert_eq!((opened.len(), &opened[1]["id"]), (2, &json!("view")), "{opened:?}");
    // The id is free, whatever the caller calls its own.
    let clicked = steps("/execute", json!([click("view")])).await;
    assert_eq!(clicked[1]["id"], "view_", "{clicked:?}");
    let text = clicked[1]["data"]["text"].as_str().unwrap();
    assert!(text.contains("Counter: 1") && !text.contains("Increment"), "{clicked:?}");
    // What only looks, what ends with a look, and what is asked to be left out.
    let read = json!({"id": "r", "type": "read_text", "params": {"matcher": {"textEquals": "Increment"}}});
    let look = json!({"id": "s", "type": "snapshot_ui"});
    assert_eq!(steps("/execute", json!([read])).await.len(), 1);
    assert_eq!(steps("/execute", json!([click("a"), look])).await.len(), 2);
    assert_eq!(steps("/execute?view=false", json!([click("a")])).await.len(), 1);
    server.end().await;
}

#[tokio::test]
async fn a_view_is_added_if_it_is_asked_for_and_5000_elements_stay_small() {
    let server = server("http-views-asked").await;
    let client = client(&server);
    let open = json!([{"id": "o", "type": "open_uri", "params": {"uri": "trouble://many"}}]);
    let plain = client.post("/execute", &body(&open)).await.json();
    assert_eq!(plain["envelope"]["stepResults"].as_array().unwrap().len(), 1);
    let viewed = client.post("/execute?view=true", &body(&open)).await.json();
    let view = &viewed["envelope"]["stepResults"][1]["data"];
    assert!(tokens(view["text"].as_str().unwrap()) <= 1_000, "{viewed}");
    let actions = [
        json!([{"id": "s", "type": "snapshot_ui", "params": {"view": "compact"}}]),
        json!([{"id": "q", "type": "query"}]),
    ];
    for (actions, more) in actions.iter().zip(["omitted", "a larger limit, up to 1000, lists more"]) {
        let answer = client.post("/execute", &body(actions)).await;
        let data = &answer.json()["envelope"]["stepResults"][0]["data"];
        assert!(data.to_string().contains(more), "{}", answer.body);
        assert!(tokens(&data.to_string()) <= 1_100, "{}: {data}", tokens(&data.to_string()));
    }
    let wrong = client.post("/execute?view=perhaps", &body(&open)).await;
    assert_eq!(wrong.refusal(), (400, "INVALID_REQUEST".to_owned()));
    server.end().await;
}
