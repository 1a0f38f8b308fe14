//! Scrolls, and searches on the way.

use super::answer::{OperatorFailure, OperatorResult, OperatorStep};
use super::steps::{click_name, click_node, gesture, is_there, look, missing, retry};
use crate::handset::Handset;
use crate::phone::Phone;
use clawperator_contract as contract;
use clawperator_contract::{Direction, Matcher, RetryPreset, UncheckedWord};
use clawperator_ui::{Ability, Bounds, Signature, swipe};
use std::time::Duration;

/// How long the app's finger takes.
const FINGER: Duration = Duration::from_millis(250);
/// How often the app looks again at the end of a container.
const EDGE_POLLS: u32 = 3;
/// How many swipes without movement end `scroll_and_click`.
const STILL: u32 = 2;

const FOUND: &str = "TARGET_FOUND";
const NOT_FOUND: &str = "CONTAINER_NOT_FOUND";
const NOT_SCROLLABLE: &str = "CONTAINER_NOT_SCROLLABLE";
const LOST: &str = "CONTAINER_LOST";

/// What a swipe did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScrollResult {
    Yes,
    Edge,
    /// The phone took no gesture.
    Refused,
}

/// One swipe: where to, and how.
#[derive(Clone, Copy)]
struct ScrollRun<'a> {
    direction: Direction,
    swipe: &'a contract::Swipe,
}

/// What is scrolled.
struct Container {
    bounds: Bounds,
    resource_id: Option<String>,
    signature: Signature,
}

impl ScrollRun<'_> {
    fn container(self, phone: &Phone) -> Result<Container, &'static str> {
        let found = look(phone, |screen| {
            let id = match &self.swipe.container {
                None => screen.first_scrollable().ok_or(NOT_FOUND)?,
                Some(matcher) => {
                    let id = screen.first(&matcher.selector()).ok_or(NOT_FOUND)?;
                    let inner = || screen.first_scrollable_inside(id);
                    if screen.tree().can(id, Ability::Scroll) {
                        id
                    } else if self.swipe.find_first_scrollable_child {
                        inner().ok_or(NOT_SCROLLABLE)?
                    } else {
                        return Err(NOT_SCROLLABLE);
                    }
                }
            };
            let node = screen.tree().node(id);
            Ok(Container {
                bounds: node.bounds,
                resource_id: node.resource_id.clone().filter(|id| !id.is_empty()),
                signature: screen.signature(id, self.direction),
            })
        });
        found.unwrap_or(Err(NOT_FOUND))
    }

    /// Swipes once over the container as it is now.
    async fn once(self, handset: &Handset) -> Result<ScrollResult, &'static str> {
        let before = handset.with(|phone| self.container(phone))?;
        if let Some(path) = swipe(&before.bounds, self.direction, self.swipe.distance_ratio) {
            gesture(handset, path, FINGER).await;
        }
        if !handset.with(|phone| phone.power.awake) {
            return Ok(ScrollResult::Refused);
        }
        handset.time().sleep(self.swipe.settle_delay).await;
        // A container that is gone counts as one that does not move.
        let after = handset.with(|phone| self.container(phone));
        let moved = after.is_ok_and(|after| after.signature.moved_from(&before.signature));
        Ok(if moved { ScrollResult::Yes } else { ScrollResult::Edge })
    }
}

pub(super) async fn once(handset: &Handset, step: &contract::Scroll) -> OperatorStep {
    let scroll = ScrollRun { direction: step.direction, swipe: &step.swipe };
    let (direction, settle) = (step.direction.word(), step.swipe.settle_delay.as_millis());
    let failed = |error| {
        let step = OperatorStep::failure(error).with("direction", direction);
        step.with("settle_delay_ms", settle)
    };
    let container = match retry(handset, &step.retry, |phone| scroll.container(phone)).await {
        Ok(container) => container,
        Err(error) => return failed(error),
    };
    let outcome = match scroll.once(handset).await {
        Ok(ScrollResult::Yes) => "moved",
        Ok(ScrollResult::Edge) => "edge_reached",
        Ok(ScrollResult::Refused) => {
            return failed("GESTURE_FAILED").with("scroll_outcome", "gesture_failed");
        }
        Err(error) => return failed(error),
    };
    OperatorStep::success()
        .with("scroll_outcome", outcome)
        .with("direction", direction)
        // As Java writes it: always with a point.
        .with("distance_ratio", format!("{:?}", step.swipe.distance_ratio))
        .with("settle_delay_ms", settle)
        .maybe("resolved_container", container.resource_id)
}

/// How a search ended.
struct SearchResult {
    reason: &'static str,
    scrolls: u32,
    container: Option<String>,
}

fn sees(handset: &Handset, matcher: Option<&Matcher>) -> bool {
    matcher.is_some_and(|matcher| handset.with(|phone| is_there(phone, matcher)))
}

async fn search(handset: &Handset, step: &contract::ScrollUntil) -> SearchResult {
    let scroll = ScrollRun { direction: step.direction, swipe: &step.swipe };
    let target = step.matcher.as_deref();
    let mut ended = SearchResult { reason: FOUND, scrolls: 0, container: None };
    if sees(handset, target) {
        return ended;
    }
    match handset.with(|phone| scroll.container(phone)) {
        Ok(container) => ended.container = container.resource_id,
        Err(reason) => return SearchResult { reason, ..ended },
    }
    let began = handset.time().uptime();
    let mut still = 0;
    ended.reason = loop {
        if handset.time().uptime().saturating_sub(began) >= step.max_duration {
            break "MAX_DURATION_REACHED";
        }
        if ended.scrolls >= step.max_scrolls {
            break "MAX_SCROLLS_REACHED";
        }
        let Ok(moved) = scroll.once(handset).await else {
            break LOST;
        };
        ended.scrolls += 1;
        match moved {
            ScrollResult::Edge if appears_at_edge(handset, step).await => break FOUND,
            ScrollResult::Edge => break "EDGE_REACHED",
            ScrollResult::Yes if sees(handset, target) => break FOUND,
            ScrollResult::Yes => still = 0,
            ScrollResult::Refused => still += 1,
        }
        if still >= step.no_position_change_threshold {
            break "NO_POSITION_CHANGE";
        }
    };
    ended
}

/// Looks for the target at the end of a container a few times more: a list may still be loading.
async fn appears_at_edge(handset: &Handset, step: &contract::ScrollUntil) -> bool {
    let (least, most) = (Duration::from_millis(100), Duration::from_millis(500));
    let pause = (step.swipe.settle_delay / 2).clamp(least, most);
    let target = step.matcher.as_deref();
    for _ in 0..EDGE_POLLS {
        if target.is_none() || sees(handset, target) {
            break;
        }
        handset.time().sleep(pause).await;
    }
    sees(handset, target)
}

pub(super) async fn until(handset: &Handset, step: &contract::ScrollUntil) -> OperatorResult {
    let readiness = RetryPreset::UiReadiness.policy();
    let mut ended = search(handset, step).await;
    let lost = [NOT_FOUND, NOT_SCROLLABLE, LOST].contains(&ended.reason);
    let target = step.matcher.as_deref();
    if let Some(matcher) = target.filter(|_| ended.reason != FOUND && !lost) {
        let late = |phone: &mut Phone| is_there(phone, matcher).then_some(()).ok_or(());
        if retry(handset, &readiness, late).await.is_ok() {
            ended.reason = FOUND;
        }
    }
    let found = ended.reason == FOUND;
    if let Some(matcher) = target.filter(|_| found && step.click_after) {
        click_node(handset, matcher, &step.click_type, &readiness).await?;
    }
    let result = match (lost, found, target) {
        (true, ..) => OperatorStep::failure(ended.reason),
        (false, false, Some(_)) => OperatorStep::failure("TARGET_NOT_FOUND"),
        _ => OperatorStep::success(),
    };
    Ok(result
        .with("termination_reason", ended.reason)
        .with("scrolls_executed", ended.scrolls)
        .with("direction", step.direction.word())
        .with("click_after", step.click_after)
        .with("click_types", click_name(&step.click_type))
        .maybe("resolved_container", ended.container))
}

pub(super) async fn and_click(handset: &Handset, step: &contract::ScrollAndClick) -> OperatorResult {
    let matcher = &step.matcher;
    let (direction, title) = match &step.direction {
        UncheckedWord::Known(Direction::Down) => (Direction::Down, "Down"),
        UncheckedWord::Known(Direction::Up) => (Direction::Up, "Up"),
        UncheckedWord::Known(Direction::Left) => (Direction::Left, "Left"),
        UncheckedWord::Known(Direction::Right) => (Direction::Right, "Right"),
        UncheckedWord::Unknown(word) => {
            return Err(OperatorFailure(format!("Unsupported direction: {word}")));
        }
    };
    let scroll = ScrollRun { direction, swipe: &step.swipe };
    let thrown = |why: &str| OperatorFailure(format!("{why}: {}", missing(matcher).0));
    // Either it is there already, or there is something to scroll.
    retry(handset, &step.scroll_retry, |phone| match scroll.container(phone) {
        Err(why) if !is_there(phone, matcher) => Err(thrown(why)),
        _ => Ok(()),
    })
    .await?;
    let (mut swipes, mut still) = (0, 0);
    while !sees(handset, Some(matcher)) {
        if swipes >= step.max_swipes || still >= STILL {
            return Err(missing(matcher));
        }
        let moved = scroll.once(handset).await.map_err(thrown)?;
        swipes += 1;
        still = if moved == ScrollResult::Yes { 0 } else { still + 1 };
    }
    if step.click_after {
        click_node(handset, matcher, &step.click_type, &step.click_retry).await?;
    }
    Ok(OperatorStep::success()
        .with("max_swipes", step.max_swipes)
        .with("direction", title)
        .with("click_types", click_name(&step.click_type))
        .with("click_after", step.click_after))
}
