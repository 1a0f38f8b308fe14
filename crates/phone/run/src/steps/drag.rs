//! Moves a finger: a swipe, a drag, or a drag of something that is held first.

use super::click::{TouchTarget, pixel, touch, touch_failure};
use super::confirm;
use crate::outcome::{Data, StepFailure, StepOutcome};
use crate::retry::Tries;
use crate::run::Run;
use clawperator_contract::{ClickTarget, DataKey, DragTo, ErrorCode};
use clawperator_phone::{Act, Finger, LookTo, PhoneError, Precondition, SwipePath};
use clawperator_ui::{Point, Screen, Tree};

/// What is said of a phone that cannot rest a finger before it moves.
const NO_HOLD: &str = "this phone cannot hold before the move; it moved more slowly instead";

pub(super) async fn drag_to(run: &mut Run<'_>, step: &DragTo) -> StepOutcome {
    let asked = step.confirm.as_deref();
    let mut tries = Tries::new(&step.retry);
    if let (ClickTarget::Point(from), ClickTarget::Point(to)) = (&step.from, &step.to) {
        let before = confirm::before(run, asked).await?;
        let path = SwipePath { from: pixel(*from), to: pixel(*to), takes: step.duration };
        loop {
            match drag(run, step, path, run.at_point()).await {
                Ok(done) => return confirm::after(run, asked, before, done).await,
                Err(failure) => tries.again(run, failure).await?,
            }
        }
    }
    loop {
        match look_and_drag(run, step).await {
            Ok((before, done)) => return confirm::after(run, asked, Some(before), done).await,
            Err(failure) => tries.again(run, failure).await?,
        }
    }
}

async fn look_and_drag(run: &mut Run<'_>, step: &DragTo) -> Result<(Tree, Data), StepFailure> {
    let tree = run.look_once(LookTo::Touch, ErrorCode::NodeNotFound).await?;
    let mut details = Data::new();
    let screen = Screen::new(&tree);
    let from = place(run, &screen, &step.from, &mut details)?;
    let to = place(run, &screen, &step.to, &mut details)?;
    let path = SwipePath { from, to, takes: step.duration };
    details.extend(drag(run, step, path, run.unchanged()).await?);
    Ok((tree, details))
}

/// The point of an element, or the point itself.
fn place(
    run: &mut Run<'_>,
    screen: &Screen<'_>,
    target: &ClickTarget,
    details: &mut Data,
) -> Result<Point, StepFailure> {
    let matcher = match target {
        ClickTarget::Point(point) => return Ok(pixel(*point)),
        ClickTarget::Node(matcher) => matcher,
    };
    let (found, about) = run.choose(screen, matcher)?;
    details.extend(about);
    touch(run, screen, TouchTarget { id: found, taker: None }, details)?.ok_or_else(|| {
        let message = format!("{} is not on the screen", screen.tree().excerpt(found));
        StepFailure::new(ErrorCode::NodeNotFound, message)
    })
}

async fn drag(run: &mut Run<'_>, step: &DragTo, path: SwipePath, check: Precondition) -> StepOutcome {
    let SwipePath { from, to, .. } = path;
    let finger = if step.hold.is_zero() { Finger::Swipe(path) } else { Finger::Drag(path, step.hold) };
    let mut details = Data::from([
        (DataKey::Coordinate, from.to_string()),
        (DataKey::ToCoordinate, to.to_string()),
        (DataKey::DurationMs, step.duration.as_millis().to_string()),
    ]);
    let mut dragged = run.perform(Act::Touch(finger, check.clone())).await;
    if let Err(error) = &dragged
        && matches!(error.error, PhoneError::Unsupported(_))
    {
        let slower = Finger::Swipe(SwipePath { takes: step.hold + step.duration, ..path });
        dragged = run.perform(Act::Touch(slower, check)).await;
        details.insert(DataKey::Warn, NO_HOLD.to_owned());
    } else if !step.hold.is_zero() {
        details.insert(DataKey::HoldMs, step.hold.as_millis().to_string());
    }
    dragged.map_err(|error| touch_failure(&from.to_string(), &error.error))?;
    Ok(details)
}
