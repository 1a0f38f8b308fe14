//! What a command line names, found without clap: clap is told of no more
//! than that.

use super::command::{self, CommandSpec, GroupSpec};
use super::flag::Takes;
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

/// Finds what a line names, whatever else is wrong with it.
pub(super) fn command_of(args: &[OsString]) -> Named {
    let mut named = Named::Nothing;
    let mut words = args.iter().skip(1).filter_map(|token| token.to_str());
    while let Some(word) = words.next() {
        match command::flag_of(word, None) {
            Some(flag) if matches!(flag.takes, Takes::One(_) | Takes::Several(_)) && !word.contains('=') => {
                words.next();
            }
            None if !word.starts_with('-') => {
                if let Some(spec) = command::find(named.group(), word) {
                    return Named::Command(spec);
                }
                match (named, command::find_group(word)) {
                    (Named::Nothing, Some(group)) => named = Named::Group(group),
                    _ => return named,
                }
            }
            Some(_) | None => {}
        }
    }
    named
}
