//! The rehearsal of a recipe: it runs as usual, but stops at the first step with a side effect that
//! was not agreed to. The element of that step is only looked for.

use super::Recipe;
use super::capability::needs;
use super::compile::{CompiledRecipe, Role};
use super::outcome::{DRIFT, RecipeResult, RecipeStatus, StepReport, StepStatus};
use super::step::RecipeStep;
use super::verification::{is_verification_required, side_effects};
use super::word::Capability;
use clawperator_contract::{ActionKind, DataKey, Envelope, ErrorCode, Failure, accept};
use serde::Serialize;
use serde_json::{Value, json};

/// How long the element of a step that is not done is looked for, in milliseconds.
const LOOK_MS: u32 = 5_000;

/// A recipe that is rehearsed.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// What is run: the actions up to the step that is held back.
    pub compiled: CompiledRecipe,
    /// The index of the step that is held back: its element is looked for, and
    /// nothing after it is done.
    pub held: Option<usize>,
}

/// What a rehearsal says of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    Healthy,
    /// An element was not there, or not the only one.
    Drifted,
    /// Some steps were not done, or failed for another reason.
    Unknown,
}

/// A selector that no longer names exactly one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drift {
    pub step: usize,
    pub target: DriftTarget,
}

/// Which selector of a step does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriftTarget {
    /// The step's selector, inside its container.
    Element,
    Container,
    /// The selector of the confirm block, inside its container.
    Confirm,
}

/// Prepares the rehearsal of a compiled recipe. Side effects that need only what
/// is agreed to are done.
pub fn rehearse(
    recipe: &Recipe,
    compiled: CompiledRecipe,
    agreed: &[Capability],
) -> Result<Rehearsal, Failure> {
    let mut held = None;
    if is_verification_required(recipe) {
        held = side_effects(recipe).find(|index| !is_agreed(&recipe.steps[*index], agreed));
    }
    let place = compiled.steps.iter().position(|step| step.role == Role::Step && step.step == held);
    let (Some(place), Some(_)) = (place, held) else {
        return Ok(Rehearsal { compiled, held });
    };
    let internal = || Failure::new(ErrorCode::InternalError, "the recipe's execution has no actions");
    let mut payload: Value = serde_json::from_str(&compiled.payload).map_err(|_| internal())?;
    let actions = payload["actions"].as_array_mut().ok_or_else(internal)?;
    actions.truncate(place + 1);
    if let Some(action) = actions.last_mut() {
        look_only(action, compiled.steps[place].kind);
    }
    let payload = payload.to_string();
    let mut compiled = CompiledRecipe { checked: accept(payload.as_bytes())?, payload, ..compiled };
    compiled.steps.truncate(place + 1);
    Ok(Rehearsal { compiled, held })
}

fn is_agreed(step: &RecipeStep, agreed: &[Capability]) -> bool {
    let harmless = [Capability::Observe, Capability::Navigate];
    needs(step).iter().all(|needed| harmless.contains(needed) || agreed.contains(needed))
}

/// Makes an action that touches an element one that only finds it.
fn look_only(action: &mut Value, kind: ActionKind) {
    if kind == ActionKind::ScrollAndClick {
        action["params"]["clickAfter"] = json!(false);
        if let Some(params) = action["params"].as_object_mut() {
            params.remove("clickType");
        }
        return;
    }
    action["type"] = json!(ActionKind::WaitForNode.name());
    let matcher = action["params"]["matcher"].take();
    action["params"] = json!({"matcher": matcher, "timeoutMs": LOOK_MS, "strict": true});
}

impl Rehearsal {
    /// What came of the recipe's steps.
    pub fn steps(&self, result: &RecipeResult) -> Vec<StepReport> {
        let mut steps = result.steps.clone();
        for (index, step) in steps.iter_mut().enumerate() {
            step.status = match (self.held, step.status) {
                (Some(held), _) if index > held => StepStatus::Skipped,
                (Some(held), StepStatus::Ok) if index == held => StepStatus::Seen,
                (_, status) => status,
            };
        }
        steps
    }

    /// What the rehearsal says of the recipe.
    pub fn health(&self, result: &RecipeResult, drift: Option<Drift>) -> Health {
        match (drift, result.status, self.held) {
            (Some(_), ..) => Health::Drifted,
            (None, RecipeStatus::Success, None) => Health::Healthy,
            (None, ..) => Health::Unknown,
        }
    }

    /// The selector that made it fail, if one did.
    pub fn drift(&self, envelope: &Envelope) -> Option<Drift> {
        let failed = envelope.step_results.iter().find(|ran| !ran.success)?;
        let code = ErrorCode::from_name(failed.get(DataKey::Error)?)?;
        let step = self.compiled.step(&failed.id)?;
        let target = match (step.role, code) {
            (Role::Step, ErrorCode::ContainerNotFound) => DriftTarget::Container,
            (Role::Step, _) => DriftTarget::Element,
            (Role::Confirm, _) => DriftTarget::Confirm,
            (Role::Fresh | Role::Wait, _) => return None,
        };
        let step = step.step?;
        DRIFT.contains(&code).then_some(Drift { step, target })
    }
}
