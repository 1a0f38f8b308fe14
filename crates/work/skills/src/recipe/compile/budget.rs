//! How long a compiled recipe may take, and the proof that it fits.

use super::CompiledAction;
use super::actions::{DEFAULT_CONFIRM_MS, DEFAULT_WAIT_MS};
use crate::recipe::Recipe;
use crate::recipe::problem::{Judge, RecipeReport};
use crate::recipe::rule::Rule;
use crate::recipe::step::{ConfirmCheck, RecipeStep};
use clawperator_contract::limits::{MAX_ACTIONS, MAX_TIMEOUT_MS, MIN_TIMEOUT_MS};
use clawperator_contract::{ActionKind, Fallback, ParamKey, ParamValue, RetryPolicy};
use clawperator_document::{Number, Path};
use std::time::Duration;

/// The time of the whole execution: what its steps ask for, and what an action of their kind takes
/// on a slow phone, up to the contract's limit. What the steps ask for must fit by itself.
pub(super) fn timeout(recipe: &Recipe, actions: &[CompiledAction], report: &mut RecipeReport) -> Number {
    let root = Path::root("the recipe");
    let steps = root.field("steps");
    if actions.len() > MAX_ACTIONS {
        let message = format!(
            "the recipe compiles to {} actions; an execution has at most {MAX_ACTIONS}",
            actions.len()
        );
        report.broken(Rule::TooManyActions, &steps, message);
    }
    let asked: f64 = recipe.steps.iter().map(step_time).sum();
    if asked > MAX_TIMEOUT_MS {
        let message =
            format!("the steps may wait for {asked} ms; an execution takes at most {MAX_TIMEOUT_MS} ms");
        report.broken(Rule::TimeExceeded, &steps, message);
    }
    let usual: u32 = actions.iter().map(|action| usual_ms(action.kind)).sum();
    // A sum of finite numbers, none of them negative.
    let whole = Number::new(asked + f64::from(usual)).unwrap_or(Number::from(usual));
    whole.clamp(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS)
}

/// The time that a step asks for itself, in milliseconds.
fn step_time(step: &RecipeStep) -> f64 {
    let number = |key: ParamKey| match step.param(key) {
        Some(ParamValue::Number(number)) => Some(number.get()),
        _ => match step.kind.spec().param(key)?.default {
            Fallback::Number(number) => Some(number),
            _ => None,
        },
    };
    let retries = step.retries.map(|count| retry_delays(step.kind, count));
    let own = match step.kind {
        ActionKind::Sleep => number(ParamKey::DurationMs).unwrap_or(0.0),
        // Its time-out ends the attempts, too.
        ActionKind::WaitForNode => {
            let bound = number(ParamKey::TimeoutMs).or(retries);
            bound.unwrap_or(f64::from(DEFAULT_WAIT_MS))
        }
        ActionKind::ScrollAndClick => {
            let swipes = number(ParamKey::MaxSwipes).unwrap_or(0.0);
            let settling = number(ParamKey::SettleDelayMs).unwrap_or(0.0);
            swipes * settling + retries.unwrap_or(0.0)
        }
        _ => retries.unwrap_or(0.0),
    };
    let confirm = step.confirm.as_ref().map(|confirm| match confirm.check {
        ConfirmCheck::Appears(timeout) | ConfirmCheck::Disappears(timeout) => {
            timeout.unwrap_or(DEFAULT_CONFIRM_MS)
        }
        ConfirmCheck::Reads(_) => 0,
    });
    let wait = step.wait_after_ms.unwrap_or(0);
    own + f64::from(wait) + f64::from(confirm.unwrap_or(0))
}

/// The longest that an action waits between its attempts if it is tried again so
/// often, in whole milliseconds.
fn retry_delays(kind: ActionKind, count: u32) -> f64 {
    let presets = kind.spec().retries.iter();
    let policies = presets.map(|(_, preset)| RetryPolicy { max_attempts: count + 1, ..preset.policy() });
    let longest = policies.map(|policy| {
        let delays = (1..).map_while(|attempt| policy.delay_after(attempt));
        delays.sum::<Duration>().as_secs_f64() * 1_000.0 * (1.0 + policy.jitter_ratio)
    });
    longest.sum::<f64>().round()
}

/// How long an action takes on a slow phone, the retries that it has by itself
/// included, beside what it is asked for; in milliseconds.
fn usual_ms(kind: ActionKind) -> u32 {
    match kind {
        ActionKind::Sleep => 100,
        ActionKind::ScrollAndClick => 20_000,
        _ => 10_000,
    }
}
