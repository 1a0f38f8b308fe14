//! Tests of skills on simulated phones: each world file of a package is a phone
//! and what the skill must do on it. A recipe runs on a clock that moves on when
//! nothing is left to do; a script is a process and runs on real time.
//!
//! `world_file`, `variant` and `expectation` are pure; `recipe_run` and
//! `script_run` run a skill once. This module does not know the command line.

mod expectation;
mod limits;
mod phone;
mod phone_test;
mod proof;
mod recipe_run;
mod script_run;
mod stage;
mod subject;
mod variant;
mod world_file;

pub use expectation::{SkillStatus, TestOutcome};
pub use limits::{MAX_JOBS, USUAL_JOBS};
pub use phone::TestPhone;
pub use phone_test::{PhoneTest, phone_tests};
pub use proof::{Proof, SkillAct};
pub use script_run::ScriptHost;
pub use stage::TestOptions;
use stage::{Stage, TestJob};
pub use subject::Subject;
pub use variant::Conditions;
pub use world_file::{RawWorldFile, WorldFile, read_yaml};

use clawperator_contract::{Failure, words};
use clawperator_skills::repo::Repository;
use proof::ProvenStep;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use subject::SubjectKind;
use variant::Variant;

/// What came of all tests.
#[derive(Debug, Serialize)]
pub struct TestReport {
    pub ok: bool,
    pub passed: usize,
    pub failed: usize,
    /// How many were left out.
    pub skipped: usize,
    /// How many have no verdict, because the phone or its host was lost.
    #[serde(skip_serializing_if = "is_zero")]
    pub errors: usize,
    pub untested: Vec<String>,
    /// The tests: skill by skill, world by world, variant by variant.
    pub tests: Vec<TestResult>,
    /// What the skills do, and whether a test notices if it is not done.
    pub acts: Vec<SkillAct>,
}

/// One skill in one world, in one variant.
#[derive(Clone, Debug, Serialize)]
pub struct TestResult {
    pub skill: String,
    /// The world file, relative to the repository.
    pub world: String,
    pub variant: &'static str,
    /// What was random came from this.
    pub seed: u64,
    pub status: TestStatus,
    pub runs: usize,
    /// What was wrong, or why it was not run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Where it ran, if that was elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<TestedJob>,
}

/// The job that a test was.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestedJob {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

words! {
    /// What came of a test.
    pub TestStatus {
        Passed = "passed",
        Failed = "failed",
        Skipped = "skipped",
        Error = "error",
    }
}

/// Runs the tests of some skills.
///
/// # Errors
/// A skill cannot be read.
pub fn run(repo: &Repository, ids: &[&str], options: &TestOptions) -> Result<TestReport, Failure> {
    let mut subjects = Vec::new();
    for id in ids {
        subjects.push(Subject::of(repo, repo.skill(id)?)?);
    }
    let jobs: Vec<TestJob<'_>> = subjects.iter().flat_map(|subject| world_jobs(repo, subject)).collect();
    let (untested, tested): (Vec<&Subject>, Vec<&Subject>) =
        subjects.iter().partition(|subject| subject.worlds.is_empty());
    let (mut tests, mut proven) = (Vec::new(), BTreeSet::new());
    for (results, proofs) in side_by_side(&jobs, options.jobs, |job| test(job, options)) {
        tests.extend(results);
        proven.extend(proofs);
    }
    let acts: Vec<SkillAct> = tested.iter().flat_map(|subject| proof::acts(subject, &proven)).collect();
    let untested = untested.iter().map(|subject| subject.id.clone()).collect();
    Ok(TestReport::of(untested, tests, acts))
}

fn world_jobs<'s>(repo: &'s Repository, subject: &'s Subject) -> impl Iterator<Item = TestJob<'s>> {
    subject.worlds.iter().map(move |file| {
        let shown = file.strip_prefix(repo.root.path()).unwrap_or(file).display().to_string();
        TestJob { repo, subject, file, shown }
    })
}

/// Does work on several things at a time; the results, in the order of the things.
pub fn side_by_side<T: Sync, R: Send>(things: &[T], jobs: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(things.len()) {
            scope.spawn(|| {
                let take = || things.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed));
                while let Some((at, thing)) = take() {
                    let result = work(thing);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Tests a skill in one world, in every variant that the file asks for. If the plain one fails, the
/// others would only say the same. Also tells which acts the test proves.
fn test(job: &TestJob<'_>, options: &TestOptions) -> (Vec<TestResult>, Vec<ProvenStep>) {
    let result = |variant: Variant, seed: u64| TestResult {
        seed,
        ..TestResult::new(&job.subject.id, &job.shown, variant.word())
    };
    let mut stage = match Stage::of(job, options) {
        Ok(stage) => stage,
        Err(problems) => {
            let failed = TestResult {
                status: TestStatus::Failed,
                problems,
                ..result(Variant::Plain, options.seed.unwrap_or_default())
            };
            return (vec![failed], Vec::new());
        }
    };
    let world = &stage.world;
    let mut results = Vec::new();
    let mut commands = None;
    for variant in world.variants() {
        let mut result = result(variant, world.seed);
        if variant != Variant::Plain && commands.is_none() {
            result.status = TestStatus::Skipped;
            result.problems = vec!["the plain test failed".to_owned()];
        } else {
            let seen = try_variant(&stage, variant, commands.unwrap_or(0), &mut result);
            if variant == Variant::Plain && result.problems.is_empty() {
                commands = Some(seen);
            }
        }
        if result.status == TestStatus::Passed && !result.problems.is_empty() {
            result.status = TestStatus::Failed;
        }
        results.push(result);
    }
    let proven = commands.map(|_| proof::proven_acts(&mut stage));
    (results, proven.unwrap_or_default())
}

/// Runs a skill as often as a variant asks for, up to the first time that
/// something is not as expected; how many commands the phone got.
fn try_variant(stage: &Stage<'_>, variant: Variant, commands: u32, result: &mut TestResult) -> u32 {
    let most = match stage.kind {
        SubjectKind::Recipe(..) => limits::RECIPE_INTERRUPTIONS,
        SubjectKind::Script => limits::SCRIPT_INTERRUPTIONS,
    };
    let mut seen = 0;
    for conditions in variant.conditions(stage.world.conditions(), commands, most) {
        result.runs += 1;
        let (outcome, passed) = stage.run(&conditions);
        seen = passed;
        let when = conditions.when();
        let problems = outcome.map_or_else(|why| vec![why], |outcome| stage.world.expect.problems(&outcome));
        result.problems = problems.into_iter().map(|why| format!("{when}{why}")).collect();
        if !result.problems.is_empty() {
            break;
        }
    }
    seen
}

impl TestResult {
    fn new(skill: &str, world: &str, variant: &'static str) -> Self {
        Self {
            skill: skill.to_owned(),
            world: world.to_owned(),
            variant,
            seed: 0,
            status: TestStatus::Passed,
            runs: 0,
            problems: Vec::new(),
            job: None,
        }
    }
}

impl TestReport {
    /// The same with more results, in the order of skills and worlds.
    pub fn with(self, more: Vec<TestResult>) -> Self {
        let mut tests = [self.tests, more].concat();
        tests.sort_by(|one, other| (&one.skill, &one.world).cmp(&(&other.skill, &other.world)));
        Self::of(self.untested, tests, self.acts)
    }

    fn of(untested: Vec<String>, tests: Vec<TestResult>, acts: Vec<SkillAct>) -> Self {
        let count = |status| tests.iter().filter(|test| test.status == status).count();
        Self {
            ok: count(TestStatus::Failed) + count(TestStatus::Error) == 0
                && !acts.iter().any(|act| act.proof == Proof::Missing),
            passed: count(TestStatus::Passed),
            failed: count(TestStatus::Failed),
            skipped: count(TestStatus::Skipped),
            errors: count(TestStatus::Error),
            untested,
            tests,
            acts,
        }
    }
}
