//! What a command line names, found without clap: clap is told of no more
//! than that.

use super::command::{self, CommandSpec, GroupSpec};
use super::flag::FlagSpec;
use std::ffi::OsString;

/// What a command line names, whatever else is wrong with it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named {
    Nothing,
    Group(&'static GroupSpec),
    Command(&'static CommandSpec),
}

impl Named {
    pub(super) fn spec(self) -> Option<&'static CommandSpec> {
        match self {
            Self::Command(spec) => Some(spec),
            Self::Nothing | Self::Group(_) => None,
        }
    }

    pub(super) fn group(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Group(group) => group.name,
            Self::Command(spec) => spec.group,
        }
    }
}

/// A command line as it was typed, and what it names.
#[derive(Debug)]
pub(super) struct Line {
    /// Its words, the program's name first.
    pub(super) args: Vec<OsString>,
    pub(super) named: Named,
    /// Which of its words name that.
    naming: Vec<usize>,
    /// Which of its words should name a command and does not.
    unknown: Option<usize>,
}

impl Line {
    /// Finds what a line names.
    pub(super) fn new(args: Vec<OsString>) -> Self {
        let mut line = Self {
            args,
            named: Named::Nothing,
            naming: Vec::new(),
            unknown: None,
        };
        for at in bare_words(&line.args) {
            let word = line.args[at].to_str().unwrap_or_default();
            let command = command::find(line.named.group(), word);
            line.named = match (line.named, command, command::find_group(word)) {
                (_, Some(spec), _) => Named::Command(spec),
                (Named::Nothing, None, Some(group)) => Named::Group(group),
                _ => {
                    line.unknown = Some(at);
                    break;
                }
            };
            line.naming.push(at);
            if command.is_some() {
                break;
            }
        }
        line
    }

    pub(super) fn spec(&self) -> Option<&'static CommandSpec> {
        self.named.spec()
    }

    /// The word that should name a command and does not, and the one behind it.
    pub(super) fn unknown(&self) -> Option<(&str, Option<&str>)> {
        let word = |at: usize| self.args.get(at)?.to_str();
        let at = self.unknown?;
        Some((word(at)?, word(at + 1).filter(|next| !next.starts_with('-'))))
    }

    /// The word before the one that should name a command and does not.
    pub(super) fn before_unknown(&self) -> Option<&str> {
        self.args.get(self.unknown?.checked_sub(1)?)?.to_str()
    }

    /// The words behind the program's name that can be flags, and their values.
    pub(super) fn before_dashes(&self) -> impl Iterator<Item = &str> {
        let words = self.args.iter().skip(1).take_while(|word| *word != "--");
        words.filter_map(|word| word.to_str())
    }

    /// The names by which a flag was given, each once.
    pub(super) fn spellings(&self, flag: &FlagSpec) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for word in self.before_dashes() {
            let name = word.split_once('=').map_or(word, |(name, _)| name);
            let bare = name.strip_prefix("--");
            if bare.is_some_and(|bare| flag.names().any(|known| known == bare)) && !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }

    /// The flags before the command that this one has, but no other. One with a
    /// value that it does not take is no better behind the command.
    pub(super) fn misplaced(&self) -> Option<&str> {
        let last = *self.naming.last()?;
        let spec = self.spec()?;
        let before = self.args[1..last].iter().filter_map(|word| word.to_str());
        let is_misplaced = |word: &str, flag: &FlagSpec| {
            let takes_it = flag.takes.values() > 0 || !word.contains('=');
            takes_it && !flag.is_shared()
        };
        before
            .filter(|word| command::flag_of(word, Some(spec)).is_some_and(|flag| is_misplaced(word, flag)))
            .map(|word| word.split_once('=').map_or(word, |(name, _)| name))
            .next()
    }

    /// The line with the words that name the command in front, so that flags
    /// which stand before them are the command's.
    pub(super) fn command_first(&self) -> Vec<OsString> {
        let naming = |at: &usize| self.naming.contains(at);
        let places = 1..self.args.len();
        let (names, rest): (Vec<usize>, Vec<usize>) = match self.named {
            Named::Command(_) => places.partition(naming),
            Named::Nothing | Named::Group(_) => (Vec::new(), places.collect()),
        };
        let order = std::iter::once(0).chain(names).chain(rest);
        order.map(|at| self.args[at].clone()).collect()
    }
}

/// Where the words are that are neither flags nor their values.
fn bare_words(args: &[OsString]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut values = 0;
    for (at, word) in args.iter().enumerate().skip(1) {
        let word = word.to_str().unwrap_or_default();
        if values > 0 {
            values -= 1;
        } else if word == "--" {
            break;
        } else if let Some(flag) = command::flag_of(word, None) {
            values = if word.contains('=') {
                0
            } else {
                flag.takes.values()
            };
        } else if !word.starts_with('-') {
            found.push(at);
        }
    }
    found
}
