//! Phones of the pool over MCP.

use crate::mcp_client::McpClient;
use crate::pool_host::{Pool, failing};
use crate::support::app;
use clawperator_agent::policy::Level;
use clawperator_pool::broker::BrokerError;
use clawperator_server::mcp::Tools;
use clawperator_server::{AgentTools, App};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const CONFORMANCE: &str = "com.clawperator.conformance";

/// A server that asks about nothing, with this pool.
async fn app_of(name: &str, pool: &Pool, phones: usize) -> App {
    pool.until_there(phones).await;
    let agent = AgentTools::default().at(Some(Level::None));
    App { pool: Some(pool.caller()), agent, ..app(name, &["phone-1"]) }
}

#[tokio::test(start_paused = true)]
async fn a_phone_of_the_pool_is_driven_with_the_tools_of_one_phone() {
    let pool = Pool::new("pool-mcp", &["a"]);
    let app = Arc::new(app_of("pool-mcp", &pool, 1).await);
    let mut client = McpClient::connect(&app).await;
    let list = client.call("device", json!({})).await;
    let lines = [
        "phone-1 device",
        "lab/a idle \"Pixel 7\"",
        "any phone of a class of the pool: any:android-14, any:phone, any:pixel, any:pixel-7",
        "choose one with use",
    ];
    assert_eq!(list.text, lines.join("\n"));
    for name in ["lab/a", "any:pixel"] {
        let chosen = client.call("device", json!({"use": name})).await;
        assert!(chosen.text.starts_with(&format!("using {name}; each call ")), "{chosen:?}");
        let opened = client.call("open", json!({"app": CONFORMANCE})).await;
        assert!(opened.text.contains("app: com.clawperator.conformance"), "{opened:?}");
        let steps = json!([{"do": "open", "on": CONFORMANCE}, {"do": "tap", "on": "Increment"}]);
        let acted = client.call("act", json!({"steps": steps})).await;
        assert!(acted.text.contains("Counter: 1") && !acted.is_error, "{acted:?}");
        let payload = json!({"actions": [{"id": "a", "type": "snapshot_ui"}]});
        let ran = client.call("execute", json!({"payload": payload})).await;
        assert_eq!(ran.whole["structuredContent"]["deviceId"], "lab/a", "{ran:?}");
        // The phone was cleaned.
        let seen = client.call("observe", json!({})).await;
        assert!(!seen.text.contains("Counter") && !seen.is_error, "{seen:?}");
        let found = client.call("find", json!({"on": "Settings"})).await;
        assert!(found.text.contains("\"Settings\""), "{found:?}");
        let failed =
            client.call("act", json!({"steps": [{"do": "tap", "on": "No such", "timeout_ms": 0}]})).await;
        assert!(failed.is_error && failed.text.starts_with("NODE_NOT_FOUND"), "{failed:?}");
    }
    let list = client.call("device", json!({})).await;
    assert!(list.text.contains("lab/a ") && !list.text.contains("choose one"), "{list:?}");
    let used = client.call("device", json!({"use": "phone-1"})).await;
    assert_eq!(used.text, "using phone-1");
    assert!(!client.call("observe", json!({})).await.is_error);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_is_reserved_stays_as_it_is_between_two_calls() {
    let pool = Pool::new("pool-mcp-kept", &["a"]);
    let app = Arc::new(app_of("pool-mcp-kept", &pool, 1).await);
    let mut client = McpClient::connect(&app).await;
    let phone = "lab/a".parse().unwrap();
    pool.caller().reserve(&phone, Duration::from_secs(600), "a test").await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    client.call("device", json!({"use": "lab/a"})).await;
    client.call("open", json!({"app": CONFORMANCE})).await;
    for count in 1..=2 {
        let acted = client.call("act", json!({"steps": [{"do": "tap", "on": "Increment"}]})).await;
        assert!(acted.text.contains(&format!("Counter: {count}")), "{acted:?}");
        // Only what changed: it is the same screen.
        assert!(!acted.text.contains("Open list"), "{acted:?}");
    }
    pool.caller().reserve(&phone, Duration::ZERO, "").await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    client.call("device", json!({"use": "any:pixel"})).await;
    let seen = client.call("observe", json!({})).await;
    assert!(!seen.is_error && !seen.text.contains("Counter"), "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn what_does_not_go_through_a_pool_is_refused_with_what_does() {
    let pool = Pool::new("pool-mcp-refused", &["a"]);
    let app = Arc::new(app_of("pool-mcp-refused", &pool, 1).await);
    let mut client = McpClient::connect(&app).await;
    for name in ["lab/b", "any:nokia"] {
        let refused = client.call("device", json!({"use": name})).await;
        assert!(refused.is_error && refused.text.starts_with("DEVICE_NOT_FOUND"), "{refused:?}");
    }
    let many = client.call("device", json!({"use": "all:pixel"})).await;
    assert!(many.is_error && many.text.contains("any:pixel"), "{many:?}");
    client.call("device", json!({"use": "lab/a"})).await;
    for (tool, arguments) in [
        ("observe", json!({"picture": true})),
        ("observe", json!({"marks": true})),
        ("record", json!({"do": "start"})),
        ("approval", json!({"ask": "May I?"})),
        ("device", json!({"apps": true})),
    ] {
        let refused = client.call(tool, arguments).await;
        assert!(refused.is_error && refused.text.starts_with("TOOL_UNAVAILABLE"), "{tool}: {refused:?}");
        assert!(refused.text.contains("lab/a") && refused.text.contains("hint: "), "{refused:?}");
    }
    let path = json!({"actions": [{"id": "a", "type": "take_screenshot", "params": {"path": "/tmp/x.png"}}]});
    let refused = client.call("execute", json!({"payload": path})).await;
    assert!(refused.text.starts_with("EXECUTION_VALIDATION_FAILED"), "{refused:?}");
    assert!(pool.phones.asked("a").iter().all(|asked| !asked.contains("screencap")));
}

#[tokio::test(start_paused = true)]
async fn a_policy_goes_with_the_job_and_is_judged_on_the_host() {
    let pool = Pool::new("pool-mcp-policy", &["a"]);
    let app = Arc::new(App { agent: AgentTools::default(), ..app_of("pool-mcp-policy", &pool, 1).await });
    let mut client = McpClient::connect(&app).await;
    client.call("device", json!({"use": "lab/a"})).await;
    let opened = client.call("open", json!({"app": CONFORMANCE})).await;
    assert!(!opened.is_error, "{opened:?}");
    for (verdict, code) in [("deny", "POLICY_DENIED"), ("ask", "POLICY_DENIED")] {
        let rules =
            format!("rules:\n  - tool: launch_app\n    app: {CONFORMANCE}\n    decision: {verdict}\n");
        std::fs::write(app.state.join("policy.yaml"), rules).unwrap();
        let refused = client.call("open", json!({"app": CONFORMANCE})).await;
        assert!(refused.is_error && refused.text.contains(code), "{refused:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_pool_its_names_are_refused_and_others_are_serials() {
    let serials = ["127.0.0.1:5555", "usb/1", "any:1"];
    let mut app = app("pool-mcp-none", &serials);
    app.agent = AgentTools::default().at(Some(Level::None));
    let app = Arc::new(app);
    let mut client = McpClient::connect(&app).await;
    for serial in serials {
        assert_eq!(client.call("device", json!({"use": serial})).await.text, format!("using {serial}"));
        let seen = client.call("observe", json!({})).await;
        assert!(!seen.is_error, "{serial}: {seen:?}");
    }
    for name in ["lab/a", "any:pixel", "all:pixel"] {
        let refused = client.call("device", json!({"use": name})).await;
        assert!(refused.is_error && refused.text.starts_with("POOL_UNAVAILABLE"), "{refused:?}");
        assert!(refused.text.contains("--pool"), "{refused:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_no_longer_than_a_minute_for_a_phone_of_the_pool() {
    let pool = Pool::new("pool-mcp-busy", &["a"]);
    let app = Arc::new(app_of("pool-mcp-busy", &pool, 1).await);
    let mut client = McpClient::connect(&app).await;
    client.call("device", json!({"use": "any:pixel"})).await;
    let wish = Duration::from_secs(3_600);
    pool.caller().reserve(&"lab/a".parse().unwrap(), wish, "a test").await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let late = client.call("observe", json!({})).await;
    assert!(late.is_error && late.text.starts_with("JOB_EXPIRED"), "{late:?}");
    assert!(pool.caller().jobs().await.unwrap().waiting.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_its_client_cancels_ends_on_the_phone() {
    let pool = Pool::new("pool-mcp-cancel", &["a"]);
    let app = Arc::new(app_of("pool-mcp-cancel", &pool, 1).await);
    let mut client = McpClient::connect(&app).await;
    client.call("device", json!({"use": "lab/a"})).await;
    let payload = json!({"commandId": "long", "actions": [{"id": "s", "type": "sleep", "params": {"durationMs": 50_000}}]});
    let call = json!({"name": "execute", "arguments": {"payload": payload}, "_meta": {"progressToken": "p"}});
    let id = client.send("tools/call", call).await;
    let told = client.next_message().await;
    assert_eq!(told["params"]["message"], "sleep", "{told}");
    client.notify("notifications/cancelled", json!({"requestId": id})).await;
    let job = clawperator_pool::JobId::of("long");
    let result = pool.caller().result(&job).await.unwrap();
    assert!(result.ended.outcome.json.contains("EXECUTION_CANCELLED"), "{}", result.ended.outcome.json);
}

#[tokio::test(start_paused = true)]
async fn a_pool_that_does_not_answer_is_said_and_other_phones_go_on() {
    let mut app = app("pool-mcp-away", &["phone-1"]);
    app.pool = Some(failing(BrokerError::Unavailable("a test".to_owned())));
    app.agent = AgentTools::default().at(Some(Level::None));
    let mut client = McpClient::connect(&Arc::new(app)).await;
    let list = client.call("device", json!({})).await;
    assert!(list.text.contains("phone-1 device") && list.text.contains("POOL_UNAVAILABLE"), "{list:?}");
    let refused = client.call("device", json!({"use": "lab/a"})).await;
    assert!(refused.is_error && refused.text.starts_with("POOL_UNAVAILABLE"), "{refused:?}");
    assert!(!client.call("observe", json!({})).await.is_error);
}

#[tokio::test(start_paused = true)]
async fn the_tools_of_an_agent_are_for_phones_of_this_computer() {
    let pool = Pool::new("pool-mcp-agent", &["a"]);
    let mut app = app_of("pool-mcp-agent", &pool, 1).await;
    app.device = Some("lab/a".to_owned());
    let mut client = McpClient::connect_with(&Arc::new(app), Tools::Agent, json!({})).await;
    let refused = client.call("tap", json!({"x": 1, "y": 1})).await;
    assert!(refused.is_error && refused.text.starts_with("INVALID_DEVICE_ID"), "{refused:?}");
}
