//! What flat commands build.

use crate::line::{built, json_of, run_line};
use serde_json::{Value, json};

#[test]
fn every_case_of_the_flat_commands_holds() {
    let mut count = 0;
    let mut faults = Vec::new();
    for line in include_str!("vectors.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let mut args: Vec<_> =
            case["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        args.push("--validate-only");
        let (answer, exit) = json_of(&args);
        count += 1;
        let expect = case["expect"].as_object().unwrap();
        let shown = |key: &str| answer.get(key).or(answer["execution"].get(key));
        let mut fine = case["exit"] == exit && expect.iter().all(|(key, value)| shown(key) == Some(value));
        fine &= exit == 1 || answer["execution"].get("mode") == expect.get("mode");
        if !fine {
            faults.push(format!("{}: {answer}", case["name"]));
        }
    }
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
    assert_eq!(count, 97);
}

#[test]
fn the_command_lines_of_the_contract_documents_build_what_they_say() {
    let cases = [
        (
            r#"clawperator wait --text "Done" --role button"#,
            json!({"matcher": {"textEquals": "Done", "role": "button"}}),
        ),
        (
            r#"clawperator read --text "Price" --container-id "android:id/list" --json"#,
            json!({"matcher": {"textEquals": "Price"}, "container": {"resourceId": "android:id/list"}}),
        ),
        (
            r#"clawperator type "hello world" --role textfield"#,
            json!({"matcher": {"role": "textfield"}, "text": "hello world", "submit": false, "clear": false}),
        ),
        (
            r#"clawperator scroll-until --text "About phone" --container-id "android:id/list""#,
            json!({"matcher": {"textEquals": "About phone"}, "container": {"resourceId": "android:id/list"},
                "direction": "down"}),
        ),
        (r#"clawperator click --text "Wi-Fi""#, json!({"matcher": {"textEquals": "Wi-Fi"}})),
        (
            r#"clawperator read --selector '{"resourceId":"android:id/title"}' --json"#,
            json!({"matcher": {"resourceId": "android:id/title"}}),
        ),
        (
            r#"clawperator wait --text-contains "Done" --timeout 10000 --json"#,
            json!({"matcher": {"textContains": "Done"}, "timeoutMs": 10000}),
        ),
        (
            r#"clawperator read-value --label "Battery" --json"#,
            json!({"labelMatcher": {"textEquals": "Battery"}}),
        ),
    ];
    for (line, params) in cases {
        let answer: Value = serde_json::from_str(&run_line(line, &["--validate-only"]).text).unwrap();
        assert_eq!(answer["execution"]["actions"][0]["params"], params, "{line}: {answer}");
    }
    let snapshot: Value =
        serde_json::from_str(&run_line("clawperator snapshot --json --device S1", &["--validate-only"]).text)
            .unwrap();
    assert_eq!(snapshot["execution"]["actions"], json!([{"id": "snap", "type": "snapshot_ui"}]));
    assert_eq!(snapshot["execution"]["commandId"], "snapshot-1700000000000-6100000");
}

#[test]
fn spaces_alone_are_the_number_0() {
    let invalid = "EXECUTION_VALIDATION_FAILED";
    for (args, expected) in [
        (&["sleep", " "][..], json!(["sleep", {"durationMs": 0}])),
        (&["sleep", "10", "--timeout", " "], json!(["sleep", {"durationMs": 10}])),
        (&["sleep", ""], json!("MISSING_ARGUMENT")),
        (&["click", "--coordinate", " ", "2"], json!(["click", {"coordinate": {"x": 0, "y": 2}}])),
        (&["click", "--coordinate", "", "2"], json!(invalid)),
        (&["click", "--coordinate", "-0", "2"], json!(invalid)),
        // Too little for an execution, and nothing to wait for.
        (&["snapshot", "--timeout", " "], json!(invalid)),
        (&["wait", "--text", "x", "--timeout", " "], json!(invalid)),
    ] {
        assert_eq!(built(args), expected, "{args:?}");
    }
}

#[test]
fn a_snapshot_s_format_is_its_view_and_pretty_is_how_it_is_printed() {
    let view = |params: Value| json!(["snapshot_ui", params]);
    for (line, expected) in [
        ("snapshot", json!(["snapshot_ui", null])),
        ("snapshot --format compact", view(json!({"view": "compact"}))),
        ("snapshot --format=json", view(json!({"view": "json"}))),
        ("--format xml snapshot", view(json!({"view": "xml"}))),
        ("snapshot --view compact --output pretty", view(json!({"view": "compact"}))),
        ("snapshot --output json", json!(["snapshot_ui", null])),
        ("snapshot --format pretty", json!(["snapshot_ui", null])),
        ("snapshot --budget 400 --diff", view(json!({"budget": 400, "diff": true}))),
        (
            "snapshot --diff b8cedf0e24201de5-6 --budget 400",
            view(json!({"budget": 400, "since": "b8cedf0e24201de5-6"})),
        ),
        ("snapshot --diff=b8-6", view(json!({"since": "b8-6"}))),
        ("snapshot --diff --view compact", view(json!({"view": "compact", "diff": true}))),
        ("snapshot --view xml --diff b8-6", json!("EXECUTION_VALIDATION_FAILED")),
        ("snapshot --format yaml", json!("USAGE")),
        ("snapshot --output compact", json!("USAGE")),
        ("snapshot --view yaml", json!("EXECUTION_VALIDATION_FAILED")),
        ("snapshot --view xml --diff", json!("EXECUTION_VALIDATION_FAILED")),
        ("snapshot --budget many", json!("EXECUTION_VALIDATION_FAILED")),
        ("snapshot --budget 0", json!("EXECUTION_VALIDATION_FAILED")),
        // Elsewhere it is what it always was.
        ("click --text a --format compact", json!("USAGE")),
        ("click --text a --format json", json!(["click", {"matcher": {"textEquals": "a"}}])),
    ] {
        let args: Vec<_> = line.split(' ').collect();
        assert_eq!(built(&args), expected, "{line}");
    }
}

#[test]
fn refs_and_searches_are_built_from_flags() {
    let by_ref = json!({"ref": "@e7"});
    for (line, expected) in [
        ("click --ref @e7", json!(["click", {"matcher": by_ref}])),
        ("click --ref @e7 --role button", json!(["click", {"matcher": {"role": "button", "ref": "@e7"}}])),
        ("read --ref @e7", json!(["read_text", {"matcher": by_ref}])),
        (
            "type x --ref @e7",
            json!(["enter_text", {"matcher": by_ref, "text": "x", "submit": false, "clear": false}]),
        ),
        ("wait --toast Saved --timeout 500", json!(["wait_for_toast", {"text": "Saved", "timeoutMs": 500}])),
        ("wait --ref @e7", json!(["wait_for_node", {"matcher": by_ref}])),
        ("scroll down --container-ref @e7", json!(["scroll", {"direction": "down", "container": by_ref}])),
        (
            "wait --text a --gone --timeout 500",
            json!(["wait_for_node", {"matcher": {"textEquals": "a"}, "timeoutMs": 500, "gone": true}]),
        ),
        ("find", json!(["query", {}])),
        (
            "find --role button --limit 5 --visibility all",
            json!(["query", {"matcher": {"role": "button"}, "visibility": "all", "limit": 5}]),
        ),
        ("query --text a --gone", json!(["wait_for_node", {"matcher": {"textEquals": "a"}, "gone": true}])),
        ("find --gone", json!("MISSING_SELECTOR")),
        ("find --text a --gone --limit 5", json!("EXECUTION_VALIDATION_FAILED")),
        ("find --text a --gone --visibility all", json!("EXECUTION_VALIDATION_FAILED")),
        ("find --limit 0", json!("EXECUTION_VALIDATION_FAILED")),
        ("find --limit x", json!("EXECUTION_VALIDATION_FAILED")),
        ("find --visibility some", json!("EXECUTION_VALIDATION_FAILED")),
        ("click --ref e7", json!("EXECUTION_VALIDATION_FAILED")),
        ("click --ref @e7 --coordinate 1 2", json!("EXECUTION_VALIDATION_FAILED")),
    ] {
        let args: Vec<_> = line.split(' ').collect();
        assert_eq!(built(&args), expected, "{line}");
    }
}

#[test]
fn a_target_with_a_scheme_is_a_uri() {
    for (target, kind) in [
        ("https://example.com", "open_uri"),
        (" https://x", "open_uri"),
        ("tel:123", "open_uri"),
        ("MAILTO:a@b", "open_uri"),
        ("com.example.app", "open_app"),
        ("com.example:process", "open_app"),
        ("://", "open_app"),
    ] {
        let (answer, _) = json_of(&["open", target, "--validate-only"]);
        assert_eq!(answer["execution"]["actions"][0]["type"], kind, "{target}");
    }
}
