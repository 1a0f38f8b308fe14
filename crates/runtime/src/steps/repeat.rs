//! Does an action again: so often, or until an element is there.

use super::Outcome;
use crate::phone::LookTo;
use crate::run::{Data, Run, StepAct};
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, Matcher, Repeat, RetryPreset, Step};
use clawperator_ui::{Screen, Tree};
use std::time::Duration;

/// How often to look for what an act changed before the next one, and how long to
/// wait in between.
const LOOKS: u32 = 4;
const SETTLE: Duration = Duration::from_millis(250);

pub(crate) async fn repeat(run: &mut Run<'_>, step: &Step, asked: Repeat) -> Outcome {
    let mut details = Data::new();
    let mut times = 0;
    let mut screen = match &asked.until {
        Some(until) => Some(look(run, until).await?),
        None => None,
    };
    while times < asked.count && screen.as_ref().is_none_or(|(_, is_there)| !is_there) {
        let done = super::run(run, step).await;
        details = done.map_err(|failure| after(times, failure))?;
        (times, run.act) = (times + 1, StepAct::Accepted);
        if let Some(until) = &asked.until {
            let changed = look_for_change(run, until, screen.take()).await;
            screen = Some(changed.map_err(|failure| after(times, failure))?);
        }
    }
    if let Some((_, false)) = screen {
        let message = "the element of until is still not on the screen";
        let failure = StepFailure::new(ErrorCode::EffectNotConfirmed, message).for_good();
        return Err(after(times, failure));
    }
    details.insert(DataKey::Times, times.to_string());
    Ok(details)
}

/// The screen, and whether what is waited for is there.
async fn look(run: &mut Run<'_>, until: &Matcher) -> Result<(Tree, bool), StepFailure> {
    let policy = RetryPreset::UiReadiness.policy();
    let code = ErrorCode::SnapshotExtractionFailed;
    let tree = run.look(LookTo::Touch, &policy, code).await?;
    let is_there = run.sees(&Screen::new(&tree), until)?;
    Ok((tree, is_there))
}

/// The screen once it differs from the one before, or after a while: what an act
/// does can come a moment later, and an act too many can do harm.
async fn look_for_change(
    run: &mut Run<'_>,
    until: &Matcher,
    before: Option<(Tree, bool)>,
) -> Result<(Tree, bool), StepFailure> {
    let mut seen = look(run, until).await?;
    for _ in 1..LOOKS {
        if seen.1 || before.as_ref().is_none_or(|(tree, _)| *tree != seen.0) {
            break;
        }
        run.wait(SETTLE, "no change", None).await;
        seen = look(run, until).await?;
    }
    Ok(seen)
}

/// The same failure, with how often it was done before.
fn after(times: u32, failure: StepFailure) -> StepFailure {
    let message = match times {
        0 => return failure,
        1 => format!("done once; then {}", failure.message),
        _ => format!("done {times} times; then {}", failure.message),
    };
    StepFailure {
        message,
        again: false,
        ..failure
    }
    .with(DataKey::Times, times.to_string())
}
