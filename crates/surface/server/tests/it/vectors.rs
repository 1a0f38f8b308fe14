//! The contract's cases, in their order, on one server.

use crate::support::{Ask, client, folder, server_with};
use clawperator_skills::repo::Places;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const CASES: &str = include_str!("../vectors/http.jsonl");

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn every_case_of_the_contract_holds() {
    let repo = folder("http_vectors_repo");
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../work/skills/tests/vectors/skills_fixture");
    copy(&fixture, &repo);
    let server = server_with("http_vectors", |app| {
        app.skills = Places { named: Some(repo.join("skills/skills-registry.json")), ..app.skills.clone() };
        app.program = Some("/nowhere/clawperator".into());
    })
    .await;
    let client = client(&server);
    let has_node = Command::new("node").arg("--version").output().is_ok();
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = case["name"].as_str().unwrap();
        if !has_node && ["skill_run_expect_fail", "skill_run_timeout"].contains(&name) {
            println!("skipped, because there is no Node: {name}");
            continue;
        }
        let body = match &case["body"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let headers = case["headers"].as_object().into_iter().flatten();
        let headers: Vec<String> =
            headers.map(|(name, value)| format!("{name}: {}", value.as_str().unwrap())).collect();
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        let ask = Ask {
            method: case["method"].as_str().unwrap(),
            path: case["path"].as_str().unwrap(),
            headers: &headers,
            body: &body,
        };
        let answer = client.ask(ask).await;
        assert_eq!(Value::from(answer.status), case["status"], "{name}: {answer:?}");
        let json = answer.json();
        for key in case["keys"].as_array().into_iter().flatten() {
            assert!(json.get(key.as_str().unwrap()).is_some(), "{name}: {key}: {json}");
        }
        if let Some(code) = case["code"].as_str() {
            assert_eq!(json["error"]["code"], code, "{name}: {json}");
        }
    }
}
