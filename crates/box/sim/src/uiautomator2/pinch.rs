//! What two fingers do at once. No app of this phone can be zoomed; as on any
//! Android, what scrolls follows the finger that came first.

use super::gesture::{reach, steps};
use super::method::first;
use super::params::{MethodResult, Params};
use crate::handset::Handset;
use crate::phone::Waypoint;
use clawperator_ui::Point;
use serde_json::Value;
use std::time::Duration;

/// How far from the middle of an element a finger stays, in pixels.
const HALF_FINGER: i32 = 20;

pub(super) async fn run(handset: &Handset, name: &str, params: &Params) -> MethodResult {
    let bounds = handset.with(|phone| first(phone, params.selector(0)?, |_, _, node| node.bounds))?;
    let Point { x, y } = bounds.center();
    // Both fingers mirror each other: the first one is enough to know.
    let percent = |at: usize| params.number(at).unwrap_or(100).clamp(0, 100) as i32;
    let far = |at: usize| Point::new(x - (bounds.right - bounds.left) / 2 * percent(at) / 100, y);
    let near = Point::new(x - HALF_FINGER, y);
    match name {
        "pinchIn" => two_fingers(handset, far(1), near, steps(params, 2)).await,
        "pinchOut" => two_fingers(handset, near, far(1), steps(params, 2)).await,
        _ => {
            params.place(2)?;
            params.place(4)?;
            two_fingers(handset, params.place(1)?, params.place(3)?, steps(params, 5)).await
        }
    }
}

async fn two_fingers(handset: &Handset, from: Point, to: Point, ms: u64) -> MethodResult {
    reach(handset).await?;
    handset.linger(Duration::from_millis(ms)).await;
    let way = [Waypoint { ms: 0, place: from }, Waypoint { ms, place: to }];
    for _ in 0..handset.input_times() {
        handset.with(|phone| phone.trace_two(&way));
    }
    Ok(Value::Bool(true))
}
