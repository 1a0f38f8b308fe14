//! A task of ten steps as an agent does it, with its calls and tokens counted:
//! open Settings, scroll to "About phone", open it, read the model, go back,
//! open Battery, toggle Battery Saver, verify that it is on, go home.

use crate::mcp_client::McpClient;
use crate::support::app;
use serde_json::{Value, json};
use std::sync::Arc;

/// More calls or tokens than this are a failure.
const MAX_CALLS: usize = 8;
const MAX_TOKENS: usize = 1_700;

#[tokio::test(start_paused = true)]
async fn ten_steps_take_few_calls_and_few_tokens() {
    let app = Arc::new(app("mcp-task", &["phone-1"]));
    let mut client = McpClient::connect(&app).await;
    let client = &mut client;
    step(client, "open", json!({"app": "Settings"}), "Network & internet").await;
    let about = json!([{"do": "tap", "on": "About phone", "direction": "down"}]);
    act(client, about, "\"Sim Phone\"").await;
    let battery = json!([{"do": "key", "key": "back"}, {"do": "tap", "on": "Battery", "direction": "up"}]);
    let screen = act(client, battery, "switch \"Battery Saver\" unchecked").await;
    let line = screen.lines().find(|line| line.contains("switch \"Battery Saver\""));
    let name = line.unwrap().split_whitespace().next().unwrap();
    act(client, json!([{"do": "tap", "on": name}]), "switch \"Battery Saver\" checked").await;
    act(client, json!([{"do": "key", "key": "home"}]), "new screen").await;
    println!("{}\n{} calls, {} tokens", client.heard.join("\n---\n"), client.calls, client.tokens);
    assert!(client.calls <= MAX_CALLS && client.tokens <= MAX_TOKENS);
}

async fn act(client: &mut McpClient, steps: Value, shows: &str) -> String {
    step(client, "act", json!({"steps": steps}), shows).await
}

/// Calls a tool; what an agent needs next must be in the answer.
async fn step(client: &mut McpClient, tool: &str, arguments: Value, shows: &str) -> String {
    let told = client.call(tool, arguments).await;
    assert!(!told.is_error && told.text.contains(shows), "{shows} is not in {told:?}");
    told.text
}
