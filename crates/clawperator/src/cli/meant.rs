//! What a misspelt name was meant to be.

use super::command::{self, CommandSpec};
use super::flag::{FlagSpec, Takes};
use super::named::Line;
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
    const BEGUN: usize = 3;
    let begun = begun(&word, names.iter().map(|(name, _)| *name));
    if let Some(begun) = begun.filter(|_| length >= BEGUN) {
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

/// The only name that begins with a word.
fn begun(word: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let mut begun = names.filter(|name| name.starts_with(word));
    let only = begun.next()?;
    begun.next().is_none().then_some(only)
}

/// Names that flags have elsewhere, and what they are called here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("contains", "text-contains"),
    ("description", "desc"),
    ("duration", "timeout"),
    ("enter", "submit"),
    ("file", "path"),
    ("out", "path"),
    ("package", "app"),
    ("point", "coordinate"),
    ("serial", "device"),
    ("xy", "coordinate"),
];

/// The flag, of the line's command or of any, that a misspelt one was meant to
/// be; none that is there already, and never the opposite. A single dash and a
/// letter or two stand for the shortest that begins so.
pub(super) fn flag(token: &str, line: &Line) -> Option<String> {
    // Fewer letters begin too many words by chance.
    const BEGUN: usize = 4;
    let name = token.trim_start_matches('-');
    let is_opposite =
        |known: &&str| known.strip_prefix("no-") == Some(name) || name.strip_prefix("no-") == Some(known);
    let names = || {
        let flags = command::flags_of(line.spec()).filter(|flag| line.spellings(flag).is_empty());
        let names = flags.flat_map(FlagSpec::names).chain(["help", "version"]);
        names.filter(|known| !is_opposite(known))
    };
    let short = token.len() - name.len() == 1;
    let begins = names().filter(|known| short && !name.is_empty() && known.starts_with(name));
    let begins = begins.min_by_key(|known| known.len());
    // What names a container elsewhere names an element here.
    let inner = name.strip_prefix("container-");
    let elsewhere = ELSEWHERE
        .iter()
        .filter(|(other, _)| *other == name && line.spec().is_some());
    let mut same = elsewhere.map(|(_, here)| *here).chain(inner);
    let same = same.find_map(|here| names().find(|known| *known == here));
    let found = begins
        .or(same)
        .or_else(|| text::closest(name, names()))
        .or_else(|| begun(name, names()).filter(|_| name.len() >= BEGUN))?;
    Some(format!("--{found}"))
}

/// A flag with the values that were most likely meant for it.
pub(super) struct Meant {
    pub(super) flag: &'static FlagSpec,
    pub(super) values: Vec<String>,
}

impl Meant {
    /// The advice to write it so, and the flag's name.
    pub(super) fn advice(&self) -> (String, String) {
        let name = format!("--{}", self.flag.name);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "@._:/-".contains(c);
        let is_text = self.flag.takes == Takes::One("TEXT");
        let values = self.values.iter().map(|value| match is_text {
            false if value.chars().all(is_plain) => value.clone(),
            _ => quoted(value),
        });
        let values: Vec<_> = values.collect();
        (format!("Did you mean {name} {}?", values.join(" ")), name)
    }
}

/// The flag that words without a place are most likely the value of. What is
/// too long to be shown whole is not worth an advice.
pub(super) fn value(words: &[&str], spec: &'static CommandSpec) -> Option<Meant> {
    let all = words.join(" ");
    if text::is_blank(&all) || text::excerpt(&all) != all {
        return None;
    }
    let is_whole = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_id_char = |c: char| c.is_ascii_alphanumeric() || "._:/-".contains(c);
    let name = match *words {
        [x, y] if is_whole(x) && is_whole(y) => "--coordinate",
        [word] if word.strip_prefix("@e").is_some_and(is_whole) => "--ref",
        [word] if word.contains(":id/") && word.chars().all(is_id_char) => "--id",
        [word] if word.starts_with('{') => "--selector",
        _ => "",
    };
    let (flag, values) = match command::flag_of(name, Some(spec)) {
        Some(flag) => (flag, words.iter().map(|word| (*word).to_owned()).collect()),
        None => (first_flag(spec)?, vec![all]),
    };
    Some(Meant { flag, values })
}

/// A command's first flag, which names what it is about. Where a text is typed,
/// another word is more likely part of that.
fn first_flag(spec: &'static CommandSpec) -> Option<&'static FlagSpec> {
    if spec.argument.is_some_and(|(name, _)| name == "TEXT") {
        return None;
    }
    let first = command::local_flags(spec).next()?;
    matches!(first.takes, Takes::One(_)).then_some(first)
}

/// A value as it is written in a shell.
pub(super) fn quoted(value: &str) -> String {
    if value.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", value.replace('\'', r"'\''"))
    } else {
        format!("\"{value}\"")
    }
}
