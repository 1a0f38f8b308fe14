//! What a misspelt name was meant to be.

use super::command::{self, CommandSpec};
use super::flag::FlagSpec;
use clawperator_contract::text;

/// A group of commands that was there once.
#[derive(Debug)]
pub(super) struct Removed {
    name: &'static str,
    /// Each of its commands, and what it is called now.
    pub(super) commands: &'static [(&'static str, &'static str)],
}

/// The groups that were there before commands became flat.
const REMOVED: &[Removed] = &[
    Removed {
        name: "action",
        commands: &[
            ("click", "click"),
            ("open-app", "open"),
            ("open-uri", "open"),
            ("type", "type"),
            ("read", "read"),
            ("wait", "wait"),
            ("press-key", "press"),
        ],
    },
    Removed {
        name: "observe",
        commands: &[("snapshot", "snapshot"), ("screenshot", "screenshot")],
    },
    Removed {
        name: "inspect",
        commands: &[("ui", "snapshot")],
    },
];

/// The group of that name that was there once, and what the command that was
/// asked of it is called now.
pub(super) fn removed(name: &str, asked: Option<&str>) -> Option<(&'static Removed, Option<&'static str>)> {
    let removed = REMOVED.iter().find(|removed| removed.name == name)?;
    let now = removed.commands.iter().find(|(old, _)| asked == Some(*old));
    Some((removed, now.map(|(_, now)| *now)))
}

/// The command of a group, or of none, that a misspelt name was meant to be: the
/// only one that begins so, or the one it is nearest to. At most half of it may
/// be wrong; names come before synonyms, then the alphabet decides.
pub(super) fn command(word: &str, group: &str) -> Option<&'static str> {
    const LONGEST: usize = 64;
    const ALWAYS_FORGIVEN: usize = 2;
    let length = word.chars().count();
    if length > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    let groups = command::GROUPS.iter().filter(|_| group.is_empty());
    let specs = command::every().filter(|spec| spec.group == group);
    let names = specs
        .map(|spec| (spec.name, spec.synonyms))
        .chain(groups.map(|group| (group.name, group.synonyms)));
    let names: Vec<_> = names.collect();
    if let Some(begun) = begun(&word, names.iter().map(|(name, _)| *name)) {
        return Some(begun);
    }
    names
        .into_iter()
        .flat_map(|(name, synonyms)| std::iter::once((0, name)).chain(synonyms.iter().map(|name| (1, *name))))
        .map(|(rank, name)| (text::edits(&word, name), rank, name))
        .filter(|(edits, ..)| *edits <= ALWAYS_FORGIVEN.max(length / 2))
        .min()
        .map(|(.., name)| name)
}

/// The only name that begins with a word; a letter or two say too little.
fn begun(word: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    const ENOUGH: usize = 3;
    let mut begun = names.filter(|name| word.len() >= ENOUGH && name.starts_with(word));
    let only = begun.next()?;
    begun.next().is_none().then_some(only)
}

/// The flag, of a command or of any, that a misspelt one was meant to be.
/// A single dash and a letter or two stand for the shortest that begins so.
pub(super) fn flag(token: &str, spec: Option<&'static CommandSpec>) -> Option<String> {
    let name = token.trim_start_matches('-');
    let own = ["help", "version"];
    let names = || command::flags_of(spec).flat_map(FlagSpec::names).chain(own);
    let short = token.len() - name.len() == 1;
    let begins = names().filter(|known| short && !name.is_empty() && known.starts_with(name));
    let begins = begins.min_by_key(|known| known.len());
    // What names a container elsewhere names an element here.
    let inner = name.strip_prefix("container-");
    let same = names().find(|known| inner == Some(*known));
    let found = begins
        .or(same)
        .or_else(|| text::closest(name, names()))
        .or_else(|| begun(name, names()))?;
    Some(format!("--{found}"))
}
