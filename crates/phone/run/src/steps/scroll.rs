//! Scrolls once, or until an element can be clicked.

use super::click::{NodeClick, click_node};
use super::search::{End, ScrollSearch, SearchProgress, search};
use crate::outcome::{Data, StepFailure, StepOutcome, data, word_meaning};
use crate::retry::Tries;
use crate::run::Run;
use clawperator_contract::{DataKey, Direction, ErrorCode, Lane, RetryPolicy, Scroll, ScrollAndClick, Swipe};
use clawperator_phone::{Act, Finger, LookTo, SwipePath};
use clawperator_ui::{Ability, Fingerprints, NodeId, Screen, Signature, Tree, WindowName};
use std::time::Duration;

/// How long a finger takes for one swipe.
pub(super) const SWIPE: Duration = Duration::from_millis(250);
/// After this many swipes in a row that moved nothing, scrolling to an element ends.
const MAX_STILL: u32 = 2;

/// What a step says that found no container.
pub(super) const NO_CONTAINER: &str = "no element on the screen matches the container";
/// The outcome of a scroll that moved nothing.
pub(super) const EDGE: &str = "edge_reached";

/// How to scroll.
#[derive(Clone, Copy)]
pub(super) struct ScrollGesture<'g> {
    pub(super) swipe: &'g Swipe,
    pub(super) direction: Direction,
    /// How often to look at the screen after the swipe.
    pub(super) retry: &'g RetryPolicy,
}

/// Whether a swipe moved anything.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SwipeEffect {
    Yes,
    /// Nothing moved: the list is at its end.
    Edge,
    /// The tree would not show it.
    Unknown,
}

/// The outcome of one swipe.
pub(super) struct SwipeResult {
    pub(super) moved: SwipeEffect,
    pub(super) tree: Tree,
    pub(super) start: SwipeStart,
}

pub(super) async fn scroll(run: &mut Run<'_>, step: &Scroll) -> StepOutcome {
    let gesture = ScrollGesture { swipe: &step.swipe, direction: step.direction, retry: &step.retry };
    let mut details = describe(gesture);
    let swiped = match look_and_swipe(run, gesture).await {
        Ok(swiped) => swiped,
        Err(failure) => return Err(failure.beside(details)),
    };
    let outcome = match swiped.moved {
        SwipeEffect::Yes => "moved",
        SwipeEffect::Edge => EDGE,
        SwipeEffect::Unknown => "unknown",
    };
    details.insert(DataKey::ScrollOutcome, outcome.to_owned());
    details.extend(swiped.start.container.map(|id| (DataKey::ResolvedContainer, id)));
    Ok(details)
}

async fn look_and_swipe(run: &mut Run<'_>, gesture: ScrollGesture<'_>) -> Result<SwipeResult, StepFailure> {
    let mut tries = Tries::new(gesture.retry);
    loop {
        match swipe(run, gesture).await {
            Ok(swiped) => return Ok(swiped),
            Err(failure) => tries.again(run, failure).await?,
        }
    }
}

/// How a scroll is described in data.
pub(super) fn describe(gesture: ScrollGesture<'_>) -> Data {
    let Swipe { distance_ratio, settle_delay, .. } = gesture.swipe;
    data([
        (DataKey::Direction, gesture.direction.word().to_owned()),
        (DataKey::DistanceRatio, distance_ratio.to_string()),
        (DataKey::SettleDelayMs, settle_delay.as_millis().to_string()),
    ])
}

/// A swipe that was made, before anybody looked at what came of it.
pub(super) struct SwipeStart {
    /// The resource id of what was scrolled, if it has one.
    pub(super) container: Option<String>,
    /// What the container held before.
    pub(super) before: Signature,
}

/// Swipes once, and looks before it and at what came of it.
async fn swipe(run: &mut Run<'_>, gesture: ScrollGesture<'_>) -> Result<SwipeResult, StepFailure> {
    let tree = run.look_once(LookTo::Touch, ErrorCode::ContainerNotFound).await?;
    let begun = begin(run, gesture, &tree).await?;
    run.note_accepted();
    settle(run, gesture, begun).await
}

/// Swipes once on a screen that was just seen. If another screen is in front by
/// then, that one is looked at first.
pub(super) async fn begin(
    run: &mut Run<'_>,
    gesture: ScrollGesture<'_>,
    tree: &Tree,
) -> Result<SwipeStart, StepFailure> {
    let mut tries = Tries::new(gesture.retry);
    let mut begun = begin_once(run, gesture, tree).await;
    while let Err(failure) = begun {
        if failure.code != ErrorCode::ScreenChanged {
            return Err(failure);
        }
        let again = tries.again(run, failure).await;
        again.map_err(StepFailure::for_good)?;
        let code = ErrorCode::ContainerNotFound;
        let tree = run.look(LookTo::Touch, gesture.retry, code).await?;
        begun = begin_once(run, gesture, &tree).await;
    }
    begun
}

async fn begin_once(
    run: &mut Run<'_>,
    gesture: ScrollGesture<'_>,
    tree: &Tree,
) -> Result<SwipeStart, StepFailure> {
    let ScrollGesture { swipe, direction, .. } = gesture;
    let screen = Screen::new(tree);
    let window = Fingerprints::new(screen).window();
    let is_other = |scrolled: &(Signature, WindowName)| {
        scrolled.0.container(&screen).is_none() || !scrolled.1.is_same(&window)
    };
    if run.scrolled.as_ref().is_some_and(is_other) {
        let message = "what was scrolled is not on the screen any more";
        return Err(StepFailure::new(ErrorCode::ScreenChanged, message));
    }
    let container = container(run, &screen, swipe)?;
    let before = screen.signature(container, direction);
    let Some(way) = screen.swipe(container, direction, swipe.distance_ratio) else {
        let shown = screen.visible_bounds(container);
        let message = format!(
            "{shown} of the container is visible; a swipe over {} of it is too short to scroll",
            swipe.distance_ratio
        );
        return Err(StepFailure::new(ErrorCode::ContainerNotScrollable, message));
    };
    let finger = Finger::Swipe(SwipePath { from: way.from, to: way.to, takes: SWIPE });
    let swiped = run.perform(Act::Touch(finger, run.unchanged())).await;
    swiped.map_err(|error| StepFailure::of(ErrorCode::GestureFailed, &error.error))?;
    run.scrolled = Some((before.clone(), window));
    Ok(SwipeStart { container: tree.node(container).resource_id.clone().filter(|id| !id.is_empty()), before })
}

/// Waits until a swipe has settled, and looks at what came of it.
pub(super) async fn settle(
    run: &mut Run<'_>,
    gesture: ScrollGesture<'_>,
    begun: SwipeStart,
) -> Result<SwipeResult, StepFailure> {
    let Swipe { settle_delay, is_delay_asked, .. } = *gesture.swipe;
    // A look on the resident lane waits until the list has moved and rests.
    if is_delay_asked || run.phone().lane() == Lane::Dump {
        run.wait(settle_delay, "settling", None).await;
    }
    let (tree, moved) = look_after(run, gesture, &begun.before).await?;
    Ok(SwipeResult { moved, tree, start: begun })
}

/// Looks at what came of a swipe. Something else may be in front of the container
/// for a while. A swipe is not repeated because the look after it failed.
pub(super) async fn look_after(
    run: &mut Run<'_>,
    gesture: ScrollGesture<'_>,
    before: &Signature,
) -> Result<(Tree, SwipeEffect), StepFailure> {
    let mut tries = Tries::new(gesture.retry);
    loop {
        let after = run.look(LookTo::Touch, gesture.retry, ErrorCode::ContainerLost).await;
        let swiped = |failure: StepFailure| failure.for_good().after("the phone took the swipe");
        let after = after.map_err(swiped)?;
        match moved(run, gesture, before, &after) {
            Ok(moved) => return Ok((after, moved)),
            Err(failure) => tries.again(run, failure).await.map_err(swiped)?,
        }
    }
}

/// Whether the container's content changed.
fn moved(
    run: &mut Run<'_>,
    gesture: ScrollGesture<'_>,
    before: &Signature,
    after: &Tree,
) -> Result<SwipeEffect, StepFailure> {
    let screen = Screen::new(after);
    let lost = |_| StepFailure::new(ErrorCode::ContainerLost, "the scrolled element is gone");
    let container = container(run, &screen, gesture.swipe).map_err(lost)?;
    let after = screen.signature(container, gesture.direction);
    Ok(if after.moved_from(before) {
        SwipeEffect::Yes
    } else if before.is_blind() {
        SwipeEffect::Unknown
    } else {
        SwipeEffect::Edge
    })
}

/// The element to scroll: what this step has scrolled already, or else what the
/// caller names. What named it may have been scrolled away.
fn container(run: &mut Run<'_>, screen: &Screen<'_>, swipe: &Swipe) -> Result<NodeId, StepFailure> {
    if let Some(same) = run.scrolled.as_ref().and_then(|(scrolled, _)| scrolled.container(screen)) {
        return Ok(same);
    }
    let missing = |message| StepFailure::new(ErrorCode::ContainerNotFound, message);
    let Some(matcher) = &swipe.container else {
        return screen.first_scrollable().ok_or_else(|| missing("nothing on the screen can be scrolled"));
    };
    let found = run.first_match(screen, matcher)?.ok_or_else(|| missing(NO_CONTAINER))?;
    if screen.tree().can(found, Ability::Scroll) {
        return Ok(found);
    }
    let inside = swipe.find_first_scrollable_child.then(|| screen.first_scrollable_inside(found)).flatten();
    let message = "the container cannot be scrolled";
    inside.ok_or_else(|| StepFailure::new(ErrorCode::ContainerNotScrollable, message))
}

pub(super) async fn scroll_and_click(run: &mut Run<'_>, step: &ScrollAndClick) -> StepOutcome {
    let kind = word_meaning(&step.click_type, "click type")?;
    let gesture = ScrollGesture {
        swipe: &step.swipe,
        direction: word_meaning(&step.direction, "direction")?,
        retry: &step.scroll_retry,
    };
    let wanted = ScrollSearch {
        gesture,
        target: Some(&step.matcher),
        max_swipes: step.max_swipes,
        max_still: MAX_STILL,
        until: None,
        blind: ErrorCode::NodeNotFound,
    };
    let mut progress = SearchProgress::default();
    match search(run, &wanted, &mut progress).await? {
        End::Found => {}
        End::Still => {
            let message = format!("the phone refused {MAX_STILL} swipes in a row");
            return Err(StepFailure::new(ErrorCode::GestureFailed, message));
        }
        end @ (End::Edge | End::Scrolls | End::Duration) => {
            let next = match end {
                End::Edge => "that is the end: try the other direction",
                _ => "there is more: send the same again",
            };
            let message = format!(
                "the target did not come into view after {} swipes {}; {next}",
                progress.scrolls,
                gesture.direction.word(),
            );
            return Err(progress
                .target_not_found(message)
                .with(DataKey::MaxSwipes, step.max_swipes.to_string()));
        }
    }
    let mut details = describe(gesture);
    details.insert(DataKey::MaxSwipes, step.max_swipes.to_string());
    details.insert(DataKey::ClickAfter, step.click_after.to_string());
    if step.click_after {
        let wanted = NodeClick {
            matcher: &step.matcher,
            kind,
            retry: &step.click_retry,
            confirm: step.confirm.as_deref(),
        };
        details.extend(click_node(run, wanted).await?);
    }
    Ok(details)
}
