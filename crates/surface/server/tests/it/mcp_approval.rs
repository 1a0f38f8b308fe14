//! A person is asked over MCP: in the client where it can, else elsewhere.

use crate::mcp_client::{McpClient, told};
use crate::support::app;
use clawperator_agent::approval::{Desk, PersonDecision, State, Submission, Who};
use clawperator_events::Clock;
use clawperator_server::App;
use clawperator_server::mcp::Tools;
use serde_json::{Value, json};
use std::sync::Arc;

const FORM: &str = "com.clawperator.form";

/// The desk of the terminal.
fn terminal(app: &Arc<App>) -> Desk {
    let engine = app.engine.clone();
    Desk::open(&app.state, Arc::new(Clock::new(move || engine.now_ms()))).unwrap()
}

fn id_of(text: &str) -> &str {
    let id = text.split(':').next().unwrap();
    assert!(id.starts_with("ap-"), "{text}");
    id
}

/// What somebody with the link could decide with is nowhere.
fn has_no_link(text: &str) -> bool {
    !text.contains("/approve/") && !text.contains('#')
}

#[tokio::test]
async fn a_client_that_can_ask_its_user_does() {
    let app = Arc::new(app("mcp-approval-elicit", &["phone-1"]));
    let can = json!({"elicitation": {}});
    let mut client = McpClient::connect_with(&app, Tools::Phone, can).await;
    for (action, said) in [
        ("accept", "A person approved the request"),
        ("decline", "A person rejected the request"),
        ("cancel", "No person has decided yet"),
    ] {
        let arguments = json!({"ask": "May I open the camera?", "capability": "permission"});
        let call = json!({"name": "approval", "arguments": arguments});
        let id = client.send("tools/call", call).await;
        let result = match action {
            "accept" => json!({"action": action, "content": {}}),
            _ => json!({"action": action}),
        };
        let asked = client.reply("elicitation/create", result).await;
        let message = asked["message"].as_str().unwrap();
        assert!(message.contains("May I open the camera?") && has_no_link(&asked.to_string()), "{asked}");
        let told = told(&client.answer(id).await);
        assert!(told.text.contains(said) && has_no_link(&told.text), "{told:?}");
        let later = client.call("approval", json!({"id": id_of(&told.text)})).await;
        assert_eq!(later.text, told.text);
    }
    // A value must not pass through the client.
    for capability in ["2fa", "oauth"] {
        let arguments = json!({"ask": "Sign in.", "capability": capability});
        let told = client.call("approval", arguments).await;
        assert!(told.text.contains("No person has decided yet"), "{told:?}");
    }
}

#[tokio::test]
async fn a_person_who_is_asked_elsewhere_gives_what_the_model_never_sees() {
    let app = Arc::new(app("mcp-approval", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    let field = json!({"resourceId": "com.clawperator.form:id/input_email"});
    let steps =
        json!([{"do": "open", "on": FORM}, {"do": "tap", "on": "Sign in"}, {"do": "tap", "match": field}]);
    let focused = client.call("act", json!({"steps": steps})).await;
    assert!(!focused.is_error, "{focused:?}");
    let asked = client.call("approval", json!({"ask": "The code.", "capability": "2fa"})).await;
    let id = id_of(&asked.text);
    let command = format!("clawperator approvals approve {id}");
    assert!(asked.text.contains(&command) && has_no_link(&asked.text), "{asked:?}");
    let early = client.call("approval", json!({"id": id, "apply": true})).await;
    assert!(early.is_error && early.text.starts_with("APPROVAL_NOT_APPLIED: "), "{early:?}");
    let verdict = PersonDecision::Approve {
        answer: Submission::new(json!({"text": "491823"}).to_string()),
        note: None,
    };
    let decided = terminal(&app).decide(id, Who::User("terminal"), verdict).await;
    decided.unwrap();
    let known = client.call("approval", json!({"id": id})).await;
    assert!(known.text.contains("approved the request and gave: "), "{known:?}");
    let applied = client.call("approval", json!({"id": id, "apply": true})).await;
    let result: Value = serde_json::from_str(&applied.text).unwrap_or_else(|_| panic!("{applied:?}"));
    assert_eq!(result["applied"][0]["result"], "typed", "{applied:?}");
    // Another screen is another question, and its link is for the person.
    client.call("act", json!({"steps": [{"do": "key", "key": "home"}]})).await;
    let again = client.call("approval", json!({"id": id, "apply": true})).await;
    assert!(again.text.contains("askedAgain") && has_no_link(&again.text), "{again:?}");
    assert!(client.heard.iter().all(|text| !text.contains("491823")));
    let wrong = client.call("approval", json!({"capability": "2fa"})).await;
    assert!(wrong.is_error && wrong.text.contains("ask is missing"), "{wrong:?}");
}

#[tokio::test]
async fn a_decision_elsewhere_or_a_cancelled_call_ends_the_question() {
    let app = Arc::new(app("mcp-approval-race", &["phone-1"]));
    let mut client = McpClient::connect_with(&app, Tools::Phone, json!({"elicitation": {}})).await;
    let desk = terminal(&app);
    let call = json!({"name": "approval", "arguments": {"ask": "May I?"}});
    let id = client.send("tools/call", call.clone()).await;
    while client.next_message().await["method"] != "elicitation/create" {}
    let pending = desk.list(Some(State::Pending), 10).await.unwrap();
    let verdict = PersonDecision::Reject { note: None };
    let decided = desk.decide(&pending[0].id, Who::User("terminal"), verdict).await;
    decided.unwrap();
    let told = told(&client.answer(id).await);
    assert!(told.text.contains("A person rejected the request"), "{told:?}");
    // The caller does not wait any more, so no person is asked.
    let id = client.send("tools/call", call).await;
    while client.next_message().await["method"] != "elicitation/create" {}
    let told = desk.last_change().await.unwrap();
    client.notify("notifications/cancelled", json!({"requestId": id})).await;
    let (_, ended) = desk.next_change(told).await.unwrap();
    assert_eq!(ended.state, State::Rejected, "{ended:?}");
}
