//! The types of the tables: what a flag, an argument, a command and a group
//! are. The rows are in `flags` and `commands`.

use clawperator_contract::{ActionKind, ErrorCode};

/// One flag. A row is also the key by which code asks for the flag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlagSpec {
    /// Its name without the dashes.
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    /// Names that mean this flag only if the value is one of `words`.
    pub(crate) aliases_by_value: &'static [&'static str],
    pub(crate) takes: Takes,
    /// The words to choose its value from, where there are only a few.
    pub(crate) words: &'static [&'static str],
    pub(crate) value: ValueKind,
    /// One sentence for the help.
    pub(crate) doc: &'static str,
    /// The error code when its value is missing, or is no number where one is needed.
    pub(crate) missing: ErrorCode,
    pub(crate) place: FlagPlace,
    /// The matcher field that it sets, if it sets one.
    pub(crate) field: Option<&'static str>,
}

/// Where a flag may stand, and whether it may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlagPlace {
    Command,
    /// Before its command, too: it means the same for every command that has it.
    Anywhere,
    /// Anywhere, for every command; the last one counts.
    Global,
}

/// What a value on the command line may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Text,
    /// Any bytes, because it can be the name of a file.
    Bytes,
}

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    /// One value of that name.
    One(&'static str),
    /// Nothing, or one value of that name.
    Maybe(&'static str),
    /// One value of that name, each time it is given.
    Several(&'static str),
    /// Two values of those names.
    Two(&'static str, &'static str),
}

impl Takes {
    /// How many values it takes at a time, at most.
    pub(crate) fn count(self) -> usize {
        self.names().len()
    }

    pub(crate) fn least(self) -> usize {
        match self {
            Self::Maybe(_) => 0,
            Self::Nothing | Self::One(_) | Self::Several(_) | Self::Two(..) => self.count(),
        }
    }

    pub(crate) fn names(self) -> Vec<&'static str> {
        match self {
            Self::Nothing => Vec::new(),
            Self::One(name) | Self::Maybe(name) | Self::Several(name) => vec![name],
            Self::Two(first, second) => vec![first, second],
        }
    }
}

pub(super) const fn one(name: &'static str, value: &'static str, doc: &'static str) -> FlagSpec {
    FlagSpec {
        name,
        aliases: &[],
        aliases_by_value: &[],
        takes: Takes::One(value),
        words: &[],
        value: ValueKind::Text,
        doc,
        missing: ErrorCode::ExecutionValidationFailed,
        place: FlagPlace::Command,
        field: None,
    }
}

/// A flag with one value, whose absence is a mistake on the command line rather
/// than in an execution.
pub(super) const fn setting(name: &'static str, value: &'static str, doc: &'static str) -> FlagSpec {
    one(name, value, doc).missing(ErrorCode::Usage)
}

/// A flag without a value.
pub(super) const fn switch(name: &'static str, doc: &'static str) -> FlagSpec {
    FlagSpec { takes: Takes::Nothing, ..one(name, "", doc) }
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

    pub(super) const fn takes(self, takes: Takes) -> Self {
        Self { takes, ..self }
    }

    pub(super) const fn value(self, value: ValueKind) -> Self {
        Self { value, ..self }
    }

    pub(super) const fn aliases_by_value(self, aliases_by_value: &'static [&'static str]) -> Self {
        Self { aliases_by_value, ..self }
    }

    pub(super) const fn anywhere(self) -> Self {
        Self { place: FlagPlace::Anywhere, ..self }
    }

    pub(super) const fn global(self) -> Self {
        Self { place: FlagPlace::Global, ..self }
    }

    pub(super) const fn field(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }

    /// The flag's own name and all others.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Tells whether a name, given with a value, means this flag.
    pub(super) fn is_named(&self, name: &str, value: Option<&str>) -> bool {
        let is_word =
            || value.is_some_and(|value| self.words.iter().any(|word| word.eq_ignore_ascii_case(value)));
        self.names().any(|known| known == name) || self.aliases_by_value.contains(&name) && is_word()
    }
}

/// Flags under one heading of the help.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlagGroup {
    pub(crate) heading: &'static str,
    pub(crate) flags: &'static [FlagSpec],
}

/// The flags under the usual heading.
pub(super) const fn options(flags: &'static [FlagSpec]) -> FlagGroup {
    FlagGroup { heading: "Options", flags }
}

/// An argument of a command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArgumentSpec {
    pub(crate) name: &'static str,
    /// One sentence for the help.
    pub(crate) doc: &'static str,
    /// The words to choose from, where there are only a few.
    pub(crate) words: &'static [&'static str],
    pub(crate) often: Often,
    pub(crate) value: ValueKind,
}

/// How often an argument can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Often {
    Once,
    Many,
    /// The rest of the line, what is no flag of the command included.
    Rest,
}

pub(super) const fn argument(name: &'static str, doc: &'static str) -> ArgumentSpec {
    ArgumentSpec { name, doc, words: &[], often: Often::Once, value: ValueKind::Text }
}

impl ArgumentSpec {
    pub(super) const fn words(self, words: &'static [&'static str]) -> Self {
        Self { words, ..self }
    }

    pub(super) const fn often(self, often: Often) -> Self {
        Self { often, ..self }
    }

    pub(super) const fn value(self, value: ValueKind) -> Self {
        Self { value, ..self }
    }
}

/// One command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandSpec {
    pub(crate) command: Command,
    /// The name of its group, such as `sim` of `sim start`; empty if it has none.
    pub(crate) group: &'static str,
    pub(crate) name: &'static str,
    /// Other names for it, beside those of its action.
    pub(crate) synonyms: &'static [&'static str],
    /// One sentence for the help.
    pub(crate) about: &'static str,
    /// What else there is to know.
    pub(crate) details: &'static str,
    pub(crate) arguments: &'static [ArgumentSpec],
    pub(crate) flags: &'static [FlagGroup],
    pub(crate) examples: &'static [&'static str],
}

/// A command in no group, without arguments and flags.
pub(super) const fn row(command: Command, name: &'static str, about: &'static str) -> CommandSpec {
    CommandSpec {
        command,
        group: "",
        name,
        synonyms: &[],
        about,
        details: "",
        arguments: &[],
        flags: &[],
        examples: &[],
    }
}

impl CommandSpec {
    pub(super) const fn inside(self, group: &'static str) -> Self {
        Self { group, ..self }
    }

    pub(super) const fn aka(self, synonyms: &'static [&'static str]) -> Self {
        Self { synonyms, ..self }
    }

    pub(super) const fn details(self, details: &'static str) -> Self {
        Self { details, ..self }
    }

    pub(super) const fn arguments(self, arguments: &'static [ArgumentSpec]) -> Self {
        Self { arguments, ..self }
    }

    pub(super) const fn flags(self, flags: &'static [FlagGroup]) -> Self {
        Self { flags, ..self }
    }

    pub(super) const fn examples(self, examples: &'static [&'static str]) -> Self {
        Self { examples, ..self }
    }

    /// What is typed to name it: `click`, `sim start`.
    pub(crate) fn path(&self) -> String {
        format!("{} {}", self.group, self.name).trim_start().to_owned()
    }

    pub(crate) fn local_flags(&'static self) -> impl Iterator<Item = &'static FlagSpec> {
        self.flags.iter().flat_map(|group| group.flags)
    }
}

/// Commands that belong together and are named after the group's name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupSpec {
    pub(crate) name: &'static str,
    pub(crate) synonyms: &'static [&'static str],
    /// One sentence for the help.
    pub(crate) about: &'static str,
    /// What else there is to know.
    pub(crate) details: &'static str,
}

/// Which command a line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Exec,
    Flat(FlatCommand),
    Devices,
    Packages,
    Observe,
    Report,
    Schema,
    Completions,
    Man,
    Doctor,
    GrantPermissions,
    Version,
    Logs,
    SetupGuide,
    OperatorSetup,
    Journal(JournalCommand),
    Record(RecordCommand),
    Serve,
    Watch,
    Approvals(ApprovalsCommand),
    Secrets(SecretsCommand),
    Lane(LaneCommand),
    Mcp,
    Skills(SkillsCommand),
    Agent(AgentCommand),
    Worker,
    Pool(PoolCommand),
    #[cfg(feature = "sim")]
    Sim(SimCommand),
}

/// A command that builds an execution of one action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlatCommand {
    Snapshot,
    Screenshot,
    Click,
    Drag,
    Type,
    Read,
    ReadValue,
    Wait,
    Find,
    WaitForNavigation,
    Open,
    Close,
    Press,
    Back,
    Scroll,
    ScrollUntil,
    ScrollAndClick,
    WaitForToast,
    Sleep,
    RecordStart,
    RecordStop,
    /// Of an action that has no shape of its own.
    Plain(ActionKind),
}

/// A command of `journal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JournalCommand {
    List,
    Show,
    Verify,
}

/// A command of `record` that builds no execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordCommand {
    Pull,
    Delete,
    Parse,
    Compile,
    Replay,
}

/// A command of `approvals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ApprovalsCommand {
    List,
    Show,
    Approve,
    Reject,
}

/// A command of `secrets`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretsCommand {
    List,
    Set,
    Forget,
}

/// A command of `pool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PoolCommand {
    Up,
    Init,
    Phones,
    Hosts,
    Jobs,
    Job,
    Cancel,
    Reserve,
    Release,
    Drain,
    Doctor,
}

/// A command of `lane`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneCommand {
    Setup,
    Status,
    Stop,
    Remove,
}

/// A command of `skills`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SkillsCommand {
    List,
    Get,
    Search,
    New,
    Validate,
    Run,
    CompileArtifact,
    Doctor,
    Lint,
    Compile,
    Index,
    Install,
    Update,
    Sync,
    Hook,
    Test,
    Ci,
}

/// A command of `agent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentCommand {
    Tools,
    Act,
    Run,
    Resume,
    Replay,
    Sessions,
    Show,
    Export,
    #[cfg(feature = "sim")]
    Eval,
}

/// A command of `sim`.
#[cfg(feature = "sim")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SimCommand {
    Start,
    Stop,
    List,
    Status,
    Screen,
    Dump,
    Check,
    Faults,
    Finger,
    Advance,
}
