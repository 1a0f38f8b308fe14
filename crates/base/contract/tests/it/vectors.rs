//! The contract cases: payload in, normalised execution, plan or error out.

use clawperator_contract::{DryRun, Failure, ValidationReport, accept};
use serde_json::{Value, json};

const CASES: &str = include_str!("../vectors/execution.jsonl");

/// Runs a payload through the door and shows what `exec` would print.
fn answer(mode: &str, payload: &[u8]) -> Value {
    match (accept(payload), mode) {
        (Ok(checked), "dry-run") => json!(DryRun::from(&checked)),
        (Ok(checked), _) => json!(ValidationReport::from(&checked)),
        (Err(failure), _) => json!(failure),
    }
}

/// What is wrong with an answer, if anything is.
fn fault(case: &Value, answer: &Value) -> Option<String> {
    let expect = &case["expect"];
    let exit = i64::from(answer.get("code").is_some());
    if case["exit"] != exit {
        return Some(format!("exit {exit}"));
    }
    for part in ["execution", "plan", "code"] {
        if let Some(wanted) = expect.get(part)
            && answer.get(part) != Some(wanted)
        {
            return Some(format!("{part} should be {wanted}"));
        }
    }
    // A detail the case does not name must not be there either.
    let named = |key: &str| expect.get(key) != answer["details"].get(key);
    let code_has_details = expect.get("path").is_some();
    ["path", "actionId", "actionType", "invalidKeys"]
        .into_iter()
        .find(|key| code_has_details && named(key))
        .map(|key| format!("details.{key} should be {:?}", expect.get(key)))
}

#[test]
fn every_contract_case_holds() {
    let mut count = 0;
    let mut faults = Vec::new();
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let payload = serde_json::to_vec(&case["payload"]).unwrap();
        let answer = answer(case["mode"].as_str().unwrap(), &payload);
        count += 1;
        if let Some(fault) = fault(&case, &answer) {
            let mut shown = answer.to_string();
            shown.truncate(400);
            faults.push(format!("{}: {fault}\n    {shown}", case["name"]));
        }
    }
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
    assert_eq!(count, 547);
}

/// What a case gives is the same every time, and what is accepted is accepted
/// again as it was written.
#[test]
fn accepted_cases_round_trip() {
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let payload = serde_json::to_vec(&case["payload"]).unwrap();
        let Ok(first) = accept(&payload) else { continue };
        let written = serde_json::to_vec(&first.execution).unwrap();
        let again: Result<_, Failure> = accept(&written);
        let again = again.unwrap_or_else(|failure| panic!("{}: {failure:?}", case["name"]));
        assert_eq!(again.execution, first.execution, "{}", case["name"]);
        assert_eq!(serde_json::to_vec(&again.execution).unwrap(), written, "{}", case["name"]);
    }
}
