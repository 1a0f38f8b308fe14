//! What is thought of one thing that was seen. Pure.

use super::{Finding, Remedy};
use clawperator_contract::{Check, CheckStatus, ErrorCode, Evidence, Fix, FixStep, StepKind};
use serde_json::Value;

/// One row of a table of checks.
pub(super) struct CheckRow<F> {
    pub(super) id: &'static str,
    pub(super) critical: bool,
    /// Judges; nothing where there is nothing to judge by.
    pub(super) judge: fn(&F) -> Option<CheckVerdict>,
}

impl<F> CheckRow<F> {
    pub(super) const fn critical(id: &'static str, judge: fn(&F) -> Option<CheckVerdict>) -> Self {
        Self { id, critical: true, judge }
    }

    pub(super) const fn advice(id: &'static str, judge: fn(&F) -> Option<CheckVerdict>) -> Self {
        Self { critical: false, ..Self::critical(id, judge) }
    }
}

/// What is thought of one thing.
#[derive(Clone, Debug)]
pub(super) struct CheckVerdict {
    status: CheckStatus,
    code: Option<ErrorCode>,
    summary: String,
    detail: Option<String>,
    fix: Option<Fix>,
    evidence: Evidence,
    remedy: Option<Remedy>,
}

/// Where a fix is done.
pub(super) const HOST: &str = "host";
pub(super) const ANDROID: &str = "android";

impl CheckVerdict {
    fn new(status: CheckStatus, code: Option<ErrorCode>, summary: String) -> Self {
        Self { status, code, summary, detail: None, fix: None, evidence: Evidence::new(), remedy: None }
    }

    pub(super) fn pass(summary: impl Into<String>) -> Self {
        Self::new(CheckStatus::Pass, None, summary.into())
    }

    pub(super) fn warn(code: ErrorCode, summary: impl Into<String>) -> Self {
        Self::new(CheckStatus::Warn, Some(code), summary.into())
    }

    pub(super) fn fail(code: ErrorCode, summary: impl Into<String>) -> Self {
        Self::new(CheckStatus::Fail, Some(code), summary.into())
    }

    pub(super) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into()).filter(|text: &String| !text.is_empty());
        self
    }

    pub(super) fn evidence(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.evidence.insert(name, value.into());
        self
    }

    pub(super) fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedy = Some(remedy);
        self
    }

    /// Says what to do; the steps come after.
    pub(super) fn fix(mut self, title: &str, platform: &'static str) -> Self {
        self.fix = Some(Fix { title: title.to_owned(), platform, steps: Vec::new() });
        self
    }

    /// Adds a command line that works as it stands.
    pub(super) fn shell(self, line: impl Into<String>) -> Self {
        self.step(StepKind::Shell, line.into())
    }

    /// Adds something that is done by hand.
    pub(super) fn manual(self, what: impl Into<String>) -> Self {
        self.step(StepKind::Manual, what.into())
    }

    fn step(mut self, kind: StepKind, value: String) -> Self {
        debug_assert!(self.fix.is_some(), "a step belongs to a fix");
        if let Some(fix) = &mut self.fix {
            fix.steps.push(FixStep { kind, value });
        }
        self
    }
}

/// Judges by every row of a table.
pub(super) fn judge<F>(rows: &[CheckRow<F>], facts: &F, device_id: Option<&str>) -> Vec<Finding> {
    let finding = |row: &CheckRow<F>| {
        let verdict = (row.judge)(facts)?;
        Some(Finding {
            check: Check {
                id: row.id,
                device_id: device_id.map(str::to_owned),
                status: verdict.status,
                critical: row.critical,
                code: verdict.code,
                summary: verdict.summary,
                detail: verdict.detail,
                fix: verdict.fix,
                evidence: verdict.evidence,
            },
            remedy: verdict.remedy,
        })
    };
    rows.iter().filter_map(finding).collect()
}

/// A serial as a word of a command line.
pub(super) fn word(serial: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | ':' | '-');
    if !serial.is_empty() && serial.chars().all(plain) {
        return serial.to_owned();
    }
    clawperator_phone::quote(serial).unwrap_or_else(|_| serial.to_owned())
}
