//! An execution as a caller sent it: any shape at all, nothing promised.

use crate::action::Need;
use crate::limits::{
    MAX_ACTIONS, MAX_ID_LENGTH, MAX_INPUT_BYTES, MAX_JSON_DEPTH, MAX_OBJECT_KEYS, MAX_SOURCE_LENGTH,
    MAX_TIMEOUT_MS, MAX_TYPE_LENGTH, MIN_TIMEOUT_MS,
};
use crate::word::Mode;
use clawperator_document::{Document, Limits, ReadError};

const LIMITS: Limits = Limits { bytes: MAX_INPUT_BYTES, depth: MAX_JSON_DEPTH, keys: MAX_OBJECT_KEYS };

/// What came in on the wire. Only [`check`](crate::check()) turns it into an
/// [`Execution`](crate::Execution).
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutionWire<'a>(pub(crate) Document<'a>);

impl<'a> ExecutionWire<'a> {
    /// Reads bytes.
    ///
    /// # Errors
    /// Any [`ReadError`]: not UTF-8, not JSON, or past a bound.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ReadError> {
        Document::read(bytes, LIMITS).map(Self)
    }
}

/// Reads a text that must be one JSON object, as a payload is read, and returns it as it may be put
/// into a payload: without a byte-order mark. Returns nothing if it is JSON, but not an object. The
/// check of that payload says what else is odd about it.
///
/// # Errors
/// Any [`ReadError`]; nothing is read past a bound.
pub fn object_text(text: &str) -> Result<Option<&str>, ReadError> {
    Document::object_text(text, LIMITS)
}

/// A key of the execution object or of an action object.
#[derive(Clone, Copy, Debug)]
pub struct WireField {
    pub name: &'static str,
    /// Keys that mean the same on input.
    pub aliases: &'static [&'static str],
    pub need: Need,
    pub shape: WireShape,
    pub doc: &'static str,
}

/// What the value of a field of an execution or an action must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WireShape {
    /// A string, not empty, of at most so many UTF-16 units.
    Id(usize),
    /// This string and no other.
    Constant(&'static str),
    Number {
        min: f64,
        max: f64,
    },
    /// One of these words exactly.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A list of actions, one to so many.
    Actions(usize),
    /// A type of the catalogue or an alias, of at most so many UTF-16 units as it was sent.
    ActionType(usize),
    Params,
}

/// The one value of `expectedFormat`.
pub const EXPECTED_FORMAT: &str = "android-ui-automator";

pub(crate) const COMMAND_ID: WireField = WireField {
    name: "commandId",
    aliases: &["command_id"],
    need: Need::Required,
    shape: WireShape::Id(MAX_ID_LENGTH),
    doc: "The caller's id for the whole run; echoed in the envelope.",
};
pub(crate) const TASK_ID: WireField = WireField {
    name: "taskId",
    aliases: &["task_id"],
    need: Need::Required,
    shape: WireShape::Id(MAX_ID_LENGTH),
    doc: "The caller's id for the task; echoed in the envelope.",
};
pub(crate) const SOURCE: WireField = WireField {
    name: "source",
    aliases: &[],
    need: Need::Required,
    shape: WireShape::Id(MAX_SOURCE_LENGTH),
    doc: "A label for the caller.",
};
pub(crate) const FORMAT: WireField = WireField {
    name: "expectedFormat",
    aliases: &["expected_format"],
    need: Need::Required,
    shape: WireShape::Constant(EXPECTED_FORMAT),
    doc: "The constant android-ui-automator.",
};
pub(crate) const TIMEOUT: WireField = WireField {
    name: "timeoutMs",
    aliases: &["timeout_ms"],
    need: Need::Required,
    shape: WireShape::Number { min: MIN_TIMEOUT_MS, max: MAX_TIMEOUT_MS },
    doc: "How long the whole execution may take.",
};
pub(crate) const ACTIONS: WireField = WireField {
    name: "actions",
    aliases: &[],
    need: Need::Required,
    shape: WireShape::Actions(MAX_ACTIONS),
    doc: "What to do, in order.",
};
pub(crate) const MODE: WireField = WireField {
    name: "mode",
    aliases: &[],
    need: Need::Optional,
    shape: WireShape::Word(Mode::WORDS),
    doc: "A label for where the execution comes from.",
};
pub(crate) const STRICT: WireField = WireField {
    name: "strict",
    aliases: &[],
    need: Need::Optional,
    shape: WireShape::Flag,
    doc: "Whether a matcher that fits more than one element is an error, in every action but waits.",
};

/// The fields of an execution, in the contract's order.
pub const EXECUTION_FIELDS: [WireField; 8] =
    [COMMAND_ID, TASK_ID, SOURCE, FORMAT, TIMEOUT, ACTIONS, MODE, STRICT];

pub(crate) const ID: WireField = WireField {
    name: "id",
    aliases: &[],
    need: Need::Required,
    shape: WireShape::Id(MAX_ID_LENGTH),
    doc: "The caller's id for the step; echoed in its result.",
};
pub(crate) const TYPE: WireField = WireField {
    name: "type",
    aliases: &[],
    need: Need::Required,
    shape: WireShape::ActionType(MAX_TYPE_LENGTH),
    doc: "What to do.",
};
pub(crate) const PARAMS: WireField = WireField {
    name: "params",
    aliases: &[],
    need: Need::Optional,
    shape: WireShape::Params,
    doc: "The action's parameters.",
};

/// The fields of an action, in the contract's order.
pub const ACTION_FIELDS: [WireField; 3] = [ID, TYPE, PARAMS];

/// The names of those fields that may not be left out.
pub(crate) fn required(fields: &[WireField]) -> Vec<&'static str> {
    let needed = fields.iter().filter(|field| field.need == Need::Required);
    needed.map(|field| field.name).collect()
}
