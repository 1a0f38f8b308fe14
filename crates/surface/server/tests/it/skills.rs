//! Skills that have scripts: over HTTP with a key, and over MCP.

use crate::mcp_client::McpClient;
use crate::support::{Answer, Ask, Client, app, client, folder, server_in};
use clawperator_server::App;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

fn with_skills(app: &mut App) {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../work/skills/tests/vectors/skills_fixture");
    app.skills.named = Some(fixture.join("skills/skills-registry.json"));
    app.program = Some("/nowhere/clawperator".into());
}

async fn run(client: &Client, path: &str, body: &Value) -> Answer {
    let ask = Ask {
        method: "POST",
        path,
        headers: &["Content-Type: application/json", "Idempotency-Key: order 66"],
        body: &body.to_string(),
    };
    client.ask(ask).await
}

#[tokio::test]
async fn arguments_that_are_no_texts_become_texts_and_a_missed_text_tells_the_time() {
    let server = server_in(&folder("skill_args"), with_skills).await;
    let there = client(&server);
    let skill = "/skills/com.ex.sh/run";
    for (args, output) in [
        (json!([5, true]), "SH:5:true\n"),
        (json!([1.5, null]), "SH:1.5:null\n"),
        (json!([[1, [2, 3]], {}]), "SH:1,2,3:[object Object]\n"),
    ] {
        let answer = there.post(skill, &json!({ "args": args })).await;
        assert_eq!(answer.json()["output"], output, "{args}");
    }
    let missed = json!({"args": ["a", "b"], "timeoutMs": 4000, "expectContains": "nothing"});
    let missed = there.post(skill, &missed).await.json();
    assert_eq!(missed["error"]["code"], "SKILL_OUTPUT_ASSERTION_FAILED");
    assert!(missed["error"].to_string().contains("\"timeoutMs\":4000"), "{missed}");
}

#[tokio::test]
async fn a_skill_with_a_key_runs_once_also_after_the_server_was_started_again() {
    let place = folder("skill_key");
    let server = server_in(&place, with_skills).await;
    let there = client(&server);
    let skill = "/skills/com.ex.sh/run";
    // What never ran leaves the key free.
    let none = run(&there, "/skills/com.ex.none/run", &json!({})).await;
    assert_eq!(none.refusal(), (404, "SKILL_NOT_FOUND".to_owned()));
    let body = json!({"args": ["a", "b"]});
    let first = run(&there, skill, &body).await;
    assert_eq!((first.status, &first.json()["output"]), (200, &json!("SH:a:b\n")));
    assert!(!first.head.contains("idempotency-replayed"));
    let again = run(&there, skill, &body).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert!(again.head.contains("idempotency-replayed: true"));
    for (path, body) in [
        (skill, json!({"args": ["c"]})),
        (skill, json!({"args": ["a", "b"], "deviceId": "phone-1"})),
        ("/snapshot", json!({})),
    ] {
        let other = run(&there, path, &body).await;
        assert_eq!(other.refusal(), (409, "IDEMPOTENCY_CONFLICT".to_owned()), "{body}");
    }
    server.end().await;
    // There is nothing that it could run.
    let server = server_in(&place, |_| ()).await;
    let later = run(&client(&server), skill, &body).await;
    assert_eq!((later.status, &later.body), (200, &first.body));
}

#[tokio::test]
async fn a_skill_that_failed_with_a_key_stays_failed() {
    let server = server_in(&folder("skill_key_failed"), with_skills).await;
    let there = client(&server);
    let body = json!({"args": ["a"], "expectContains": "nothing like it"});
    let first = run(&there, "/skills/com.ex.sh/run", &body).await;
    assert_eq!(first.refusal(), (400, "SKILL_OUTPUT_ASSERTION_FAILED".to_owned()));
    let again = run(&there, "/skills/com.ex.sh/run", &body).await;
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    assert!(again.head.contains("idempotency-replayed: true"));
}

#[tokio::test]
async fn the_script_of_a_skill_runs_over_mcp() {
    let mut app = app("mcp-script", &["phone-1"]);
    with_skills(&mut app);
    let mut client = McpClient::connect(&Arc::new(app)).await;
    client.call("device", json!({"use": "phone-1"})).await;
    let ran = client.call("skill", json!({"run": "com.ex.sh"})).await;
    assert!(!ran.is_error, "{ran:?}");
    let result = &ran.whole["structuredContent"];
    assert_eq!(
        (&result["skillId"], &result["output"], &result["exitCode"]),
        (&json!("com.ex.sh"), &json!("SH:phone-1:\n"), &json!(0))
    );
}
