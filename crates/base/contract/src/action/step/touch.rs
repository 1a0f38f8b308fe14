//! Steps that click, type and press.

use crate::action::resolved::Resolved;
use crate::confirm::Confirm;
use crate::matcher::Matcher;
use crate::param::{Coordinate, ParamKey as P};
use crate::retry::RetryPolicy;
use crate::word::{Asked, ClickType, Key};
use std::sync::Arc;
use std::time::Duration;

/// What a click aims at.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    Node(Arc<Matcher>),
    Point(Coordinate),
}

/// Clicks.
#[derive(Clone, Debug, PartialEq)]
pub struct Click {
    pub target: Target,
    pub click_type: Asked<ClickType>,
    pub retry: RetryPolicy,
    /// What must be seen afterwards, if anything.
    pub confirm: Option<Arc<Confirm>>,
}

impl Target {
    fn read(given: &Resolved<'_>, node: P, point: P) -> Option<Self> {
        let at = || given.params.coordinate(point).map(Self::Point);
        given.matcher(node).map(Self::Node).or_else(at)
    }
}

impl Click {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            target: Target::read(given, P::Matcher, P::Coordinate)?,
            click_type: given.click_type()?,
            retry: given.retry(P::Retry)?,
            confirm: given.confirm(),
        })
    }
}

/// Moves a finger.
#[derive(Clone, Debug, PartialEq)]
pub struct DragTo {
    pub from: Target,
    pub to: Target,
    pub duration: Duration,
    /// How long it rests before it moves.
    pub hold: Duration,
    pub retry: RetryPolicy,
    /// What must be seen afterwards, if anything.
    pub confirm: Option<Arc<Confirm>>,
}

impl DragTo {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            from: Target::read(given, P::Matcher, P::Coordinate)?,
            to: Target::read(given, P::ToMatcher, P::ToCoordinate)?,
            duration: given.millis(P::DurationMs)?,
            hold: given.millis(P::HoldMs)?,
            retry: given.retry(P::Retry)?,
            confirm: given.confirm(),
        })
    }
}

/// Types text.
#[derive(Clone, Debug, PartialEq)]
pub struct EnterText {
    pub matcher: Arc<Matcher>,
    pub text: Arc<str>,
    pub submit: bool,
    /// Whether to empty the field first.
    pub clear: bool,
    pub retry: RetryPolicy,
}

impl EnterText {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            matcher: given.matcher(P::Matcher)?,
            text: given.text(P::Text)?,
            submit: given.flag(P::Submit)?,
            clear: given.flag(P::Clear)?,
            retry: given.retry(P::Retry)?,
        })
    }
}

/// Presses a key.
#[derive(Clone, Debug, PartialEq)]
pub struct PressKey {
    pub key: Key,
    pub retry: RetryPolicy,
    /// What must be seen afterwards, if anything.
    pub confirm: Option<Arc<Confirm>>,
}

impl PressKey {
    pub(in crate::action) fn build(given: &Resolved<'_>) -> Option<Self> {
        Some(Self {
            key: Key::from_any_case(given.params.text(P::Key)?)?,
            retry: given.retry(P::Retry)?,
            confirm: given.confirm(),
        })
    }
}
