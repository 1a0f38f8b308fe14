//! The tools of an agent over MCP, on a pipe and over HTTP.

use crate::mcp_client::{McpClient, told};
use crate::mcp_http::{post_to, request, result};
use crate::support::{Answer, Client, app, client, server};
use clawperator_server::mcp::Tools;
use serde_json::{Value, json};
use std::sync::Arc;

const CONFORMANCE: &str = "com.clawperator.conformance";

#[tokio::test(start_paused = true)]
async fn an_agents_tools_are_listed_and_carried_out_on_a_pipe() {
    let app = Arc::new(app("mcp-agent", &["phone-1"]));
    let mut client = McpClient::connect_with(&app, Tools::Agent, json!({})).await;
    let list = client.ask("tools/list", json!({})).await;
    let tools = list["result"]["tools"].as_array().unwrap();
    let hints = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let hints = &tool["annotations"];
        (hints["readOnlyHint"] == json!(true), hints["destructiveHint"] == json!(true))
    };
    assert_eq!(hints("tap"), (false, true));
    assert_eq!(hints("read"), (true, false));
    assert_eq!(hints("shell"), (false, true));
    assert!(tools.iter().all(|tool| tool["name"] != "observe"));
    let opened = client.call("launch_app", json!({"packageName": CONFORMANCE})).await;
    assert!(!opened.is_error && !opened.text.is_empty(), "{opened:?}");
    // What was repaired is said.
    let tapped = client.call("tap", json!({"x": "5", "y": 5})).await;
    assert!(!tapped.is_error && tapped.text.ends_with("repaired: x"), "{tapped:?}");
    // There was no yes.
    let shell = client.call("shell", json!({"command": "id"})).await;
    for part in ["APPROVAL_REQUIRED: ", "clawperator approvals approve ap-", "\ndispatched: no"] {
        assert!(shell.is_error && shell.text.contains(part), "{part}: {shell:?}");
    }
    let key = client.call("keyevent", json!({"keycode": "KEYCODE_FLY"})).await;
    assert!(key.is_error && key.text.contains("\ndispatched: no"), "{key:?}");
    let other = client.ask("tools/call", json!({"name": "observe"})).await;
    assert!(other["error"]["message"].as_str().unwrap().contains("tap, "), "{other}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_with_several_phones_is_told_how_to_choose() {
    let app = Arc::new(app("mcp-agent-two", &["phone-1", "phone-2"]));
    let mut client = McpClient::connect_with(&app, Tools::Agent, json!({})).await;
    let told = client.call("tap", json!({"x": 5, "y": 5})).await;
    for part in ["MULTIPLE_DEVICES", "--device", "phones: phone-1, phone-2"] {
        assert!(told.is_error && told.text.contains(part), "{part}: {told:?}");
    }
}

#[tokio::test]
async fn an_address_chooses_the_tools_of_an_agent() {
    let server = server("mcp-agent-http").await;
    let client = client(&server);
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let hello = request("initialize", &hello);
    let refused = post_to(&client, "/mcp?tools=all", &hello, &[]).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    let answer = post_to(&client, "/mcp?tools=agent", &hello, &[]).await;
    assert_eq!(result(&answer)["capabilities"]["prompts"], Value::Null);
    let mut lines = answer.head.lines();
    let session = lines.find(|line| line.to_lowercase().starts_with("mcp-session-id:"));
    let session = session.unwrap();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let ready = post_to(&client, "/mcp?tools=agent", &ready, &[session]).await;
    assert_eq!(ready.status, 202);
    let ask = async |method: &str, params: Value| {
        result(&post_to(&client, "/mcp?tools=agent", &request(method, &params), &[session]).await)
    };
    assert_eq!(ask("tools/list", json!({})).await["tools"][0]["name"], "tap");
    let open = json!({"name": "launch_app", "arguments": {"packageName": CONFORMANCE}});
    let opened = ask("tools/call", open).await;
    assert_eq!(opened["isError"], Value::Null, "{opened}");
    let shell = ask("tools/call", json!({"name": "shell", "arguments": {"command": "id"}})).await;
    assert_eq!(shell["isError"], true, "{shell}");
}

#[tokio::test]
async fn a_client_that_can_ask_its_user_does_so_before_an_act() {
    let app = Arc::new(app("mcp-agent-elicit", &["phone-1"]));
    let mut client = McpClient::connect_with(&app, Tools::Agent, json!({"elicitation": {}})).await;
    for (action, said) in
        [("accept", "done"), ("decline", "APPROVAL_REJECTED"), ("cancel", "APPROVAL_REQUIRED")]
    {
        let call = json!({"name": "shell", "arguments": {"command": "echo done"}});
        let id = client.send("tools/call", call).await;
        let asked = client.reply("elicitation/create", json!({"action": action})).await;
        let message = asked["message"].as_str().unwrap();
        assert!(message.contains("echo done"), "{asked}");
        let told = told(&client.answer(id).await);
        assert!(told.text.contains(said), "{action}: {told:?}");
    }
}

/// A call of the newest protocol, over HTTP.
async fn call_newest(client: &Client, path: &str, mut params: Value) -> Answer {
    params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}});
    let name = format!("Mcp-Name: {}", params["name"].as_str().unwrap());
    let headers = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", &name];
    post_to(client, path, &request("tools/call", &params), &headers).await
}

#[tokio::test]
async fn the_newest_protocol_asks_over_several_round_trips() {
    let server = server("mcp-agent-rounds").await;
    let client = client(&server);
    let shell = json!({"name": "shell", "arguments": {"command": "echo done"}});
    let may = json!({"name": "approval", "arguments": {"ask": "May I?", "capability": "permission"}});
    for (path, call, action, said) in [
        ("/mcp?tools=agent", &shell, "accept", "done"),
        ("/mcp?tools=agent", &shell, "decline", "APPROVAL_REJECTED"),
        ("/mcp?tools=agent", &shell, "cancel", "APPROVAL_REQUIRED"),
        ("/mcp", &may, "accept", "A person approved"),
        ("/mcp", &may, "cancel", "No person has decided yet"),
    ] {
        let first = result(&call_newest(&client, path, call.clone()).await);
        assert_eq!(first["resultType"], "input_required", "{first}");
        let question = &first["inputRequests"]["approval"];
        assert_eq!(question["method"], "elicitation/create", "{first}");
        let mut again = call.clone();
        again["requestState"] = first["requestState"].clone();
        again["inputResponses"] = json!({"approval": {"action": action}});
        let mut other = again.clone();
        other["arguments"]["x"] = json!(1);
        let forged = call_newest(&client, path, other).await;
        assert!(forged.body.contains("requestState"), "{forged:?}");
        let told = told(&json!({"result": result(&call_newest(&client, path, again.clone()).await)}));
        assert!(told.text.contains(said), "{action}: {told:?}");
        // An answer counts once.
        let twice = call_newest(&client, path, again).await;
        assert!(twice.body.contains("requestState"), "{twice:?}");
    }
}
