//! Clicks.

use super::{confirm, focus};
use crate::look::{Candidates, Codes, NO_MATCH};
use crate::outcome::{Data, StepFailure, StepOutcome, data, word_meaning};
use crate::retry::Tries;
use crate::run::Run;
use clawperator_contract::{
    Click, ClickTarget, ClickType, Confirm, Coordinate, DataKey, ErrorCode, Matcher, RetryPolicy,
};
use clawperator_phone::{Act, Finger, PhoneError};
use clawperator_ui::{Ability, Cover, Flag, NodeId, Point, Screen, Tree};

pub(super) async fn click(run: &mut Run<'_>, step: &Click) -> StepOutcome {
    let kind = word_meaning(&step.click_type, "click type")?;
    let asked = step.confirm.as_deref();
    match &step.target {
        ClickTarget::Node(matcher) => {
            let wanted = NodeClick { matcher, kind, retry: &step.retry, confirm: asked };
            click_node(run, wanted).await
        }
        ClickTarget::Point(point) => {
            let before = confirm::before(run, asked).await?;
            let done = click_point(run, *point, kind, &step.retry).await?;
            confirm::after(run, asked, before, done).await
        }
    }
}

/// A click on an element.
#[derive(Clone, Copy)]
pub(super) struct NodeClick<'c> {
    pub(super) matcher: &'c Matcher,
    pub(super) kind: ClickType,
    pub(super) retry: &'c RetryPolicy,
    /// What must be seen afterwards, if anything.
    pub(super) confirm: Option<&'c Confirm>,
}

/// Clicks a point without a look. The phone checks that it is on the screen, in
/// the same round trip.
async fn click_point(
    run: &mut Run<'_>,
    point: Coordinate,
    kind: ClickType,
    retry: &RetryPolicy,
) -> StepOutcome {
    let place = format!("({},{})", point.x, point.y);
    let check = match (&run.repetition, &run.front) {
        (Some(_), Some(_)) => run.unchanged(),
        _ => run.at_point(),
    };
    let act = Act::Touch(finger(kind, pixel(point)), check);
    let mut tries = Tries::new(retry);
    while let Err(error) = run.perform(act.clone()).await {
        tries.again(run, touch_failure(&place, &error.error)).await?;
    }
    Ok(data([(DataKey::ClickTypes, word(kind).to_owned()), (DataKey::Coordinate, place)]))
}

/// A point as the phone takes it.
pub(super) fn pixel(point: Coordinate) -> Point {
    Point { x: point.x.as_pixel(), y: point.y.as_pixel() }
}

/// Why a point was not touched.
pub(super) fn touch_failure(place: &str, error: &PhoneError) -> StepFailure {
    let mut failure = StepFailure::of(ErrorCode::GestureFailed, error);
    if let PhoneError::OffScreen { size: (width, height) } = error {
        failure.message = format!("{place} is outside the screen of {width}x{height}");
    }
    failure
}

/// Finds an element and clicks it: one look, one touch.
pub(super) async fn click_node(run: &mut Run<'_>, wanted: NodeClick<'_>) -> StepOutcome {
    let NodeClick { matcher, kind, .. } = wanted;
    if kind == ClickType::Focus {
        let before = confirm::before(run, wanted.confirm).await?;
        let mut details = focus::focus(run, matcher, wanted.retry).await?;
        details.insert(DataKey::ClickTypes, word(kind).to_owned());
        return confirm::after(run, wanted.confirm, before, details).await;
    }
    let codes = Codes { unseen: ErrorCode::NodeNotFound, untouched: ErrorCode::GestureFailed };
    let clicking = run.look_and_touch(wanted.retry, codes, |run, tree| {
        let screen = Screen::new(&tree);
        let again = run.same_again(&screen, matcher);
        let candidates = Candidates {
            ids: again.map_or_else(|| one_target(run, &screen, matcher, kind), |id| Ok(vec![id]))?,
            matcher,
            none: NO_MATCH,
        };
        let (found, mut details) = run.choose_among(&screen, &candidates)?;
        let (at, about) = place(run, &screen, found, kind)?;
        details.extend(about);
        if run.rules.strict && !run.rules.force && details.contains_key(&DataKey::NotClickable) {
            let message = format!("{} {}", screen.tree().excerpt(found), takes_none(kind));
            return Err(StepFailure::new(ErrorCode::NodeNotClickable, message));
        }
        run.check_again(&screen, found)?;
        run.note_touched(&tree, found);
        Ok((Some(finger(kind, at)), (details, tree)))
    });
    let (mut details, before) = clicking.await?;
    details.insert(DataKey::ClickTypes, word(kind).to_owned());
    confirm::after(run, wanted.confirm, Some(before), details).await
}

/// The elements that match. Those that the same element takes the touches of are
/// one for who wants one only: a row, and the label in it.
fn one_target(
    run: &mut Run<'_>,
    screen: &Screen<'_>,
    matcher: &Matcher,
    kind: ClickType,
) -> Result<Vec<NodeId>, StepFailure> {
    let mut ids = run.matching(screen, matcher)?;
    let taker = |id: NodeId| screen.tree().nearest(id, ability(kind));
    let target = ids.first().and_then(|first| taker(*first));
    if run.rules.strict && target.is_some() && ids.iter().all(|id| taker(*id) == target) {
        ids.truncate(1);
    }
    Ok(ids)
}

/// What an element must be able to do that takes such a click.
fn ability(kind: ClickType) -> Ability {
    match kind {
        ClickType::Click => Ability::Click,
        ClickType::LongClick => Ability::LongClick,
        ClickType::Focus => Ability::Focus,
    }
}

/// Where to touch so that an element is clicked, and what is to be said of that.
fn place(
    run: &Run<'_>,
    screen: &Screen<'_>,
    found: NodeId,
    kind: ClickType,
) -> Result<(Point, Data), StepFailure> {
    let tree = screen.tree();
    let taker = tree.nearest(found, ability(kind));
    let named = tree.excerpt(found);
    if taker.is_some_and(|taker| !tree.node(taker).flags.has(Flag::Enabled)) {
        let message = format!("{named} is not enabled");
        return Err(StepFailure::new(ErrorCode::NodeNotClickable, message));
    }
    let mut details = Data::new();
    if taker.is_none() {
        details.insert(DataKey::NotClickable, format!("{named} {}", takes_none(kind)));
    }
    // The element itself is touched as far as it can be seen: the element
    // around it takes the touch, and no other element is hit.
    let at = touch(run, screen, TouchTarget { id: found, taker }, &mut details)?;
    let missing = || StepFailure::new(ErrorCode::NodeNotClickable, format!("{named} is not on the screen"));
    Ok((at.ok_or_else(missing)?, details))
}

/// The warning about an element that is touched and has no reason to react.
fn takes_none(kind: ClickType) -> &'static str {
    match kind {
        ClickType::Click => "takes no click, and nothing around it does",
        ClickType::LongClick => "takes no long click, and nothing around it does",
        ClickType::Focus => "cannot have the focus, and nothing around it can",
    }
}

/// An element that is to be touched.
#[derive(Clone, Copy)]
pub(super) struct TouchTarget {
    pub(super) id: NodeId,
    /// The element that takes its touches, if there is one.
    pub(super) taker: Option<NodeId>,
}

/// A point of an element that nothing covers, if it is on the screen. If all of it
/// is covered by what is not a part of it, it is touched only by force; the data
/// says what covers it, or may do so.
pub(super) fn touch(
    run: &Run<'_>,
    screen: &Screen<'_>,
    TouchTarget { id: found, taker }: TouchTarget,
    details: &mut Data,
) -> Result<Option<Point>, StepFailure> {
    let Some(touch) = screen.touch(found, taker, run.keyboard) else {
        return Ok(None);
    };
    let tree = screen.tree();
    let (named, advice, is_one) = match touch.cover {
        None => return Ok(Some(touch.at)),
        Some(Cover::Maybe(cover)) => {
            let warning =
                format!("{} may cover it: the phone does not say which is above", tree.excerpt(cover));
            details.insert(DataKey::TouchWarning, warning);
            return Ok(Some(touch.at));
        }
        Some(Cover::Keyboard) => ("the keyboard".to_owned(), "; press back to close it", false),
        Some(Cover::Element(cover)) => (tree.excerpt(cover), "", is_only_part(tree, found, cover)),
    };
    if !run.rules.force && !is_one {
        let free = touch.strip.map(|at| format!("; only a small part of it is free, at {},{}", at.x, at.y));
        let free = free.unwrap_or_default();
        let message = format!("{} is covered by {named}{free}{advice}", tree.excerpt(found));
        return Err(StepFailure::new(ErrorCode::NodeCovered, message));
    }
    details.insert(DataKey::TouchWarning, format!("{named} covers it"));
    Ok(Some(touch.at))
}

/// Whether what covers an element is the only part of it that takes touches: that does
/// what the element does; of several, one would be chosen by chance.
fn is_only_part(tree: &Tree, found: NodeId, cover: NodeId) -> bool {
    let is_own = tree.descendants(found).any(|inside| inside == cover);
    let takes =
        |id: &NodeId| tree.can(*id, Ability::Click) && !tree.descendants(cover).any(|inner| inner == *id);
    let parts = tree.descendants(found).filter(|id| *id != found).filter(takes);
    is_own && parts.count() == 1
}

fn finger(kind: ClickType, at: Point) -> Finger {
    match kind {
        ClickType::Click | ClickType::Focus => Finger::Tap(at),
        ClickType::LongClick => Finger::LongPress(at),
    }
}

/// The word for a kind of click in data.
pub(super) fn word(kind: ClickType) -> &'static str {
    match kind {
        ClickType::Click => "click",
        ClickType::LongClick => "long_click",
        ClickType::Focus => "focus",
    }
}
