//! Scrolls until something is in view, or nothing moves any more.

use super::scroll::{Moved, Pulled, describe, moved, pull};
use super::{Outcome, click, known};
use crate::session::{Data, Session};
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, Matcher, RetryPreset, ScrollUntil};
use clawperator_ui::{Screen, Tree};
use std::time::Duration;
use tokio::time::Instant;

/// How often the screen is looked at again when a swipe moved nothing.
const LOOKS_AT_THE_EDGE: u32 = 3;
/// The shortest and the longest wait before each of these looks.
const SHORTEST_LOOK: Duration = Duration::from_millis(100);
const LONGEST_LOOK: Duration = Duration::from_millis(500);

/// Why scrolling ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Found,
    Edge,
    Scrolls,
    Duration,
    /// The phone took none of several swipes in a row.
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

/// The swipes so far, and what they were on.
struct Progress {
    scrolls: u32,
    container: Option<String>,
}

pub(super) async fn scroll_until(session: &Session<'_>, step: &ScrollUntil) -> Outcome {
    let kind = known(&step.click_type, "click type")?;
    let mut progress = Progress {
        scrolls: 0,
        container: None,
    };
    let ended = scroll_on(session, step, &mut progress).await;
    let mut said = describe(&step.swipe, step.direction);
    said.insert(DataKey::ScrollsExecuted, progress.scrolls.to_string());
    said.insert(DataKey::ClickAfter, step.click_after.to_string());
    click::say(kind, &mut said);
    if let Some(container) = progress.container {
        said.insert(DataKey::ResolvedContainer, container);
    }
    let end = match ended {
        Ok(end) => late(session, step, end).await,
        Err(mut failure) => {
            said.append(&mut failure.data);
            if let Some(reason) = reason(failure.code) {
                said.insert(DataKey::TerminationReason, reason.to_owned());
            }
            return Err(StepFailure {
                data: said,
                ..failure
            });
        }
    };
    said.insert(DataKey::TerminationReason, end.word().to_owned());
    finish(session, step, (end, said)).await
}

async fn finish(session: &Session<'_>, step: &ScrollUntil, (end, mut said): (End, Data)) -> Outcome {
    let Some(matcher) = &step.matcher else {
        return Ok(said);
    };
    if end != End::Found {
        let scrolls = said.get(&DataKey::ScrollsExecuted).map_or("0", String::as_str);
        let message = format!(
            "the target did not come into view: {} after {scrolls} scrolls",
            end.word()
        );
        let failure = StepFailure::new(ErrorCode::TargetNotFound, message);
        return Err(StepFailure {
            data: said,
            ..failure
        });
    }
    if session.strict.get() {
        // Which of several came into view, nobody could tell.
        let tree = session.tree(ErrorCode::TargetNotFound).await?;
        session.choose(&Screen::new(&tree), matcher)?;
    }
    if step.click_after {
        let kind = known(&step.click_type, "click type")?;
        let policy = RetryPreset::UiReadiness.policy();
        said.extend(click::click_node(session, matcher, (kind, &policy)).await?);
    }
    Ok(said)
}

async fn scroll_on(
    session: &Session<'_>,
    step: &ScrollUntil,
    progress: &mut Progress,
) -> Result<End, StepFailure> {
    let began = Instant::now();
    let target = step.matcher.as_deref();
    let mut still = 0;
    let looks = RetryPreset::UiScroll.policy();
    let looking = session.attempts(&looks, async || session.tree(ErrorCode::ContainerNotFound).await);
    let mut tree = looking.await?;
    while !sees(session, &tree, target)? {
        if began.elapsed() >= step.max_duration {
            return Ok(End::Duration);
        }
        if progress.scrolls >= step.max_scrolls {
            return Ok(End::Scrolls);
        }
        let gesture = (&step.swipe, step.direction);
        let pulled = pull(session, gesture, (&tree, &looks)).await;
        // A swipe that the phone refuses may be taken the next time.
        if let Err(failure) = &pulled
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
        progress.scrolls += u32::from(!pulled.as_ref().is_err_and(before_the_swipe));
        let pulled = pulled?;
        progress.container.clone_from(&pulled.container);
        still = 0;
        if pulled.moved == Moved::Yes {
            tree = pulled.tree;
            continue;
        }
        match at_the_edge(session, step, pulled).await? {
            Some(late) => tree = late,
            None => return Ok(End::Edge),
        }
    }
    Ok(End::Found)
}

/// What a failure is among the reasons for an end, if it is one.
fn reason(code: ErrorCode) -> Option<&'static str> {
    let known = [
        ErrorCode::ContainerNotFound,
        ErrorCode::ContainerNotScrollable,
        ErrorCode::ContainerLost,
    ];
    known.contains(&code).then(|| code.row().name)
}

/// Nothing moved: the end, or a list that is slow to follow. The screen in
/// which it did move or the target came into view, if there is one.
async fn at_the_edge(
    session: &Session<'_>,
    step: &ScrollUntil,
    pulled: Pulled,
) -> Result<Option<Tree>, StepFailure> {
    let look = (step.swipe.settle_delay / 2).clamp(SHORTEST_LOOK, LONGEST_LOOK);
    let mut tree = pulled.tree;
    for _ in 0..LOOKS_AT_THE_EDGE {
        if sees(session, &tree, step.matcher.as_deref())? {
            return Ok(Some(tree));
        }
        session.pause(look, "settling").await;
        tree = session.tree(ErrorCode::ContainerLost).await?;
        if moved(session, &pulled.before, &tree, (&step.swipe, step.direction))? == Moved::Yes {
            return Ok(Some(tree));
        }
    }
    Ok(sees(session, &tree, step.matcher.as_deref())?.then_some(tree))
}

/// What a list loads late, it may still show.
async fn late(session: &Session<'_>, step: &ScrollUntil, end: End) -> End {
    // Whoever limits the time is not kept waiting beyond it.
    let over = matches!(end, End::Found | End::Duration);
    let (Some(target), false) = (&step.matcher, over) else {
        return end;
    };
    let policy = RetryPreset::UiReadiness.policy();
    let seen = session
        .attempts(&policy, async || {
            let tree = session.tree(ErrorCode::TargetNotFound).await?;
            let missing = || StepFailure::new(ErrorCode::TargetNotFound, "not in view");
            sees(session, &tree, Some(target))?
                .then_some(())
                .ok_or_else(missing)
        })
        .await;
    if seen.is_ok() { End::Found } else { end }
}

pub(super) fn sees(
    session: &Session<'_>,
    tree: &Tree,
    matcher: Option<&Matcher>,
) -> Result<bool, StepFailure> {
    matcher.map_or(Ok(false), |matcher| session.sees(&Screen::new(tree), matcher))
}
