//! Steps that scroll.

use crate::action::resolved::Resolved;
use crate::confirm::Confirm;
use crate::matcher::Matcher;
use crate::param::ParamKey as P;
use crate::retry::RetryPolicy;
use crate::word::{Asked, ClickType, Direction};
use std::sync::Arc;
use std::time::Duration;

/// How one swipe goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Swipe {
    /// What is scrolled; the first scrollable element where none is named.
    pub container: Option<Arc<Matcher>>,
    /// How far one swipe goes, as a share of the container.
    pub distance_ratio: f64,
    /// How long the screen is left to settle afterwards.
    pub settle_delay: Duration,
    /// Whether that delay was asked for. Otherwise a look that waits until the
    /// screen rests will do.
    pub is_delay_asked: bool,
    /// Whether to scroll the first scrollable descendant of a container that cannot scroll.
    pub find_first_scrollable_child: bool,
}

/// Scrolls once.
#[derive(Clone, Debug, PartialEq)]
pub struct Scroll {
    pub direction: Direction,
    pub swipe: Swipe,
    pub retry: RetryPolicy,
}

impl Scroll {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            direction: given.direction()?,
            swipe: given.swipe()?,
            retry: given.retry(P::Retry)?,
        })
    }
}

/// Scrolls until an element is in view or the list ends.
#[derive(Clone, Debug, PartialEq)]
pub struct ScrollUntil {
    pub direction: Direction,
    /// The element, if one is sought.
    pub matcher: Option<Arc<Matcher>>,
    pub swipe: Swipe,
    pub max_scrolls: u32,
    /// The longest the whole search may take.
    pub max_duration: Duration,
    /// How many scrolls without movement end it.
    pub no_position_change_threshold: u32,
    pub click_after: bool,
    pub click_type: Asked<ClickType>,
    /// What must be seen afterwards, if anything.
    pub confirm: Option<Arc<Confirm>>,
}

impl ScrollUntil {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            direction: given.direction()?,
            matcher: given.matcher(P::Matcher),
            swipe: given.swipe()?,
            max_scrolls: given.count(P::MaxScrolls)?,
            max_duration: given.millis(P::MaxDurationMs)?,
            no_position_change_threshold: given.count(P::NoPositionChangeThreshold)?,
            click_after: given.flag(P::ClickAfter)?,
            click_type: given.click_type()?,
            confirm: given.confirm(),
        })
    }
}

/// Scrolls until an element is in view, then clicks it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScrollAndClick {
    pub matcher: Arc<Matcher>,
    pub direction: Asked<Direction>,
    pub swipe: Swipe,
    pub max_swipes: u32,
    pub click_after: bool,
    pub click_type: Asked<ClickType>,
    /// How to try again while scrolling.
    pub scroll_retry: RetryPolicy,
    /// How to try the click again.
    pub click_retry: RetryPolicy,
    /// What must be seen afterwards, if anything.
    pub confirm: Option<Arc<Confirm>>,
}

impl ScrollAndClick {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            matcher: given.matcher(P::Matcher)?,
            direction: given.word(P::Direction, Direction::from_any_case)?,
            swipe: given.swipe()?,
            max_swipes: given.count(P::MaxSwipes)?,
            click_after: given.flag(P::ClickAfter)?,
            click_type: given.click_type()?,
            scroll_retry: given.retry(P::ScrollRetry)?,
            click_retry: given.retry(P::ClickRetry)?,
            confirm: given.confirm(),
        })
    }
}
