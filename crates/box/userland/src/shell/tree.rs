//! A script as a tree. It knows the grammar, not how to run it.

use std::sync::{Arc, OnceLock};

/// Commands one after another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct List(pub(crate) Vec<ListItem>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListItem {
    pub(crate) chain: Arc<CommandChain>,
    /// Ends in `&`: the shell does not wait for it.
    pub(crate) background: bool,
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
    Case { word: ShellWord, arms: Vec<(Vec<ShellWord>, List)> },
    Arithmetic(ShellWord),
    Test(ShellTest),
    Function { name: String, body: Arc<ShellCommand> },
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
    pub(crate) kind: RedirectKind,
    pub(crate) target: ShellWord,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    Read,
    Write,
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
    Arithmetic(ShellWord),
    /// A here-document; its text follows the line that names it.
    Later(Arc<OnceLock<ShellWord>>),
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
    /// `/` or `//`.
    Replace {
        all: bool,
        pattern: ShellWord,
        with: ShellWord,
    },
    /// `:offset` or `:offset:length`.
    Slice {
        offset: ShellWord,
        length: Option<ShellWord>,
    },
}
