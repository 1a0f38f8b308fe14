//! Verifies the effect of an act, where the caller asks for that.

use super::absence::{EMPTY, absent, ask_for_home};
use crate::look::RetriedLook;
use crate::outcome::{Data, StepFailure, StepOutcome};
use crate::run::Run;
use clawperator_contract::{Confirm, ConfirmEffect, DataKey, ErrorCode, Matcher, RetryPolicy, RetryPreset};
use clawperator_phone::LookTo;
use clawperator_ui::{Screen, Tree};
use std::time::Duration;

/// How often to look for an effect; the caller's time limit ends it.
const LOOKS: RetryPolicy = RetryPolicy {
    max_attempts: u32::MAX,
    initial_delay: Duration::from_millis(200),
    max_delay: Duration::from_millis(500),
    backoff_multiplier: 2.0,
    jitter_ratio: 0.0,
};

/// The result's words for an element that was on the screen before the act, too.
const ALREADY: &str = "already there";
/// The result's words for an element that was not on the screen before the act, either.
const NEVER: &str = "was not there before";
/// The result's words for an element that is there now, if no look saw the screen before.
const UNKNOWN: &str = "there; the screen before the act could not be read";

/// The screen before an act, if the effect is a difference to it.
pub(super) async fn before(run: &mut Run<'_>, asked: Option<&Confirm>) -> Result<Option<Tree>, StepFailure> {
    let code = ErrorCode::SnapshotExtractionFailed;
    match asked.map(|asked| &asked.effect) {
        None => Ok(None),
        Some(ConfirmEffect::Appears(_) | ConfirmEffect::Disappears(_)) => {
            Ok(run.look_once(LookTo::Touch, code).await.ok())
        }
        Some(ConfirmEffect::Changed) => {
            let policy = RetryPreset::UiReadiness.policy();
            run.look(LookTo::Touch, &policy, code).await.map(Some)
        }
    }
}

/// Looks until the effect of an act that the phone accepted can be seen.
/// `details` is the data of the step so far; it stays if the step fails.
pub(super) async fn after(
    run: &mut Run<'_>,
    asked: Option<&Confirm>,
    before: Option<Tree>,
    mut details: Data,
) -> StepOutcome {
    let Some(asked) = asked else {
        return Ok(details);
    };
    run.note_accepted();
    if matches!(asked.effect, ConfirmEffect::Disappears(_)) {
        ask_for_home(run).await;
    }
    let already = before.as_ref().map(|tree| how_many(run, tree, &asked.effect));
    let (mut last, mut seen) = (None, 0);
    let looking = run.look_for(RetriedLook::to_touch(&LOOKS, ErrorCode::EffectNotConfirmed), |run, tree| {
        let held = holds(run, &tree, &asked.effect, before.as_ref());
        last = held.as_ref().err().cloned();
        seen = how_many(run, &tree, &asked.effect);
        held
    });
    let failure = match tokio::time::timeout(asked.timeout(), looking).await {
        Ok(Ok(())) => {
            let word = match (&asked.effect, &already) {
                (ConfirmEffect::Appears(_), None) => UNKNOWN,
                (ConfirmEffect::Appears(_), Some(already)) if *already >= seen => ALREADY,
                (ConfirmEffect::Disappears(_), Some(0)) => NEVER,
                _ => asked.effect.word(),
            };
            details.insert(DataKey::Confirmed, word.to_owned());
            return Ok(details);
        }
        // The phone is lost, or waiting cannot help.
        Ok(Err(failure)) => failure,
        Err(_) => {
            let unseen = || not_confirmed(format!("no look succeeded{}", run.blindness_text()));
            let mut failure = last.unwrap_or_else(unseen);
            let ms = asked.timeout().as_millis();
            failure.message.push_str(&format!("; waited {ms} ms"));
            failure
        }
    };
    Err(unconfirmed(failure, details))
}

/// How many elements fit that are to appear or to disappear.
fn how_many(run: &mut Run<'_>, tree: &Tree, effect: &ConfirmEffect) -> usize {
    match effect {
        ConfirmEffect::Appears(matcher) | ConfirmEffect::Disappears(matcher) => {
            run.matching(&Screen::new(tree), matcher).map_or(0, |found| found.len())
        }
        ConfirmEffect::Changed => 0,
    }
}

/// The failure of a step whose effect was not seen.
fn unconfirmed(failure: StepFailure, details: Data) -> StepFailure {
    let code = match failure.code {
        ErrorCode::DeviceShellUnavailable => failure.code,
        _ => ErrorCode::EffectNotConfirmed,
    };
    let message = format!("the phone accepted it, but the effect was not seen: {}", failure.message);
    StepFailure { code, message, again: false, ..failure }.beside(details)
}

/// Succeeds if a screen shows the effect.
fn holds(
    run: &mut Run<'_>,
    tree: &Tree,
    effect: &ConfirmEffect,
    before: Option<&Tree>,
) -> Result<(), StepFailure> {
    match effect {
        ConfirmEffect::Appears(matcher) => present(run, &Screen::new(tree), matcher),
        ConfirmEffect::Disappears(matcher) => absent(run, tree, matcher).map(drop),
        ConfirmEffect::Changed if tree.is_empty() => Err(not_confirmed(EMPTY)),
        ConfirmEffect::Changed if before.is_none_or(|before| before == tree) => {
            Err(not_confirmed("the screen is as it was before"))
        }
        ConfirmEffect::Changed => Ok(()),
    }
}

fn not_confirmed(why: impl Into<String>) -> StepFailure {
    StepFailure::new(ErrorCode::EffectNotConfirmed, why)
}

/// Succeeds if any element matches, however many do.
fn present(run: &mut Run<'_>, screen: &Screen<'_>, matcher: &Matcher) -> Result<(), StepFailure> {
    if run.sees(screen, matcher)? {
        return Ok(());
    }
    run.choose(screen, matcher).map(drop).map_err(StepFailure::unless_back)
}
