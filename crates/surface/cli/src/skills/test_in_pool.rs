//! `skills test --pool`: the tests of skills on phones of a pool, several at a time.

use super::run_recipe::{agree, request};
use crate::args::Args;
use crate::flags::skills as flags;
use crate::pool;
use crate::world::World;
use clawperator_contract::{CodeScope, ErrorCode, Failure, Retry, text};
use clawperator_engine::{Outcome, RecipeRun, Request};
use clawperator_lab::skill_test::{PhoneTest, TestReport, TestResult, TestedJob, phone_tests};
use clawperator_pool::ListedResult;
use clawperator_run::Strictness;
use clawperator_skills::recipe::RecipeResult;
use clawperator_skills::repo::Repository;

/// The most phones at a time.
const MOST_SHARDS: u64 = 500;

/// Runs the tests of some skills, each on the next phone that is free.
pub(super) fn test(
    repo: &Repository,
    ids: &[&str],
    args: &Args,
    world: &mut World,
) -> Result<TestReport, Failure> {
    let shards = args.whole(&flags::SHARDS, 1..=MOST_SHARDS)?.unwrap_or(1);
    let (found, report) = phone_tests(repo, ids)?;
    let (mut tests, mut jobs, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for test in found {
        let run = match RecipeRun::new(&test.recipe, test.inputs.clone()) {
            Ok(run) => run,
            Err(refusal) => {
                results.push(test.judge_refusal(&refusal));
                continue;
            }
        };
        agree(&run.recipe, args, world)?;
        // Recipes never touch one of several.
        let request = Request { strictness: Strictness::Unique, ..request(run, args, world)? };
        jobs.push((request, format!("{} {}", test.result.skill, test.result.world)));
        tests.push(test);
    }
    let ran = pool::run_list(jobs, usize::try_from(shards).unwrap_or(1), args, world)?;
    results.extend(tests.into_iter().zip(ran).map(|(test, ran)| verdict(test, ran)));
    Ok(report.with(results))
}

fn verdict(test: PhoneTest, ran: ListedResult) -> TestResult {
    let result = match ran {
        Ok(result) => result,
        Err(failure) => return test.not_judged(failure.message),
    };
    let job = TestedJob {
        id: result.id.to_string(),
        phone: result.phone.map(|phone| phone.to_string()),
        waited_ms: result.waited_ms,
        took_ms: result.took_ms,
    };
    let is_gone = |recipe: &RecipeResult| {
        let error = recipe.error.as_ref().map(|error| error.cause.as_ref().unwrap_or(&error.code));
        let row = error.and_then(|code| ErrorCode::from_name(code)).map(ErrorCode::row);
        // What is not about the screen is about the phone, its host or the pool.
        row.is_some_and(|row| row.scope == CodeScope::Host && row.retry == Retry::Later)
    };
    let judged = match result.ended.recipe {
        Some(recipe) if result.lost || is_gone(&recipe) => {
            let message = recipe.error.map(|error| format!("{}: {}", error.code, error.message));
            test.not_judged(message.unwrap_or_else(|| "the phone was lost".to_owned()))
        }
        Some(recipe) => test.judge(*recipe),
        None => {
            let outcome = serde_json::json!(Outcome::Stored(result.ended.outcome));
            let [code, message] = ["code", "message"].map(|key| outcome[key].as_str().unwrap_or_default());
            test.not_judged(text::visible(&format!("{code}: {message}")).into_owned())
        }
    };
    TestResult { job: Some(job), ..judged }
}
