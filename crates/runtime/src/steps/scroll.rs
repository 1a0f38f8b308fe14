//! Scrolls once, or until an element can be clicked.

use super::scroll_until::sees;
use super::{Outcome, click, data, known};
use crate::phone::Point;
use crate::session::{Data, Session};
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, Direction, ErrorCode, RetryPolicy, Scroll, ScrollAndClick, Swipe};
use clawperator_ui::{NodeId, Screen, Signature, Tree};
use std::time::Duration;

/// How long a finger takes for one swipe.
const SWIPE: Duration = Duration::from_millis(250);
/// After so many swipes that moved nothing, scrolling to an element ends.
const STILL: u32 = 2;

/// Whether a swipe moved anything.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    Yes,
    /// Nothing moved: the list is at its end.
    Edge,
}

/// What came of one swipe.
pub(super) struct Pulled {
    pub(super) moved: Moved,
    /// The screen then.
    pub(super) tree: Tree,
    /// The resource id of what was scrolled, if it has one.
    pub(super) container: Option<String>,
    /// What the container held before.
    pub(super) before: Signature,
}

pub(super) async fn scroll(session: &Session<'_>, step: &Scroll) -> Outcome {
    let mut said = describe(&step.swipe, step.direction);
    let pulled = session.attempts(&step.retry, async || {
        let tree = session.tree(ErrorCode::ContainerNotFound).await?;
        let gesture = (&step.swipe, step.direction);
        pull(session, gesture, (&tree, &step.retry)).await
    });
    let pulled = match pulled.await {
        Ok(pulled) => pulled,
        Err(mut failure) => {
            said.append(&mut failure.data);
            return Err(StepFailure {
                data: said,
                ..failure
            });
        }
    };
    let outcome = match pulled.moved {
        Moved::Yes => "moved",
        Moved::Edge => "edge_reached",
    };
    said.insert(DataKey::ScrollOutcome, outcome.to_owned());
    if let Some(container) = pulled.container {
        said.insert(DataKey::ResolvedContainer, container);
    }
    Ok(said)
}

pub(super) fn describe(swipe: &Swipe, direction: Direction) -> Data {
    data([
        (DataKey::Direction, direction.word().to_owned()),
        (DataKey::DistanceRatio, swipe.distance_ratio.to_string()),
        (DataKey::SettleDelayMs, swipe.settle_delay.as_millis().to_string()),
    ])
}

/// One swipe on a screen that was just looked at. The look that follows is
/// taken as often as the policy says.
pub(super) async fn pull(
    session: &Session<'_>,
    (swipe, direction): (&Swipe, Direction),
    (tree, looks): (&Tree, &RetryPolicy),
) -> Result<Pulled, StepFailure> {
    let screen = Screen::new(tree);
    let container = container(session, &screen, swipe)?;
    let before: Signature = screen.signature(container, direction);
    if let Some(way) = screen.swipe(container, direction, swipe.distance_ratio) {
        let point = |(x, y): (i32, i32)| Point { x, y };
        let (from, to) = (point(way.from), point(way.to));
        let swiping = session.phone.swipe((from, to), SWIPE, session.deadline);
        let swiped = session.act(swiping).await;
        swiped.map_err(|error| StepFailure::of(ErrorCode::GestureFailed, &error).for_good())?;
    }
    tokio::time::sleep(swipe.settle_delay).await;
    // A swipe that was made is not made again for want of a look.
    let looking = session.attempts(looks, async || session.tree(ErrorCode::ContainerLost).await);
    let after = looking.await.map_err(StepFailure::for_good)?;
    let moved = moved(session, &before, &after, (swipe, direction)).map_err(StepFailure::for_good)?;
    Ok(Pulled {
        moved,
        container: tree.node(container).resource_id.clone(),
        tree: after,
        before,
    })
}

/// Whether a container holds something else than it did before.
pub(super) fn moved(
    session: &Session<'_>,
    before: &Signature,
    after: &Tree,
    (swipe, direction): (&Swipe, Direction),
) -> Result<Moved, StepFailure> {
    let screen = Screen::new(after);
    let lost = |_| StepFailure::new(ErrorCode::ContainerLost, "what was scrolled is no longer there");
    let container = container(session, &screen, swipe).map_err(lost)?;
    let moved = screen.signature(container, direction).moved_from(before);
    Ok(if moved { Moved::Yes } else { Moved::Edge })
}

/// What is scrolled.
fn container(session: &Session<'_>, screen: &Screen<'_>, swipe: &Swipe) -> Result<NodeId, StepFailure> {
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
    let found = session.first(screen, matcher)?.ok_or_else(missing)?;
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

pub(super) async fn scroll_and_click(session: &Session<'_>, step: &ScrollAndClick) -> Outcome {
    let kind = known(&step.click_type, "click type")?;
    let direction = known(&step.direction, "direction")?;
    let (mut swipes, mut still) = (0, 0);
    let mut tree = session
        .attempts(&step.scroll_retry, async || {
            session.tree(ErrorCode::NodeNotFound).await
        })
        .await?;
    while !sees(session, &tree, Some(&step.matcher))? {
        if swipes >= step.max_swipes || still >= STILL {
            let message = format!("the target did not come into view after {swipes} swipes");
            return Err(StepFailure::new(ErrorCode::NodeNotFound, message)
                .with(DataKey::MaxSwipes, step.max_swipes.to_string()));
        }
        let gesture = (&step.swipe, direction);
        let pulled = pull(session, gesture, (&tree, &step.scroll_retry)).await?;
        swipes += 1;
        still = match pulled.moved {
            Moved::Yes => 0,
            Moved::Edge => still + 1,
        };
        tree = pulled.tree;
    }
    let mut said = describe(&step.swipe, direction);
    said.insert(DataKey::MaxSwipes, step.max_swipes.to_string());
    said.insert(DataKey::ClickAfter, step.click_after.to_string());
    if step.click_after {
        said.extend(click::click_node(session, &step.matcher, (kind, &step.click_retry)).await?);
    }
    Ok(said)
}
