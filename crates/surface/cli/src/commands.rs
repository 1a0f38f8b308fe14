//! The table of commands, and look-ups in it.

mod agent;
mod approvals;
mod flat;
mod journal;
mod lane;
mod maintenance;
mod plain;
mod pool;
mod record;
mod secrets;
mod server;
#[cfg(feature = "sim")]
pub(super) mod sim;
mod skills;

use super::flags;
use super::spec::{CommandSpec, FlagSpec, GroupSpec};
use clawperator_contract::{ActionSpec, CATALOGUE};
pub(super) use plain::is_argument;

/// The groups. Leaving out a row here and in `TABLES` leaves out the group.
pub(crate) const GROUPS: &[GroupSpec] = &[
    #[cfg(feature = "sim")]
    sim::GROUP,
    maintenance::PACKAGES,
    maintenance::OPERATOR,
    lane::GROUP,
    journal::GROUP,
    record::GROUP,
    skills::GROUP,
    approvals::GROUP,
    secrets::GROUP,
    agent::GROUP,
    pool::GROUP,
];

/// The commands, in the order of the help.
const TABLES: &[&[CommandSpec]] = &[
    flat::COMMANDS,
    maintenance::COMMANDS,
    lane::COMMANDS,
    #[cfg(feature = "sim")]
    sim::COMMANDS,
    journal::COMMANDS,
    record::COMMANDS,
    server::COMMANDS,
    skills::COMMANDS,
    approvals::COMMANDS,
    secrets::COMMANDS,
    agent::COMMANDS,
    pool::COMMANDS,
];

/// Every command, in the order of the help.
pub(crate) fn every() -> impl Iterator<Item = &'static CommandSpec> {
    TABLES.iter().copied().flatten().chain(plain::COMMANDS.iter())
}

/// The commands of a group; without a name, those in no group.
pub(super) fn inside(group: &str) -> impl Iterator<Item = &'static CommandSpec> {
    every().filter(move |spec| spec.group == group)
}

/// The names of the commands of a group, or of all that can come first.
pub(super) fn names(group: &str) -> Vec<&'static str> {
    let groups = GROUPS.iter().filter(|_| group.is_empty());
    inside(group).map(|spec| spec.name).chain(groups.map(|group| group.name)).collect()
}

/// Finds a command of a group, or of none, by any of its names. A `_` is as good as a `-`.
pub(crate) fn find(group: &str, name: &str) -> Option<&'static CommandSpec> {
    let dashed = name.replace('_', "-");
    let is_named = |spec: &&CommandSpec| spec.name == dashed || spec.synonyms.contains(&dashed.as_str());
    inside(group).find(is_named).or_else(|| by_action(&dashed).filter(|_| group.is_empty()))
}

pub(crate) fn find_group(name: &str) -> Option<&'static GroupSpec> {
    GROUPS.iter().find(|group| group.name == name || group.synonyms.contains(&name))
}

/// The command of the action that has this type or alias, written with dashes.
fn by_action(dashed: &str) -> Option<&'static CommandSpec> {
    let written = dashed.replace('-', "_");
    let is_named =
        |action: &&ActionSpec| action.name == written || action.aliases.contains(&written.as_str());
    let path = CATALOGUE.iter().find(is_named)?.commands.first()?;
    every().find(|spec| spec.path() == **path)
}

/// The other names of a command: its synonyms, then the types and aliases of
/// its action that no other command has.
pub(super) fn synonyms(spec: &CommandSpec) -> Vec<String> {
    let mut names: Vec<String> = spec.synonyms.iter().map(|name| (*name).to_owned()).collect();
    if !spec.group.is_empty() {
        return names;
    }
    let types = CATALOGUE.iter().flat_map(|action| std::iter::once(&action.name).chain(action.aliases));
    for name in types.map(|name| name.replace('_', "-")) {
        let is_ours = find("", &name).is_some_and(|found| found.command == spec.command);
        if is_ours && name != spec.name && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

pub(super) fn flags_of(spec: &'static CommandSpec) -> impl Iterator<Item = &'static FlagSpec> {
    spec.local_flags().chain(flags::GLOBAL)
}

/// Every flag there is; a name can stand in several rows.
pub(super) fn every_flag() -> impl Iterator<Item = &'static FlagSpec> {
    flags::GLOBAL.iter().chain(every().flat_map(CommandSpec::local_flags))
}
