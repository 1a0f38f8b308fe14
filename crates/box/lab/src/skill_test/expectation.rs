//! What must come of a skill, and what did. Pure.

use clawperator_contract::words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What must come of a skill.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The status; success if there is neither a status nor a code.
    status: Option<SkillStatus>,
    code: Option<String>,
    /// Outputs as the caller gets them, redacted; others may be there, too.
    #[serde(default)]
    outputs: BTreeMap<String, Value>,
    #[serde(default)]
    pub phone: Vec<PhoneSays>,
}

/// What a command of the phone must print after the skill has run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhoneSays {
    pub run: String,
    /// A part of its output.
    contains: String,
}

words! {
    /// What came of a skill, in a word.
    #[derive(Default)]
    pub SkillStatus {
        #[default]
        Success = "success",
        Partial = "partial",
        Failed = "failed",
    }
}

/// What came of a skill.
#[derive(Clone, Debug, Default)]
pub struct TestOutcome {
    pub status: SkillStatus,
    pub error: Option<OutcomeError>,
    /// The outputs; one that is dropped is null.
    pub outputs: BTreeMap<String, Value>,
    /// What the commands of `phone` printed, in their order.
    pub phone: Vec<String>,
}

/// Why a skill is no success.
#[derive(Clone, Debug)]
pub struct OutcomeError {
    pub code: String,
    pub message: String,
}

impl Expectation {
    /// Why it can never be met.
    pub fn contradiction(&self) -> Option<&'static str> {
        let both = self.status == Some(SkillStatus::Success) && self.code.is_some();
        both.then_some("expect has a code, so its status cannot be success")
    }

    pub(crate) fn is_success(&self) -> bool {
        self.status.unwrap_or(SkillStatus::Success) == SkillStatus::Success && self.code.is_none()
    }

    pub(crate) fn problems(&self, outcome: &TestOutcome) -> Vec<String> {
        let mut problems = Vec::new();
        let status = self.status.or(self.code.is_none().then_some(SkillStatus::Success));
        if let Some(status) = status.filter(|status| *status != outcome.status) {
            problems.push(format!("expected {}, got {}", status.word(), outcome.summary()));
        }
        let code = outcome.error.as_ref().map(|error| error.code.as_str());
        if let Some(wanted) = self.code.as_deref().filter(|wanted| Some(*wanted) != code) {
            problems.push(format!("expected the code {wanted}, got {}", outcome.summary()));
        }
        for (name, wanted) in &self.outputs {
            let got = match outcome.outputs.get(name) {
                Some(value) if same(wanted, value) => continue,
                Some(value) => format!("got {value}"),
                None => "and there is none".to_owned(),
            };
            problems.push(format!("expected the output {name} to be {wanted}, {got}"));
        }
        for (at, PhoneSays { run, contains }) in self.phone.iter().enumerate() {
            let got = match outcome.phone.get(at) {
                Some(said) if said.contains(contains) => continue,
                Some(said) => format!("got {:?}", said.chars().take(MOST_SHOWN).collect::<String>()),
                None => "and the phone was not asked".to_owned(),
            };
            problems.push(format!("expected `{run}` to print {contains:?} afterwards, {got}"));
        }
        problems
    }
}

/// How much of a phone's output is shown.
const MOST_SHOWN: usize = 300;

impl TestOutcome {
    fn summary(&self) -> String {
        match &self.error {
            None => self.status.word().to_owned(),
            Some(error) => format!("{} ({}: {})", self.status.word(), error.code, error.message),
        }
    }
}

/// Whether two values are the same, however a number is written.
fn same(wanted: &Value, value: &Value) -> bool {
    match (wanted.as_f64(), value.as_f64()) {
        (Some(wanted), Some(value)) => wanted == value,
        _ => wanted == value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn outcome(status: SkillStatus, code: Option<&str>) -> TestOutcome {
        TestOutcome {
            status,
            error: code.map(|code| OutcomeError { code: code.to_owned(), message: "no".to_owned() }),
            outputs: BTreeMap::from([("n".to_owned(), json!(21.0)), ("d".to_owned(), Value::Null)]),
            phone: vec!["1\n".to_owned()],
        }
    }

    #[test]
    fn an_outcome_is_as_expected_or_what_differs_is_told() {
        let good = outcome(SkillStatus::Success, None);
        let bad = outcome(SkillStatus::Failed, Some("VERIFY_FAILED"));
        for (expect, outcome, wanted) in [
            (json!({}), &good, &[][..]),
            (json!({"outputs": {"n": 21, "d": null}}), &good, &[]),
            (json!({"phone": [{"run": "x", "contains": "1"}]}), &good, &[]),
            (json!({"status": "failed"}), &bad, &[]),
            (json!({"code": "VERIFY_FAILED"}), &bad, &[]),
            (json!({}), &bad, &["expected success, got failed (VERIFY_FAILED: no)"]),
            (json!({"status": "partial"}), &good, &["expected partial, got success"]),
            (
                json!({"code": "NODE_NOT_FOUND"}),
                &bad,
                &["expected the code NODE_NOT_FOUND, got failed (VERIFY_FAILED: no)"],
            ),
            (json!({"code": "NODE_NOT_FOUND"}), &good, &["expected the code NODE_NOT_FOUND, got success"]),
            (
                json!({"outputs": {"n": 22, "x": "a"}}),
                &good,
                &[
                    "expected the output n to be 22, got 21.0",
                    "expected the output x to be \"a\", and there is none",
                ],
            ),
            (
                json!({"phone": [{"run": "x", "contains": "2"}]}),
                &good,
                &["expected `x` to print \"2\" afterwards, got \"1\\n\""],
            ),
            (
                json!({"phone": [{"run": "x", "contains": "1"}, {"run": "y", "contains": "1"}]}),
                &good,
                &["expected `y` to print \"1\" afterwards, and the phone was not asked"],
            ),
        ] {
            let expectation: Expectation = serde_json::from_value(expect.clone()).unwrap();
            assert_eq!(expectation.problems(outcome), wanted, "{expect}");
        }
    }
}
