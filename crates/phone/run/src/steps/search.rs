//! Swipes until an element is in view, nothing moves any more, or a limit is reached.

use super::scroll::{SWIPE, ScrollGesture, SwipeEffect, SwipeResult, begin, look_after, settle};
use crate::outcome::StepFailure;
use crate::retry::Tries;
use crate::run::Run;
use clawperator_contract::text::quoted;
use clawperator_contract::{DataKey, ErrorCode, Matcher, words};
use clawperator_phone::LookTo;
use clawperator_ui::{Screen, Tree};
use std::time::Duration;
use tokio::time::Instant;

/// How many more looks there are after the last swipe that moved nothing.
const LOOKS_AT_THE_EDGE: u32 = 3;
/// The shortest and the longest wait before each of these looks.
const MIN_WAIT: Duration = Duration::from_millis(100);
const MAX_WAIT: Duration = Duration::from_millis(500);

/// The most letters of what came nearest.
const MAX_LABEL: usize = 60;

/// What is searched, and how far.
#[derive(Clone, Copy)]
pub(super) struct ScrollSearch<'s> {
    pub(super) gesture: ScrollGesture<'s>,
    /// The element, if one is sought.
    pub(super) target: Option<&'s Matcher>,
    pub(super) max_swipes: u32,
    /// How many swipes in a row that move nothing end it. One alone may have been lost.
    pub(super) max_still: u32,
    pub(super) until: Option<Instant>,
    /// The code if the first look fails.
    pub(super) blind: ErrorCode,
}

words! {
    /// Why a search ended.
    pub(super) End {
        Found = "TARGET_FOUND",
        Edge = "EDGE_REACHED",
        Scrolls = "MAX_SCROLLS_REACHED",
        Duration = "MAX_DURATION_REACHED",
        /// The phone refused several swipes in a row.
        Still = "NO_POSITION_CHANGE",
    }
}

/// The swipes so far, and what they scrolled.
#[derive(Default)]
pub(super) struct SearchProgress {
    pub(super) scrolls: u32,
    pub(super) container: Option<String>,
    /// What came nearest to the target, and how near it is; more is nearer.
    near: Option<(u8, String)>,
}

impl SearchProgress {
    /// A failure to find the target, with what came nearest to it.
    pub(super) fn target_not_found(&self, message: String) -> StepFailure {
        let near = self.near.as_ref().map(|(_, near)| near);
        StepFailure::new(ErrorCode::NodeNotFound, message).with_some(DataKey::Nearest, near)
    }

    /// Remembers what on a screen is almost the target: it has the same number, like
    /// words, or a number in the same place.
    fn note(&mut self, tree: &Tree, target: &Matcher) {
        let Some(wanted) = target.text_equals.as_ref().or(target.text_contains.as_ref()) else {
            return;
        };
        let screen = Screen::new(tree);
        let is_digit = |c: char| c.is_ascii_digit();
        let numbers = |text: &str| text.replace(|c| !is_digit(c), " ");
        let shape = |text: &str| -> Vec<bool> {
            let words = text.split_whitespace();
            words.map(|word| word.contains(is_digit)).collect()
        };
        let alike = screen.nodes().filter(|(_, node)| shape(node.label()) == shape(wanted));
        let alike = alike.map(|(id, node)| {
            let is_same = numbers(node.label()).trim() == numbers(wanted).trim();
            (if is_same { 3 } else { 1 }, id)
        });
        let alike = alike.filter(|_| wanted.contains(is_digit));
        let like = screen.nearest(&target.selector(), 1);
        let near = alike.chain(like.iter().map(|near| (2, near.id)));
        let best = near.max_by_key(|(how, _)| *how);
        let before = self.near.as_ref().map_or(0, |(how, _)| *how);
        if let Some((how, id)) = best.filter(|(how, _)| *how >= before) {
            // It may have left the view since.
            let label = quoted(tree.node(id).label(), MAX_LABEL);
            self.near = Some((how, format!("{label} (in view after {} swipes)", self.scrolls)));
        }
    }
}

/// Searches; how far it got is in `progress` either way. A swipe that was begun
/// is finished, because a finger must be lifted again.
pub(super) async fn search(
    run: &mut Run<'_>,
    search: &ScrollSearch<'_>,
    progress: &mut SearchProgress,
) -> Result<End, StepFailure> {
    let ScrollSearch { gesture, target, .. } = *search;
    let mut still = 0;
    let mut tries = Tries::new(gesture.retry);
    let mut tree = run.look(LookTo::Touch, gesture.retry, search.blind).await?;
    while !sees(run, &tree, target)? {
        if let Some(target) = target {
            progress.note(&tree, target);
        }
        if search.until.is_some_and(|until| Instant::now() + SWIPE > until) {
            return Ok(End::Duration);
        }
        if progress.scrolls >= search.max_swipes {
            return Ok(End::Scrolls);
        }
        let begun = begin(run, gesture, &tree).await;
        progress.scrolls += u32::from(!begun.as_ref().is_err_and(before_the_swipe));
        let begun = match begun {
            // The phone may accept the next swipe after it refused one.
            Err(failure) if failure.code == ErrorCode::GestureFailed => {
                still += 1;
                if still >= search.max_still {
                    return Ok(End::Still);
                }
                continue;
            }
            // Nothing was sent. Something else may be in front for a while.
            Err(failure) if failure.code == ErrorCode::ContainerNotFound => {
                tries.again(run, failure).await?;
                tree = run.look(LookTo::Touch, gesture.retry, search.blind).await?;
                continue;
            }
            begun => begun?,
        };
        run.note_accepted();
        progress.container.clone_from(&begun.container);
        let Some(swiped) = before(search.until, settle(run, gesture, begun)).await else {
            return Ok(End::Duration);
        };
        let swiped = swiped?;
        still = match swiped.moved {
            SwipeEffect::Yes => 0,
            SwipeEffect::Edge | SwipeEffect::Unknown => still + 1,
        };
        if still < search.max_still {
            tree = swiped.tree;
            continue;
        }
        still = 0;
        match before(search.until, at_the_edge(run, search, swiped)).await {
            None => return Ok(End::Duration),
            Some(late) => match late? {
                Some(late) => tree = late,
                None => return Ok(End::Edge),
            },
        }
    }
    run.use_last_look_again();
    Ok(End::Found)
}

/// Whether a failure came before anything was sent.
fn before_the_swipe(failure: &StepFailure) -> bool {
    let before = [ErrorCode::ContainerNotFound, ErrorCode::ContainerNotScrollable, ErrorCode::RefStale];
    before.contains(&failure.code)
}

/// What a part of a search comes to, unless the time is up first.
pub(super) async fn before<T>(until: Option<Instant>, part: impl Future<Output = T>) -> Option<T> {
    match until {
        None => Some(part.await),
        Some(until) => tokio::time::timeout_at(until, part).await.ok(),
    }
}

/// Nothing moved: the list is at its end, or it is slow. Returns the screen on
/// which it moved or on which the target is in view, if there is one.
async fn at_the_edge(
    run: &mut Run<'_>,
    search: &ScrollSearch<'_>,
    swiped: SwipeResult,
) -> Result<Option<Tree>, StepFailure> {
    let wait = (search.gesture.swipe.settle_delay / 2).clamp(MIN_WAIT, MAX_WAIT);
    let mut tree = swiped.tree;
    for _ in 0..LOOKS_AT_THE_EDGE {
        if sees(run, &tree, search.target)? {
            return Ok(Some(tree));
        }
        run.wait(wait, "settling", None).await;
        let (late, moved) = look_after(run, search.gesture, &swiped.start.before).await?;
        tree = late;
        if moved == SwipeEffect::Yes {
            return Ok(Some(tree));
        }
    }
    Ok(sees(run, &tree, search.target)?.then_some(tree))
}

pub(super) fn sees(run: &mut Run<'_>, tree: &Tree, matcher: Option<&Matcher>) -> Result<bool, StepFailure> {
    matcher.map_or(Ok(false), |matcher| run.sees(&Screen::new(tree), matcher))
}
