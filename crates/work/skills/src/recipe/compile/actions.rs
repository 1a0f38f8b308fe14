//! The actions of a recipe: each step, the wait after it and what confirms it,
//! in this order.

use super::{CompiledStep, Role};
use crate::recipe::Recipe;
use crate::recipe::input::Values;
use crate::recipe::step::{Confirm, ConfirmCheck, Step};
use crate::recipe::verification::{Verifier, is_verification_required, side_effects, verifier};
use crate::recipe::word::SessionPolicy;
use clawperator_contract::{
    ActionKind, ParamKey, ParamValue, Pattern, PayloadAction, PayloadParams, RetryObject, RetryPreset,
};
use clawperator_document::Number;

/// How long a wait for an element takes at the most where the recipe does not
/// say, in milliseconds.
pub(super) const DEFAULT_WAIT_MS: u32 = 10_000;
/// How long a confirmation takes at the most where the recipe does not say.
pub(super) const DEFAULT_CONFIRM_MS: u32 = 5_000;

/// The actions that are put together, and what each is for.
struct Actions<'c> {
    recipe: &'c Recipe,
    values: &'c Values,
    actions: Vec<PayloadAction>,
    steps: Vec<CompiledStep>,
}

pub(super) fn of(recipe: &Recipe, values: &Values) -> (Vec<PayloadAction>, Vec<CompiledStep>) {
    // Two for a fresh start; a step, its wait and its confirmation.
    let most = 2 + 3 * recipe.steps.len();
    let mut all = Actions {
        recipe,
        values,
        actions: Vec::with_capacity(most),
        steps: Vec::with_capacity(most),
    };
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
    fn push(&mut self, action: PayloadAction, role: Role, step: Option<usize>) -> &mut CompiledStep {
        self.steps.push(CompiledStep {
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
        let action = PayloadAction {
            id: id.to_owned(),
            kind,
            params: Some(PayloadParams::default().with(ParamKey::ApplicationId, app)),
        };
        self.push(action, Role::Fresh, None);
    }

    fn step(&mut self, index: usize, step: &Step) {
        let action = PayloadAction {
            id: step.id.clone(),
            kind: step.kind,
            params: Some(self.params(step)).filter(|params| !params.is_empty()),
        };
        self.push(action, Role::Step, Some(index))
            .output
            .clone_from(&step.output);
        if let Some(wait) = step.wait_after_ms {
            let action = PayloadAction {
                id: [step.id.as_str(), ".wait"].concat(),
                kind: ActionKind::Sleep,
                params: Some(PayloadParams::default().with(ParamKey::DurationMs, wait)),
            };
            self.push(action, Role::Wait, Some(index));
        }
        if let Some(confirm) = &step.confirm {
            let (kind, params) = self.confirm(confirm);
            let action = PayloadAction {
                id: [step.id.as_str(), ".confirm"].concat(),
                kind,
                params: Some(params),
            };
            self.push(action, Role::Confirm, Some(index)).verifies = Some(index);
        }
    }

    fn params(&self, step: &Step) -> PayloadParams {
        let own = step
            .params
            .iter()
            .map(|(key, value)| (*key, value.clone().into()));
        let mut params: PayloadParams = own.collect();
        if let Some(selector) = &step.selector {
            let container = step.container.as_ref();
            // Two actions have a parameter for it; for the others it is a
            // condition of the element.
            let is_parameter = step.kind.spec().uses(ParamKey::Container);
            let inside = container.filter(|_| !is_parameter);
            params.set(ParamKey::Matcher, selector.matcher(self.values, inside));
            if let Some(container) = container.filter(|_| is_parameter) {
                params.set(ParamKey::Container, container.matcher(self.values, None));
            }
        }
        let is_app = matches!(step.kind, ActionKind::OpenApp | ActionKind::CloseApp);
        if is_app && step.param(ParamKey::ApplicationId).is_none() {
            params.set(ParamKey::ApplicationId, self.recipe.application_id.as_str());
        }
        if step.kind == ActionKind::WaitForNode {
            if step.param(ParamKey::TimeoutMs).is_none() && step.retries.is_none() {
                params.set(ParamKey::TimeoutMs, DEFAULT_WAIT_MS);
            }
            // It touches nothing, so any element that fits will do.
            params.set(ParamKey::Strict, false);
        }
        if let Some(count) = step.retries {
            for (key, preset) in step.kind.spec().retries {
                params.set(*key, retry(count, *preset));
            }
        }
        params
    }

    fn confirm(&self, confirm: &Confirm) -> (ActionKind, PayloadParams) {
        let container = confirm.container.as_ref();
        let matcher = confirm.selector.matcher(self.values, container);
        let params = PayloadParams::default().with(ParamKey::Matcher, matcher);
        let wait = |params: PayloadParams, timeout: Option<u32>| {
            params
                .with(ParamKey::TimeoutMs, timeout.unwrap_or(DEFAULT_CONFIRM_MS))
                .with(ParamKey::Strict, false)
        };
        match &confirm.check {
            ConfirmCheck::Appears(timeout) => (ActionKind::WaitForNode, wait(params, *timeout)),
            ConfirmCheck::Disappears(timeout) => {
                let params = wait(params, *timeout).with(ParamKey::Gone, true);
                (ActionKind::WaitForNode, params)
            }
            ConfirmCheck::Reads(pattern) => {
                let word = pattern.as_ref().map(|_| "regex");
                let pattern = pattern.as_ref().map(Pattern::as_str);
                let params = params
                    .with_some(ParamKey::Validator, word)
                    .with_some(ParamKey::ValidatorPattern, pattern);
                (ActionKind::ReadText, params)
            }
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
