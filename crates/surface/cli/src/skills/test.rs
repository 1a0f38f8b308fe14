//! `skills test`: tests skills on simulated phones, and prints what came of it.

use super::test_in_pool;
use crate::args::Args;
use crate::flags::{REPORT, skills as flags};
use crate::junit::{Case, TestVerdict, junit};
use crate::output;
use crate::people::aligned;
use crate::pool;
use crate::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_journal::report::{TablePage, table_page};
use clawperator_lab::skill_test::{
    Proof, ScriptHost, SkillAct, TestOptions, TestReport, TestResult, TestStatus, run,
};
use clawperator_skills::repo::SkillEntry;
use clawperator_skills::script::inherited;
use std::path::Path;

pub(super) fn test(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let options = TestOptions {
        jobs: args.jobs(&flags::JOBS)?,
        seed: args.whole(&flags::TEST_SEED, 0..=u64::MAX)?,
        host: ScriptHost { program: world.this_program()?, inherited: inherited(std::env::vars_os()) },
    };
    let file = args.value(&flags::JUNIT)?;
    let repo = world.skills.open()?;
    args.refuse_all_and(&flags::TEST_ALL, args.argument(), "a skill")?;
    let ids: Vec<&str> = if args.has(&flags::TEST_ALL) {
        repo.registry.skills.iter().map(SkillEntry::id).collect()
    } else {
        vec![args.skill_id()?]
    };
    let report = if pool::is_wanted(args, world)? {
        test_in_pool::test(&repo, &ids, args, world)?
    } else {
        run(&repo, &ids, &options)?
    };
    if let ([id], true, false) = (&ids[..], report.tests.is_empty(), args.has(&flags::TEST_ALL)) {
        return Err(untested(id, repo.skill(id)?.path()));
    }
    if let Some(file) = file {
        output::write_file(Path::new(file), as_junit(&report).as_bytes())?;
    }
    if let Some(file) = args.value(&REPORT)? {
        output::write_file(Path::new(file), as_page(&report).as_bytes())?;
    }
    Ok(Answer::json_or(&report, args, || for_people(&report)).succeeded(report.ok))
}

fn untested(id: &str, folder: &str) -> Failure {
    let message = format!("the skill {id} has no tests: there is no file {folder}/tests/*.world.yaml");
    Failure::new(ErrorCode::SkillValidationFailed, message)
        .hint("Write a world file: a phone, the inputs, and what is expected. See docs/skills.md.")
        .of_skill(|about| about.skill_id = Some(id.to_owned()))
}

fn as_junit(report: &TestReport) -> String {
    let tested = report.tests.iter().map(|test| Case {
        class: &test.skill,
        name: format!("{} {} (seed {})", test.world, test.variant, test.seed),
        verdict: match test.status {
            TestStatus::Passed => TestVerdict::Passed,
            TestStatus::Failed => TestVerdict::Failed(&test.problems),
            TestStatus::Skipped => TestVerdict::Skipped(test.problems.first().map_or("", String::as_str)),
            TestStatus::Error => TestVerdict::Error(&test.problems),
        },
        took_ms: test.job.as_ref().and_then(|job| job.took_ms),
    });
    let untested = report.untested.iter().map(|skill| Case {
        class: skill,
        name: "tests".to_owned(),
        verdict: TestVerdict::Skipped("the skill has no tests"),
        took_ms: None,
    });
    let missing: Vec<Vec<String>> = report.acts.iter().map(|act| vec![act_line(act)]).collect();
    let acts = report.acts.iter().zip(&missing).map(|(act, told)| Case {
        class: &act.skill,
        name: format!("without {}", act.step),
        verdict: match act.proof {
            Proof::Proven => TestVerdict::Passed,
            Proof::Missing => TestVerdict::Failed(told),
            Proof::Unproven => TestVerdict::Skipped("no test notices if it is left out"),
        },
        took_ms: None,
    });
    let cases: Vec<Case<'_>> = tested.chain(untested).chain(acts).collect();
    junit("clawperator skills test", &cases)
}

/// The tests as one page.
fn as_page(report: &TestReport) -> String {
    let row = |test: &TestResult| {
        let (job, took) = test.job.as_ref().map_or_else(Default::default, |job| {
            let phone = job.phone.as_deref().unwrap_or("no phone");
            (
                format!("{phone}, job {}", job.id),
                job.took_ms.map_or_else(String::new, |took_ms| format!("{took_ms} ms")),
            )
        });
        let [status, variant] = [test.status.word(), test.variant].map(str::to_owned);
        vec![status, test.skill.clone(), test.world.clone(), variant, job, took, test.problems.join("\n")]
    };
    let count = |what, count: usize| (what, count.to_string());
    table_page(&TablePage {
        title: "clawperator skills test",
        status: if report.ok { "success" } else { "failed" },
        facts: &[
            count("Passed", report.passed),
            count("Failed", report.failed),
            count("Skipped", report.skipped),
            count("Without a verdict", report.errors),
        ],
        columns: &["Status", "Skill", "World", "Variant", "Where", "Took", "Problems"],
        rows: &report.tests.iter().map(row).collect::<Vec<_>>(),
    })
}

fn act_line(act: &SkillAct) -> String {
    let word = match act.proof {
        Proof::Proven => return format!("{}: {} is proven", act.skill, act.step),
        Proof::Unproven => "warning",
        Proof::Missing => "failed",
    };
    let (skill, step) = (&act.skill, &act.step);
    format!("{word}: {skill}: {step} is unproven: no test that expects success notices if it is left out")
}

fn for_people(report: &TestReport) -> String {
    let row = |test: &TestResult| {
        [
            test.status.word().to_owned(),
            test.skill.clone(),
            Path::new(&test.world)
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            test.variant.to_owned(),
            format!("seed {}", test.seed),
        ]
    };
    let rows: Vec<Vec<String>> = report.tests.iter().map(|test| row(test).to_vec()).collect();
    let lines = aligned(&rows).into_iter();
    let mut out: String = lines.map(|line| format!("{line}\n")).collect();
    // Why others than the plain one were skipped, its own line says.
    let is_worth_it = |test: &&TestResult| test.status != TestStatus::Skipped || test.variant == "plain";
    for test in report.tests.iter().filter(|test| !test.problems.is_empty()).filter(is_worth_it) {
        out.push_str(&format!("\n{} {}, {} (seed {}):\n", test.skill, test.world, test.variant, test.seed));
        for problem in &test.problems {
            out.push_str(&format!("  {}\n", text::visible(problem)));
        }
    }
    for act in &report.acts {
        out.push_str(&format!("{}\n", text::visible(&act_line(act))));
    }
    for skill in &report.untested {
        out.push_str(&format!("{skill} has no tests\n"));
    }
    let (passed, failed, skipped) = (report.passed, report.failed, report.skipped);
    out.push_str(&format!("\n{passed} passed, {failed} failed, {skipped} skipped"));
    out.push_str(&match report.errors {
        0 => "\n".to_owned(),
        errors => format!(", {errors} without a verdict\n"),
    });
    out
}
