//! The actions of a recipe: each step, the wait after it and what confirms it, in this order.

use super::{CompiledAction, Role};
use crate::recipe::Recipe;
use crate::recipe::input::Values;
use crate::recipe::step::{ConfirmCheck, RecipeConfirm, RecipeStep};
use crate::recipe::verification::{Verifier, is_verification_required, side_effects, verifier};
use crate::recipe::word::SessionPolicy;
use clawperator_contract::{
    ActionKind, ParamKey, ParamValue, Pattern, PayloadAction, RetryObject, RetryPreset,
};
use clawperator_document::Number;

/// How long a wait for an element takes at the most where the recipe does not say, in milliseconds.
pub(super) const DEFAULT_WAIT_MS: u32 = 10_000;
/// How long a confirmation takes at the most where the recipe does not say.
pub(super) const DEFAULT_CONFIRM_MS: u32 = 5_000;

/// The actions that are put together, and what each is for.
struct Actions<'c> {
    recipe: &'c Recipe,
    values: &'c Values,
    actions: Vec<PayloadAction>,
    steps: Vec<CompiledAction>,
}

pub(super) fn of(recipe: &Recipe, values: &Values) -> (Vec<PayloadAction>, Vec<CompiledAction>) {
    // Two for a fresh start; a step, its wait and its confirmation.
    let most = 2 + 3 * recipe.steps.len();
    let mut all =
        Actions { recipe, values, actions: Vec::with_capacity(most), steps: Vec::with_capacity(most) };
    if recipe.session_policy == SessionPolicy::Fresh && recipe.fresh_start_injected {
        all.fresh("fresh.close", ActionKind::CloseApp);
        all.fresh("fresh.open", ActionKind::OpenApp);
    }
    for (index, step) in recipe.steps.iter().enumerate() {
        all.step(index, step);
    }
    all.note_verifiers();
    (all.actions, all.steps)
}

impl Actions<'_> {
    fn push(&mut self, action: PayloadAction, role: Role, step: Option<usize>) -> &mut CompiledAction {
        self.steps.push(CompiledAction {
            action_id: action.id.clone(),
            kind: action.kind,
            role,
            step,
            verifies: None,
            output: None,
        });
        self.actions.push(action);
        // The list was just given an element.
        let last = self.steps.len() - 1;
        &mut self.steps[last]
    }

    fn fresh(&mut self, id: &str, kind: ActionKind) {
        let app = self.recipe.application_id.as_str();
        let action = PayloadAction::new(id, kind).with(ParamKey::ApplicationId, app);
        self.push(action, Role::Fresh, None);
    }

    fn step(&mut self, index: usize, step: &RecipeStep) {
        self.push(self.action(step), Role::Step, Some(index)).output.clone_from(&step.output);
        if let Some(wait) = step.wait_after_ms {
            let id = [step.id.as_str(), ".wait"].concat();
            let action = PayloadAction::new(id, ActionKind::Sleep).with(ParamKey::DurationMs, wait);
            self.push(action, Role::Wait, Some(index));
        }
        if let Some(confirm) = &step.confirm {
            let action = self.confirm([step.id.as_str(), ".confirm"].concat(), confirm);
            self.push(action, Role::Confirm, Some(index)).verifies = Some(index);
        }
    }

    fn action(&self, step: &RecipeStep) -> PayloadAction {
        let mut action = PayloadAction::new(step.id.as_str(), step.kind);
        for (key, value) in &step.params {
            action.set(*key, value.clone());
        }
        if let Some(selector) = &step.selector {
            let container = step.container.as_ref();
            // Two actions have a parameter for it; for the others it is a condition of the element.
            let is_parameter = step.kind.spec().uses(ParamKey::Container);
            let inside = container.filter(|_| !is_parameter);
            action.set(ParamKey::Matcher, selector.matcher(self.values, inside));
            if let Some(container) = container.filter(|_| is_parameter) {
                action.set(ParamKey::Container, container.matcher(self.values, None));
            }
        }
        let is_app = step.kind.spec().uses(ParamKey::ApplicationId);
        if is_app && step.param(ParamKey::ApplicationId).is_none() {
            action.set(ParamKey::ApplicationId, self.recipe.application_id.as_str());
        }
        if step.kind == ActionKind::WaitForNode {
            if step.param(ParamKey::TimeoutMs).is_none() && step.retries.is_none() {
                action.set(ParamKey::TimeoutMs, DEFAULT_WAIT_MS);
            }
            // It touches nothing, so any element that fits will do.
            action.set(ParamKey::Strict, false);
        }
        if let Some(count) = step.retries {
            for (key, preset) in step.kind.spec().retries {
                action.set(*key, retry(count, *preset));
            }
        }
        action
    }

    fn confirm(&self, id: String, confirm: &RecipeConfirm) -> PayloadAction {
        let matcher = confirm.selector.matcher(self.values, confirm.container.as_ref());
        let kind = match confirm.check {
            ConfirmCheck::Appears(_) | ConfirmCheck::Disappears(_) => ActionKind::WaitForNode,
            ConfirmCheck::Reads(_) => ActionKind::ReadText,
        };
        let action = PayloadAction::new(id, kind).with(ParamKey::Matcher, matcher);
        match &confirm.check {
            ConfirmCheck::Appears(timeout) | ConfirmCheck::Disappears(timeout) => action
                .with(ParamKey::TimeoutMs, timeout.unwrap_or(DEFAULT_CONFIRM_MS))
                .with(ParamKey::Strict, false)
                .with_flag(ParamKey::Gone, matches!(confirm.check, ConfirmCheck::Disappears(_))),
            ConfirmCheck::Reads(pattern) => action
                .with_some(ParamKey::Validator, pattern.as_ref().map(|_| "regex"))
                .with_some(ParamKey::ValidatorPattern, pattern.as_ref().map(Pattern::as_str)),
        }
    }

    /// Notes which later steps verify side effects.
    fn note_verifiers(&mut self) {
        if !is_verification_required(self.recipe) {
            return;
        }
        for index in side_effects(self.recipe) {
            let Some(Verifier::Step(verifier)) = verifier(self.recipe, index) else {
                continue;
            };
            let mut steps = self.steps.iter_mut();
            let step = steps.find(|step| step.role == Role::Step && step.step == Some(verifier));
            if let Some(step) = step {
                step.verifies = Some(index);
            }
        }
    }
}

/// Tries again that often, with the waits of the action's own preset.
fn retry(count: u32, preset: RetryPreset) -> ParamValue {
    let policy = preset.policy();
    let millis = |wait: std::time::Duration| u32::try_from(wait.as_millis()).ok().map(Number::from);
    ParamValue::Retry(Box::new(RetryObject {
        max_attempts: Some(Number::from(count + 1)),
        initial_delay_ms: millis(policy.initial_delay),
        max_delay_ms: millis(policy.max_delay),
        backoff_multiplier: Number::new(policy.backoff_multiplier),
        jitter_ratio: Number::new(policy.jitter_ratio),
    }))
}
