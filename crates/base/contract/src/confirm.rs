//! What a caller wants to see after an act before the step counts as a success.

use crate::clamp::{Clamp, Unit};
use crate::limits::MAX_TIMEOUT_MS;
use crate::matcher::Matcher;
use crate::param::Shape;
use clawperator_document::Number;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::time::Duration;

/// What must hold after an act, and how long to wait for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirm {
    pub effect: ConfirmEffect,
    /// How long to wait for it, as it was sent.
    pub timeout_ms: Option<Number>,
}

/// The effect of an act.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfirmEffect {
    /// An element that matches is on the screen.
    Appears(Matcher),
    /// No element that matches is on the screen.
    Disappears(Matcher),
    /// The screen is not as it was before.
    Changed,
}

/// One key of a confirm object.
#[derive(Clone, Copy, Debug)]
pub struct ConfirmField {
    pub name: &'static str,
    pub shape: Shape,
    pub doc: &'static str,
}

const fn field(name: &'static str, shape: Shape, doc: &'static str) -> ConfirmField {
    ConfirmField { name, shape, doc }
}

/// The keys that say what must hold, in the contract's order; an object has one of them.
pub const EFFECT_FIELDS: [ConfirmField; 3] = [
    field("appears", Shape::Matcher, "An element that must be on the screen afterwards."),
    field("disappears", Shape::Matcher, "An element that must not be on the screen any more."),
    field("changed", Shape::Flag, "The screen must differ from the one before; any difference counts."),
];
/// The key that says how long to wait.
pub const CONFIRM_TIMEOUT: ConfirmField =
    field("timeoutMs", Shape::Number, "How long to wait for that, in milliseconds.");
/// The range of the wait.
pub const CONFIRM_TIMEOUT_RANGE: Clamp = Clamp { min: 1.0, max: MAX_TIMEOUT_MS, unit: Unit::Measure };
/// The wait if none is given, in milliseconds.
pub const DEFAULT_CONFIRM_TIMEOUT_MS: u32 = 5_000;

impl Confirm {
    /// How long to wait, brought into its range.
    pub fn timeout(&self) -> Duration {
        let asked = self.timeout_ms.map(|sent| CONFIRM_TIMEOUT_RANGE.apply(sent));
        asked.unwrap_or(DEFAULT_CONFIRM_TIMEOUT_MS.into()).as_millis()
    }
}

impl ConfirmEffect {
    /// The key by which it is asked for.
    pub fn word(&self) -> &'static str {
        let [appears, disappears, changed] = EFFECT_FIELDS;
        match self {
            Self::Appears(_) => appears.name,
            Self::Disappears(_) => disappears.name,
            Self::Changed => changed.name,
        }
    }
}

impl Serialize for Confirm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        let word = self.effect.word();
        match &self.effect {
            ConfirmEffect::Appears(matcher) | ConfirmEffect::Disappears(matcher) => {
                object.serialize_entry(word, matcher)?;
            }
            ConfirmEffect::Changed => object.serialize_entry(word, &true)?,
        }
        if let Some(timeout_ms) = &self.timeout_ms {
            object.serialize_entry(CONFIRM_TIMEOUT.name, timeout_ms)?;
        }
        object.end()
    }
}
