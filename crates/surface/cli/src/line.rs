//! What a command line names, and whether it asks for a page to read.

use super::commands;
use super::mistake::Mistake;
use super::spec::{CommandSpec, FlagSpec, GroupSpec};
use clap_lex::OsStrExt;
use clawperator_contract::text;
use std::ffi::{OsStr, OsString};

/// What a command line names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LineSubject {
    Program,
    Group(&'static GroupSpec),
    Command(&'static CommandSpec),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HelpLength {
    /// What a program or a group has; the rest with `--all`.
    Names,
    Short,
    Long,
}

/// A page that the program prints about itself.
#[derive(Debug)]
pub(crate) enum InfoPage {
    Help(LineSubject, HelpLength),
    /// What an AI agent reads first.
    ForAgents,
    Version,
}

/// A command line and what it names.
pub(super) struct Line<'l> {
    pub(super) words: &'l [OsString],
    named: LineSubject,
    /// Where the words are that name it.
    pub(super) naming: Vec<usize>,
    /// Whether `help` stands among them.
    is_help: bool,
    /// The word that should name a command and does not.
    unknown: Option<String>,
    /// The first flag before the command that no command has.
    unknown_flag: Option<String>,
}

impl<'l> Line<'l> {
    pub(super) fn read(words: &'l [OsString]) -> Self {
        let mut line = Self {
            words,
            named: LineSubject::Program,
            naming: Vec::new(),
            is_help: false,
            unknown: None,
            unknown_flag: None,
        };
        let mut values = 0;
        for (at, word) in words.iter().enumerate() {
            if values > 0 {
                values -= 1;
            } else if word == "--" || !line.read_word(at, word, &mut values) {
                break;
            }
        }
        line
    }

    /// Reads a word before the command's arguments; false ends the reading.
    /// `values` is how many values follow.
    fn read_word(&mut self, at: usize, word: &OsStr, values: &mut usize) -> bool {
        let text = word.to_string_lossy();
        if let Some((name, value)) = flag_name(word) {
            match commands::every_flag().find(|flag| flag.is_named(&name, None)) {
                Some(flag) if value.is_none() => *values = flag.takes.count(),
                Some(_) => {}
                None if ["help", "version"].contains(&&*name) => {}
                None => self.note_flag(format!("--{name}")),
            }
            return true;
        }
        if text.len() > 1 && text.starts_with('-') {
            if !["-h", "-V"].contains(&&*text) {
                self.note_flag(text.into_owned());
            }
            return true;
        }
        let group = match self.named {
            LineSubject::Program => "",
            LineSubject::Group(group) => group.name,
            LineSubject::Command(_) => return false,
        };
        if text == "help" {
            self.is_help = true;
        } else if let Some(spec) = commands::find(group, &text) {
            self.named = LineSubject::Command(spec);
        } else if let (LineSubject::Program, Some(group)) = (self.named, commands::find_group(&text)) {
            self.named = LineSubject::Group(group);
        } else {
            self.unknown = Some(text.into_owned());
            return false;
        }
        self.naming.push(at);
        !matches!(self.named, LineSubject::Command(_))
    }

    fn note_flag(&mut self, name: String) {
        self.unknown_flag.get_or_insert(name);
    }

    /// The page that a line asks for, whatever else is wrong with it. The version wins over help.
    pub(super) fn page_asked_for(&self) -> Option<InfoPage> {
        let mut length = None;
        let mut is_value = false;
        for word in self.words.iter().take_while(|word| *word != "--") {
            match word.to_str() {
                Some("--version") => return Some(InfoPage::Version),
                Some("-V") if !is_value => return Some(InfoPage::Version),
                Some("--help") => length = length.or(Some(HelpLength::Long)),
                Some("-h") if !is_value => length = length.or(Some(HelpLength::Short)),
                _ => {}
            }
            let flag = match (flag_name(word), self.named) {
                (Some((name, None)), LineSubject::Command(spec)) => resolve(spec, &name, None),
                (Some((name, None)), _) => commands::every_flag().find(|flag| flag.is_named(&name, None)),
                _ => None,
            };
            is_value = flag.is_some_and(|flag| flag.takes.count() > 0);
        }
        if self.words.is_empty() || self.is_help && self.unknown.is_none() {
            length = length.or(Some(HelpLength::Long));
        }
        let length = length?;
        let first = self.naming.first().and_then(|at| self.words.get(*at));
        match self.named {
            LineSubject::Group(_) | LineSubject::Program if self.words.iter().any(|word| word == "--all") => {
                Some(InfoPage::Help(self.named, length))
            }
            LineSubject::Group(group)
                if group.name == "agent" && first.is_some_and(|word| word == "help") =>
            {
                Some(InfoPage::ForAgents)
            }
            LineSubject::Group(_) | LineSubject::Program => {
                Some(InfoPage::Help(self.named, HelpLength::Names))
            }
            LineSubject::Command(_) => Some(InfoPage::Help(self.named, length)),
        }
    }

    /// The command that the line names.
    pub(super) fn command(&self) -> Result<&'static CommandSpec, Mistake> {
        let group = match self.named {
            LineSubject::Command(spec) if self.unknown_flag.is_none() => return Ok(spec),
            LineSubject::Command(_) | LineSubject::Program => None,
            LineSubject::Group(group) => Some(group),
        };
        match (&self.unknown_flag, &self.unknown) {
            (Some(name), _) => Err(Mistake::UnknownFlag { name: name.clone(), command: None }),
            (None, Some(name)) if !text::is_blank(name) => {
                Err(Mistake::UnknownCommand { group, name: name.clone() })
            }
            (None, _) => Err(Mistake::NoCommand(group)),
        }
    }
}

/// The name of a flag without its dashes, and the value that is joined to it.
pub(super) fn flag_name(word: &OsStr) -> Option<(String, Option<&OsStr>)> {
    let bare = word.strip_prefix("--").filter(|bare| !bare.is_empty())?;
    let (name, value) = match bare.split_once("=") {
        Some((name, value)) => (name, Some(value)),
        None => (bare, None),
    };
    Some((name.to_string_lossy().into_owned(), value))
}

/// The flag of a command that a name means, given with a value.
pub(super) fn resolve(
    spec: &'static CommandSpec,
    name: &str,
    value: Option<&OsStr>,
) -> Option<&'static FlagSpec> {
    commands::flags_of(spec).find(|flag| flag.is_named(name, value.and_then(OsStr::to_str)))
}
