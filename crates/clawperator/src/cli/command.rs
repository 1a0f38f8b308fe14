//! What a command is, and which there are.

use super::draft::Draft;
use super::flag::{self, FlagSpec};
use super::given::Given;
use super::{Answer, World, flat, journal, listing, record, sim, upkeep};
use clawperator_contract::Failure;

/// One command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandSpec {
    /// The name of its group, such as `sim` of `sim start`; empty if it is in
    /// none.
    pub(crate) group: &'static str,
    /// Its name.
    pub(crate) name: &'static str,
    /// Other names for it.
    pub(crate) synonyms: &'static [&'static str],
    /// What it does.
    pub(crate) about: &'static str,
    /// What else there is to know.
    pub(crate) details: &'static str,
    /// Its argument, if it takes one: the name and what it says. A name that
    /// ends in `...` can be given several times.
    pub(crate) argument: Option<(&'static str, &'static str)>,
    /// The argument behind that.
    pub(crate) second: Option<(&'static str, &'static str)>,
    /// Makes the words to choose the argument from, where there are only a few.
    pub(crate) words: fn() -> Vec<&'static str>,
    /// Its flags, in groups.
    pub(crate) flags: &'static [(&'static str, &'static [FlagSpec])],
    /// Command lines that work.
    pub(crate) examples: &'static [&'static str],
    /// What it runs.
    pub(crate) run: Run,
}

impl CommandSpec {
    /// What is typed to name it: `click`, `sim start`.
    pub(crate) fn path(&self) -> String {
        format!("{} {}", self.group, self.name).trim_start().to_owned()
    }
}

/// Commands that belong together, and are named behind the group's name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupSpec {
    /// Its name.
    pub(crate) name: &'static str,
    /// Other names for it.
    pub(crate) synonyms: &'static [&'static str],
    /// What its commands are for.
    pub(crate) about: &'static str,
    /// What else there is to know.
    pub(crate) details: &'static str,
}

/// What a command runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Run {
    /// Builds an execution from flags.
    Flat(fn(&Given) -> Result<Draft, Failure>),
    /// Reads an execution.
    Exec,
    /// Prints something about the program itself.
    Print(fn(&Given) -> Result<String, Failure>),
    /// Does something in the world.
    Act(fn(&Given, &mut World) -> Result<Answer, Failure>),
}

pub(super) const OPTIONS: &str = "Options";
pub(super) const CHECKING: &str = "Checking";
pub(super) const GOAL: (&str, &[FlagSpec]) = (CHECKING, flag::GOAL);

/// What a row has where it says nothing.
pub(super) const PLAIN: CommandSpec = CommandSpec {
    group: "",
    name: "",
    synonyms: &[],
    about: "",
    details: "",
    argument: None,
    second: None,
    words: Vec::new,
    flags: &[GOAL],
    examples: &[],
    run: Run::Exec,
};

/// The groups.
pub(crate) const GROUPS: &[GroupSpec] = &[
    sim::GROUP,
    listing::GROUP,
    upkeep::GROUP,
    journal::GROUP,
    record::GROUP,
];

/// Every command, the groups' commands included, in the order of the help.
pub(crate) fn every() -> impl Iterator<Item = &'static CommandSpec> {
    let groups = [
        sim::COMMANDS,
        listing::COMMANDS,
        journal::COMMANDS,
        record::COMMANDS,
    ];
    let groups = groups.into_iter().flatten();
    flat::COMMANDS.iter().chain(upkeep::COMMANDS).chain(groups)
}

/// The names of what is directly in a group, or in none.
pub(super) fn names(group: &'static str) -> impl Iterator<Item = &'static str> {
    let groups = GROUPS.iter().filter(move |_| group.is_empty());
    let inside = every().filter(move |spec| spec.group == group);
    inside.map(|spec| spec.name).chain(groups.map(|group| group.name))
}

/// Finds a command of a group, or of none, by its name or a synonym.
pub(crate) fn find(group: &str, name: &str) -> Option<&'static CommandSpec> {
    let named = |spec: &&CommandSpec| spec.name == name || spec.synonyms.contains(&name);
    every().filter(|spec| spec.group == group).find(named)
}

/// Finds a group by its name or a synonym.
pub(crate) fn find_group(name: &str) -> Option<&'static GroupSpec> {
    GROUPS
        .iter()
        .find(|group| group.name == name || group.synonyms.contains(&name))
}

/// Every flag there is.
pub(super) fn every_flag() -> impl Iterator<Item = &'static FlagSpec> {
    flag::GLOBAL.iter().chain(every().flat_map(local_flags))
}

/// The flags that a command has for itself.
pub(super) fn local_flags(spec: &'static CommandSpec) -> impl Iterator<Item = &'static FlagSpec> {
    spec.flags.iter().flat_map(|(_, flags)| *flags)
}

/// The flags that a command takes; without a command, every flag there is.
pub(super) fn flags_of(spec: Option<&'static CommandSpec>) -> Box<dyn Iterator<Item = &'static FlagSpec>> {
    match spec {
        Some(spec) => Box::new(local_flags(spec).chain(flag::GLOBAL)),
        None => Box::new(every_flag()),
    }
}

/// Tells whether some table has a flag of that name.
pub(super) fn is_flag(name: &str) -> bool {
    every_flag().any(|flag| flag.name == name)
}

/// The flag that a token names.
pub(super) fn flag_of(token: &str, spec: Option<&'static CommandSpec>) -> Option<&'static FlagSpec> {
    let name = token.strip_prefix("--")?;
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    flags_of(spec).find(|flag| flag.names().any(|known| known == name))
}
