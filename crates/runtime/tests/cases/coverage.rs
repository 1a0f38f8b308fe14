//! What must have a case: every action passing and failing, and every code of a
//! failed step.

use crate::folder::Folder;
use clawperator_contract::{CATALOGUE, ERROR_CODES, Scope};
use serde_json::Value;
use std::collections::BTreeSet;

/// How many cases there must be at least.
const FEWEST: usize = 80;

/// Codes that no runtime gives yet, and why.
const NOT_YET: &[(&str, &str)] = &[
    ("RECORDING_ALREADY_IN_PROGRESS", "recording comes with issue 5"),
    ("RECORDING_NOT_IN_PROGRESS", "recording comes with issue 5"),
];
/// Actions that cannot pass yet, and why.
const NOT_PASSING_YET: &[(&str, &str)] = &[
    ("start_recording", "recording comes with issue 5"),
    ("stop_recording", "recording comes with issue 5"),
];

/// What all cases together show.
#[derive(Default)]
struct Shown {
    passing: BTreeSet<String>,
    failing: BTreeSet<String>,
    codes: BTreeSet<String>,
}

fn shown() -> Shown {
    let mut shown = Shown::default();
    for folder in Folder::every() {
        let text = folder.read("envelope.json").unwrap_or_default();
        let answer: Value = serde_json::from_str(&text).unwrap_or_default();
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        shown.codes.insert(word(&answer["code"]));
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
    let names: Vec<_> = Folder::every().into_iter().map(|folder| folder.name).collect();
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
        let excused = NOT_PASSING_YET.iter().any(|row| row.0 == name);
        assert_ne!(shown.passing.contains(name), excused, "{name} passing");
    }
}

#[test]
fn every_code_of_a_step_has_a_case() {
    let shown = shown();
    for row in ERROR_CODES.iter().filter(|row| row.scope == Scope::Step) {
        let excused = NOT_YET.iter().any(|excuse| excuse.0 == row.name);
        assert_ne!(shown.codes.contains(row.name), excused, "{}", row.name);
    }
    for name in ["RESULT_ENVELOPE_TIMEOUT", "EXECUTION_VALIDATION_FAILED"] {
        assert!(shown.codes.contains(name), "{name}");
    }
}
