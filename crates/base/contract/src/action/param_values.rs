//! The checked parameters of one action, as its step is built from them.

use super::step::{Matches, Swipe};
use super::{ActionSpec, Fallback, ParamRule};
use crate::confirm::Confirm;
use crate::matcher::Matcher;
use crate::param::{ParamKey as P, Params};
use crate::pattern::Pattern;
use crate::retry::{RetryObject, RetryPolicy};
use crate::word::{ClickType, Direction, UncheckedWord};
use clawperator_document::Number;
use std::sync::Arc;
use std::time::Duration;

/// The parameters of one action, seen through its catalogue row: what was
/// given, clamped where the row says so, or what holds without it.
pub(crate) struct ResolvedParams<'c> {
    pub(crate) spec: &'static ActionSpec,
    pub(crate) params: &'c Params,
    /// The validator's pattern, compiled when it was checked.
    pub(crate) pattern: Option<Pattern>,
}

impl ResolvedParams<'_> {
    pub(in crate::action) fn text(&self, key: P) -> Option<Arc<str>> {
        self.params.text(key).cloned()
    }

    pub(in crate::action) fn matcher(&self, key: P) -> Option<Arc<Matcher>> {
        self.params.matcher(key).cloned()
    }

    pub(in crate::action) fn number(&self, key: P) -> Option<Number> {
        let used = self.spec.param(key)?;
        match (self.params.number(key), used.rule, used.default) {
            (Some(given), ParamRule::Clamped(clamp), _) => Some(clamp.apply(given)),
            (Some(given), _, _) => Some(given),
            (None, _, Fallback::Number(value)) => Number::new(value),
            (None, _, _) => None,
        }
    }

    pub(in crate::action) fn millis(&self, key: P) -> Option<Duration> {
        self.number(key).map(Number::as_millis)
    }

    pub(in crate::action) fn count(&self, key: P) -> Option<u32> {
        self.number(key).map(Number::as_count)
    }

    pub(in crate::action) fn flag(&self, key: P) -> Option<bool> {
        self.params.flag(key).or(self.spec.default_flag(key))
    }

    /// Reads a word, or the one that holds without it.
    pub(in crate::action) fn word<T>(
        &self,
        key: P,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<UncheckedWord<T>> {
        let default = match self.spec.param(key)?.default {
            Fallback::Word(word) => Some(word),
            Fallback::None | Fallback::Number(_) | Fallback::Flag(_) => None,
        };
        match self.params.text(key) {
            Some(word) => {
                Some(read(word).map_or_else(|| UncheckedWord::Unknown(word.clone()), UncheckedWord::Known))
            }
            None => default.and_then(read).map(UncheckedWord::Known),
        }
    }

    pub(in crate::action) fn direction(&self) -> Option<UncheckedWord<Direction>> {
        self.word(P::Direction, Direction::from_any_case)
    }

    pub(in crate::action) fn click_type(&self) -> Option<UncheckedWord<ClickType>> {
        self.word(P::ClickType, ClickType::from_word)
    }

    pub(in crate::action) fn confirm(&self) -> Option<Arc<Confirm>> {
        self.params.confirm().cloned()
    }

    pub(in crate::action) fn matches(&self) -> Option<Matches> {
        let all = self.flag(P::All)?;
        Some(if all { Matches::All } else { Matches::First })
    }

    pub(in crate::action) fn retry(&self, slot: P) -> Option<RetryPolicy> {
        let (_, preset) = self.spec.retries.iter().find(|(key, _)| *key == slot)?;
        let asked = self.params.retry(slot).map(RetryObject::policy);
        Some(asked.unwrap_or_else(|| preset.policy()))
    }

    pub(in crate::action) fn swipe(&self) -> Option<Swipe> {
        Some(Swipe {
            container: self.matcher(P::Container),
            distance_ratio: self.number(P::DistanceRatio)?.get(),
            settle_delay: self.millis(P::SettleDelayMs)?,
            is_delay_asked: self.params.number(P::SettleDelayMs).is_some(),
            find_first_scrollable_child: self.flag(P::FindFirstScrollableChild)?,
        })
    }
}
