//! The levels of the policy: before something is paid for, a person is asked, over
//! every surface that a model drives and in whatever way it is pressed.

use crate::mcp_client::{McpClient, told};
use crate::support::{app, client, server, server_with};
use clawperator_agent::approval::{Desk, PersonDecision, Submission, Who};
use clawperator_agent::policy::Level;
use clawperator_events::Clock;
use clawperator_server::mcp::Tools;
use clawperator_server::{AgentTools, App};
use serde_json::{Value, json};
use std::sync::Arc;

const SHOP: &str = "trouble://same_text";

fn desk(app: &Arc<App>) -> Desk {
    let engine = app.engine.clone();
    Desk::open(&app.state, Arc::new(Clock::new(move || engine.now_ms()))).unwrap()
}

async fn approve(app: &Arc<App>, text: &str) {
    let id = text.split(['(', ')']).find(|part| part.starts_with("ap-")).unwrap();
    let yes = PersonDecision::Approve { answer: Submission::empty(), note: None };
    desk(app).decide(id, Who::User("terminal"), yes).await.unwrap();
}

/// Every way to press "Pay now" with the tools for a phone.
fn ways() -> Vec<(&'static str, Value)> {
    let button = json!({"resourceId": "com.clawperator.trouble:id/card_button"});
    let card = json!({"resourceId": "com.clawperator.trouble:id/pay_card"});
    let act = |step: Value| json!({"steps": [step]});
    let run = |action: Value| json!({"payload": {"actions": [action]}});
    vec![
        ("act", act(json!({"do": "tap", "match": button}))),
        ("act", act(json!({"do": "tap", "match": card}))),
        ("act", act(json!({"do": "tap", "match": button, "direction": "down"}))),
        ("act", act(json!({"do": "drag", "match": button, "to": "1000,580"}))),
        ("act", act(json!({"do": "drag", "on": "500,1500", "to": "PAY", "hold": true}))),
        ("act", act(json!({"do": "tap", "on": "PAY"}))),
        ("act", act(json!({"do": "long_press", "on": "PAY"}))),
        ("execute", run(json!({"id": "a", "type": "click", "params": {"matcher": button}}))),
        ("execute", run(json!({"id": "a", "type": "click", "params": {"coordinate": "PAY"}}))),
        ("execute", run(json!({"id": "a", "type": "scroll_and_click", "params": {"matcher": button}}))),
        (
            "execute",
            run(json!({"id": "a", "type": "tap", "params": {"matcher": card, "retry": {"maxAttempts": 3}}})),
        ),
    ]
}

/// The centre of the button.
async fn centre(client: &mut McpClient) -> (i64, i64) {
    let found =
        client.call("find", json!({"match": {"resourceId": "com.clawperator.trouble:id/card_button"}})).await;
    let at = found.text.rsplit("at ").next().unwrap().trim();
    let (x, y) = at.split_once(',').unwrap();
    (x.parse().unwrap(), y.parse().unwrap())
}

fn at(arguments: &Value, (x, y): (i64, i64)) -> Value {
    let text = arguments.to_string();
    let text = text.replace("\"coordinate\":\"PAY\"", &format!("\"coordinate\":{{\"x\":{x},\"y\":{y}}}"));
    serde_json::from_str(&text.replace("\"PAY\"", &format!("\"{x},{y}\""))).unwrap()
}

#[tokio::test]
async fn mcp_asks_before_it_pays_however_the_button_is_pressed() {
    let app = Arc::new(app("mcp-policy-ways", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    let opened = client.call("open", json!({"app": SHOP})).await;
    assert!(opened.text.contains("Pressed: nothing"), "{opened:?}");
    let place = centre(&mut client).await;
    for (tool, arguments) in ways() {
        let told = client.call(tool, at(&arguments, place)).await;
        assert!(told.is_error && told.text.contains("APPROVAL_REQUIRED"), "{arguments}: {told:?}");
        let sent = told.text.contains("dispatched: no") || told.text.contains(r#""dispatched":"no""#);
        assert!(sent, "{arguments}: {told:?}");
    }
    let seen = client.call("observe", json!({})).await;
    assert!(seen.text.contains("Pressed: nothing"), "{seen:?}");
}

#[tokio::test]
async fn the_same_call_goes_on_once_it_is_approved_and_a_yes_counts_once() {
    let app = Arc::new(app("mcp-policy-later", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    client.call("open", json!({"app": SHOP})).await;
    let pay =
        json!({"steps": [{"do": "tap", "match": {"resourceId": "com.clawperator.trouble:id/card_button"}}]});
    let asked = client.call("act", pay.clone()).await;
    assert!(asked.text.contains("APPROVAL_REQUIRED"), "{asked:?}");
    approve(&app, &asked.text).await;
    // It is a yes to who asked.
    let other = McpClient::connect(&app).await.call("act", pay.clone()).await;
    assert!(other.text.contains("APPROVAL_REQUIRED"), "{other:?}");
    let done = client.call("act", pay.clone()).await;
    assert!(!done.is_error && done.text.contains("Pressed: button"), "{done:?}");
    let again = client.call("act", pay).await;
    assert!(again.is_error && again.text.contains("APPROVAL_REQUIRED"), "{again:?}");
}

#[tokio::test]
async fn a_yes_that_was_not_used_is_void_once_something_else_is_asked() {
    let app = Arc::new(app("mcp-policy-void", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    client.call("open", json!({"app": SHOP})).await;
    let pay =
        json!({"steps": [{"do": "tap", "match": {"resourceId": "com.clawperator.trouble:id/card_button"}}]});
    let asked = client.call("act", pay.clone()).await;
    approve(&app, &asked.text).await;
    let at = json!({"steps": [{"do": "long_press", "on": "220,580"}]});
    assert!(client.call("act", at).await.text.contains("APPROVAL_REQUIRED"));
    let again = client.call("act", pay).await;
    assert!(again.text.contains("APPROVAL_REQUIRED"), "{again:?}");
    let seen = client.call("observe", json!({})).await;
    assert!(seen.text.contains("Pressed: nothing"), "{seen:?}");
}

#[tokio::test]
async fn a_client_that_can_ask_its_user_asks_and_the_steps_go_on() {
    let app = Arc::new(app("mcp-policy-elicit", &["phone-1"]));
    let can = json!({"elicitation": {}});
    let mut client = McpClient::connect_with(&app, Tools::Phone, can).await;
    let steps = json!([{"do": "open", "on": SHOP},
        {"do": "tap", "match": {"resourceId": "com.clawperator.trouble:id/card_button"}}]);
    for (answer, said) in [
        (json!({"action": "decline"}), "APPROVAL_REJECTED"),
        (json!({"action": "accept", "content": {"approve": false}}), "APPROVAL_REJECTED"),
        (json!({"action": "accept", "content": {"approve": "no"}}), "APPROVAL_REJECTED"),
        (json!({"action": "accept", "content": {}}), "Pressed: button"),
    ] {
        let call = json!({"name": "act", "arguments": {"steps": steps}});
        let id = client.send("tools/call", call).await;
        let asked = client.reply("elicitation/create", answer.clone()).await;
        let message = asked["message"].as_str().unwrap();
        for part in
            ["App: \"com.clawperator.trouble\"", "screen's words: \"Pay now\"", "Asked by: \"MCP client\""]
        {
            assert!(message.contains(part), "{part}: {message}");
        }
        let told = told(&client.answer(id).await);
        assert!(told.text.contains(said), "{answer}: {told:?}");
    }
}

#[tokio::test]
async fn a_level_is_for_every_surface_and_executions_of_programs_have_none() {
    let click = json!({"execution": {"commandId": "c1", "taskId": "t", "source": "test", "timeoutMs": 20000,
        "expectedFormat": "android-ui-automator", "actions": [
        {"id": "a", "type": "open_uri", "params": {"uri": SHOP}},
        {"id": "b", "type": "click", "params": {"matcher": {"resourceId": "com.clawperator.trouble:id/card_button"}}}]}});
    let plain = server("policy-http-none").await;
    let done = client(&plain).post("/execute", &click).await;
    assert_eq!(done.status, 200, "{done:?}");
    let strict = server_with("policy-http-money", |app| {
        app.agent = AgentTools::default().at(Some(Level::Money));
    })
    .await;
    let refused = client(&strict).post("/execute", &click).await;
    assert!(
        refused.body.contains("APPROVAL_REQUIRED") && refused.body.contains("approval_id"),
        "{refused:?}"
    );
    // The app is open now. What its screen held back is not said to be allowed.
    let tap = json!({"tool": "tap", "args": {"x": 220, "y": 580}, "timeoutMs": 1});
    let held = client(&strict).post("/agent/act", &tap).await.json();
    assert_eq!(
        (&held["decision"], &held["result"]["error"]["code"]),
        (&json!("ask"), &json!("APPROVAL_REQUIRED")),
        "{held}"
    );
    let loose = Arc::new(App {
        agent: AgentTools::default().at(Some(Level::None)),
        ..app("mcp-policy-none", &["phone-1"])
    });
    let mut client = McpClient::connect(&loose).await;
    client.call("open", json!({"app": SHOP})).await;
    let pay =
        json!({"steps": [{"do": "tap", "match": {"resourceId": "com.clawperator.trouble:id/card_button"}}]});
    assert!(client.call("act", pay).await.text.contains("Pressed: button"));
}

#[tokio::test]
async fn a_screen_that_never_rests_is_asked_about() {
    let app = Arc::new(app("mcp-policy-unseen", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    client.call("open", json!({"app": "trouble://never_idle"})).await;
    let told = client
        .call(
            "execute",
            json!({"payload": {"actions": [
        {"id": "a", "type": "click", "params": {"coordinate": {"x": 500, "y": 500}}}]}}),
        )
        .await;
    assert!(told.is_error && !told.text.contains(r#""success":true"#), "{told:?}");
}
