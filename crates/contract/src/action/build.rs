//! Builds typed steps from checked parameters. A builder answers `None` only
//! where a rule of the catalogue should have refused the parameters before.

use super::{
    ActionSpec, Click, CloseApp, EnterText, Fallback, Matches, OpenApp, OpenUri, Presence, PressKey, Query,
    ReadKeyValuePair, ReadText, Recording, Rule, Scroll, ScrollAndClick, ScrollUntil, Sleep, SnapshotUi,
    Step, Swipe, TakeScreenshot, Target, TextCheck, WaitForNavigation, WaitForNode,
};
use crate::matcher::Matcher;
use crate::param::{ParamKey as P, Params};
use crate::pattern::Pattern;
use crate::retry::{RetryObject, RetryPolicy};
use crate::word::{Asked, ClickType, Direction, Key, ViewStyle, Visibility};
use clawperator_document::Number;
use std::sync::Arc;
use std::time::Duration;

/// The parameters of one action, seen through its catalogue row: what was
/// given, clamped where the row says so, or what holds without it.
pub(crate) struct Resolved<'c> {
    pub(crate) spec: &'static ActionSpec,
    pub(crate) params: &'c Params,
    /// The validator's pattern, compiled when it was checked.
    pub(crate) pattern: Option<Pattern>,
}

impl Resolved<'_> {
    fn text(&self, key: P) -> Option<Arc<str>> {
        self.params.text(key).cloned()
    }

    fn matcher(&self, key: P) -> Option<Arc<Matcher>> {
        self.params.matcher(key).cloned()
    }

    fn number(&self, key: P) -> Option<Number> {
        let used = self.spec.param(key)?;
        match (self.params.number(key), used.rule, used.default) {
            (Some(given), Rule::Clamped(clamp), _) => Some(clamp.used(given)),
            (Some(given), _, _) => Some(given),
            (None, _, Fallback::Number(value)) => Number::new(value),
            (None, _, _) => None,
        }
    }

    fn millis(&self, key: P) -> Option<Duration> {
        self.number(key).map(Number::as_millis)
    }

    fn count(&self, key: P) -> Option<u32> {
        self.number(key).map(Number::as_count)
    }

    fn flag(&self, key: P) -> Option<bool> {
        self.params.flag(key).or(match self.spec.param(key)?.default {
            Fallback::Flag(value) => Some(value),
            Fallback::None | Fallback::Number(_) | Fallback::Word(_) => None,
        })
    }

    /// Reads a word, or the one that holds without it.
    fn word<T>(&self, key: P, read: impl Fn(&str) -> Option<T>) -> Option<Asked<T>> {
        let default = match self.spec.param(key)?.default {
            Fallback::Word(word) => Some(word),
            Fallback::None | Fallback::Number(_) | Fallback::Flag(_) => None,
        };
        match self.params.text(key) {
            Some(word) => Some(read(word).map_or_else(|| Asked::Unknown(word.clone()), Asked::Known)),
            None => default.and_then(read).map(Asked::Known),
        }
    }

    fn direction(&self) -> Option<Direction> {
        match self.word(P::Direction, Direction::from_any_case)? {
            Asked::Known(direction) => Some(direction),
            Asked::Unknown(_) => None,
        }
    }

    fn click_type(&self) -> Option<Asked<ClickType>> {
        self.word(P::ClickType, ClickType::from_word)
    }

    fn matches(&self) -> Option<Matches> {
        let all = self.flag(P::All)?;
        Some(if all { Matches::All } else { Matches::First })
    }

    fn retry(&self, slot: P) -> Option<RetryPolicy> {
        let (_, preset) = self.spec.retries.iter().find(|(key, _)| *key == slot)?;
        let asked = self.params.retry(slot).map(RetryObject::policy);
        Some(asked.unwrap_or_else(|| preset.policy()))
    }

    fn swipe(&self) -> Option<Swipe> {
        Some(Swipe {
            container: self.matcher(P::Container),
            distance_ratio: self.number(P::DistanceRatio)?.get(),
            settle_delay: self.millis(P::SettleDelayMs)?,
            find_first_scrollable_child: self.flag(P::FindFirstScrollableChild)?,
        })
    }
}

pub(super) fn open_app(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::OpenApp(OpenApp {
        application_id: given.text(P::ApplicationId)?,
        retry: given.retry(P::Retry)?,
    }))
}

pub(super) fn open_uri(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::OpenUri(OpenUri {
        uri: given.text(P::Uri)?,
        retry: given.retry(P::Retry)?,
    }))
}

pub(super) fn close_app(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::CloseApp(CloseApp {
        application_id: given.text(P::ApplicationId)?,
        retry: given.retry(P::Retry)?,
    }))
}

fn recording(given: &Resolved<'_>) -> Option<Recording> {
    Some(Recording {
        session_id: given.text(P::SessionId),
        retry: given.retry(P::Retry)?,
    })
}

pub(super) fn start_recording(given: &Resolved<'_>) -> Option<Step> {
    recording(given).map(Step::StartRecording)
}

pub(super) fn stop_recording(given: &Resolved<'_>) -> Option<Step> {
    recording(given).map(Step::StopRecording)
}

pub(super) fn wait_for_node(given: &Resolved<'_>) -> Option<Step> {
    let timeout = given.millis(P::TimeoutMs);
    let mut retry = given.retry(P::Retry)?;
    // Whoever says how long to wait, and not how often to look, is not to be
    // left early because a preset's attempts are used up.
    if timeout.is_some() && given.params.retry(P::Retry).is_none() {
        retry.max_attempts = u32::MAX;
    }
    Some(Step::WaitForNode(WaitForNode {
        matcher: given.matcher(P::Matcher)?,
        presence: if given.flag(P::Gone)? {
            Presence::Gone
        } else {
            Presence::There
        },
        timeout,
        retry,
    }))
}

pub(super) fn click(given: &Resolved<'_>) -> Option<Step> {
    let point = || given.params.coordinate().map(Target::Point);
    Some(Step::Click(Click {
        target: given.matcher(P::Matcher).map(Target::Node).or_else(point)?,
        click_type: given.click_type()?,
        retry: given.retry(P::Retry)?,
    }))
}

pub(super) fn scroll_and_click(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::ScrollAndClick(ScrollAndClick {
        matcher: given.matcher(P::Matcher)?,
        direction: given.word(P::Direction, Direction::from_any_case)?,
        swipe: given.swipe()?,
        max_swipes: given.count(P::MaxSwipes)?,
        click_after: given.flag(P::ClickAfter)?,
        click_type: given.click_type()?,
        scroll_retry: given.retry(P::ScrollRetry)?,
        click_retry: given.retry(P::ClickRetry)?,
    }))
}

pub(super) fn scroll(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::Scroll(Scroll {
        direction: given.direction()?,
        swipe: given.swipe()?,
        retry: given.retry(P::Retry)?,
    }))
}

pub(super) fn scroll_until(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::ScrollUntil(ScrollUntil {
        direction: given.direction()?,
        matcher: given.matcher(P::Matcher),
        swipe: given.swipe()?,
        max_scrolls: given.count(P::MaxScrolls)?,
        max_duration: given.millis(P::MaxDurationMs)?,
        no_position_change_threshold: given.count(P::NoPositionChangeThreshold)?,
        click_after: given.flag(P::ClickAfter)?,
        click_type: given.click_type()?,
    }))
}

pub(super) fn read_text(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::ReadText(ReadText {
        matcher: given.matcher(P::Matcher)?,
        matches: given.matches()?,
        container: given.matcher(P::Container),
        check: TextCheck::new(given.params.text(P::Validator), given.pattern.as_ref())?,
        retry: given.retry(P::Retry)?,
    }))
}

pub(super) fn enter_text(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::EnterText(EnterText {
        matcher: given.matcher(P::Matcher)?,
        text: given.text(P::Text)?,
        submit: given.flag(P::Submit)?,
        clear: given.flag(P::Clear)?,
        retry: given.retry(P::Retry)?,
    }))
}

pub(super) fn snapshot_ui(given: &Resolved<'_>) -> Option<Step> {
    let budget = given.count(P::Budget);
    let diff = given.flag(P::Diff)?;
    // What is cut short or compared is a view; the hierarchy is whole.
    let default = if budget.is_some() || diff {
        ViewStyle::Compact
    } else {
        ViewStyle::Xml
    };
    let asked = given
        .params
        .text(P::View)
        .map(|word| ViewStyle::from_any_case(word));
    Some(Step::SnapshotUi(SnapshotUi {
        view: asked.unwrap_or(Some(default))?,
        budget,
        diff,
        retry: given.retry(P::Retry)?,
    }))
}

pub(super) fn take_screenshot(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::TakeScreenshot(TakeScreenshot {
        path: given.text(P::Path),
        retry: given.retry(P::Retry)?,
    }))
}

pub(super) fn sleep(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::Sleep(Sleep {
        duration: given.millis(P::DurationMs)?,
        retry: given.retry(P::Retry)?,
    }))
}

pub(super) fn press_key(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::PressKey(PressKey {
        key: Key::from_any_case(given.params.text(P::Key)?)?,
        retry: given.retry(P::Retry)?,
    }))
}

pub(super) fn wait_for_navigation(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::WaitForNavigation(WaitForNavigation {
        expected_package: given.text(P::ExpectedPackage),
        expected_node: given.matcher(P::ExpectedNode),
        timeout: given.millis(P::TimeoutMs)?,
    }))
}

pub(super) fn read_key_value_pair(given: &Resolved<'_>) -> Option<Step> {
    Some(Step::ReadKeyValuePair(ReadKeyValuePair {
        label_matcher: given.matcher(P::LabelMatcher)?,
        matches: given.matches()?,
        retry: given.retry(P::Retry)?,
    }))
}

pub(super) fn query(given: &Resolved<'_>) -> Option<Step> {
    let visibility = match given.word(P::Visibility, Visibility::from_any_case)? {
        Asked::Known(visibility) => visibility,
        Asked::Unknown(_) => return None,
    };
    Some(Step::Query(Query {
        matcher: given.matcher(P::Matcher),
        visibility,
        limit: given.count(P::Limit)?,
        retry: given.retry(P::Retry)?,
    }))
}
