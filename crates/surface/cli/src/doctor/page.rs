//! A doctor's report as people read it. Pure.

use crate::people::Colour;
use crate::people::{self, BAD, GOOD, HEAD, ODD};
use clawperator_contract::{Check, CheckStatus, DoctorReport};
use std::collections::BTreeSet;

pub(super) fn for_people(report: &DoctorReport, colour: Colour) -> String {
    let styled = |style, text: &str| people::styled(style, text, colour);
    let mut out = String::new();
    let serials: BTreeSet<_> = report.checks.iter().map(|check| &check.device_id).collect();
    for serial in serials {
        let head = serial.as_deref().unwrap_or("This computer");
        out.push_str(&format!("{}\n", styled(HEAD, head)));
        for check in report.checks.iter().filter(|check| check.device_id == *serial) {
            let word = match check.status {
                CheckStatus::Pass => styled(GOOD, "ok  "),
                CheckStatus::Warn => styled(ODD, "warn"),
                CheckStatus::Fail => styled(BAD, "FAIL"),
            };
            out.push_str(&format!("  {word}  {:<24}  {}\n", check.id, check.summary));
            about(check, &mut out);
        }
        out.push('\n');
    }
    if !report.repairs.is_empty() {
        out.push_str(&format!("{}\n", styled(HEAD, "Done")));
        for repair in &report.repairs {
            let word = if repair.done { "" } else { "not done: " };
            let on = repair.device_id.as_deref().map_or_else(String::new, |on| format!("{on}: "));
            out.push_str(&format!("  {on}{word}{}\n", repair.summary));
        }
        out.push('\n');
    }
    out.push_str(&summary(report));
    for (number, action) in report.next_actions.iter().enumerate() {
        out.push_str(&format!("  {}. {action}\n", number + 1));
    }
    out
}

/// What else there is to say of a check that did not pass.
fn about(check: &Check, out: &mut String) {
    const INDENT: &str = "                                  ";
    if check.status == CheckStatus::Pass {
        return;
    }
    for line in check.detail.iter().flat_map(|detail| detail.lines()) {
        out.push_str(&format!("{INDENT}{line}\n"));
    }
    for step in check.fix.iter().flat_map(|fix| &fix.steps) {
        out.push_str(&format!("{INDENT}-> {}\n", step.value));
    }
}

fn summary(report: &DoctorReport) -> String {
    let count = |status: CheckStatus| report.checks.iter().filter(|check| check.status == status).count();
    let (failed, odd) = (count(CheckStatus::Fail), count(CheckStatus::Warn));
    let counted = format!("{failed} failed, {odd} warned, of {} checks.", report.checks.len());
    let verdict = match (report.critical_ok, failed + odd) {
        (true, 0) => return "Executions can run. Nothing is left to do.\n".to_owned(),
        (true, _) => "Executions can run.",
        (false, _) => "Executions cannot run.",
    };
    let next = if report.next_actions.is_empty() { "" } else { " Next:" };
    format!("{verdict} {counted}{next}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawperator_contract::{ErrorCode, Fix, FixStep, Repair, StepKind};

    /// A check with more to say; only what failed is critical, and has a fix.
    fn check(id: &'static str, serial: Option<&str>, status: CheckStatus) -> Check {
        let failed = status == CheckStatus::Fail;
        let step = || FixStep { kind: StepKind::Shell, value: format!("mend {id}") };
        Check {
            id,
            device_id: serial.map(str::to_owned),
            status,
            critical: failed,
            code: failed.then_some(ErrorCode::AdbNotFound),
            summary: format!("{id} was looked at"),
            detail: Some("one line\nanother".to_owned()),
            fix: failed.then(|| Fix { title: "Mend it".to_owned(), platform: "host", steps: vec![step()] }),
            evidence: Default::default(),
        }
    }

    fn report(checks: &[(&'static str, Option<&str>, CheckStatus)]) -> DoctorReport {
        let checks = checks.iter().map(|(id, serial, status)| check(id, *serial, *status));
        DoctorReport::new(checks.collect(), "com.example")
    }

    fn repair(serial: Option<&str>, done: bool) -> Repair {
        Repair {
            id: "adb.server",
            device_id: serial.map(str::to_owned),
            done,
            summary: "started it".to_owned(),
        }
    }

    #[test]
    fn a_page_has_the_computer_first_then_each_phone_then_what_comes_next() {
        let mut report = report(&[
            ("adb.server", None, CheckStatus::Fail),
            ("device.screen", Some("B"), CheckStatus::Warn),
            ("device.screen", Some("A"), CheckStatus::Pass),
        ]);
        report.repairs = vec![repair(None, true), repair(Some("A"), false)];
        let wanted = "\
This computer
  FAIL  adb.server                adb.server was looked at
                                  one line
                                  another
                                  -> mend adb.server

A
  ok    device.screen             device.screen was looked at

B
  warn  device.screen             device.screen was looked at
                                  one line
                                  another

Done
  started it
  A: not done: started it

Executions cannot run. 1 failed, 1 warned, of 3 checks. Next:
  1. mend adb.server
";
        assert_eq!(for_people(&report, Colour::Never), wanted);
        let coloured = for_people(&report, Colour::Always);
        assert!(coloured.contains(&format!("{BAD}FAIL{BAD:#}")), "{coloured}");
    }

    #[test]
    fn the_summary_says_whether_executions_can_run() {
        for (status, wanted) in [
            (CheckStatus::Pass, "Executions can run. Nothing is left to do.\n"),
            (CheckStatus::Warn, "Executions can run. 0 failed, 1 warned, of 1 checks.\n"),
            (CheckStatus::Fail, "Executions cannot run. 1 failed, 0 warned, of 1 checks. Next:\n"),
        ] {
            assert_eq!(summary(&report(&[("adb.server", None, status)])), wanted);
        }
    }
}
