//! `agent tools` and `agent act`, as far as no phone is needed.

use crate::line::{json_of, words};
use serde_json::{Value, json};

fn told(line: &str) -> (Value, u8) {
    let words = words(line);
    let args: Vec<&str> = words.iter().map(String::as_str).collect();
    json_of(&args)
}

#[test]
fn the_tools_are_told_in_three_formats() {
    for (format, name) in [("openai", "/0/function/name"), ("anthropic", "/0/name"), ("mcp", "/0/name")] {
        let (tools, exit) = told(&format!("agent tools --format {format}"));
        assert_eq!((exit, tools.pointer(name)), (0, Some(&json!("tap"))), "{format}");
    }
    assert_eq!(told("agent tools").0, told("agent tools --format openai").0);
    assert_eq!(told("agent tools --format cobol").1, 1);
}

#[test]
fn a_dry_run_tells_the_action_its_repairs_and_the_decision() {
    let (answer, exit) = told(r#"agent act tap '{"x":"5","type":"shell"}' --dry-run"#);
    let expected = json!({
        "action": {"type": "tap", "x": 5, "y": 0},
        "repairs": ["x", "y", "type"],
        "decision": "allow",
    });
    assert_eq!((exit, answer), (0, expected));
    let (answer, _) = told(r#"agent act shell '{"command":"id"}' --dry-run"#);
    assert_eq!((&answer["decision"], &answer["capability"]), (&json!("ask"), &json!("permission")));
}

#[test]
fn d24_a_wait_holds_no_phone() {
    // There is none here.
    let (answer, exit) = told(r#"agent act wait '{"durationMs":1}' --device nowhere-1"#);
    assert_eq!((exit, &answer["result"]["ok"]), (0, &json!(true)), "{answer}");
    assert_eq!(answer["result"]["dispatched"], "no");
}

#[test]
fn a_call_is_refused_before_a_phone_is_looked_for() {
    for (line, code) in [
        ("agent act", "MISSING_ARGUMENT"),
        ("agent act fly {}", "INVALID_REQUEST"),
        ("agent act tap 5", "EXECUTION_VALIDATION_FAILED"),
        ("agent act tap {", "EXECUTION_VALIDATION_FAILED"),
        ("agent act tap {} --strict --dry-run", "EXECUTION_VALIDATION_FAILED"),
        ("agent act tap {} --policy /nowhere/policy.yaml --dry-run", "FILE_READ_FAILED"),
    ] {
        let (answer, exit) = told(line);
        assert_eq!((exit, &answer["code"]), (1, &json!(code)), "{line}: {answer}");
    }
    let (answer, exit) = told(r#"agent act shell '{"command":"id"}'"#);
    assert_eq!((exit, &answer["result"]["error"]["code"]), (1, &json!("APPROVAL_REQUIRED")));
    assert_eq!(answer["result"]["dispatched"], "no");
    let (answer, exit) = told(r#"agent act finish '{"message":"Done."}'"#);
    assert_eq!((exit, &answer["result"]["text"]), (0, &json!("Done.")));
}
