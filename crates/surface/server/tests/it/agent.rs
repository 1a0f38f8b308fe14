//! The tools of an agent over HTTP.

use crate::support::{Ask, Client, client, folder, server, server_with};
use clawperator_agent::workspace::WorkspaceSettings;
use clawperator_server::AgentTools;
use serde_json::{Value, json};

#[tokio::test]
async fn the_tools_of_an_agent_are_listed_and_tried() {
    let server = server("agent_act").await;
    let client = client(&server);
    let tools = client.get("/agent/tools?format=mcp").await.json();
    assert_eq!(tools["tools"][0]["name"], "tap");
    assert_eq!(client.get("/agent/tools?format=x").await.status, 400);
    let dry = json!({"tool": "tap", "args": {"x": "5", "type": "shell"}, "dryRun": true});
    let expected = json!({"ok": true, "action": {"type": "tap", "x": 5, "y": 0},
        "repairs": ["x", "y", "type"], "decision": "allow"});
    assert_eq!(client.post("/agent/act", &dry).await.json(), expected);
    let open = json!({"tool": "launch_app", "args": {"packageName": "com.clawperator.conformance"}});
    let opened = client.post("/agent/act", &open).await.json();
    assert_eq!(opened["result"]["ok"], true, "{opened}");
    let journal = format!("/journals/{}", opened["journal"].as_str().unwrap());
    let journal = client.get(&journal).await;
    for part in ["launch_app", "com.clawperator.conformance", "step_end"] {
        assert!(journal.body.contains(part), "{part}: {journal:?}");
    }
    // It was a run like any other.
    let run = client.get("/runs").await.json()["runs"][0].clone();
    assert_eq!(
        [&run["journal"], &run["state"], &run["status"]],
        [&opened["journal"], &json!("ended"), &json!("success")]
    );
    // A program cannot say yes in place of a person.
    let shell = json!({"tool": "shell", "args": {"command": "id"}, "approve": true, "timeoutMs": 1});
    let refused = client.post("/agent/act", &shell).await.json();
    let error = &refused["result"]["error"];
    assert_eq!(error["code"], "APPROVAL_REQUIRED", "{refused}");
    assert!(error["approval"].as_str().unwrap().starts_with("ap-"), "{refused}");
    // Nothing is there for files.
    let read = json!({"tool": "read", "args": {"path": "a"}});
    let refused = client.post("/agent/act", &read).await.json();
    let error = &refused["result"]["error"];
    assert_eq!(error["code"], "TOOL_UNAVAILABLE", "{refused}");
    assert!(error["hint"].as_str().unwrap().contains("--workspace"), "{refused}");
    for (body, status) in [
        (json!({}), 400),
        (json!({"tool": "fly"}), 400),
        (json!({"tool": "tap", "args": []}), 400),
        (json!({"tool": "tap", "strict": true}), 400),
    ] {
        assert_eq!(client.post("/agent/act", &body).await.status, status, "{body}");
    }
}

/// Decides the request that waits, as a person would elsewhere.
async fn decide(client: &Client, how: &str) -> String {
    loop {
        let pending = client.get("/approvals?state=pending").await.json();
        if let Some(id) = pending["approvals"][0]["id"].as_str() {
            let decided = client.post(&format!("/approvals/{id}/{how}"), &json!({})).await;
            assert_eq!(decided.status, 200, "{decided:?}");
            return id.to_owned();
        }
    }
}

/// Asks for an answer at once.
async fn at_once(client: &Client, body: &Value) -> (u16, Value) {
    let ask = Ask {
        method: "POST",
        path: "/agent/act",
        headers: &["Content-Type: application/json", "Prefer: respond-async"],
        body: &body.to_string(),
    };
    let answer = client.ask(ask).await;
    (answer.status, answer.json())
}

#[tokio::test]
async fn what_the_policy_asks_about_waits_for_a_person() {
    let server = server("agent_waits").await;
    let client = client(&server);
    let shell = json!({"tool": "shell", "args": {"command": "echo done"}});
    for (how, expected) in [("approve", Value::Null), ("reject", json!("APPROVAL_REJECTED"))] {
        let (answer, _) = tokio::join!(client.post("/agent/act", &shell), decide(&client, how));
        let told = answer.json();
        assert_eq!(told["result"]["error"]["code"], expected, "{told}");
        assert_eq!(told["result"]["ok"], how == "approve", "{told}");
    }
}

#[tokio::test]
async fn a_call_goes_on_once_it_is_approved_for_the_screen_that_was_seen() {
    let server = server("agent_later").await;
    let client = client(&server);
    let shell = json!({"tool": "shell", "args": {"command": "echo done"}});
    let id = |told: &Value| told["result"]["error"]["approval"].as_str().map(str::to_owned);
    let (status, first) = at_once(&client, &shell).await;
    assert_eq!(status, 202, "{first}");
    let asked = id(&first).unwrap();
    // Without a decision it is the same question.
    assert_eq!(id(&at_once(&client, &shell).await.1), Some(asked.clone()));
    assert_eq!(decide(&client, "approve").await, asked);
    let (status, done) = at_once(&client, &shell).await;
    assert_eq!((status, &done["result"]["ok"]), (200, &json!(true)), "{done}");
    assert_eq!(done["result"]["data"]["stdout"], "done");
    // A yes is used once.
    let (status, second) = at_once(&client, &shell).await;
    assert_eq!(status, 202, "{second}");
    assert_eq!(decide(&client, "approve").await, id(&second).unwrap());
    let open = json!({"tool": "launch_app", "args": {"packageName": "com.android.settings"}});
    assert_eq!(client.post("/agent/act", &open).await.json()["result"]["ok"], true);
    // The person agreed to another screen.
    let (status, again) = at_once(&client, &shell).await;
    assert_eq!(status, 202, "{again}");
    assert_ne!(id(&again), id(&second));
}

#[tokio::test]
async fn a_server_with_a_workspace_has_files_and_notes() {
    let place = folder("agent_workspace_files");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join("MEMORY.md"), "The gate's code is in the drawer.").unwrap();
    let server = server_with("agent_workspace", |app| {
        app.agent = AgentTools::new(&place, WorkspaceSettings::new("/bin/false"));
    })
    .await;
    let client = client(&server);
    for (tool, args, says) in [
        ("write", json!({"path": "a.txt", "content": "one"}), "a.txt"),
        ("read", json!({"path": "a.txt"}), "one"),
        ("memory_search", json!({"query": "gate code"}), "drawer"),
        ("process", json!({"action": "list"}), ""),
    ] {
        let body = json!({"tool": tool, "args": args});
        let told = client.post("/agent/act", &body).await.json();
        assert_eq!(told["result"]["ok"], true, "{tool}: {told}");
        assert!(told["result"].to_string().contains(says), "{tool}: {told}");
    }
}
