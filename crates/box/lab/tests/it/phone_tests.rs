//! Tests of skills on phones that are there already: what runs, what is skipped, and the verdicts.

use clawperator_lab::skill_test::{PhoneTest, TestStatus, phone_tests};
use clawperator_skills::repo::Repository;
use serde_json::{Value, json};
use std::path::Path;

fn battery() -> (PhoneTest, Vec<String>) {
    let registry = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../skills/skills-registry.json");
    let repo = Repository::open(&registry).unwrap();
    let (mut tests, report) = phone_tests(&repo, &["com.android.settings.read-battery"]).unwrap();
    let skipped = report.tests.iter().filter(|test| test.status == TestStatus::Skipped);
    let skipped = skipped.flat_map(|test| test.problems.clone()).collect();
    assert_eq!(tests.len(), 1, "{tests:?}");
    (tests.remove(0), skipped)
}

fn result(status: &str, level: u32) -> Value {
    json!({"recipeId": "r", "recipeVersion": "1.0.0", "status": status, "steps": [],
        "outputs": {"battery_percent": {"value": level, "redaction": "none"}}})
}

#[test]
fn what_needs_a_simulated_phone_is_skipped_and_says_why() {
    assert_eq!(battery().1, ["its setup needs a simulated phone of its own: run it without --pool"]);
}

#[test]
fn a_verdict_is_about_the_skill_and_a_lost_phone_is_none() {
    let judged = |result: Value| battery().0.judge(serde_json::from_value(result).unwrap());
    let good = judged(result("success", 85));
    let passed = (good.status, good.runs);
    assert_eq!(judged(result("failed", 85)).status, TestStatus::Failed);
    assert_eq!(judged(result("success", 3)).status, TestStatus::Failed);
    assert_eq!(passed, (TestStatus::Passed, 1), "{good:?}");
    let lost = battery().0.not_judged("the phone is gone".to_owned());
    assert_eq!((lost.status, lost.runs), (TestStatus::Error, 0));
}
