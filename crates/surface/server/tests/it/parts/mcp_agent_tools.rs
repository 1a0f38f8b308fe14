//! Tests of `mcp/agent_tools.rs`.

use crate::mcp_client::McpClient;
use crate::support::app;
use clawperator_agent::tool::TOOLS;
use clawperator_server::mcp::Tools;
use serde_json::json;
use std::sync::Arc;

#[tokio::test(start_paused = true)]
async fn every_tool_of_the_catalogue_is_listed() {
    let app = Arc::new(app("mcp-agent-list", &["phone-1"]));
    let mut client = McpClient::connect_with(&app, Tools::Agent, json!({})).await;
    let list = client.ask("tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), TOOLS.len());
}
