//! Tests of skills on phones that are there already, such as those of a pool: each recipe once,
//! with the inputs of its world and what must come of it. What only a simulated phone can do is
//! skipped, and says why.

use super::expectation::{Expectation, TestOutcome};
use super::recipe_run::{inputs, refusal_outcome};
use super::variant::Variant;
use super::{Subject, TestReport, TestResult, TestStatus, WorldFile, world_jobs};
use clawperator_contract::Failure;
use clawperator_skills::recipe::{Inputs, RecipeResult};
use clawperator_skills::repo::{RecipeFile, Repository};

/// A test that needs a phone.
#[derive(Debug)]
pub struct PhoneTest {
    pub result: TestResult,
    pub recipe: RecipeFile,
    pub inputs: Inputs,
    expect: Expectation,
}

/// The tests of some skills: those that need a phone, and a report of the others.
///
/// # Errors
/// A skill cannot be read.
pub fn phone_tests(repo: &Repository, ids: &[&str]) -> Result<(Vec<PhoneTest>, TestReport), Failure> {
    let (mut tests, mut others, mut untested) = (Vec::new(), Vec::new(), Vec::new());
    for id in ids {
        let subject = Subject::of(repo, repo.skill(id)?)?;
        untested.extend(subject.worlds.is_empty().then(|| subject.id.clone()));
        for job in world_jobs(repo, &subject) {
            let result = TestResult::new(&subject.id, &job.shown, Variant::Plain.word());
            let world = match WorldFile::read(job.file, &job.shown) {
                Ok(world) => world,
                Err(problems) => {
                    others.push(TestResult { status: TestStatus::Failed, problems, ..result });
                    continue;
                }
            };
            match phone_test(repo, &subject, world, result.clone()) {
                Ok(test) => tests.push(test),
                Err((status, why)) => others.push(TestResult { status, problems: vec![why], ..result }),
            }
        }
    }
    Ok((tests, TestReport::of(untested, others, Vec::new())))
}

fn phone_test(
    repo: &Repository,
    subject: &Subject,
    world: WorldFile,
    result: TestResult,
) -> Result<PhoneTest, (TestStatus, String)> {
    let failed = |why: String| (TestStatus::Failed, why);
    let simulated = [
        ("setup", world.setup.is_empty()),
        ("faults", world.faults.is_empty()),
        ("meanwhile", world.meanwhile.is_empty()),
        ("expect.phone", world.expect.phone.is_empty()),
    ];
    if let Some((field, _)) = simulated.iter().find(|(_, is_empty)| !is_empty) {
        return Err((
            TestStatus::Skipped,
            format!("its {field} needs a simulated phone of its own: run it without --pool"),
        ));
    }
    if subject.recipes.is_empty() && world.artifact.is_none() {
        return Err((TestStatus::Skipped, "it is a script, and only recipes run elsewhere".to_owned()));
    }
    let recipe = repo.recipe(&subject.id, world.artifact.as_deref());
    Ok(PhoneTest {
        result,
        recipe: recipe.map_err(|failure| failed(failure.message))?,
        inputs: inputs(&world.inputs).map_err(failed)?,
        expect: world.expect,
    })
}

impl PhoneTest {
    /// Judges what came of a run.
    pub fn judge(self, ran: RecipeResult) -> TestResult {
        self.verdict(&ran.into())
    }

    /// Judges a recipe that was refused before it was sent.
    pub fn judge_refusal(self, refusal: &Failure) -> TestResult {
        self.verdict(&refusal_outcome(refusal))
    }

    /// A test without a verdict: the phone, its host or the pool was lost.
    pub fn not_judged(self, why: String) -> TestResult {
        TestResult { status: TestStatus::Error, problems: vec![why], ..self.result }
    }

    fn verdict(self, outcome: &TestOutcome) -> TestResult {
        let problems = self.expect.problems(outcome);
        let status = if problems.is_empty() { TestStatus::Passed } else { TestStatus::Failed };
        TestResult { status, problems, runs: 1, ..self.result }
    }
}
