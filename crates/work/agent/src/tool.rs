//! The tools that a model is given, and what becomes of a call.
//!
//! Pure: nothing here touches a phone or a file.

pub(crate) mod catalogue;
mod coerce;
mod format;
mod normalize;

pub use catalogue::TOOLS;
pub use coerce::as_text;
pub use format::{Format, tools};
pub use normalize::{NormalizedCall, normalize, normalize_object};

/// One tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    pub name: &'static str,
    pub kind: &'static str,
    pub about: &'static str,
    pub executor: Executor,
    pub risk: Risk,
    pub fields: &'static [ToolField],
}

/// One argument of a tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolField {
    pub key: &'static str,
    pub shape: ArgumentShape,
    pub need: ArgumentNeed,
    pub about: &'static str,
}

/// Whether an argument must be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentNeed {
    /// It must; without it, its default is a repair.
    Required,
    Optional,
}

/// What an argument takes, and its default.
#[derive(Clone, Copy, Debug)]
pub enum ArgumentShape {
    Number(f64),
    /// A text; an empty one is a text.
    Text(&'static str),
    Flag,
    /// A text; an empty one is none.
    Given,
    /// A text without white space around it; an empty one is none.
    Trimmed,
    Word(&'static [&'static str], &'static str),
    Object,
}

/// What carries a tool's action out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executor {
    Phone,
    /// A folder of this computer.
    Workspace,
    Memory,
    Human,
    Loop,
}

/// What a tool can do to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Risk {
    Safe,
    Reads,
    /// It does what a finger can do.
    Acts,
    Writes,
    Runs,
    Asks,
}

/// The tool of a name; `type` is another name of `type_text`.
pub fn by_name(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name).or_else(|| of_kind(name))
}

/// The tool whose action has a type.
pub fn of_kind(kind: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.kind == kind)
}
