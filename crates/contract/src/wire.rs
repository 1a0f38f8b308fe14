//! An execution as a caller sent it: any shape at all, nothing promised.

use crate::json::{Document, ReadError};

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
        Document::read(bytes).map(Self)
    }
}

/// A key of the execution object or of an action object.
#[derive(Clone, Copy, Debug)]
pub struct WireField {
    /// The canonical key.
    pub name: &'static str,
    /// Keys that mean the same on input.
    pub aliases: &'static [&'static str],
    /// What the field says.
    pub doc: &'static str,
}

/// The fields of an execution, in the contract's order.
pub const EXECUTION_FIELDS: [WireField; 8] = [
    WireField {
        name: "commandId",
        aliases: &["command_id"],
        doc: "The caller's id for the whole run; echoed in the envelope.",
    },
    WireField {
        name: "taskId",
        aliases: &["task_id"],
        doc: "The caller's id for the task; echoed in the envelope.",
    },
    WireField {
        name: "source",
        aliases: &[],
        doc: "A label for the caller.",
    },
    WireField {
        name: "expectedFormat",
        aliases: &["expected_format"],
        doc: "The constant android-ui-automator.",
    },
    WireField {
        name: "timeoutMs",
        aliases: &["timeout_ms"],
        doc: "How long the whole execution may take.",
    },
    WireField {
        name: "actions",
        aliases: &[],
        doc: "What to do, in order.",
    },
    WireField {
        name: "mode",
        aliases: &[],
        doc: "A marker of where the execution comes from.",
    },
    WireField {
        name: "strict",
        aliases: &[],
        doc: "Whether a matcher that fits more than one element is an error, in every action.",
    },
];

/// The fields of an action, in the contract's order.
pub const ACTION_FIELDS: [WireField; 3] = [
    WireField {
        name: "id",
        aliases: &[],
        doc: "The caller's id for the step; echoed in its result.",
    },
    WireField {
        name: "type",
        aliases: &[],
        doc: "What to do.",
    },
    WireField {
        name: "params",
        aliases: &[],
        doc: "The action's parameters.",
    },
];

/// The one value of `expectedFormat`.
pub const EXPECTED_FORMAT: &str = "android-ui-automator";
