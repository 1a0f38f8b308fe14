//! A script as a tree. It knows the grammar, not how to run it.

use std::sync::{Arc, OnceLock};

/// Commands one after another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct List(pub(crate) Vec<Item>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) chain: Arc<Chain>,
    /// Ends in `&`: the shell does not wait for it.
    pub(crate) background: bool,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chain {
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
    pub(crate) stages: Vec<Command>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) body: Body,
    pub(crate) redirects: Vec<Redirect>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    Simple {
        assignments: Vec<Assignment>,
        words: Vec<Word>,
    },
    Group(List),
    Subshell(List),
    If {
        branches: Vec<(List, List)>,
        otherwise: Option<List>,
    },
    Loop {
        until: bool,
        condition: List,
        body: List,
    },
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: List,
    },
    Case {
        word: Word,
        arms: Vec<(Vec<Word>, List)>,
    },
    Arithmetic(Word),
    Test(Test),
    Function {
        name: String,
        body: Arc<Command>,
    },
}

/// `name=value`, also with `+=`, an index, or a list of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) index: Option<Word>,
    /// With `+=`: what is there stays.
    pub(crate) append: bool,
    pub(crate) value: Assigned,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Assigned {
    Text(Word),
    /// `(one two)`.
    List(Vec<Word>),
}

/// What stands between `[[` and `]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Test {
    Not(Box<Test>),
    And(Box<Test>, Box<Test>),
    Or(Box<Test>, Box<Test>),
    /// The words of one question; a pattern is only one on the right.
    Words(Vec<Word>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) descriptor: u32,
    pub(crate) kind: RedirectKind,
    pub(crate) target: Word,
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
pub(crate) type Word = Vec<Part>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Plain text: patterns and `~` count in it.
    Plain(String),
    /// Quoted text: nothing counts in it.
    Quoted(String),
    /// The text between double quotes.
    Double(Word),
    Parameter(Parameter),
    Command(Arc<List>),
    Arithmetic(Word),
    /// A here-document; its text follows the line that names it.
    Later(Arc<OnceLock<Word>>),
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
    At(Word),
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
        word: Word,
    },
    /// `#`, `##`, `%` or `%%`.
    Trim {
        kind: char,
        longest: bool,
        pattern: Word,
    },
    /// `/` or `//`.
    Replace {
        all: bool,
        pattern: Word,
        with: Word,
    },
    /// `:offset` or `:offset:length`.
    Slice {
        offset: Word,
        length: Option<Word>,
    },
}
