//! Scrolls until an element is in view, or nothing moves any more.

use super::scroll::{Gesture, Moved, Swiped, describe, moved, swipe};
use super::{Outcome, click, known};
use crate::run::{Data, Run};
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, Matcher, RetryPreset, ScrollUntil};
use clawperator_ui::{Screen, Tree};
use std::time::Duration;
use tokio::time::Instant;

/// How many more looks there are after a swipe that moved nothing.
const LOOKS_AT_THE_EDGE: u32 = 3;
/// The shortest and the longest wait before each of these looks.
const MIN_WAIT: Duration = Duration::from_millis(100);
const MAX_WAIT: Duration = Duration::from_millis(500);

/// Why scrolling ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Found,
    Edge,
    Scrolls,
    Duration,
    /// The phone refused several swipes in a row.
    Still,
}

impl End {
    fn word(self) -> &'static str {
        match self {
            Self::Found => "TARGET_FOUND",
            Self::Edge => "EDGE_REACHED",
            Self::Scrolls => "MAX_SCROLLS_REACHED",
            Self::Duration => "MAX_DURATION_REACHED",
            Self::Still => "NO_POSITION_CHANGE",
        }
    }
}

/// The swipes so far, and what they scrolled.
#[derive(Default)]
struct Progress {
    scrolls: u32,
    container: Option<String>,
}

pub(super) async fn scroll_until(run: &mut Run<'_>, step: &ScrollUntil) -> Outcome {
    let kind = known(&step.click_type, "click type")?;
    let looks = RetryPreset::UiScroll.policy();
    let gesture = Gesture {
        swipe: &step.swipe,
        direction: step.direction,
        retry: &looks,
    };
    let mut progress = Progress::default();
    let ended = scroll_on(run, step, gesture, &mut progress).await;
    let mut details = describe(gesture);
    details.insert(DataKey::ScrollsExecuted, progress.scrolls.to_string());
    details.insert(DataKey::ClickAfter, step.click_after.to_string());
    details.insert(DataKey::ClickTypes, click::word(kind).to_owned());
    if let Some(container) = progress.container {
        details.insert(DataKey::ResolvedContainer, container);
    }
    let end = match ended {
        Ok(end) => late(run, step, end).await,
        Err(mut failure) => {
            details.append(&mut failure.data);
            if let Some(reason) = reason(failure.code) {
                details.insert(DataKey::TerminationReason, reason.to_owned());
            }
            return Err(StepFailure {
                data: details,
                ..failure
            });
        }
    };
    details.insert(DataKey::TerminationReason, end.word().to_owned());
    finish(run, step, end, details).await
}

async fn finish(run: &mut Run<'_>, step: &ScrollUntil, end: End, mut details: Data) -> Outcome {
    let Some(matcher) = &step.matcher else {
        return Ok(details);
    };
    if end != End::Found {
        let scrolls = details.get(&DataKey::ScrollsExecuted).map_or("0", String::as_str);
        let message = format!(
            "the target did not come into view: {} after {scrolls} scrolls",
            end.word()
        );
        let failure = StepFailure::new(ErrorCode::TargetNotFound, message);
        return Err(StepFailure {
            data: details,
            ..failure
        });
    }
    if run.strict {
        // Several elements may have come into view.
        let tree = run.look_once(ErrorCode::TargetNotFound).await?;
        run.choose(&Screen::new(&tree), matcher)?;
    }
    if step.click_after {
        let kind = known(&step.click_type, "click type")?;
        let policy = RetryPreset::UiReadiness.policy();
        details.extend(click::click_node(run, matcher, kind, &policy).await?);
    }
    Ok(details)
}

async fn scroll_on(
    run: &mut Run<'_>,
    step: &ScrollUntil,
    gesture: Gesture<'_>,
    progress: &mut Progress,
) -> Result<End, StepFailure> {
    let began = Instant::now();
    let target = step.matcher.as_deref();
    let mut still = 0;
    let mut tree = run.look(gesture.retry, ErrorCode::ContainerNotFound).await?;
    while !sees(run, &tree, target)? {
        if began.elapsed() >= step.max_duration {
            return Ok(End::Duration);
        }
        if progress.scrolls >= step.max_scrolls {
            return Ok(End::Scrolls);
        }
        let swiped = swipe(run, gesture, &tree).await;
        // The phone may accept the next swipe after it refused one.
        if let Err(failure) = &swiped
            && failure.code == ErrorCode::GestureFailed
        {
            progress.scrolls += 1;
            still += 1;
            if still >= step.no_position_change_threshold {
                return Ok(End::Still);
            }
            continue;
        }
        let before_the_swipe = |failure: &StepFailure| {
            let code = failure.code;
            code == ErrorCode::ContainerNotFound
                || code == ErrorCode::ContainerNotScrollable
                || code == ErrorCode::RefStale
        };
        progress.scrolls += u32::from(!swiped.as_ref().is_err_and(before_the_swipe));
        let swiped = swiped?;
        progress.container.clone_from(&swiped.container);
        still = 0;
        if swiped.moved == Moved::Yes {
            tree = swiped.tree;
            continue;
        }
        match at_the_edge(run, step, gesture, swiped).await? {
            Some(late) => tree = late,
            None => return Ok(End::Edge),
        }
    }
    Ok(End::Found)
}

/// The termination reason for a failure, if it is one.
fn reason(code: ErrorCode) -> Option<&'static str> {
    let known = [
        ErrorCode::ContainerNotFound,
        ErrorCode::ContainerNotScrollable,
        ErrorCode::ContainerLost,
    ];
    known.contains(&code).then(|| code.row().name)
}

/// Nothing moved: the list is at its end, or it is slow. Returns the screen on
/// which it moved or on which the target is in view, if there is one.
async fn at_the_edge(
    run: &mut Run<'_>,
    step: &ScrollUntil,
    gesture: Gesture<'_>,
    swiped: Swiped,
) -> Result<Option<Tree>, StepFailure> {
    let wait = (step.swipe.settle_delay / 2).clamp(MIN_WAIT, MAX_WAIT);
    let mut tree = swiped.tree;
    for _ in 0..LOOKS_AT_THE_EDGE {
        if sees(run, &tree, step.matcher.as_deref())? {
            return Ok(Some(tree));
        }
        run.wait(wait, "settling", None).await;
        tree = run.look_once(ErrorCode::ContainerLost).await?;
        if moved(run, gesture, &swiped.before, &tree)? == Moved::Yes {
            return Ok(Some(tree));
        }
    }
    Ok(sees(run, &tree, step.matcher.as_deref())?.then_some(tree))
}

/// A list may load its rows late, so the target is waited for a little longer.
async fn late(run: &mut Run<'_>, step: &ScrollUntil, end: End) -> End {
    // A limit on the time is kept.
    let over = matches!(end, End::Found | End::Duration);
    let (Some(target), false) = (&step.matcher, over) else {
        return end;
    };
    let policy = RetryPreset::UiReadiness.policy();
    let seen = run.look_for(&policy, ErrorCode::TargetNotFound, |run, tree| {
        let missing = || StepFailure::new(ErrorCode::TargetNotFound, "not in view");
        sees(run, &tree, Some(target))?.then_some(()).ok_or_else(missing)
    });
    if seen.await.is_ok() { End::Found } else { end }
}

pub(super) fn sees(run: &mut Run<'_>, tree: &Tree, matcher: Option<&Matcher>) -> Result<bool, StepFailure> {
    matcher.map_or(Ok(false), |matcher| run.sees(&Screen::new(tree), matcher))
}
