//! What people read with `--output pretty`.

use crate::people::{Colour, execution, failure, page};
use serde_json::{Value, json};

fn result(status: &str, steps: &Value) -> Value {
    json!({"envelope": {"status": status, "stepResults": steps, "error": null}, "deviceId": "sim-1"})
}

#[test]
fn a_run_is_a_line_per_step() {
    let ran = result(
        "success",
        &json!([
            {"id": "room", "actionType": "click", "success": true, "data": {"click_types": "click",
                "selection_warning": "2 elements match; the first was used"}},
            {"id": "now", "actionType": "read_key_value_pair", "success": true, "data": {"label": "Now", "value": "21.5°C"}},
            {"id": "see", "actionType": "snapshot_ui", "success": true, "data": {"text": "@e1 a\n@e2 \u{1b}[2Jb"}}
        ]),
    );
    let text = "✓ room  click
    2 elements match; the first was used
✓ now   read_key_value_pair  21.5°C
✓ see   snapshot_ui
@e1 a
@e2 \\u{1b}[2Jb
success: 3 steps on sim-1\n";
    assert_eq!(execution(&ran, Colour::Never).unwrap(), text);
    assert!(execution(&ran, Colour::Always).unwrap().contains("\u{1b}[32m✓"));
    assert_eq!(execution(&json!({"devices": []}), Colour::Never), None);
}

#[test]
fn what_a_query_found_is_a_table() {
    let found = json!({"nodes": [
        {"ref": "@e1", "role": "button", "label": "OK", "bounds": {"left": 0}, "state": ["clickable", "focused"]},
        {"ref": "@e12", "role": "text", "label": "", "resourceId": "a:id/x", "state": []}],
        "totalMatches": 5, "truncated": true});
    let ran = result(
        "success",
        &json!([{"id": "it", "actionType": "query", "success": true, "data": {"query": found.to_string()}}]),
    );
    let text = "✓ it  query
  ref   role    label  resourceId  state
  @e1   button  OK                 clickable focused
  @e12  text           a:id/x
2 of 5 elements
success: 1 step on sim-1\n";
    assert_eq!(execution(&ran, Colour::Never).unwrap(), text);
}

#[test]
fn a_failed_step_says_what_was_there_instead() {
    let mut ran = result(
        "failed",
        &json!([{"id": "it", "actionType": "click", "success": false, "data": {"error": "NODE_NOT_FOUND",
            "message": "no element matches", "nearest": "Button \"OK\"; Button \"No\"", "dispatched": "unknown"}}]),
    );
    ran["envelope"]["errorCode"] = "NODE_NOT_FOUND".into();
    ran["envelope"]["error"] = "no element matches".into();
    ran["envelope"]["hint"] = "Look at the screen.".into();
    let text = "✗ it  click  NODE_NOT_FOUND  no element matches
      nearest  Button \"OK\"
               Button \"No\"
    the phone may have acted: look at the screen before you repeat this
failed after 1 step on sim-1: NODE_NOT_FOUND: no element matches
hint: Look at the screen.\n";
    assert_eq!(execution(&ran, Colour::Never).unwrap(), text);
}

#[test]
fn lists_are_tables_and_failures_are_text() {
    let answer = json!({"devices": [{"serial": "emulator-5554", "state": "device"},
        {"serial": "127.0.0.1:7600", "state": "device", "sim": "sim-1"}], "count": 2});
    let text = "count  2
devices (2)
  serial          state   sim
  emulator-5554   device
  127.0.0.1:7600  device  sim-1\n";
    assert_eq!(page(&answer, Colour::Never), text);
    assert_eq!(page(&json!({"packages": ["a", "b"]}), Colour::Never), "packages (2)\n  a\n  b\n");
    assert_eq!(
        page(
            &json!({"running": true, "jar": {"version": "1.2", "from": {"file": "x"}}, "slot": []}),
            Colour::Never
        ),
        "running        yes\njar.version    1.2\njar.from.file  x\nslot           none\n"
    );
    let refused = json!({"code": "USAGE", "message": "no such flag", "details": {"hint": "See --help.",
        "problems": [{"path": "actions.0", "message": "unknown key"}]}});
    let text = "USAGE: no such flag\n  actions.0  unknown key\nhint: See --help.\n";
    assert_eq!(failure(&refused, Colour::Never), text);
}
