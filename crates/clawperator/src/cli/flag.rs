//! The flags, one row each. Help, parsing, completions and the errors about
//! them come from these rows.

use super::log::Level;
use super::output::Format;
use clawperator_contract::{Direction, ErrorCode, Key, ViewStyle, Visibility};
use clawperator_ui::Role;

/// One flag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlagSpec {
    /// Its name without the dashes; also how the code asks for it.
    pub(crate) name: &'static str,
    /// Other names for it.
    pub(crate) aliases: &'static [&'static str],
    /// What it takes.
    pub(crate) takes: Takes,
    /// The words to choose its value from, where there are only a few.
    pub(crate) words: &'static [&'static str],
    /// Whether its value can be the name of a file, which may be any bytes, or
    /// is always text.
    pub(crate) value: ValueKind,
    /// What it says.
    pub(crate) doc: &'static str,
    /// The code of the error when its value is missing, or no number where one
    /// is wanted.
    pub(crate) missing: ErrorCode,
}

/// What a value on the command line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// A text.
    Text,
    /// Any bytes: asked for with [`super::given::Given::bytes`].
    Bytes,
}

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing.
    Nothing,
    /// One value of that name.
    One(&'static str),
    /// One value of that name, as often as it is given.
    Several(&'static str),
    /// Two values of those names.
    Two(&'static str, &'static str),
}

impl Takes {
    /// How many values it takes at a time.
    pub(crate) fn values(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::One(_) | Self::Several(_) => 1,
            Self::Two(..) => 2,
        }
    }
}

pub(super) const fn one(name: &'static str, value: &'static str, doc: &'static str) -> FlagSpec {
    FlagSpec {
        name,
        aliases: &[],
        takes: Takes::One(value),
        words: &[],
        value: ValueKind::Text,
        doc,
        missing: ErrorCode::ExecutionValidationFailed,
    }
}

pub(super) const fn several(name: &'static str, value: &'static str, doc: &'static str) -> FlagSpec {
    FlagSpec {
        takes: Takes::Several(value),
        ..one(name, value, doc)
    }
}

pub(super) const fn switch(name: &'static str, doc: &'static str) -> FlagSpec {
    FlagSpec {
        takes: Takes::Nothing,
        ..one(name, "", doc)
    }
}

impl FlagSpec {
    pub(super) const fn aka(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    pub(super) const fn missing(self, missing: ErrorCode) -> Self {
        Self { missing, ..self }
    }

    pub(super) const fn words(self, words: &'static [&'static str]) -> Self {
        Self { words, ..self }
    }

    /// Whether it means the same for every command that has it, so that it may
    /// stand before the command, too.
    pub(crate) fn is_shared(&self) -> bool {
        GLOBAL.iter().chain(GOAL).any(|flag| flag.name == self.name)
    }

    /// The flag's own name and all others.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// Flags of every command.
pub(crate) const GLOBAL: &[FlagSpec] = &[
    one("device", "SERIAL", "The phone to use.")
        .aka(&["device-id"])
        .missing(ErrorCode::Usage),
    one(
        "operator-package",
        "PACKAGE",
        "Run through this installed Operator app instead of from here.",
    )
    .aka(&["receiver-package"])
    .missing(ErrorCode::Usage),
    one("log-level", "LEVEL", "What to log: debug, info, warn or error.")
        .words(Level::WORDS)
        .missing(ErrorCode::Usage),
    switch("verbose", "Say on standard error what is logged, too."),
    switch("json", "Print compact JSON (the default)."),
    one("output", "FORMAT", "How to print: json, or pretty for people.")
        .aka(&["format"])
        .words(Format::WORDS)
        .missing(ErrorCode::Usage),
    one("timeout", "MS", "How long to allow, in milliseconds.")
        .aka(&["timeout-ms"])
        .missing(ErrorCode::Usage),
];

/// Flags of every command that builds or reads an execution.
pub(crate) const GOAL: &[FlagSpec] = &[
    switch(
        "validate-only",
        "Check the execution and print it; touch no phone.",
    )
    .aka(&["validate"]),
    switch("dry-run", "Print the plan; touch no phone."),
    switch("strict", "Refuse a matcher that fits more than one element."),
    one(
        "report",
        "FILE",
        "Take pictures on the way, and write a page of what happened.",
    )
    .missing(ErrorCode::Usage),
    switch("no-journal", "Leave no journal of the run."),
    one(
        "wait-for-device",
        "MS",
        "How long to wait while another execution has the phone, in milliseconds.",
    )
    .missing(ErrorCode::Usage),
];
pub(crate) const JOURNAL_LIST: &[FlagSpec] =
    &[one("limit", "N", "How many at most [default: 50].").missing(ErrorCode::Usage)];
pub(crate) const JOURNAL_VERIFY: &[FlagSpec] = &[switch("all", "Verify every journal.")];
pub(crate) const REPORT: &[FlagSpec] = &[
    one(
        "out",
        "FILE",
        "The page to write [default: its name in this folder].",
    )
    .missing(ErrorCode::Usage),
    one(
        "fixture",
        "FILE",
        "Write an app file for the simulated phone instead, with the payload beside it.",
    )
    .missing(ErrorCode::Usage),
];
pub(crate) const PACKAGES: &[FlagSpec] = &[switch(
    "third-party",
    "Only apps that did not come with the phone.",
)];

/// The flags that name an element.
pub(crate) const SELECTOR: &[FlagSpec] = &[
    one("text", "TEXT", "Match an element by exact text."),
    one("text-contains", "TEXT", "Match an element by partial text."),
    one("id", "ID", "Match an element by resource id.").aka(&["resource-id"]),
    one("desc", "TEXT", "Match an element by exact content description.").aka(&["content-desc"]),
    one(
        "desc-contains",
        "TEXT",
        "Match an element by partial content description.",
    )
    .aka(&["content-desc-contains"]),
    one("role", "ROLE", "Match an element by accessibility role.").words(Role::WORDS),
    one(
        "ref",
        "REF",
        "The element of a ref such as @e7, as a snapshot or find gave it.",
    ),
    one(
        "selector",
        "JSON",
        "A matcher as raw JSON, instead of the flags above.",
    ),
];

/// The flags that name a container.
pub(crate) const CONTAINER: &[FlagSpec] = &[
    one("container-text", "TEXT", "Match a container by exact text."),
    one(
        "container-text-contains",
        "TEXT",
        "Match a container by partial text.",
    ),
    one("container-id", "ID", "Match a container by resource id.").aka(&["container-resource-id"]),
    one(
        "container-desc",
        "TEXT",
        "Match a container by exact content description.",
    )
    .aka(&["container-content-desc"]),
    one(
        "container-desc-contains",
        "TEXT",
        "Match a container by partial content description.",
    )
    .aka(&["container-content-desc-contains"]),
    one(
        "container-role",
        "ROLE",
        "Match a container by accessibility role.",
    )
    .words(Role::WORDS),
    one(
        "container-ref",
        "REF",
        "The container of a ref such as @e7, as a snapshot or find gave it.",
    ),
    one(
        "container-selector",
        "JSON",
        "A container matcher as raw JSON, instead of the flags above.",
    ),
];

/// The flags that name the field `type` types into: `--text` is what is typed.
pub(crate) const FIELD_SELECTOR: &[FlagSpec] = SELECTOR.split_at(1).1;

/// The flags that name a label.
pub(crate) const LABEL: &[FlagSpec] = &[
    one("label", "TEXT", "Match the label by exact text.")
        .aka(&["text", "label-text"])
        .missing(ErrorCode::MissingArgument),
    one("label-id", "ID", "Match the label by resource id.")
        .aka(&["id", "resource-id"])
        .missing(ErrorCode::MissingArgument),
    one(
        "label-desc",
        "TEXT",
        "Match the label by exact content description.",
    )
    .aka(&["desc", "content-desc"])
    .missing(ErrorCode::MissingArgument),
];

/// How a snapshot is written.
pub(crate) const VIEW: &[FlagSpec] = &[
    one(
        "view",
        "VIEW",
        "How to write it: xml, compact or json; --format does the same here.",
    )
    .words(ViewStyle::WORDS),
    one(
        "budget",
        "TOKENS",
        "Stay within so many tokens, and say what is left out.",
    ),
    switch("diff", "Only what changed since the last snapshot of this phone."),
];
pub(crate) const FIND: &[FlagSpec] = &[
    one(
        "visibility",
        "WHERE",
        "Where to search: on_screen, or all of the hierarchy.",
    )
    .words(Visibility::WORDS),
    one("limit", "COUNT", "The most elements to tell of, up to 1000."),
];
pub(crate) const GONE: &[FlagSpec] = &[switch("gone", "Wait until nothing fits any more.")];

pub(crate) const CLICK: &[FlagSpec] = &[
    FlagSpec {
        takes: Takes::Two("X", "Y"),
        ..one("coordinate", "", "Click a point in pixels instead of an element.")
    },
    switch("long", "Press long."),
    switch("focus", "Focus the element without clicking it."),
];
pub(crate) const TYPE: &[FlagSpec] = &[
    one("text", "TEXT", "The text to type, instead of the argument.").missing(ErrorCode::MissingArgument),
    switch("submit", "Submit after typing."),
    switch(
        "clear",
        "Empty the field before typing; it always is, with this flag or without.",
    ),
];
pub(crate) const ALL: &[FlagSpec] = &[switch(
    "all",
    "Read every match, not just the first; needs --json.",
)];
pub(crate) const APP: &[FlagSpec] =
    &[one("app", "PACKAGE", "The target, instead of the argument.").missing(ErrorCode::MissingArgument)];
pub(crate) const EXPECTED_APP: &[FlagSpec] =
    &[one("app", "PACKAGE", "The package that must come to the front.")];
pub(crate) const KEY: &[FlagSpec] = &[one("key", "KEY", "The key, instead of the argument.")
    .words(Key::WORDS)
    .missing(ErrorCode::MissingArgument)];
pub(crate) const PATH: &[FlagSpec] = &[one("path", "FILE", "The file to write.").missing(ErrorCode::Usage)];
pub(crate) const SCROLL_DIRECTION: &[FlagSpec] = &[one(
    "direction",
    "DIRECTION",
    "The direction, instead of the argument.",
)
.words(Direction::WORDS)
.missing(ErrorCode::MissingArgument)];
pub(crate) const UNTIL_DIRECTION: &[FlagSpec] = &[one(
    "direction",
    "DIRECTION",
    "The direction, instead of the argument.",
)
.words(Direction::WORDS)];
pub(crate) const UNTIL_CLICK: &[FlagSpec] = &[switch("click", "Click the element once it is in view.")];
pub(crate) const PAYLOAD: &[FlagSpec] = &[FlagSpec {
    value: ValueKind::Bytes,
    ..one(
        "payload",
        "JSON|FILE|-",
        "The execution, instead of the argument.",
    )
}
.aka(&["execution", "input", "file"])
.missing(ErrorCode::MissingArgument)];
