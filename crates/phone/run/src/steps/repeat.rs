//! Does an action again: so often, or until an element is there.

use super::scroll::EDGE;
use crate::outcome::{Data, StepFailure, StepOutcome};
use crate::over_screen::app_of;
use crate::run::{Repetition, Run, StepAct};
use clawperator_contract::text::quoted;
use clawperator_contract::{ClickTarget, DataKey, ErrorCode, Matcher, Repeat, RetryPreset, Step};
use clawperator_phone::LookTo;
use clawperator_ui::{Screen, Tree, likeness};
use std::time::Duration;

/// How often to look for what an act changed before the next one, and how long to wait in between.
const LOOKS: u32 = 8;
const SETTLE: Duration = Duration::from_millis(250);
/// The most letters of a text that a failure names.
const MAX_WORDS: usize = 80;

/// Refuses to go on in another app than the one that it began in.
fn check_app(run: &mut Run<'_>, tree: &Tree) -> Result<(), StepFailure> {
    let now = app_of(tree);
    let Some(repetition) = &mut run.repetition else {
        return Ok(());
    };
    if repetition.app.is_none() {
        repetition.app = now;
    } else if now.is_some() && now != repetition.app {
        let named = now.unwrap_or_default();
        let message = format!("another app came to the front: {named}");
        return Err(StepFailure::new(ErrorCode::EffectNotConfirmed, message).for_good());
    }
    Ok(())
}

pub(crate) async fn repeat(run: &mut Run<'_>, step: &Step, asked: Repeat) -> StepOutcome {
    let mut details = Data::new();
    let mut at_end = false;
    run.repetition = Some(Repetition::default());
    let mut screen = match &asked.until {
        Some(until) => Some(look(run, until).await?),
        None => None,
    };
    let first = screen.as_ref().map(|(tree, _)| tree.clone());
    if first.is_none() && matches!(step, Step::Click(click) if matches!(click.target, ClickTarget::Point(_)))
    {
        // From now on the window in front is checked with every touch; if it cannot be
        // read, the touches go where they are sent.
        let _ = run.look_once(LookTo::Touch, ErrorCode::SnapshotExtractionFailed).await;
    }
    while run.times() < asked.count && screen.as_ref().is_none_or(|(_, is_there)| !is_there) {
        details = match super::run(run, step).await {
            Ok(done) => done,
            Err(failure) => {
                let is_accepted = run.repetition.as_ref().is_some_and(|all| all.is_accepted);
                run.count(u32::from(is_accepted));
                return Err(after(run, failure));
            }
        };
        at_end = details.get(&DataKey::ScrollOutcome).is_some_and(|outcome| outcome == EDGE);
        if at_end {
            break;
        }
        run.count(1);
        run.act = StepAct::Accepted;
        if let Some(until) = &asked.until {
            let changed = look_for_change(run, until, screen.take()).await;
            screen = Some(changed.map_err(|failure| after(run, failure))?);
        }
    }
    if let (Some((tree, false)), Some(first), Some(until)) = (&screen, &first, &asked.until) {
        let message = if at_end {
            "the end is reached, and the element of until is not on the screen"
        } else {
            "the element of until is still not on the screen"
        };
        let failure = StepFailure::new(ErrorCode::EffectNotConfirmed, message).for_good();
        let nearest = nearest(until, first, tree).map(|text| quoted(text, MAX_WORDS));
        return Err(after(run, failure.with_some(DataKey::Nearest, nearest)));
    }
    details.insert(DataKey::Times, run.times().to_string());
    Ok(details)
}

/// The text that came up since and is most like the one that is waited for.
fn nearest<'t>(until: &Matcher, first: &Tree, last: &'t Tree) -> Option<&'t str> {
    let wanted = until.text_contains.as_ref().or(until.text_equals.as_ref())?;
    let is_old = |text: &str| first.nodes().any(|(_, node)| node.label() == text);
    let texts = last.nodes().map(|(_, node)| node.label());
    let new = texts.filter(|text| !text.is_empty() && !is_old(text));
    // A number is like another one, whatever its digits are.
    let shape = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "0");
    new.map(|text| (likeness(&shape(wanted), &shape(text)), text))
        .filter(|(likeness, _)| *likeness > 0.0)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, text)| text)
}

/// The screen, and whether what is waited for is there.
async fn look(run: &mut Run<'_>, until: &Matcher) -> Result<(Tree, bool), StepFailure> {
    let policy = RetryPreset::UiReadiness.policy();
    let code = ErrorCode::SnapshotExtractionFailed;
    let tree = run.look(LookTo::Touch, &policy, code).await?;
    let screen = Screen::new(&tree);
    let is_there = run.sees(&screen, until)?
        && (until.reference.is_some() || run.matching(&screen, until)?.iter().any(|id| tree.is_value(*id)));
    if !is_there {
        check_app(run, &tree)?;
    }
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
fn after(run: &Run<'_>, failure: StepFailure) -> StepFailure {
    let message = match run.times() {
        0 => return failure,
        1 => format!("done once; then {}", failure.message),
        times => format!("done {times} times; then {}", failure.message),
    };
    StepFailure { message, again: false, ..failure }.with(DataKey::Times, run.times().to_string())
}
