//! The parameters of actions: one table of every key, and the values a caller
//! gave. The catalogue says which action uses which key.

use crate::confirm::Confirm;
use crate::limits::{MAX_MATCHER_VALUE_LENGTH, MAX_URI_LENGTH};
use crate::matcher::Matcher;
use crate::retry::RetryObject;
use clawperator_document::{Alias, Number};
use serde::ser::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// What kind of value a parameter takes, whatever the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A string of any length the payload has room for.
    Text,
    /// A string of at most so many UTF-16 units.
    ShortText(usize),
    Number,
    /// `true` or `false`.
    Flag,
    Matcher,
    /// A point on the screen.
    Coordinate,
    Retry,
    Confirm,
}

/// One row of the parameter table.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    pub key: ParamKey,
    /// The key as it is written.
    pub name: &'static str,
    /// Keys that mean the same on input.
    pub aliases: &'static [&'static str],
    pub shape: Shape,
    pub doc: &'static str,
}

/// Writes the table, the enum of its keys and the look-up by name from one
/// list. The look-up is a `match` because it runs for every key of a payload.
macro_rules! params {
    ($($variant:ident $name:literal $(| $alias:literal)* => $shape:expr, $doc:literal;)*) => {
        /// The key of a parameter, in the contract's order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ParamKey {
            $(#[doc = $doc] $variant,)*
        }

        /// How many parameters there are.
        pub const PARAM_COUNT: usize = [$(ParamKey::$variant),*].len();

        /// Every parameter, in the contract's order.
        pub const PARAMS: [ParamSpec; PARAM_COUNT] = [$(ParamSpec {
            key: ParamKey::$variant,
            name: $name,
            aliases: &[$($alias),*],
            shape: $shape,
            doc: $doc,
        },)*];

        impl ParamKey {
            /// Reads a key as it is written; aliases are not keys.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Reads an alias.
            pub(crate) fn from_alias(name: &str) -> Option<Alias> {
                match name {
                    $($($alias => Some(Alias { name: $alias, canonical: $name }),)*)*
                    _ => None,
                }
            }
        }
    };
}

params! {
    ApplicationId "applicationId" | "package" | "package_id" | "application_id" | "app" | "app_id" =>
        Shape::Text, "The package id of an app, or its label.";
    SessionId "sessionId" =>
        Shape::Text, "The name of a recording.";
    Uri "uri" | "url" =>
        Shape::ShortText(MAX_URI_LENGTH), "The URI to open.";
    DurationMs "durationMs" =>
        Shape::Number, "How long to sleep, or how long the finger moves.";
    Path "path" | "file" | "filePath" | "output_path" =>
        Shape::Text, "The file a screenshot is written to.";
    Matcher "matcher" | "selector" | "node" | "element" =>
        Shape::Matcher, "The element to act on.";
    Coordinate "coordinate" =>
        Shape::Coordinate, "The point to act on, in pixels.";
    Text "text" | "value" =>
        Shape::ShortText(MAX_MATCHER_VALUE_LENGTH), "The text to enter, or that a toast must have in it.";
    Submit "submit" =>
        Shape::Flag, "Whether to submit after typing.";
    Clear "clear" =>
        Shape::Flag, "Whether to empty the field before typing.";
    ClickType "clickType" =>
        Shape::Text, "The kind of click.";
    Container "container" =>
        Shape::Matcher, "The element to search or scroll in.";
    Direction "direction" =>
        Shape::Text, "The direction to scroll in.";
    MaxSwipes "maxSwipes" =>
        Shape::Number, "The most swipes to make before giving up.";
    DistanceRatio "distanceRatio" =>
        Shape::Number, "How far one swipe goes, as a share of the container.";
    SettleDelayMs "settleDelayMs" =>
        Shape::Number, "How long to let the screen settle after a swipe.";
    MaxScrolls "maxScrolls" =>
        Shape::Number, "The most scrolls to make before giving up.";
    MaxDurationMs "maxDurationMs" =>
        Shape::Number, "How long the whole search may take.";
    NoPositionChangeThreshold "noPositionChangeThreshold" =>
        Shape::Number, "How many scrolls in a row without movement end the search.";
    FindFirstScrollableChild "findFirstScrollableChild" =>
        Shape::Flag, "Whether to scroll the first scrollable descendant of a container that cannot scroll.";
    ClickAfter "clickAfter" =>
        Shape::Flag, "Whether to click the target once it is in view.";
    Validator "validator" =>
        Shape::Text, "The validator that the text must pass.";
    ValidatorPattern "validatorPattern" =>
        Shape::Text, "The pattern of the regex validator.";
    Key "key" =>
        Shape::Text, "The key to press.";
    Retry "retry" =>
        Shape::Retry, "How to try again.";
    ScrollRetry "scrollRetry" =>
        Shape::Retry, "How to try again while scrolling.";
    ClickRetry "clickRetry" =>
        Shape::Retry, "How to try the final click again.";
    ExpectedPackage "expectedPackage" | "expected_package" =>
        Shape::ShortText(MAX_MATCHER_VALUE_LENGTH), "The package that must come to the front.";
    ExpectedNode "expectedNode" | "expected_node" =>
        Shape::Matcher, "The element that must come into view.";
    TimeoutMs "timeoutMs" | "timeout_ms" =>
        Shape::Number, "How long this one action may wait.";
    LabelMatcher "labelMatcher" | "label_matcher" | "label_selector" =>
        Shape::Matcher, "The label whose value to read.";
    All "all" =>
        Shape::Flag, "Whether to read every match, not just the first.";
    // What follows is not known to the Operator app; add new parameters below.
    Strict "strict" =>
        Shape::Flag, "Whether a matcher that fits more than one element is an error.";
    View "view" =>
        Shape::Text, "The format of the snapshot.";
    Budget "budget" =>
        Shape::Number, "The most tokens the snapshot may have; 1000 for a compact one if it is left out.";
    Diff "diff" =>
        Shape::Flag, "Whether to return only what changed since the last snapshot.";
    Since "since" =>
        Shape::Text, "The snapshot to compare with, by its `snapshot_id`; only what changed is returned.";
    Visibility "visibility" =>
        Shape::Text, "Where to search.";
    Limit "limit" =>
        Shape::Number, "The most elements to list.";
    Gone "gone" =>
        Shape::Flag, "Whether to wait until no element fits.";
    Confirm "confirm" =>
        Shape::Confirm, "What must be seen after the act; without it the act itself is enough.";
    ToMatcher "toMatcher" =>
        Shape::Matcher, "The element that the finger moves to.";
    ToCoordinate "toCoordinate" =>
        Shape::Coordinate, "The point that the finger moves to, in pixels.";
    HoldMs "holdMs" =>
        Shape::Number, "How long the finger rests before it moves.";
    Force "force" =>
        Shape::Flag, "Whether to touch an element although another one covers the whole of it.";
    Count "count" =>
        Shape::Number, "How often to do it; with until, at most.";
    Until "until" =>
        Shape::Matcher, "Do it again until this element is on the screen: not at all if it is there already, and a failure if it never comes.";
    Fresh "fresh" =>
        Shape::Flag, "Whether to close the app first, so that it starts at its first page.";
}

impl ParamKey {
    /// The key's row.
    pub fn spec(self) -> &'static ParamSpec {
        // The macro writes enum and table in one order.
        &PARAMS[self as usize]
    }

    /// The key as it is written.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// The words of the key: `timeout_ms` in a recipe, `timeout-ms` as a flag.
    pub fn words(self, between: char) -> String {
        let mut words = String::new();
        for letter in self.name().chars() {
            if letter.is_ascii_uppercase() {
                words.push(between);
            }
            words.push(letter.to_ascii_lowercase());
        }
        words
    }
}

impl fmt::Display for ParamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A point on the screen, in pixels from the top left.
/// Both are whole and not negative; no screen bounds them here.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Coordinate {
    pub x: Number,
    pub y: Number,
}

impl Coordinate {
    /// The point of `540,1200`, or of `270,600*2`: a point of a picture, and how
    /// many pixels of the screen one of it is.
    pub fn parse(text: &str) -> Option<Self> {
        let (x, y) = text.split_once(',')?;
        let (y, factor) = y.split_once('*').unwrap_or((y, "1"));
        let factor: f64 = factor.trim().parse().ok()?;
        let number = |text: &str| text.trim().parse::<u32>().ok().map(f64::from);
        let on_screen = |text: &str| Number::new((number(text)? * factor).round());
        (factor > 0.0).then_some(())?;
        Some(Self { x: on_screen(x)?, y: on_screen(y)? })
    }
}

/// A parameter's value. Text and matchers are shared with the step built from them.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum ParamValue {
    Text(Arc<str>),
    Number(Number),
    Flag(bool),
    Matcher(Arc<Matcher>),
    Coordinate(Coordinate),
    Retry(Box<RetryObject>),
    Confirm(Arc<Confirm>),
}

/// The parameters a caller gave one action, under canonical keys, in the
/// contract's order, with the values as they were sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params {
    entries: Vec<(ParamKey, ParamValue)>,
    /// One bit per key given: most keys are asked for in vain.
    given: u64,
}

const _: () = assert!(PARAM_COUNT <= u64::BITS as usize);

impl Params {
    /// Adds a parameter. Keys must come in the contract's order.
    pub(crate) fn push(&mut self, key: ParamKey, value: ParamValue) {
        debug_assert!(self.entries.last().is_none_or(|(last, _)| *last < key));
        self.entries.push((key, value));
        self.given |= 1 << key as u64;
    }

    /// The parameters, in the contract's order.
    pub fn iter(&self) -> impl Iterator<Item = (ParamKey, &ParamValue)> {
        self.entries.iter().map(|(key, value)| (*key, value))
    }

    /// The keys given.
    pub fn keys(&self) -> impl Iterator<Item = ParamKey> {
        self.iter().map(|(key, _)| key)
    }

    /// The value of a key.
    pub fn get(&self, key: ParamKey) -> Option<&ParamValue> {
        if self.given & (1 << key as u64) == 0 {
            return None;
        }
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// What must be seen after the act, if that was asked for.
    pub fn confirm(&self) -> Option<&Arc<Confirm>> {
        match self.get(ParamKey::Confirm)? {
            ParamValue::Confirm(confirm) => Some(confirm),
            _ => None,
        }
    }
}

/// Writes how the value of a key is read, one function for each kind of value.
macro_rules! readers {
    ($($doc:literal $name:ident: $variant:ident($value:ident) => $read:expr, $type:ty;)*) => {
        impl Params {
            $(#[doc = $doc]
            pub fn $name(&self, key: ParamKey) -> Option<$type> {
                match self.get(key)? {
                    ParamValue::$variant($value) => Some($read),
                    _ => None,
                }
            })*
        }
    };
}

readers! {
    "The value of a key that takes text." text: Text(text) => text, &Arc<str>;
    "The value of a key that takes a number." number: Number(number) => *number, Number;
    "The value of a key that takes a truth value." flag: Flag(flag) => *flag, bool;
    "The value of a key that takes a matcher." matcher: Matcher(matcher) => matcher, &Arc<Matcher>;
    "The value of a key that takes a point." coordinate: Coordinate(point) => *point, Coordinate;
    "The value of a key that takes a retry object." retry: Retry(retry) => retry, &RetryObject;
}

impl Serialize for Params {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(key, value)| (key.name(), value)))
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
            assert_eq!(ParamKey::from_name(spec.name), Some(spec.key));
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
