//! Scrolls, and looks for something on the way.

use super::act::retry;
use super::answer::{Outcome, Step, Thrown};
use super::command::{Direction, Matcher, Retry, ScrollAndClick, ScrollUntil, Swipe};
use super::screen::{Screen, missing};
use super::touch::{click_node, gesture};
use crate::handset::Handset;
use crate::phone::Phone;
use clawperator_ui::{Bounds, Flag, NodeId};
use std::time::Duration;

/// How long the app's finger takes.
const FINGER: Duration = Duration::from_millis(250);
/// How many contents of a container tell whether it has moved.
const TELLING: usize = 3;
/// How often the app looks again at the end of a container.
const EDGE_POLLS: u32 = 3;
/// How often nothing may move before `scroll_and_click` gives up.
const STILL: u64 = 2;

const NOT_FOUND: &str = "CONTAINER_NOT_FOUND";
const NOT_SCROLLABLE: &str = "CONTAINER_NOT_SCROLLABLE";

type Place = (i32, i32);

/// What a swipe did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moved {
    Yes,
    Edge,
    /// The phone took no gesture.
    Refused,
}

/// What is scrolled.
struct Container {
    bounds: Bounds,
    resource_id: Option<String>,
    /// Changes when it moves; none when it is empty.
    signature: Option<String>,
}

fn resolve(phone: &Phone, swipe: &Swipe) -> Result<Container, &'static str> {
    let screen = Screen::of(phone).ok_or(NOT_FOUND)?;
    let scrolls = |id: &NodeId| screen.tree.node(*id).flags.has(Flag::Scrollable);
    let id = match &swipe.container {
        None => {
            let mut all = screen.tree.nodes().map(|(id, _)| id);
            all.find(scrolls).ok_or(NOT_FOUND)?
        }
        Some(matcher) => {
            let id = screen.find(matcher).ok_or(NOT_FOUND)?;
            let inner = || screen.tree.descendants(id).find(scrolls);
            let found = if scrolls(&id) {
                Some(id)
            } else {
                swipe.inner.then(inner).flatten()
            };
            found.ok_or(NOT_SCROLLABLE)?
        }
    };
    let node = screen.tree.node(id);
    Ok(Container {
        bounds: node.bounds,
        resource_id: node.resource_id.clone().filter(|id| !id.is_empty()),
        signature: signature(&screen, id, swipe.direction),
    })
}

fn signature(screen: &Screen, id: NodeId, direction: Direction) -> Option<String> {
    let children = screen.tree.children(id).take(TELLING);
    let said: Vec<String> = children
        .map(|id| {
            let node = screen.tree.node(id);
            let (axis, at) = match direction {
                Direction::Down | Direction::Up => ("y", node.bounds.top),
                Direction::Left | Direction::Right => ("x", node.bounds.left),
            };
            let name = node.resource_id.as_deref().unwrap_or_default();
            format!("{name}|{}@{axis}={at}", node.index)
        })
        .collect();
    (!said.is_empty()).then(|| said.join(";"))
}

/// Where the finger goes: along the middle of the container.
fn path(bounds: Bounds, direction: Direction, ratio: f64) -> (Place, Place) {
    let reach = 0.4 * ratio;
    let (from, to) = match direction {
        Direction::Down | Direction::Right => (0.8 - reach, 0.8 - 2.0 * reach),
        Direction::Up | Direction::Left => (0.2 + reach, 0.2 + 2.0 * reach),
    };
    let at = |first: i32, last: i32, part: f64| {
        let length = f64::from(last) - f64::from(first);
        (f64::from(first) + length * part) as i32
    };
    let (x, y) = bounds.center();
    match direction {
        Direction::Down | Direction::Up => (
            (x, at(bounds.top, bounds.bottom, from)),
            (x, at(bounds.top, bounds.bottom, to)),
        ),
        Direction::Left | Direction::Right => (
            (at(bounds.left, bounds.right, from), y),
            (at(bounds.left, bounds.right, to), y),
        ),
    }
}

/// Swipes once over the container as it is now.
async fn swipe_once(handset: &Handset, swipe: &Swipe) -> Result<Moved, &'static str> {
    let before = handset.with(|phone| resolve(phone, swipe))?;
    let (from, to) = path(before.bounds, swipe.direction, swipe.ratio);
    gesture(handset, (from, to), FINGER).await;
    // A phone whose screen went off takes none.
    if !handset.with(|phone| phone.power.awake) {
        return Ok(Moved::Refused);
    }
    handset.time().sleep(swipe.settle).await;
    let after = handset.with(|phone| resolve(phone, swipe));
    // A container that is gone counts as one that does not move.
    let after = after.ok().and_then(|after| after.signature);
    let moved = after.is_some() && before.signature.is_some() && after != before.signature;
    Ok(if moved { Moved::Yes } else { Moved::Edge })
}

pub(super) async fn once(handset: &Handset, swipe: &Swipe, rule: Retry) -> Step {
    let settle = swipe.settle.as_millis();
    let direction = swipe.direction.name();
    let failed = |error| Step::failed(error, &[("direction", &direction), ("settle_delay_ms", &settle)]);
    let container = match retry(handset, rule, |phone| resolve(phone, swipe)).await {
        Ok(container) => container,
        Err(error) => return failed(error),
    };
    let outcome = match swipe_once(handset, swipe).await {
        Ok(Moved::Yes) => "moved",
        Ok(Moved::Edge) => "edge_reached",
        Ok(Moved::Refused) => {
            return failed("GESTURE_FAILED").with("scroll_outcome", Some("gesture_failed"));
        }
        Err(error) => return failed(error),
    };
    // As Java writes a number with a point.
    let ratio = format!("{:?}", swipe.ratio);
    Step::done(&[
        ("scroll_outcome", &outcome),
        ("direction", &direction),
        ("distance_ratio", &ratio),
        ("settle_delay_ms", &settle),
    ])
    .with("resolved_container", container.resource_id)
}

fn is_there(handset: &Handset, matcher: Option<&Matcher>) -> bool {
    let Some(matcher) = matcher else { return false };
    handset.with(|phone| Screen::of(phone).is_some_and(|screen| screen.find(matcher).is_some()))
}

/// How a search ended.
struct Ended {
    reason: &'static str,
    scrolls: u64,
    container: Option<String>,
}

const FOUND: &str = "TARGET_FOUND";
const LOST: &str = "CONTAINER_LOST";

async fn search(handset: &Handset, until: &ScrollUntil) -> Ended {
    let target = until.matcher.as_ref();
    let mut ended = Ended {
        reason: FOUND,
        scrolls: 0,
        container: None,
    };
    if is_there(handset, target) {
        return ended;
    }
    match handset.with(|phone| resolve(phone, &until.swipe)) {
        Ok(container) => ended.container = container.resource_id,
        Err(reason) => {
            ended.reason = reason;
            return ended;
        }
    }
    let began = handset.time().uptime();
    let mut still = 0;
    ended.reason = loop {
        if handset.time().uptime().saturating_sub(began) >= until.longest {
            break "MAX_DURATION_REACHED";
        }
        if ended.scrolls >= until.most {
            break "MAX_SCROLLS_REACHED";
        }
        let Ok(moved) = swipe_once(handset, &until.swipe).await else {
            break LOST;
        };
        ended.scrolls += 1;
        match moved {
            Moved::Edge if appears_at_edge(handset, until).await => break FOUND,
            Moved::Edge => break "EDGE_REACHED",
            Moved::Yes if is_there(handset, target) => break FOUND,
            Moved::Yes => still = 0,
            Moved::Refused => still += 1,
        }
        if still >= until.still {
            break "NO_POSITION_CHANGE";
        }
    };
    ended
}

/// Looks for the target at the end of a container, and a few times more: a
/// list may still be loading.
async fn appears_at_edge(handset: &Handset, until: &ScrollUntil) -> bool {
    let (least, most) = (Duration::from_millis(100), Duration::from_millis(500));
    let pause = (until.swipe.settle / 2).clamp(least, most);
    let target = until.matcher.as_ref();
    for _ in 0..EDGE_POLLS {
        if target.is_none() || is_there(handset, target) {
            break;
        }
        handset.time().sleep(pause).await;
    }
    is_there(handset, target)
}

pub(super) async fn until(handset: &Handset, until: &ScrollUntil) -> Outcome {
    let mut ended = search(handset, until).await;
    let lost = [NOT_FOUND, NOT_SCROLLABLE, LOST].contains(&ended.reason);
    if let Some(matcher) = until.matcher.as_ref().filter(|_| ended.reason != FOUND && !lost) {
        let last = retry(handset, Retry::UI_READINESS, |phone| {
            let found = Screen::of(phone).and_then(|screen| screen.find(matcher));
            found.ok_or(())
        });
        if last.await.is_ok() {
            ended.reason = FOUND;
        }
    }
    let found = ended.reason == FOUND;
    if let Some(matcher) = until.matcher.as_ref().filter(|_| found && until.click_after) {
        click_node(handset, matcher, (until.click, Retry::UI_READINESS)).await?;
    }
    let error = match (lost, found, &until.matcher) {
        (true, ..) => Some(ended.reason),
        (false, false, Some(_)) => Some("TARGET_NOT_FOUND"),
        _ => None,
    };
    let entries: &[(&str, &dyn std::fmt::Display)] = &[
        ("termination_reason", &ended.reason),
        ("scrolls_executed", &ended.scrolls),
        ("direction", &until.swipe.direction.name()),
        ("click_after", &until.click_after),
        ("click_types", &until.click.name()),
    ];
    let step = match error {
        None => Step::done(entries),
        Some(error) => Step::failed(error, entries),
    };
    Ok(step.with("resolved_container", ended.container))
}

pub(super) async fn and_click(handset: &Handset, find: &ScrollAndClick) -> Outcome {
    let matcher = &find.matcher;
    // Either it is there already, or there is something to scroll.
    retry(handset, find.scroll_retry, |phone| {
        let there = Screen::of(phone).is_some_and(|screen| screen.find(matcher).is_some());
        match resolve(phone, &find.swipe) {
            Err(why) if !there => Err(Thrown(format!("{why}: {}", missing(matcher).0))),
            _ => Ok(()),
        }
    })
    .await?;
    let (mut swipes, mut still) = (0, 0);
    while !is_there(handset, Some(matcher)) {
        if swipes >= find.most || still >= STILL {
            return Err(missing(matcher));
        }
        let moved = swipe_once(handset, &find.swipe).await;
        let moved = moved.map_err(|why| Thrown(format!("{why}: {}", missing(matcher).0)))?;
        swipes += 1;
        still = if moved == Moved::Yes { 0 } else { still + 1 };
    }
    if find.click_after {
        click_node(handset, matcher, (find.click, find.click_retry)).await?;
    }
    Ok(Step::done(&[
        ("max_swipes", &find.most),
        ("direction", &find.swipe.direction.title()),
        ("click_types", &find.click.name()),
        ("click_after", &find.click_after),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finger_goes_where_the_app_s_does() {
        let bounds = Bounds {
            left: 0,
            top: 0,
            right: 1000,
            bottom: 2000,
        };
        for (direction, from, to) in [
            (Direction::Down, (500, 1040), (500, 480)),
            (Direction::Up, (500, 960), (500, 1520)),
            (Direction::Left, (480, 1000), (760, 1000)),
            (Direction::Right, (520, 1000), (240, 1000)),
        ] {
            let (a, b) = path(bounds, direction, 0.7);
            let near = |a: Place, b: Place| (a.0 - b.0).abs() <= 1 && (a.1 - b.1).abs() <= 1;
            assert!(near(a, from) && near(b, to), "{direction:?} {a:?} {b:?}");
        }
    }
}
