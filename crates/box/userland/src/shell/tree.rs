//! A script as a tree. It knows the grammar, not how to run it.

use std::sync::{Arc, OnceLock};

/// Commands one after another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct List(pub(crate) Vec<ListItem>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListItem {
    pub(crate) chain: Arc<CommandChain>,
    pub(crate) end: ItemEnd,
}

/// How a command of a list ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ItemEnd {
    Wait,
    /// `&`: the shell does not wait for it; with its text.
    Background(String),
    /// `|&`: the same, with pipes to and from the shell.
    Coprocess,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandChain {
    pub(crate) first: Pipeline,
    pub(crate) rest: Vec<(Join, Pipeline)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    And,
    Or,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pipeline {
    /// Begins with `!`.
    pub(crate) negated: bool,
    /// Begins with `time`.
    pub(crate) timed: bool,
    pub(crate) stages: Vec<ShellCommand>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellCommand {
    pub(crate) body: CommandBody,
    pub(crate) redirects: Vec<Redirect>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommandBody {
    Simple { assignments: Vec<Assignment>, words: Vec<ShellWord> },
    Group(List),
    Subshell(List),
    If { branches: Vec<(List, List)>, otherwise: Option<List> },
    Loop { until: bool, condition: List, body: List },
    For { name: String, words: Option<Vec<ShellWord>>, body: List },
    Case { word: ShellWord, arms: Vec<CaseArm> },
    Arithmetic(ShellWord),
    Test(ShellTest),
    Function { name: String, body: Arc<ShellCommand> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CaseArm {
    pub(crate) patterns: Vec<ShellWord>,
    pub(crate) body: List,
    /// `;;`, `;&` (the next body runs as well) or `;|` (the next patterns are tried).
    pub(crate) end: &'static str,
}

/// `name=value`, also with `+=`, an index, or a list of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) index: Option<ShellWord>,
    /// With `+=`: what is there stays.
    pub(crate) append: bool,
    pub(crate) value: AssignedValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AssignedValue {
    Text(ShellWord),
    /// `(one two)`.
    List(Vec<ShellWord>),
}

/// What stands between `[[` and `]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ShellTest {
    Not(Box<ShellTest>),
    And(Box<ShellTest>, Box<ShellTest>),
    Or(Box<ShellTest>, Box<ShellTest>),
    /// The words of one question; a pattern is only one on the right.
    Words(Vec<ShellWord>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) descriptor: u32,
    pub(crate) sign: &'static str,
    pub(crate) kind: RedirectKind,
    pub(crate) target: ShellWord,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    Read,
    Write,
    /// `>|`: also where `set -C` keeps files.
    Replace,
    Append,
    ReadWrite,
    Duplicate,
    /// The target is the text itself.
    Here,
    /// `&>`: results and complaints to one file.
    Both,
}

/// One word, in parts that were written in different ways.
pub(crate) type ShellWord = Vec<WordPart>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WordPart {
    /// Plain text: patterns and `~` count in it.
    Plain(String),
    /// Quoted text: nothing counts in it.
    Quoted(String),
    /// The text between double quotes.
    Double(ShellWord),
    Parameter(Parameter),
    Command(Arc<List>),
    /// `${ ...;}`, or `${|...;}` whose result is in `REPLY`: run in the shell itself.
    Inside(Arc<List>, InsideResult),
    Arithmetic(ShellWord),
    /// A here-document; its text follows the line that names it.
    Later(Arc<OnceLock<ShellWord>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InsideResult {
    Output,
    Reply,
}

/// `$name` or `${name...}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) subscript: Option<Subscript>,
    pub(crate) operation: Operation,
}

/// What stands between the brackets behind a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subscript {
    At(ShellWord),
    /// `@` or `*`.
    All(char),
}

/// What `${name...}` does with the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operation {
    Value,
    Length,
    /// `${!name[@]}`: the numbers of an array's values.
    Keys,
    /// `-`, `=`, `?` or `+`; with a colon an empty value counts as none.
    Default {
        kind: char,
        colon: bool,
        word: ShellWord,
    },
    /// `#`, `##`, `%` or `%%`.
    Trim {
        kind: char,
        longest: bool,
        pattern: ShellWord,
    },
    /// `/`, `//`, `/#` or `/%`.
    Replace {
        place: Place,
        pattern: ShellWord,
        with: ShellWord,
    },
    /// `@Q`: as a word that reads back as the value.
    Quote,
    /// Something that no shell of this kind knows, as it was written.
    Bad(String),
    /// `:offset` or `:offset:length`.
    Slice {
        offset: ShellWord,
        length: Option<ShellWord>,
    },
}

/// Where `${name/...}` looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    First,
    All,
    Start,
    End,
}
