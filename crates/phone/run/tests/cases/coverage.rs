//! What must have a case: every action passing and failing, and every code of a
//! failed step.

use crate::case::{Case, Route};
use clawperator_contract::{CATALOGUE, CodeScope, ERROR_CODES, ErrorCode, ErrorRow, OperatorRoute};
use serde_json::Value;
use std::collections::BTreeSet;

/// How many cases there must be at least.
const FEWEST: usize = 80;

/// Codes of a step that only the Operator app or a recipe gives.
const ELSEWHERE: &[&str] =
    // The pool's tests show that a lease is lost.
    &[
        "ACTION_FAILED",
        "COMMAND_TIMEOUT",
        "LEASE_LOST",
        "RECIPE_OUTPUT_INVALID",
        "TARGET_NOT_FOUND",
        "VERIFY_FAILED",
    ];

/// What all cases together show.
#[derive(Default)]
struct Shown {
    passing: BTreeSet<String>,
    failing: BTreeSet<String>,
    /// The codes of failed steps.
    codes: BTreeSet<String>,
    /// The codes of failures without an envelope.
    refusals: BTreeSet<String>,
}

fn shown() -> Shown {
    let mut shown = Shown::default();
    for case in Case::every(Route::Host) {
        let answer: Value = serde_json::from_str(case.section("envelope")).unwrap_or_default();
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        shown.refusals.insert(word(&answer["code"]));
        shown.failing.insert(word(&answer["details"]["actionType"]));
        for holder in [&answer["stepResults"], &answer["details"]["stepResults"]] {
            for step in holder.as_array().into_iter().flatten() {
                let kind = word(&step["actionType"]);
                if step["success"] == true {
                    shown.passing.insert(kind);
                } else {
                    shown.failing.insert(kind);
                    shown.codes.insert(word(&step["data"]["error"]));
                }
            }
        }
    }
    shown
}

#[test]
fn there_are_enough_cases_and_their_numbers_differ() {
    let names: Vec<_> = Case::every(Route::Host).into_iter().map(|case| case.name).collect();
    assert!(names.len() >= FEWEST, "{}", names.len());
    let mut numbers = BTreeSet::new();
    for name in names {
        let (number, _) = name.split_once('_').unwrap();
        assert!(number.len() == 3 && number.parse::<u16>().is_ok(), "{name}");
        assert!(numbers.insert(number.to_owned()), "{number} is there twice");
    }
}

#[test]
fn every_action_passes_in_a_case_and_fails_in_one() {
    let shown = shown();
    for name in CATALOGUE.iter().map(|spec| spec.name) {
        assert!(shown.failing.contains(name), "{name} fails in no case");
        assert!(shown.passing.contains(name), "{name} passes in no case");
    }
}

#[test]
fn every_code_of_a_step_has_a_case() {
    let shown = shown();
    for row in ERROR_CODES.iter().filter(|row| is_step_s(row)) {
        let elsewhere = ELSEWHERE.contains(&row.name);
        assert_ne!(shown.codes.contains(row.name), elsewhere, "{}", row.name);
    }
    for name in ["RESULT_ENVELOPE_TIMEOUT", "EXECUTION_VALIDATION_FAILED"] {
        assert!(shown.refusals.contains(name), "{name}");
    }
}

#[test]
fn no_step_has_a_code_that_is_not_a_step_s() {
    for name in shown().codes {
        let code = ErrorCode::from_name(&name);
        assert!(code.is_some_and(|code| is_step_s(code.row())), "{name:?}");
    }
}

fn is_step_s(row: &ErrorRow) -> bool {
    row.scopes().any(|scope| scope == CodeScope::Step)
}

/// The codes that the cases of the Operator app must show.
const OPERATOR_CODES: &[&str] = &[
    "ACTION_FAILED",
    "BROADCAST_FAILED",
    "COMMAND_TIMEOUT",
    "DEVICE_SHELL_UNAVAILABLE",
    "EXECUTION_VALIDATION_FAILED",
    "LOGCAT_UNAVAILABLE",
    "OPERATOR_NOT_INSTALLED",
    "OPERATOR_VARIANT_MISMATCH",
    "PAYLOAD_TOO_LARGE",
    "RESULT_ENVELOPE_MALFORMED",
    "RESULT_ENVELOPE_TIMEOUT",
    "SERVICE_UNAVAILABLE",
    "SNAPSHOT_EXTRACTION_FAILED",
];

#[test]
fn every_code_and_every_action_of_the_operator_app_is_in_a_case() {
    let cases = Case::every(Route::Operator);
    let all: String = cases.iter().map(|case| case.section("envelope")).collect();
    for code in OPERATOR_CODES {
        assert!(all.contains(&format!("\"{code}\"")), "{code}");
    }
    let known = CATALOGUE.iter().filter(|spec| spec.operator != OperatorRoute::Unsupported);
    for name in known.map(|spec| spec.name) {
        assert!(all.contains(&format!("\"actionType\": \"{name}\"")), "{name}");
    }
}
