//! `skills ci`: every check on a repository, as a table.

use super::super::args::Args;
use super::super::flags::skills as flags;
use super::super::junit::{Case, TestVerdict, junit};
use super::super::output::{Format, write_file};
use super::super::world::{Answer, World};
use super::recipe::profile;
use clawperator_contract::Failure;
use clawperator_skills::recipe::Profile;
use clawperator_skills::repo::{CiCheck, CiReport, ci as check};
use serde_json::{Value, json};

pub(super) fn ci(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let file = args.value(&flags::JUNIT)?;
    let profile = profile(args)?.unwrap_or_else(Profile::standard);
    let report = check(&world.skills.registry_to_extend()?, &profile)?;
    if let Some(file) = file {
        write_file(file.as_ref(), as_junit(&report).as_bytes())?;
    }
    let answer = match args.format {
        Format::Compact => Answer::json(&report, args),
        Format::Pretty | Format::Agent => Answer::value(&table(&report), args, world),
    };
    Ok(answer.succeeded(report.passed))
}

fn as_junit(report: &CiReport) -> String {
    let told = |check: &CiCheck| -> Vec<String> {
        check.problems.iter().map(|problem| format!("{}: {}", problem.place, problem.message)).collect()
    };
    let problems: Vec<Vec<String>> = report.checks.iter().map(told).collect();
    let cases: Vec<Case<'_>> = report
        .checks
        .iter()
        .zip(&problems)
        .map(|(check, problems)| Case {
            class: "skills",
            name: format!("{:02} {}", check.number, check.name),
            verdict: if check.passed { TestVerdict::Passed } else { TestVerdict::Failed(problems) },
            took_ms: None,
        })
        .collect();
    junit("clawperator skills ci", &cases)
}

/// A line for each check, and one for each problem.
fn table(report: &CiReport) -> Value {
    let line = |check: &CiCheck| {
        let result = if check.passed { "ok" } else { "FAILED" };
        json!({"#": check.number, "check": check.name, "result": result, "checked": check.checked, "problems": check.problems.len()})
    };
    let checks: Vec<Value> = report.checks.iter().map(line).collect();
    let problems = report.checks.iter().flat_map(|check| {
        let name = check.name;
        check
            .problems
            .iter()
            .map(move |problem| json!({"check": name, "place": problem.place, "problem": problem.message}))
    });
    let problems: Vec<Value> = problems.collect();
    if problems.is_empty() {
        json!({"passed": report.passed, "skills": report.total_skills, "checks": checks})
    } else {
        json!({"passed": report.passed, "skills": report.total_skills, "checks": checks, "problems": problems})
    }
}
