//! Tests of `script/agent.rs`.

use clawperator_skills::script::*;
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn the_agent_of_a_skill_is_read_completely_or_refused() {
    let full = json!({"cli": "codex", "cliPath": "./bin/codex", "timeoutMs": 900_000, "model": "x"});
    let agent = Agent::parse(&full).unwrap().unwrap();
    assert_eq!(agent.timeout, Some(Duration::from_secs(900)));
    assert_eq!(agent.cli_path.as_deref(), Some("./bin/codex"));
    assert_eq!(Agent::parse(&Value::Null), Ok(None));
    for (odd, said) in [
        (json!([]), "an object"),
        (json!({}), "agent.cli"),
        (json!({"cli": ""}), "agent.cli"),
        (json!({"cli": "/bin/sh"}), "without a folder"),
        (json!({"cli": "x", "cliPath": 1}), "agent.cliPath"),
        (json!({"cli": "x", "timeoutMs": 0}), "agent.timeoutMs"),
        (json!({"cli": "x", "timeoutMs": "9"}), "agent.timeoutMs"),
    ] {
        let error = Agent::parse(&odd).unwrap_err();
        assert!(error.contains(said), "{odd}: {error}");
    }
}
