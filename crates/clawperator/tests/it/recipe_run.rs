//! Recipes that run on a simulated phone, through the program as it is shipped.

use super::sim::Place;
use serde_json::{Value, json};
use std::process::Output;

/// Reads the counter of the conformance app; the steps and keys can be added to.
fn recipe(outputs: &Value, steps: &Value, keys: &Value) -> Value {
    let mut recipe = json!({
        "recipe_id": "com.clawperator.conformance.count", "recipe_version": "1.0.0", "recipe_type": "action",
        "application_id": "com.clawperator.conformance", "summary": "Counts one more.",
        "frameworks": ["views"], "session_policy": "fresh",
        "app_build": {"version_name": "1.0", "version_code": 1}, "tested_on": {"android_api": 34},
        "capabilities": ["observe", "navigate", "click"],
        "inputs": [{"name": "button", "type": "string", "required": true, "default": ""}],
        "outputs": outputs, "steps": steps,
    });
    for (key, value) in keys.as_object().unwrap() {
        recipe[key] = value.clone();
    }
    recipe
}

fn count(button: &str) -> Value {
    json!([
        {"id": "count", "type": "click", "selector": {"text_equals": button, "annotation": "STRUCTURAL"},
            "confirm": {"selector": {"text_contains": "Counter:", "annotation": "DERIVED"}}},
        {"id": "read", "type": "read_text", "selector": {"text_contains": "Counter:", "annotation": "DERIVED"},
            "params": {"output": "counter"}},
    ])
}

fn run(place: &Place, recipe: &Value, args: &[&str]) -> (Output, Value) {
    let file = place.folder.join("it.recipe.json");
    std::fs::write(&file, recipe.to_string()).unwrap();
    let words = [&["skills", "run", file.to_str().unwrap(), "--device", "sim"], args].concat();
    let output = place.program().args(words).output().unwrap();
    let answer = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    (output, answer)
}

fn kept(place: &Place, args: &[&str]) -> String {
    let output = place.program().args(args).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn outputs_come_back_typed_and_redacted_everywhere() {
    for (redaction, shown) in
        [("none", json!("Counter: 1")), ("mask", json!("[10 letters]")), ("drop", Value::Null)]
    {
        let place = Place::new();
        let outputs = json!([{"name": "counter", "type": "string", "redaction": redaction}]);
        let recipe = recipe(&outputs, &count("${inputs.button}"), &json!({}));
        let (output, answer) = run(&place, &recipe, &["--input", "button=Increment"]);
        assert!(output.status.success(), "{answer}");
        assert_eq!(
            (&answer["status"], &answer["outputs"]["counter"]["value"]),
            (&json!("success"), &shown),
            "{answer}"
        );
        let id = answer["envelope"]["commandId"].as_str().unwrap();
        let page = place.folder.join("run.html");
        kept(&place, &["report", id, "--out", page.to_str().unwrap()]);
        let all = [
            answer.to_string(),
            kept(&place, &["journal", "show", id, "--json"]),
            kept(&place, &["journal", "show", id]),
            std::fs::read_to_string(page).unwrap(),
        ];
        for text in all {
            assert_eq!(text.contains("Counter: 1"), redaction == "none", "{redaction}: {text}");
        }
    }
}

#[test]
fn a_target_that_is_not_there_ends_in_a_partial_result() {
    let place = Place::new();
    let outputs = json!([{"name": "counter", "type": "string", "redaction": "none"}]);
    let recipe = recipe(&outputs, &count("${inputs.button}"), &json!({}));
    let (output, answer) = run(&place, &recipe, &["--input", "button=Incremnt"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(answer["status"], "partial", "{answer}");
    assert_eq!(answer["found"]["count"], 0, "{answer}");
    assert_eq!(answer["steps"][1]["status"], "skipped", "{answer}");
    let (_, missing) = run(&place, &recipe, &[]);
    assert_eq!(missing["code"], "RECIPE_INPUT_MISSING", "{missing}");
    let file = place.folder.join("it.recipe.json");
    let words = ["skills", "run", file.to_str().unwrap(), "--device", "sim"];
    let shown = kept(&place, &[&words[..], &["--input", "button=Incremnt", "--output", "pretty"]].concat());
    assert!(shown.contains("NODE_NOT_FOUND at count: "), "{shown}");
    assert!(!shown.contains("commandId"), "{shown}");
}

#[test]
fn a_capability_is_agreed_to_before_a_phone_is_touched() {
    let place = Place::new();
    let outputs = json!([{"name": "counter", "type": "string", "redaction": "none"}]);
    let keys = json!({"capabilities": ["observe", "navigate", "click", "purchase_risk"]});
    let recipe = recipe(&outputs, &count("${inputs.button}"), &keys);
    let (_, refused) = run(&place, &recipe, &["--input", "button=Increment"]);
    assert_eq!(refused["code"], "CAPABILITY_DENIED", "{refused}");
    assert!(refused["details"]["hint"].as_str().unwrap().contains("--allow purchase_risk"), "{refused}");
    assert!(place.names().is_empty(), "no phone was started");
    let (output, answer) = run(&place, &recipe, &["--input", "button=Increment", "--allow", "purchase_risk"]);
    assert!(output.status.success(), "{answer}");
    let denied = place.folder.join("profiles.yaml");
    std::fs::write(&denied, "profiles:\n  careful:\n    allow: [observe, navigate]\n").unwrap();
    let words =
        ["--input", "button=Increment", "--allow", "purchase_risk", "--profile", denied.to_str().unwrap()];
    let (_, refused) = run(&place, &recipe, &words);
    assert_eq!(refused["code"], "CAPABILITY_DENIED", "{refused}");
}

#[test]
fn an_app_of_another_version_is_warned_of() {
    let place = Place::new();
    let outputs = json!([{"name": "counter", "type": "string", "redaction": "none"}]);
    for (keys, path) in [
        (json!({"compatibility": {"min_version_code": 4_000_000_000_u64}}), "compatibility.min_version_code"),
        (
            json!({"compatibility": {"min_version_code": 1}, "tested_on": {"android_api": 21}}),
            "tested_on.android_api",
        ),
        (
            json!({"compatibility": {"min_version_code": 1}, "tested_on": {"android_api": 34, "locale": "de-DE"}}),
            "tested_on.locale",
        ),
    ] {
        let recipe = recipe(&outputs, &count("${inputs.button}"), &keys);
        let (output, answer) = run(&place, &recipe, &["--input", "button=Increment"]);
        assert!(output.status.success(), "{answer}");
        let warned = answer["warnings"].as_array().into_iter().flatten();
        let warned = warned.filter(|warning| warning["code"] == "RECIPE_UNTESTED");
        let paths: Vec<_> = warned.map(|warning| warning["path"].clone()).collect();
        assert_eq!(paths, [path], "{answer}");
    }
}

#[test]
fn a_recipe_takes_no_arguments() {
    let place = Place::new();
    let outputs = json!([{"name": "counter", "type": "string", "redaction": "none"}]);
    let recipe = recipe(&outputs, &count("${inputs.button}"), &json!({}));
    for words in [&["--", "Increment"][..], &["Increment"]] {
        let words = [&["--input", "button=Increment"], words].concat();
        let (_, refused) = run(&place, &recipe, &words);
        assert_eq!(refused["code"], "USAGE", "{refused}");
        assert!(refused["message"].as_str().unwrap().contains("\"Increment\""), "{refused}");
    }
    assert!(place.names().is_empty(), "no phone was started");
}

#[test]
fn a_redacted_output_is_not_told_when_the_run_stops_before_it_is_read() {
    for redaction in ["mask", "hash", "drop"] {
        let place = Place::new();
        let outputs = json!([{"name": "counter", "type": "string", "redaction": redaction}]);
        // What nearly fits is the element that would be read.
        let steps = json!([
            {"id": "miss", "type": "click", "selector": {"text_equals": "Counter: 7", "annotation": "STRUCTURAL"}},
            {"id": "read", "type": "read_text", "selector": {"text_contains": "Counter:", "annotation": "DERIVED"},
                "params": {"output": "counter"}},
        ]);
        let (_, answer) = run(&place, &recipe(&outputs, &steps, &json!({})), &["--input", "button=x"]);
        assert_eq!(answer["error"]["code"], "NODE_NOT_FOUND", "{answer:#}");
        assert!(answer["found"]["elements"].is_string(), "{answer:#}");
        assert!(!answer.to_string().contains("Counter: 0"), "{redaction}: {answer:#}");
        let stored = place.program().args(["snapshot", "--device", "sim"]).output().unwrap();
        assert!(stored.status.success());
    }
}

#[test]
fn a_hash_of_an_output_is_the_same_in_one_state_folder_and_another_elsewhere() {
    let outputs = json!([{"name": "counter", "type": "string", "redaction": "hash"}]);
    let hash = |place: &Place| -> String {
        let recipe = recipe(&outputs, &count("${inputs.button}"), &json!({}));
        let (_, answer) = run(place, &recipe, &["--input", "button=Increment"]);
        let shown = &answer["outputs"]["counter"]["value"];
        shown.as_str().unwrap_or_else(|| panic!("{answer:#}")).to_owned()
    };
    let (one, other) = (Place::new(), Place::new());
    let first = hash(&one);
    assert!(first.starts_with("sha256:"), "{first}");
    assert_eq!(hash(&one), first, "the session is fresh, and the text the same");
    assert_ne!(hash(&other), first);
    // A registry is a folder, however it is called.
    let text = std::fs::read(one.folder.join("it.recipe.json")).unwrap();
    std::fs::create_dir_all(one.folder.join("registry")).unwrap();
    for (folder, is_same) in [("registry/..", true), ("registry", false)] {
        let file = one.folder.join(folder).join("it.recipe.json");
        std::fs::write(&file, &text).unwrap();
        let words = ["skills", "run", file.to_str().unwrap(), "--device", "sim"];
        let told = kept(&one, &[&words[..], &["--input", "button=Increment"]].concat());
        assert_eq!(told.contains(&first), is_same, "{folder}: {told}");
    }
    // A table of short texts tells nothing.
    assert_ne!(first, "sha256:6b7e5bbf8c0bd4c8");
}

#[test]
fn a_redacted_output_leaves_no_hint_to_what_was_removed() {
    let place = Place::new();
    let outputs = json!([{"name": "counter", "type": "integer", "redaction": "drop"}]);
    let (_, answer) =
        run(&place, &recipe(&outputs, &count("Increment"), &json!({})), &["--input", "button=x"]);
    assert!(!answer.to_string().contains("raw_text"), "{answer:#}");
}
