//! The command line's tests: whole command lines in, answers out, in process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests stop at what is wrong")]

mod agent;
mod completions;
mod draft;
mod exec;
mod line;
mod lines;
#[cfg(not(feature = "sim"))]
mod no_sim;
mod refusal;
mod selector;
#[cfg(feature = "sim")]
mod sim;

use clawperator_cli::run;
use line::{answer_to, home, json_of, world};
use serde_json::Value;

const PAYLOAD: &str = r#"{"command_id":"cmd-001","task_id":"task-001","source":"docs","expected_format":"android-ui-automator","timeout_ms":30000,"actions":[{"id":"snap-1","type":"snapshot"}]}"#;

#[test]
fn these_tests_leave_nothing_in_a_home() {
    let mut world = world(std::io::empty());
    let refused = run(["clawperator", "clik"].map(Into::into), &mut world);
    assert_eq!(refused.exit_code, 1);
    assert_eq!(world.home, home());
    assert!(!home().exists());
}

#[test]
fn pretty_output_is_the_same_json_for_people() {
    let compact = answer_to(&["back", "--validate-only"], b"");
    let pretty = answer_to(&["back", "--validate-only", "--output", "pretty"], b"");
    assert_eq!(compact.text.lines().count(), 1);
    assert!(pretty.text.lines().count() > 10);
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(read(&compact.text), read(&pretty.text));
    let usage = answer_to(&["--output=pretty", "clik"], b"");
    assert!(usage.text.lines().count() > 3, "{}", usage.text);
    assert_eq!(json_of(&["back", "--output", "xml"]).0["code"], "USAGE");
}

#[test]
fn the_same_line_gives_the_same_bytes() {
    let once = || answer_to(&["click", "--text", "x", "--validate-only"], b"").text;
    assert_eq!(once(), once());
}

#[test]
fn a_run_without_adb_reports_it() {
    let (answer, exit) = json_of(&["exec", PAYLOAD]);
    assert_eq!((answer["code"].as_str(), exit), (Some("ADB_NOT_FOUND"), 1));
    let (answer, _) = json_of(&["exec", "{}"]);
    assert_eq!(answer["code"], "EXECUTION_VALIDATION_FAILED");
}
