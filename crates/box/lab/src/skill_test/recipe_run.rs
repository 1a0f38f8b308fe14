//! Runs a recipe once on a phone in memory, on a clock that is paused: a wait of
//! ten seconds takes none, and the same seed gives the same run.

use super::expectation::{OutcomeError, SkillStatus, TestOutcome};
use super::phone::TestPhone;
use super::world_file::WorldFile;
use clawperator_contract::Failure;
use clawperator_redact::HashKey;
use clawperator_run::{RunOptions, Strictness};
use clawperator_skills::recipe::{
    CompiledRecipe, InputValue, Inputs, Recipe, RecipeResult, RecipeStatus, compile, failure, outcome,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Runs a recipe: what came of it.
pub(super) async fn run(
    recipe: &Recipe,
    world: &WorldFile,
    phone: &TestPhone,
    seed: u64,
) -> Result<TestOutcome, String> {
    match compile(recipe, &inputs(&world.inputs)?) {
        Ok(compiled) => execute(&compiled, &recipe.application_id, phone, seed).await,
        Err(problems) => Ok(refusal_outcome(&failure(&problems, &recipe.recipe_id))),
    }
}

async fn execute(
    compiled: &CompiledRecipe,
    app: &str,
    phone: &TestPhone,
    seed: u64,
) -> Result<TestOutcome, String> {
    let mut lease = phone.lease("test").await?;
    let options = RunOptions {
        // Recipes never touch one of several.
        strictness: Strictness::Unique,
        app: Some(app.to_owned()),
        seed,
        ..RunOptions::default()
    };
    let never = std::future::pending();
    let execution = &compiled.checked.execution;
    let ran = clawperator_run::run(&mut lease, execution, &options, Box::pin(never)).await;
    Ok(match ran {
        Ok(envelope) => outcome(compiled, &envelope, &HashKey::default()).into(),
        Err(failure) => refusal_outcome(&failure),
    })
}

impl From<RecipeResult> for TestOutcome {
    fn from(result: RecipeResult) -> Self {
        let value = |shown: &Option<_>| serde_json::to_value(shown).unwrap_or_default();
        let outputs = result.outputs.iter().map(|(name, output)| (name.clone(), value(&output.value)));
        Self {
            status: match result.status {
                RecipeStatus::Success => SkillStatus::Success,
                RecipeStatus::Partial => SkillStatus::Partial,
                RecipeStatus::Failed => SkillStatus::Failed,
            },
            outputs: outputs.collect(),
            error: result.error.map(|error| OutcomeError {
                code: error.code,
                message: match error.step {
                    Some(step) => format!("{} (step {step})", error.message),
                    None => error.message,
                },
            }),
            ..Self::default()
        }
    }
}

/// What there is to say if there is no envelope.
pub(super) fn refusal_outcome(failure: &Failure) -> TestOutcome {
    TestOutcome {
        status: SkillStatus::Failed,
        error: Some(OutcomeError {
            code: failure.code.row().name.to_owned(),
            message: failure.message.clone(),
        }),
        ..TestOutcome::default()
    }
}

pub(super) fn inputs(values: &BTreeMap<String, Value>) -> Result<Inputs, String> {
    let inputs = values.iter().map(|(name, value)| {
        let value = InputValue::from_json(value);
        let wrong = || format!("the input {name} must be a text, a number, true or false");
        Ok((name.clone(), value.ok_or_else(wrong)?))
    });
    inputs.collect::<Result<_, _>>().map(Inputs)
}
