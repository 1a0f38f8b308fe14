//! Scrolls, once or until something is in view.

use super::{Outcome, click, data, known};
use crate::phone::Point;
use crate::session::{Data, Session};
use crate::step_failure::StepFailure;
use clawperator_contract::{
    Direction, ErrorCode, Matcher, RetryPreset, Scroll, ScrollAndClick, ScrollUntil, Swipe,
};
use clawperator_ui::{NodeId, Screen, Signature, Tree};
use std::time::Duration;
use tokio::time::Instant;

/// How long a finger takes for one swipe.
const SWIPE: Duration = Duration::from_millis(250);
/// After so many swipes that moved nothing, scrolling to an element ends.
const STILL: u32 = 2;

/// What came of one swipe.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moved {
    Yes,
    /// Nothing moved: the list is at its end.
    Edge,
}

pub(super) async fn scroll(session: &Session<'_>, step: &Scroll) -> Outcome {
    let moved = session.attempts(&step.retry, async || {
        once(session, &step.swipe, step.direction)
            .await
            .map(|(moved, _)| moved)
    });
    let moved = moved.await?;
    let mut said = describe(&step.swipe, step.direction);
    let outcome = if moved == Moved::Yes {
        "moved"
    } else {
        "edge_reached"
    };
    said.insert("scroll_outcome".to_owned(), outcome.to_owned());
    Ok(said)
}

fn describe(swipe: &Swipe, direction: Direction) -> Data {
    data([
        ("direction", direction.word().to_owned()),
        ("distance_ratio", swipe.distance_ratio.to_string()),
        ("settle_delay_ms", swipe.settle_delay.as_millis().to_string()),
    ])
}

/// One swipe: whether anything moved, and the screen then.
async fn once(
    session: &Session<'_>,
    swipe: &Swipe,
    direction: Direction,
) -> Result<(Moved, Tree), StepFailure> {
    let tree = session.tree(ErrorCode::ContainerNotFound).await?;
    once_from(session, swipe, (direction, &tree)).await
}

/// One swipe on a screen that was just looked at.
async fn once_from(
    session: &Session<'_>,
    swipe: &Swipe,
    (direction, tree): (Direction, &Tree),
) -> Result<(Moved, Tree), StepFailure> {
    let screen = Screen::new(tree);
    let container = container(&screen, swipe)?;
    let before: Signature = screen.signature(container, direction);
    if let Some(way) = screen.swipe(container, direction, swipe.distance_ratio) {
        session.sent.set(true);
        let point = |(x, y): (i32, i32)| Point { x, y };
        let swiped = session
            .phone
            .swipe((point(way.from), point(way.to)), SWIPE, session.deadline)
            .await;
        swiped.map_err(|error| StepFailure::of(ErrorCode::GestureFailed, &error).for_good())?;
    }
    tokio::time::sleep(swipe.settle_delay).await;
    let after = session.tree(ErrorCode::ContainerLost).await?;
    let moved = {
        let screen = Screen::new(&after);
        let container = self::container(&screen, swipe).map_err(|failure| StepFailure {
            code: ErrorCode::ContainerLost,
            ..failure
        })?;
        screen.signature(container, direction).moved_from(&before)
    };
    Ok((if moved { Moved::Yes } else { Moved::Edge }, after))
}

/// What is scrolled.
fn container(screen: &Screen<'_>, swipe: &Swipe) -> Result<NodeId, StepFailure> {
    let Some(matcher) = &swipe.container else {
        let none = || {
            StepFailure::new(
                ErrorCode::ContainerNotScrollable,
                "nothing on the screen can be scrolled",
            )
        };
        return screen.first_scrollable().ok_or_else(none);
    };
    let missing = || {
        StepFailure::new(
            ErrorCode::ContainerNotFound,
            "nothing on the screen fits the container",
        )
    };
    let found = screen.first(matcher).ok_or_else(missing)?;
    if screen.tree().can(found, clawperator_ui::Ability::Scroll) {
        return Ok(found);
    }
    let inside = swipe
        .find_first_scrollable_child
        .then(|| screen.first_scrollable_inside(found))
        .flatten();
    inside.ok_or_else(|| {
        StepFailure::new(
            ErrorCode::ContainerNotScrollable,
            "the container cannot be scrolled",
        )
    })
}

pub(super) async fn scroll_until(session: &Session<'_>, step: &ScrollUntil) -> Outcome {
    let kind = known(&step.click_type, "click type")?;
    let began = Instant::now();
    let (mut scrolls, mut still) = (0, 0);
    let mut tree = session.tree(ErrorCode::ContainerNotFound).await?;
    let reason = loop {
        if sees(&tree, step.matcher.as_deref()) {
            break "TARGET_FOUND";
        }
        if began.elapsed() >= step.max_duration {
            break "MAX_DURATION_REACHED";
        }
        if scrolls >= step.max_scrolls {
            break "MAX_SCROLLS_REACHED";
        }
        let (moved, after) = once_from(session, &step.swipe, (step.direction, &tree)).await?;
        scrolls += 1;
        tree = after;
        still = if moved == Moved::Yes { 0 } else { still + 1 };
        if moved == Moved::Yes || sees(&tree, step.matcher.as_deref()) {
            continue;
        }
        // One swipe that moves nothing may have been lost; so many are an end.
        if still >= step.no_position_change_threshold {
            break "NO_POSITION_CHANGE";
        }
        if still > 1 {
            break "EDGE_REACHED";
        }
    };
    let mut said = describe(&step.swipe, step.direction);
    said.insert("termination_reason".to_owned(), reason.to_owned());
    said.insert("scrolls_executed".to_owned(), scrolls.to_string());
    said.insert("click_after".to_owned(), step.click_after.to_string());
    click::say(kind, &mut said);
    let Some(matcher) = &step.matcher else {
        return Ok(said);
    };
    if reason != "TARGET_FOUND" {
        let message = format!("the target did not come into view: {reason} after {scrolls} scrolls");
        let failure = StepFailure::new(ErrorCode::TargetNotFound, message);
        return Err(StepFailure {
            data: said,
            ..failure
        });
    }
    if step.click_after {
        let policy = RetryPreset::UiReadiness.policy();
        said.extend(click::click_node(session, matcher, (kind, &policy)).await?);
    }
    Ok(said)
}

fn sees(tree: &Tree, matcher: Option<&Matcher>) -> bool {
    matcher.is_some_and(|matcher| Screen::new(tree).first(matcher).is_some())
}

pub(super) async fn scroll_and_click(session: &Session<'_>, step: &ScrollAndClick) -> Outcome {
    let kind = known(&step.click_type, "click type")?;
    let direction = known(&step.direction, "direction")?;
    let (mut swipes, mut still) = (0, 0);
    let mut tree = session
        .attempts(&step.scroll_retry, async || {
            session.tree(ErrorCode::NodeNotFound).await
        })
        .await?;
    while !sees(&tree, Some(&step.matcher)) {
        if swipes >= step.max_swipes || still >= STILL {
            let message = format!("the target did not come into view after {swipes} swipes");
            return Err(StepFailure::new(ErrorCode::NodeNotFound, message)
                .with("max_swipes", step.max_swipes.to_string()));
        }
        let (moved, after) = once_from(session, &step.swipe, (direction, &tree)).await?;
        swipes += 1;
        still = if moved == Moved::Yes { 0 } else { still + 1 };
        tree = after;
    }
    let mut said = describe(&step.swipe, direction);
    said.insert("max_swipes".to_owned(), step.max_swipes.to_string());
    said.insert("click_after".to_owned(), step.click_after.to_string());
    if step.click_after {
        said.extend(click::click_node(session, &step.matcher, (kind, &step.click_retry)).await?);
    }
    Ok(said)
}
