//! The parameters of actions: one table of every key, and the values a caller
//! gave. Which action uses which key stands in the catalogue.

use crate::limits::{MAX_MATCHER_VALUE_LENGTH, MAX_URI_LENGTH};
use crate::matcher::Matcher;
use crate::number::Number;
use crate::retry::RetryObject;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::sync::Arc;

/// The key of a parameter, in the contract's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the table below documents every key")]
pub enum ParamKey {
    ApplicationId,
    SessionId,
    Uri,
    DurationMs,
    Path,
    Matcher,
    Coordinate,
    Text,
    Submit,
    Clear,
    ClickType,
    Container,
    Direction,
    MaxSwipes,
    DistanceRatio,
    SettleDelayMs,
    MaxScrolls,
    MaxDurationMs,
    NoPositionChangeThreshold,
    FindFirstScrollableChild,
    ClickAfter,
    Validator,
    ValidatorPattern,
    Key,
    Retry,
    ScrollRetry,
    ClickRetry,
    ExpectedPackage,
    ExpectedNode,
    TimeoutMs,
    LabelMatcher,
    All,
}

/// What kind of value a parameter takes, whatever the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A string of any length the payload has room for.
    Text,
    /// A string of at most so many UTF-16 units.
    ShortText(usize),
    /// A number.
    Number,
    /// `true` or `false`.
    Flag,
    /// A matcher.
    Matcher,
    /// A point on the screen.
    Coordinate,
    /// A retry object.
    Retry,
}

/// One row of the parameter table.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    /// The key.
    pub key: ParamKey,
    /// The key as it is written.
    pub name: &'static str,
    /// Keys that mean the same on input.
    pub aliases: &'static [&'static str],
    /// The kind of value.
    pub shape: Shape,
    /// What the parameter says.
    pub doc: &'static str,
}

const fn row(key: ParamKey, name: &'static str, shape: Shape, doc: &'static str) -> ParamSpec {
    ParamSpec {
        key,
        name,
        aliases: &[],
        shape,
        doc,
    }
}

impl ParamSpec {
    const fn aka(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }
}

/// How many parameters there are.
pub const PARAM_COUNT: usize = 32;

/// Every parameter, in the contract's order.
#[rustfmt::skip]
pub const PARAMS: [ParamSpec; PARAM_COUNT] = [
    row(ParamKey::ApplicationId, "applicationId", Shape::Text, "The package id of an app.")
        .aka(&["package", "package_id", "application_id", "app", "app_id"]),
    row(ParamKey::SessionId, "sessionId", Shape::Text, "The name of a recording."),
    row(ParamKey::Uri, "uri", Shape::ShortText(MAX_URI_LENGTH), "The URI to open.").aka(&["url"]),
    row(ParamKey::DurationMs, "durationMs", Shape::Number, "How long to sleep."),
    row(ParamKey::Path, "path", Shape::Text, "The file a screenshot is written to.")
        .aka(&["file", "filePath", "output_path"]),
    row(ParamKey::Matcher, "matcher", Shape::Matcher, "The element meant.")
        .aka(&["selector", "node", "element"]),
    row(ParamKey::Coordinate, "coordinate", Shape::Coordinate, "The point meant, in pixels."),
    row(ParamKey::Text, "text", Shape::ShortText(MAX_MATCHER_VALUE_LENGTH), "The text to enter.").aka(&["value"]),
    row(ParamKey::Submit, "submit", Shape::Flag, "Whether to submit after typing."),
    row(ParamKey::Clear, "clear", Shape::Flag, "Whether to empty the field before typing."),
    row(ParamKey::ClickType, "clickType", Shape::Text, "The kind of click."),
    row(ParamKey::Container, "container", Shape::Matcher, "The element to search or scroll in."),
    row(ParamKey::Direction, "direction", Shape::Text, "Where to scroll to."),
    row(ParamKey::MaxSwipes, "maxSwipes", Shape::Number, "The most swipes before giving up."),
    row(ParamKey::DistanceRatio, "distanceRatio", Shape::Number, "How far one swipe goes, as a share of the container."),
    row(ParamKey::SettleDelayMs, "settleDelayMs", Shape::Number, "How long to let the screen settle after a swipe."),
    row(ParamKey::MaxScrolls, "maxScrolls", Shape::Number, "The most scrolls before giving up."),
    row(ParamKey::MaxDurationMs, "maxDurationMs", Shape::Number, "The longest the whole search may take."),
    row(ParamKey::NoPositionChangeThreshold, "noPositionChangeThreshold", Shape::Number, "How many scrolls without movement end the search."),
    row(ParamKey::FindFirstScrollableChild, "findFirstScrollableChild", Shape::Flag, "Whether an unscrollable container stands for its first scrollable descendant."),
    row(ParamKey::ClickAfter, "clickAfter", Shape::Flag, "Whether to click the target once it is in view."),
    row(ParamKey::Validator, "validator", Shape::Text, "What the text read must look like."),
    row(ParamKey::ValidatorPattern, "validatorPattern", Shape::Text, "The pattern of the regex validator."),
    row(ParamKey::Key, "key", Shape::Text, "The key to press."),
    row(ParamKey::Retry, "retry", Shape::Retry, "How to try again."),
    row(ParamKey::ScrollRetry, "scrollRetry", Shape::Retry, "How to try again while scrolling."),
    row(ParamKey::ClickRetry, "clickRetry", Shape::Retry, "How to try the final click again."),
    row(ParamKey::ExpectedPackage, "expectedPackage", Shape::ShortText(MAX_MATCHER_VALUE_LENGTH), "The package that must come to the front.")
        .aka(&["expected_package"]),
    row(ParamKey::ExpectedNode, "expectedNode", Shape::Matcher, "The element that must come into view.")
        .aka(&["expected_node"]),
    row(ParamKey::TimeoutMs, "timeoutMs", Shape::Number, "How long this one action may wait.").aka(&["timeout_ms"]),
    row(ParamKey::LabelMatcher, "labelMatcher", Shape::Matcher, "The label whose value is wanted.")
        .aka(&["label_matcher", "label_selector"]),
    row(ParamKey::All, "all", Shape::Flag, "Whether every match is wanted, not just the first."),
];

impl ParamKey {
    /// The key's row.
    #[must_use]
    pub fn spec(self) -> &'static ParamSpec {
        // Table and enum stand in one order; a test walks both.
        &PARAMS[self as usize]
    }

    /// The key as it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.spec().name
    }
}

/// A point on the screen, in pixels from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Coordinate {
    /// From the left.
    pub x: u64,
    /// From the top.
    pub y: u64,
}

/// A parameter's value. Text and matchers are shared with the step built from
/// them.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum ParamValue {
    /// A string.
    Text(Arc<str>),
    /// A number.
    Number(Number),
    /// A truth value.
    Flag(bool),
    /// A matcher.
    Matcher(Arc<Matcher>),
    /// A point.
    Coordinate(Coordinate),
    /// A retry object.
    Retry(Box<RetryObject>),
}

/// The parameters a caller gave one action, under canonical keys, in the
/// contract's order, with the values as they were sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params(Vec<(ParamKey, ParamValue)>);

impl Params {
    /// Adds a parameter. Keys must come in the contract's order.
    pub(crate) fn push(&mut self, key: ParamKey, value: ParamValue) {
        debug_assert!(self.0.last().is_none_or(|(last, _)| *last < key));
        self.0.push((key, value));
    }

    /// The keys given.
    pub fn keys(&self) -> impl Iterator<Item = ParamKey> {
        self.0.iter().map(|(key, _)| *key)
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: ParamKey) -> Option<&ParamValue> {
        self.0
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }

    /// The value of a key that takes text.
    #[must_use]
    pub fn text(&self, key: ParamKey) -> Option<&Arc<str>> {
        match self.get(key)? {
            ParamValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a key that takes a number.
    #[must_use]
    pub fn number(&self, key: ParamKey) -> Option<Number> {
        match self.get(key)? {
            ParamValue::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The value of a key that takes a truth value.
    #[must_use]
    pub fn flag(&self, key: ParamKey) -> Option<bool> {
        match self.get(key)? {
            ParamValue::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    /// The value of a key that takes a matcher.
    #[must_use]
    pub fn matcher(&self, key: ParamKey) -> Option<&Arc<Matcher>> {
        match self.get(key)? {
            ParamValue::Matcher(matcher) => Some(matcher),
            _ => None,
        }
    }

    /// The point, if one was given.
    #[must_use]
    pub fn coordinate(&self) -> Option<Coordinate> {
        match self.get(ParamKey::Coordinate)? {
            ParamValue::Coordinate(point) => Some(*point),
            _ => None,
        }
    }

    /// The value of a key that takes a retry object.
    #[must_use]
    pub fn retry(&self, key: ParamKey) -> Option<&RetryObject> {
        match self.get(key)? {
            ParamValue::Retry(retry) => Some(retry),
            _ => None,
        }
    }
}

impl Serialize for Params {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key.name(), value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn table_and_enum_stand_in_one_order() {
        for (index, spec) in PARAMS.iter().enumerate() {
            assert_eq!(spec.key as usize, index, "{}", spec.name);
        }
    }

    #[test]
    fn no_name_means_two_things() {
        let mut seen = BTreeSet::new();
        for spec in &PARAMS {
            for name in spec.aliases.iter().chain([&spec.name]) {
                assert!(seen.insert(*name), "{name}");
            }
        }
    }
}
