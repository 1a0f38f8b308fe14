//! The tools of an agent over HTTP.

use crate::support::{client, server};
use serde_json::json;

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
    // A program cannot say yes in place of a person.
    let shell = json!({"tool": "shell", "args": {"command": "id"}, "approve": true});
    let refused = client.post("/agent/act", &shell).await.json();
    assert_eq!(
        refused["result"]["error"]["code"], "APPROVAL_REQUIRED",
        "{refused}"
    );
    for (body, status) in [
        (json!({}), 400),
        (json!({"tool": "fly"}), 400),
        (json!({"tool": "tap", "args": []}), 400),
        (json!({"tool": "tap", "strict": true}), 400),
    ] {
        assert_eq!(client.post("/agent/act", &body).await.status, status, "{body}");
    }
}
