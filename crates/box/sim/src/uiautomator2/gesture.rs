//! What fingers do: clicks, swipes, drags and scrolls.

use super::info;
use super::method::{all, first};
use super::params::{MethodError, MethodResult, Params};
use crate::fault::FaultPoint;
use crate::handset::Handset;
use crate::latency::Cost;
use crate::phone::{DumpViews, Motion, Phone};
use clawperator_ui::{Bounds, Point};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How long one step of a swipe takes.
const STEP_MS: u64 = 5;
/// The longest a finger stays.
const MAX_MS: u64 = 60_000;
/// What a click takes, and a long one.
const CLICK_MS: u64 = 100;
const LONG_MS: u64 = 600;
/// How long a finger rests before it drags something, and at its end.
const HOLD_MS: u64 = 500;
const REST_MS: u64 = 100;
/// How long the swipe takes that throws a list.
const FLING_MS: u64 = 100;
/// The most swipes of one scroll, and the most points of one swipe.
const MAX_SWIPES: i64 = 100;
const MAX_POINTS: usize = 1_000;

pub(super) async fn run(handset: &Arc<Handset>, name: &str, params: &Params) -> MethodResult {
    match name {
        "click" | "longClick" => click(handset, name, params).await,
        "swipe" if params.has_selector(0) => swipe_object(handset, params).await,
        "swipe" | "drag" => {
            let (from, to) = (params.point(0)?, params.point(2)?);
            if name == "drag" {
                return drag(handset, from, to, steps(params, 4)).await;
            }
            finger(handset, from, to, steps(params, 4)).await
        }
        "dragTo" => drag_to(handset, params).await,
        "swipePoints" => swipe_points(handset, params).await,
        name => scroll_by_name(handset, name, params).await,
    }
}

/// Scrolls in one of the ways that have a name.
pub(super) async fn scroll_by_name(handset: &Arc<Handset>, name: &str, params: &Params) -> MethodResult {
    match SCROLLS.iter().find(|row| row.0 == name) {
        Some((_, scroll)) => run_scroll(handset, *scroll, params).await,
        None => Err(MethodError::NoMethod(name.to_owned())),
    }
}

/// How long a number of steps takes.
pub(super) fn steps(params: &Params, at: usize) -> u64 {
    let steps = params.number(at).unwrap_or(20);
    u64::try_from(steps).unwrap_or(0).saturating_mul(STEP_MS).min(MAX_MS)
}

/// A finger is about to go down; the screen may be another one by then.
pub(super) async fn reach(handset: &Handset) -> Result<(), MethodError> {
    handset.spend(Cost::ServerInput).await;
    inject(handset)?;
    if handset.strike(FaultPoint::ServerOvertaken).is_some() {
        handset.steal_focus();
    }
    Ok(())
}

/// Some phones refuse injected input until a setting is changed.
pub(super) fn inject(handset: &Handset) -> Result<(), MethodError> {
    handset.strike(FaultPoint::InputRefused).map_or(Ok(()), |_| Err(MethodError::Refused))
}

/// A finger goes from one place to another.
async fn finger(handset: &Handset, from: Point, to: Point, ms: u64) -> MethodResult {
    reach(handset).await?;
    handset.linger(Duration::from_millis(ms)).await;
    for _ in 0..handset.input_times() {
        handset.with(|phone| phone.swipe(from, to, ms));
    }
    Ok(Value::Bool(true))
}

/// A finger takes something from one place to another: it rests first, and
/// again before it is lifted.
async fn drag(handset: &Handset, from: Point, to: Point, ms: u64) -> MethodResult {
    reach(handset).await?;
    if handset.input_times() == 0 {
        return Ok(Value::Bool(true));
    }
    handset.with(|phone| phone.motion(Motion::Down, from));
    handset.time().sleep(Duration::from_millis(HOLD_MS)).await;
    handset.linger(Duration::from_millis(ms)).await;
    handset.with(|phone| phone.motion(Motion::Move, to));
    handset.time().sleep(Duration::from_millis(REST_MS)).await;
    handset.with(|phone| phone.motion(Motion::Up, to));
    Ok(Value::Bool(true))
}

async fn click(handset: &Handset, name: &str, params: &Params) -> MethodResult {
    let (place, more) = if params.has_selector(0) {
        (center(handset, params.selector(0)?)?, 1)
    } else {
        (params.point(0)?, 2)
    };
    let held = params.number(more).ok().and_then(|ms| u64::try_from(ms).ok());
    let ms = match (name, held) {
        ("longClick", None) => LONG_MS,
        (_, Some(held)) => held.min(MAX_MS),
        // Only a click at a place rests there.
        (_, None) if more == 1 => 0,
        (_, None) => CLICK_MS,
    };
    if place.x < 0 || place.y < 0 {
        return Ok(Value::Bool(false));
    }
    finger(handset, place, place, ms).await
}

fn center(handset: &Handset, selector: &Value) -> Result<Point, MethodError> {
    handset.with(|phone| first(phone, selector, |_, _, node| node.bounds.center()))
}

async fn swipe_object(handset: &Handset, params: &Params) -> MethodResult {
    let selector = params.selector(0)?;
    let bounds = handset.with(|phone| first(phone, selector, |_, _, node| node.bounds))?;
    let from = bounds.center();
    let to = match params.text(1)? {
        "l" | "left" => Point { x: bounds.left + 1, ..from },
        "r" | "right" => Point { x: bounds.right - 1, ..from },
        "u" | "up" => Point { y: bounds.top + 1, ..from },
        _ => Point { y: bounds.bottom - 1, ..from },
    };
    let at = if params.number(2).is_ok() { 2 } else { 3 };
    finger(handset, from, to, steps(params, at)).await
}

async fn drag_to(handset: &Handset, params: &Params) -> MethodResult {
    let from = center(handset, params.selector(0)?)?;
    let (to, at) = if params.has_selector(1) {
        (center(handset, params.selector(1)?)?, 2)
    } else {
        (params.point(1)?, 3)
    };
    finger(handset, from, to, steps(params, at)).await
}

/// A finger goes through many places.
async fn swipe_points(handset: &Handset, params: &Params) -> MethodResult {
    let numbers: Vec<_> = params
        .list(0)?
        .iter()
        .take(2 * MAX_POINTS)
        .map(|value| value.as_f64().unwrap_or(0.0).clamp(-1e9, 1e9) as i32)
        .collect();
    let ms = steps(params, 1).min(MAX_MS / (1 + numbers.len() as u64));
    reach(handset).await?;
    if handset.input_times() == 0 {
        return Ok(Value::Bool(true));
    }
    let mut last = None;
    for place in numbers.chunks_exact(2) {
        let motion = if last.is_none() { Motion::Down } else { Motion::Move };
        let here = Point::new(place[0], place[1]);
        handset.with(|phone| phone.motion(motion, here));
        // A finger that stays where it is rests.
        if last.replace(here) == Some(here) {
            handset.time().sleep(Duration::from_millis(ms)).await;
        } else {
            handset.linger(Duration::from_millis(ms)).await;
        }
    }
    if let Some(last) = last {
        handset.with(|phone| phone.motion(Motion::Up, last));
    }
    Ok(Value::Bool(true))
}

/// A way to scroll.
#[derive(Clone, Copy, Debug)]
struct ScrollMethod {
    forward: bool,
    thrown: bool,
    until: ScrollEnd,
}

/// When a scroll ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScrollEnd {
    Once,
    End,
    Found,
}

const fn scroll(forward: bool, thrown: bool, until: ScrollEnd) -> ScrollMethod {
    ScrollMethod { forward, thrown, until }
}

const SCROLLS: &[(&str, ScrollMethod)] = &[
    ("flingBackward", scroll(false, true, ScrollEnd::Once)),
    ("flingForward", scroll(true, true, ScrollEnd::Once)),
    ("flingToBeginning", scroll(false, true, ScrollEnd::End)),
    ("flingToEnd", scroll(true, true, ScrollEnd::End)),
    ("scrollBackward", scroll(false, false, ScrollEnd::Once)),
    ("scrollForward", scroll(true, false, ScrollEnd::Once)),
    ("scrollTo", scroll(true, false, ScrollEnd::Found)),
    ("scrollToBeginning", scroll(false, false, ScrollEnd::End)),
    ("scrollToEnd", scroll(true, false, ScrollEnd::End)),
];

async fn run_scroll(handset: &Arc<Handset>, scroll: ScrollMethod, params: &Params) -> MethodResult {
    let vertical = params.flag(1).unwrap_or(true);
    match scroll.until {
        ScrollEnd::Once => once(handset, scroll, params, vertical).await.map(Value::Bool),
        // The library says so wherever it got to.
        ScrollEnd::End => {
            let most = params.number(2).unwrap_or(MAX_SWIPES).clamp(0, MAX_SWIPES);
            for _ in 0..most {
                if !once(handset, scroll, params, vertical).await? {
                    break;
                }
            }
            Ok(Value::Bool(true))
        }
        ScrollEnd::Found => search(handset, scroll, params).await.map(Value::Bool),
    }
}

/// Looks for something: here, from the beginning on, and down to the end.
async fn search(handset: &Arc<Handset>, scroll: ScrollMethod, params: &Params) -> Result<bool, MethodError> {
    let vertical = params.flag(2).unwrap_or(true);
    let here = || -> Result<bool, MethodError> {
        let tree = handset.with(|phone| info::tree(phone, DumpViews::All));
        Ok(!all(&tree, params.selector(1)?)?.is_empty())
    };
    if here()? {
        return Ok(true);
    }
    for forward in [false, true] {
        let scroll = ScrollMethod { forward, ..scroll };
        for _ in 0..MAX_SWIPES {
            let moved = once(handset, scroll, params, vertical).await?;
            if forward && here()? {
                return Ok(true);
            }
            if !moved {
                break;
            }
        }
        if here()? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// One swipe; whether it moved anything.
async fn once(
    handset: &Arc<Handset>,
    scroll: ScrollMethod,
    params: &Params,
    vertical: bool,
) -> Result<bool, MethodError> {
    let selector = params.selector(0)?;
    let look = |phone: &mut Phone| info::tree(phone, DumpViews::All);
    let before = handset.with(look);
    let bounds = handset.with(|phone| first(phone, selector, |_, _, node| node.bounds))?;
    let (low, high) = ends(bounds, vertical);
    let (from, to) = if scroll.forward { (high, low) } else { (low, high) };
    reach(handset).await?;
    handset.with(|phone| swipe(phone, from, to, scroll.thrown));
    Ok(handset.with(look) != before)
}

/// A list goes as far as the finger does, or farther if it is thrown.
fn swipe(phone: &mut Phone, from: Point, to: Point, thrown: bool) {
    if thrown {
        phone.swipe(from, to, FLING_MS);
        return;
    }
    phone.motion(Motion::Down, from);
    phone.motion(Motion::Move, to);
    // Lifting the finger would throw the list: no time has passed.
    phone.motion(Motion::Cancel, to);
}

/// The two places between which a view is swiped.
fn ends(bounds: Bounds, vertical: bool) -> (Point, Point) {
    let middle = bounds.center();
    let at = |tenths: i32| {
        let part = |from: i32, to: i32| from + (to - from) / 10 * tenths;
        if vertical {
            Point { y: part(bounds.top, bounds.bottom), ..middle }
        } else {
            Point { x: part(bounds.left, bounds.right), ..middle }
        }
    };
    (at(2), at(8))
}
