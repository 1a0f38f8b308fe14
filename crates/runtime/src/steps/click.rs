//! Clicks.

use super::{Outcome, data, known};
use crate::phone::{PhoneError, Point};
use crate::session::{Data, Session};
use crate::step_failure::StepFailure;
use clawperator_contract::{Click, ClickType, Coordinate, DataKey, ErrorCode, Matcher, RetryPolicy, Target};
use clawperator_ui::{Ability, Flag, NodeId, Screen};

pub(super) async fn click(session: &Session<'_>, step: &Click) -> Outcome {
    let kind = known(&step.click_type, "click type")?;
    match &step.target {
        Target::Node(matcher) => click_node(session, matcher, (kind, &step.retry)).await,
        Target::Point(point) => click_point(session, *point, kind).await,
    }
}

/// Clicks a place without a look: whether it is on the screen is for the phone
/// to say, in the same round trip.
async fn click_point(session: &Session<'_>, point: Coordinate, kind: ClickType) -> Outcome {
    let at = Point {
        x: i32::try_from(point.x).unwrap_or(i32::MAX),
        y: i32::try_from(point.y).unwrap_or(i32::MAX),
    };
    let (phone, deadline) = (session.phone, session.deadline);
    let done = match kind {
        ClickType::Click | ClickType::Focus => session.act(phone.tap_unseen(at, deadline)).await,
        ClickType::LongClick => session.act(phone.long_press_unseen(at, deadline)).await,
    };
    let place = format!("({},{})", point.x, point.y);
    done.map_err(|error| {
        let mut failure = not_done(&error);
        if let PhoneError::OffScreen {
            size: (width, height),
        } = error
        {
            failure.message = format!("{place} is outside the screen of {width}x{height}");
        }
        failure
    })?;
    Ok(data([
        (DataKey::ClickTypes, word(kind).to_owned()),
        (DataKey::Coordinate, place),
    ]))
}

/// Finds an element and clicks it: one look, one touch.
pub(super) async fn click_node(
    session: &Session<'_>,
    matcher: &Matcher,
    (kind, retry): (ClickType, &RetryPolicy),
) -> Outcome {
    let (at, mut said) = session
        .attempts(retry, async || {
            let tree = session.tree(ErrorCode::NodeNotFound).await?;
            let screen = Screen::new(&tree);
            let (found, mut said) = session.choose(&screen, matcher)?;
            let at = place(&screen, (found, kind), &mut said)?;
            Ok((at, said))
        })
        .await?;
    act(session, at, kind).await?;
    said.insert(DataKey::ClickTypes, word(kind).to_owned());
    Ok(said)
}

/// Where to touch for an element: whoever takes the click for it.
fn place(
    screen: &Screen<'_>,
    (found, kind): (NodeId, ClickType),
    said: &mut Data,
) -> Result<Point, StepFailure> {
    let ability = match kind {
        ClickType::Click => Ability::Click,
        ClickType::LongClick => Ability::LongClick,
        ClickType::Focus => Ability::Focus,
    };
    let tree = screen.tree();
    let taker = tree.nearest(found, ability);
    let named = tree.excerpt(found);
    if taker.is_some_and(|taker| !tree.node(taker).flags.has(Flag::Enabled)) {
        return Err(StepFailure::new(
            ErrorCode::NodeNotClickable,
            format!("{named} is not enabled"),
        ));
    }
    // The element itself is touched while it can be seen: whoever is around it
    // takes the touch, and nothing beside it is hit.
    touch(screen, (found, taker), said).ok_or_else(|| {
        let message = format!("{named} is not on the screen");
        StepFailure::new(ErrorCode::NodeNotClickable, message)
    })
}

/// A point of an element that nothing lies over; where there is none, that is
/// said.
pub(super) fn touch(
    screen: &Screen<'_>,
    (found, taker): (NodeId, Option<NodeId>),
    said: &mut Data,
) -> Option<Point> {
    let touch = screen.touch(found, taker)?;
    if let Some(cover) = touch.cover {
        let named = screen.tree().excerpt(cover);
        said.insert(DataKey::TouchWarning, format!("{named} lies over it"));
    }
    let (x, y) = touch.at;
    Some(Point { x, y })
}

async fn act(session: &Session<'_>, at: Point, kind: ClickType) -> Result<(), StepFailure> {
    let (phone, deadline) = (session.phone, session.deadline);
    let done = match kind {
        ClickType::Click | ClickType::Focus => session.act(phone.tap(at, deadline)).await,
        ClickType::LongClick => session.act(phone.long_press(at, deadline)).await,
    };
    done.map_err(|error| not_done(&error))
}

/// A touch is never tried again: it may have been one.
fn not_done(error: &PhoneError) -> StepFailure {
    StepFailure::of(ErrorCode::GestureFailed, error).for_good()
}

fn word(kind: ClickType) -> &'static str {
    match kind {
        ClickType::Click => "click",
        ClickType::LongClick => "long_click",
        ClickType::Focus => "focus",
    }
}

/// The words of a click for data of another step.
pub(super) fn say(kind: ClickType, into: &mut Data) {
    into.insert(DataKey::ClickTypes, word(kind).to_owned());
}
