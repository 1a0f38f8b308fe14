//! Which steps have side effects, and what verifies them.

use super::Recipe;
use super::step::RecipeStep;
use super::word::{Annotation, Capability, RecipeType};
use clawperator_contract::{ActionKind, ParamKey, ParamValue};

/// Whether every side effect of a recipe must be verified.
pub fn is_verification_required(recipe: &Recipe) -> bool {
    let risky = [Capability::Toggle, Capability::TypeText, Capability::PurchaseRisk];
    recipe.recipe_type == RecipeType::Action || recipe.capabilities.iter().any(|each| risky.contains(each))
}

/// The indices of the steps that may change something. A click may; scrolling
/// to an element of the app's own structure and opening it is navigation.
pub fn side_effects(recipe: &Recipe) -> impl Iterator<Item = usize> + '_ {
    let steps = recipe.steps.iter().enumerate();
    steps.filter_map(|(index, step)| has_side_effect(step).then_some(index))
}

fn has_side_effect(step: &RecipeStep) -> bool {
    let annotation = step.selector.as_ref().and_then(|selector| selector.annotation);
    let navigates = step.kind == ActionKind::ScrollAndClick && annotation == Some(Annotation::Structural);
    step.touch().is_some() && !navigates
}

/// The same recipe without an act: a search goes where it went, and what confirms the act is still
/// looked for, so a test that passes all the same does not prove it.
pub fn without_act(recipe: &Recipe, index: usize, wait_ms: u32) -> Recipe {
    let mut recipe = recipe.clone();
    let Some(step) = recipe.steps.get_mut(index) else {
        return recipe;
    };
    step.wait_after_ms = step.wait_after_ms.max(Some(wait_ms));
    if step.kind == ActionKind::ScrollAndClick {
        step.params.retain(|(key, _)| *key != ParamKey::ClickAfter);
        step.params.push((ParamKey::ClickAfter, ParamValue::Flag(false)));
    } else {
        *step = RecipeStep {
            kind: ActionKind::Sleep,
            selector: None,
            container: None,
            retries: None,
            params: vec![(ParamKey::DurationMs, ParamValue::Number(0_u32.into()))],
            ..step.clone()
        };
    }
    recipe
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verifier {
    /// The step's own confirm block.
    Confirm,
    /// A later step, by its index.
    Step(usize),
}

/// What verifies the side effect of a step: its confirm block, else a step that
/// reads or waits before the next side effect.
pub(crate) fn verifier(recipe: &Recipe, index: usize) -> Option<Verifier> {
    let step = recipe.steps.get(index)?;
    if step.confirm.is_some() {
        return Some(Verifier::Confirm);
    }
    let after = recipe.steps.iter().enumerate().skip(index + 1);
    let mut before_next = after.take_while(|(_, step)| !has_side_effect(step));
    let reads = |step: &RecipeStep| matches!(step.kind, ActionKind::ReadText | ActionKind::WaitForNode);
    let found = before_next.find(|(_, step)| reads(step));
    found.map(|(index, _)| Verifier::Step(index))
}
