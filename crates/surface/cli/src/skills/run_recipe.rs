//! `skills run` for a recipe: through the engine, in this process.

use super::recipe::{inputs, profile};
use crate::args::Args;
use crate::device::block_on;
use crate::flags::skills as flags;
use crate::output::Format;
use crate::progress::Progress;
use crate::world::{Answer, World};
use crate::{engine, live, pool, report};
use clawperator_contract::{ErrorCode, Failure, Number, accept_within, text};
use clawperator_engine::{Finished, Outcome, OutcomeKind, RecipeRun, Request};
use clawperator_skills::recipe::{Capability, OutputResult, Profile, Recipe, RecipeResult, RecipeStatus};
use clawperator_skills::repo::RecipeFile;
use serde_json::{Value, json};
use std::io::IsTerminal as _;

pub(super) fn run(file: &RecipeFile, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    if let Some(word) = args.arguments().get(1) {
        let message = format!("a recipe takes no arguments, and \"{}\" is one", text::excerpt(word));
        let hint = "Give its inputs by name: --input NAME=VALUE.";
        return Err(Failure::new(ErrorCode::Usage, message).hint(hint));
    }
    let run = RecipeRun::new(file, inputs(args)?)?;
    agree(&run.recipe, args, world)?;
    if pool::is_wanted(args, world)? {
        return run_in_pool(run, args, world);
    }
    let (result, recipe) = run_compiled(run, args, world)?;
    Ok(answer(&result, &recipe, args, world))
}

/// Runs a recipe on a phone of a pool, or on each phone of a class.
fn run_in_pool(run: RecipeRun, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let request = request(run, args, world)?;
    let Finished { outcome, recipe, .. } = pool::run_job(request, args, world)?;
    match (outcome, recipe) {
        (Outcome::Error(failure), _) => Err(*failure),
        (result, Some(recipe)) => Ok(answer(&result, &recipe, args, world)),
        // It was not begun, or these are the results of several phones.
        (result, None) => {
            let is_good = result.kind() == OutcomeKind::Success;
            Ok(Answer::value(&json!(result), args, world).succeeded(is_good))
        }
    }
}

fn answer(result: &Outcome, recipe: &RecipeResult, args: &Args, world: &World) -> Answer {
    let answer = match args.format {
        Format::Pretty | Format::Agent => for_people(recipe),
        Format::Compact => {
            let mut answer = json!(recipe);
            if let (Some(answer), Some(result)) = (answer.as_object_mut(), json!(result).as_object()) {
                answer.extend(result.clone());
            }
            answer
        }
    };
    Answer::value(&answer, args, world).succeeded(recipe.status == RecipeStatus::Success)
}

/// What people want to know: without the execution behind it.
fn for_people(result: &RecipeResult) -> Value {
    let output = |(name, output): (&String, &OutputResult)| json!({"name": name, "value": output.value, "redaction": output.redaction});
    let mut answer = json!({
        "recipe": format!("{} {}", result.recipe_id, result.recipe_version),
        "status": result.status,
    });
    if let Some(error) = &result.error {
        let step = error.step.as_ref().map_or(String::new(), |step| format!(" at {step}"));
        answer["error"] = format!("{}{step}: {}", error.code, error.message).into();
        answer["hint"] = json!(error.hint);
    }
    if let Some(elements) = result.found.as_ref().and_then(|found| found.elements.as_ref()) {
        answer["found"] = json!(elements);
    }
    if !result.outputs.is_empty() {
        answer["outputs"] = result.outputs.iter().map(output).collect();
    }
    answer["steps"] = json!(result.steps);
    answer
}

/// The request for a recipe that the command line makes.
pub(super) fn request(mut run: RecipeRun, args: &Args, world: &mut World) -> Result<Request, Failure> {
    if let Some(limit) = args.timeout()?.map(Number::get) {
        run.compiled.checked = accept_within(run.compiled.payload.as_bytes(), Some(limit))?;
    }
    let request = live::request(args, &run.compiled.checked, world)?;
    let Request { redactions, recipe, .. } = Request::of_recipe(run);
    Ok(Request { redactions, recipe, ..request })
}

pub(super) fn run_compiled(
    run: RecipeRun,
    args: &Args,
    world: &mut World,
) -> Result<(Outcome, Box<RecipeResult>), Failure> {
    let request = request(run, args, world)?;
    let engine = engine::engine(world);
    let finished = block_on(live::until_ended(&engine, request, world))??;
    report::finish(args, finished.event_log.as_ref(), world);
    match (finished.outcome, finished.recipe) {
        (Outcome::Error(failure), _) => Err(*failure),
        (result, Some(recipe)) => Ok((result, recipe)),
        (Outcome::Ran(_) | Outcome::Stored(_), None) => {
            Err(Failure::new(ErrorCode::InternalError, "the execution of the recipe has no result"))
        }
    }
}

/// Checks that the recipe may do what it does, before a phone is looked for.
/// Returns what was agreed to.
pub(super) fn agree(recipe: &Recipe, args: &Args, world: &mut World) -> Result<Vec<Capability>, Failure> {
    let profile = profile(args)?.unwrap_or_else(Profile::standard);
    let mut agreed = Vec::new();
    for word in args.values(&flags::ALLOW)? {
        agreed.push(Capability::from_word(word).ok_or_else(|| {
            let rule = format!("must be one of: {}; not {word:?}", Capability::WORDS.join(", "));
            args.fault(ErrorCode::Usage, &flags::ALLOW, rule)
        })?);
    }
    let decision = profile.decide(recipe, &agreed);
    let is_terminal = world.progress == Progress::Shown && std::io::stdin().is_terminal();
    if is_terminal && decision.denied.is_empty() && decision.together.is_empty() {
        for capability in &decision.ask {
            let (word, id) = (capability.word(), &recipe.recipe_id);
            if world.agrees(&format!("{} wants {word}. Allow it this time?", text::visible(id))) {
                agreed.push(*capability);
            }
        }
    }
    profile.decide(recipe, &agreed).failure(&profile.name).map_or(Ok(agreed), Err)
}
