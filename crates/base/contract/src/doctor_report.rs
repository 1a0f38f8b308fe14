//! What `doctor` answers: checks, what to do about them, and what was done.

use crate::error_code::ErrorCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Values that a check was judged by.
pub type Evidence = BTreeMap<&'static str, Value>;

/// The answer of `doctor`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "DoctorReport")]
pub struct DoctorReport {
    /// Whether no check failed.
    pub ok: bool,
    /// Whether no check failed that executions cannot do without.
    pub critical_ok: bool,
    /// The phone, where the report is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_id: Option<String>,
    /// The package of the Operator app that was looked for.
    pub operator_package: String,
    /// The checks: the computer's first, then phone after phone.
    pub checks: Vec<Check>,
    /// What was done before these checks, with `--fix`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Repair>,
    /// What to do next, each thing once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<String>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// What was looked at, such as `device.screen`.
    pub id: &'static str,
    /// The phone it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_id: Option<String>,
    /// What came of it.
    pub status: CheckStatus,
    /// Whether executions cannot do without it.
    pub critical: bool,
    /// The kind of trouble.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// What was found, for people.
    pub summary: String,
    /// More of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
    /// What it was judged by.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub evidence: Evidence,
}

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// All is well.
    Pass,
    /// It works, and something about it should be known.
    Warn,
    /// It does not work.
    Fail,
}

/// What to do about a check.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fix {
    /// What the steps lead to.
    pub title: String,
    /// Where they are done: on this computer (`host`), on the phone (`android`).
    pub platform: &'static str,
    /// The steps, in order.
    pub steps: Vec<FixStep>,
}

/// One step of a fix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct FixStep {
    /// How it is done.
    pub kind: StepKind,
    /// The command line, or what to do by hand.
    pub value: String,
}

/// How a step of a fix is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// A command line, to be typed as it is.
    Shell,
    /// By hand.
    Manual,
}

/// Something that `--fix` did, or could not do.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Repair {
    /// The check it was for.
    pub id: &'static str,
    /// The phone it was done on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_id: Option<String>,
    /// Whether it was done; whether it helped, the check says.
    pub done: bool,
    /// What was done, or why it was not.
    pub summary: String,
}

impl DoctorReport {
    /// The report of these checks.
    pub fn new(checks: Vec<Check>, operator_package: &str) -> Self {
        let failed = |check: &Check| check.status == CheckStatus::Fail;
        let serials: BTreeSet<_> = checks.iter().filter_map(|check| check.device_id.as_ref()).collect();
        let only = serials.first().filter(|_| serials.len() == 1);
        let mut next_actions: Vec<String> = Vec::new();
        // What stops everything comes first.
        for status in [CheckStatus::Fail, CheckStatus::Warn] {
            let fixes = checks.iter().filter(|check| check.status == status);
            for step in fixes.filter_map(|check| check.fix.as_ref()).flat_map(|fix| &fix.steps) {
                if !next_actions.contains(&step.value) {
                    next_actions.push(step.value.clone());
                }
            }
        }
        Self {
            ok: !checks.iter().any(failed),
            critical_ok: !checks.iter().any(|check| check.critical && failed(check)),
            device_id: only.map(|serial| (*serial).clone()),
            operator_package: operator_package.to_owned(),
            repairs: Vec::new(),
            next_actions,
            checks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(id: &'static str, status: CheckStatus, critical: bool, step: &str) -> Check {
        let step = FixStep { kind: StepKind::Shell, value: step.to_owned() };
        Check {
            id,
            device_id: None,
            status,
            critical,
            code: None,
            summary: String::new(),
            detail: None,
            fix: Some(Fix { title: String::new(), platform: "host", steps: vec![step] }),
            evidence: Evidence::new(),
        }
    }

    #[test]
    fn a_report_sums_its_checks_up() {
        use CheckStatus::{Fail, Warn};
        for (checks, ok, critical_ok) in [
            (vec![], true, true),
            (vec![check("a", Warn, true, "x")], true, true),
            (vec![check("a", Fail, false, "x")], false, true),
            (vec![check("a", Fail, true, "x")], false, false),
        ] {
            let report = DoctorReport::new(checks, "p");
            assert_eq!((report.ok, report.critical_ok), (ok, critical_ok));
        }
    }

    #[test]
    fn what_is_to_be_done_is_said_once_and_the_worst_first() {
        use CheckStatus::{Fail, Warn};
        let checks = vec![
            check("a", Warn, false, "later"),
            check("b", Fail, true, "now"),
            check("c", Fail, true, "now"),
        ];
        assert_eq!(DoctorReport::new(checks, "p").next_actions, ["now", "later"]);
    }
}
