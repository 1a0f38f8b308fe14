//! Compiles a recipe to an execution. Pure: the same recipe and inputs give the same bytes.

mod actions;
mod budget;

use super::Recipe;
use super::check::{judge, placed};
use super::input::{Inputs, Values, resolve};
use super::output::{OutputUse, RecipeOutput};
use super::problem::{Judge, RecipeProblems, RecipeReport};
use super::rule::Rule;
use clawperator_contract::{ActionKind, CheckedExecution, Failure, Mode, Payload, accept};
use clawperator_document::Path;
use clawperator_redact::Redaction;
use sha2::{Digest as _, Sha256};

/// A recipe with its inputs, as an execution that passed the contract's check.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledRecipe {
    pub recipe_id: String,
    pub recipe_version: String,
    pub payload: String,
    pub checked: CheckedExecution,
    /// What each action is for, in order.
    pub steps: Vec<CompiledAction>,
    pub recipe_steps: Vec<String>,
    pub outputs: Vec<RecipeOutput>,
}

/// One action of a compiled recipe.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledAction {
    pub action_id: String,
    pub kind: ActionKind,
    pub role: Role,
    /// The index of the recipe's step that it comes from.
    pub step: Option<usize>,
    /// The index of the recipe's step whose effect it verifies.
    pub verifies: Option<usize>,
    pub output: Option<OutputUse>,
}

/// What an action of a compiled recipe is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Fresh,
    Step,
    Wait,
    Confirm,
}

const SOURCE: &str = "clawperator-recipe";
/// What stands for the hash until it is known; as long as the hash.
const NO_HASH: &str = "000000000000";

/// Compiles a recipe.
///
/// # Errors
/// Everything that is wrong with the recipe or its inputs; the first problem's
/// rule decides the error code.
pub fn compile(recipe: &Recipe, inputs: &Inputs) -> Result<CompiledRecipe, RecipeProblems> {
    let mut report = RecipeReport::default();
    judge(recipe, &mut report);
    let values = resolve(recipe, inputs, &mut report);
    if report.count() > 0 {
        return Err(placed(recipe, report));
    }
    let (actions, steps) = actions::of(recipe, &values);
    let timeout_ms = budget::timeout(recipe, &steps, &mut report);
    if report.count() > 0 {
        return Err(placed(recipe, report));
    }
    let mut payload = Payload {
        command_id: &format!("cmd-{NO_HASH}"),
        task_id: &format!("task-{NO_HASH}"),
        source: SOURCE,
        timeout_ms,
        actions: &actions,
        mode: Some(Mode::ArtifactCompiled),
        strict: Some(true),
    }
    .to_json();
    let hash = hash(recipe, &values, &payload);
    // The two ids are the first values of a payload.
    for _ in 0..2 {
        if let Some(at) = payload.find(NO_HASH) {
            payload.replace_range(at..at + NO_HASH.len(), &hash);
        }
    }
    match accept(payload.as_bytes()) {
        Ok(checked) => Ok(CompiledRecipe {
            recipe_id: recipe.recipe_id.clone(),
            recipe_version: recipe.recipe_version.clone(),
            payload,
            checked,
            steps,
            recipe_steps: recipe.steps.iter().map(|step| step.id.clone()).collect(),
            outputs: recipe.outputs.clone(),
        }),
        Err(failure) => {
            report_refusal(failure, &steps, &mut report);
            Err(placed(recipe, report))
        }
    }
}

/// Reports what makes a recipe too long for an execution, whatever its inputs.
pub(super) fn judge_length(recipe: &Recipe, report: &mut RecipeReport) {
    let (_, steps) = actions::of(recipe, &Values::default());
    budget::timeout(recipe, &steps, report);
}

/// Reports what the contract refuses at the steps that it comes from.
fn report_refusal(failure: Failure, steps: &[CompiledAction], report: &mut RecipeReport) {
    let root = Path::root("the recipe");
    let list = root.field("steps");
    let details = failure.details.unwrap_or_default();
    for problem in &details.problems {
        let step = problem.action_index.and_then(|index| steps.get(index)?.step);
        let message = format!("{} ({})", problem.message, problem.path);
        let found = match step {
            Some(step) => report.broken(Rule::Contract, &list.index(step, "a step"), message),
            None => report.broken(Rule::Contract, &list, message),
        };
        found.hint.clone_from(&problem.hint);
    }
    if details.problems.is_empty() {
        report.broken(Rule::Contract, &root, failure.message);
    }
}

/// A name for the recipe, its inputs and what it does: the payload without its ids.
fn hash(recipe: &Recipe, values: &Values, payload: &str) -> String {
    let mut hash = Sha256::new();
    let named = [recipe.recipe_id.as_str(), recipe.recipe_version.as_str()];
    let values = values.iter().flat_map(|(name, value)| [name, value]);
    for text in named.into_iter().chain(values).chain([payload]) {
        hash.update(text.as_bytes());
        hash.update([0]);
    }
    let mut name = format!("{:x}", hash.finalize());
    name.truncate(NO_HASH.len());
    name
}

impl CompiledRecipe {
    /// The action with an id.
    pub fn step(&self, action_id: &str) -> Option<&CompiledAction> {
        self.steps.iter().find(|step| step.action_id == action_id)
    }

    /// The actions whose texts must not be shown or kept as they are, and how they are shown.
    pub fn redactions(&self) -> impl Iterator<Item = (&str, Redaction)> {
        self.steps.iter().filter_map(|step| {
            let redaction = self.output_of(step)?.0.effective_redaction();
            (redaction != Redaction::None).then_some((step.action_id.as_str(), redaction))
        })
    }

    /// The output that an action feeds, and how.
    pub fn output_of<'c>(&'c self, step: &'c CompiledAction) -> Option<(&'c RecipeOutput, &'c OutputUse)> {
        let used = step.output.as_ref()?;
        let output = self.outputs.iter().find(|output| output.name == used.name)?;
        Some((output, used))
    }
}
