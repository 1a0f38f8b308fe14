//! What can be wrong with a command line, and how it is reported.

use super::commands;
use super::spec::{CommandSpec, FlagSpec, GroupSpec, Takes};
use super::suggest::nearest;
use clawperator_contract::{ErrorCode, Failure, text};

/// One thing that is wrong with a command line.
#[derive(Clone, Debug)]
pub(super) enum Mistake {
    /// No command is named, or only a group.
    NoCommand(Option<&'static GroupSpec>),
    UnknownCommand {
        group: Option<&'static GroupSpec>,
        name: String,
    },
    /// The command has no such flag; without a command, no command has.
    UnknownFlag {
        name: String,
        command: Option<&'static CommandSpec>,
    },
    /// A flag of the command stands before the command.
    FlagBeforeCommand {
        name: String,
        command: &'static CommandSpec,
    },
    MissingValue {
        flag: &'static FlagSpec,
        name: String,
    },
    TakesNoValue {
        name: String,
    },
    /// One flag was given more than once, by these names.
    Repeated(Vec<String>),
    UnexpectedArgument {
        argument: String,
        command: &'static CommandSpec,
    },
    NotUtf8,
    /// A flag's value is not one of its words.
    NotOneOf {
        name: String,
        value: String,
        words: Vec<&'static str>,
    },
}

impl Mistake {
    /// The code it is reported under.
    pub(super) fn code(&self) -> ErrorCode {
        match self {
            Self::UnknownCommand { .. } => ErrorCode::UnknownCommand,
            Self::MissingValue { flag, .. } => flag.missing,
            Self::Repeated(_) => ErrorCode::ExecutionValidationFailed,
            Self::NoCommand(_)
            | Self::UnknownFlag { .. }
            | Self::FlagBeforeCommand { .. }
            | Self::TakesNoValue { .. }
            | Self::UnexpectedArgument { .. }
            | Self::NotUtf8
            | Self::NotOneOf { .. } => ErrorCode::Usage,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::NoCommand(None) => "no command was given".to_owned(),
            Self::NoCommand(Some(group)) => format!("{} needs a command", group.name),
            Self::UnknownCommand { group, name } => {
                format!("unknown command \"{}\"", full(*group, &text::excerpt(name)))
            }
            Self::UnknownFlag { name, command } => match command {
                Some(command) => format!("{} has no flag {}", command.path(), text::excerpt(name)),
                None => format!("unknown flag {}", text::excerpt(name)),
            },
            Self::FlagBeforeCommand { name, command } => {
                format!("{name} must come after {}", command.path())
            }
            Self::MissingValue { flag, name } => match flag.takes {
                Takes::Two(first, second) => format!("{name} requires two values ({first} and {second})"),
                Takes::Nothing | Takes::One(_) | Takes::Several(_) => format!("{name} requires a value"),
            },
            Self::TakesNoValue { name } => format!("{name} takes no value"),
            Self::Repeated(names) => match &names[..] {
                [name] => format!("{name} must not appear more than once"),
                _ => format!("{} are one flag: give one of them", names.join(" and ")),
            },
            Self::UnexpectedArgument { argument, .. } => {
                format!("unexpected argument \"{}\"", text::excerpt(argument))
            }
            Self::NotUtf8 => "an argument is not valid UTF-8".to_owned(),
            Self::NotOneOf { name, value, words } => {
                let (last, others) = words.split_last().unwrap_or((&"", &[]));
                let known = format!("{} or {last}", others.join(", "));
                format!("{name} must be {known}, not \"{}\"", text::excerpt(value))
            }
        }
    }

    /// What to do about it.
    fn hint(&self) -> Option<String> {
        let see = |path: &str| format!("Run clawperator {path} --help to see what it takes.");
        Some(match self {
            Self::NoCommand(group) | Self::UnknownCommand { group, .. } => {
                let program = full(*group, "--help");
                format!("Run clawperator {program} to see the commands.")
            }
            Self::UnknownFlag { command, .. } => match command {
                Some(command) => see(&command.path()),
                None => "Run clawperator --help to see the commands and global flags.".to_owned(),
            },
            Self::FlagBeforeCommand { name, command } => {
                format!("Write clawperator {} {name} …", command.path())
            }
            Self::MissingValue { flag, name } => match flag.takes {
                Takes::Two(first, second) => format!("Write {name} {first} {second}."),
                _ => format!("Write {name}=VALUE if the value is itself a flag."),
            },
            Self::UnexpectedArgument { command, .. } => {
                format!("Put a text with spaces in quotes. {}", see(&command.path()))
            }
            Self::NotUtf8 => {
                "Write it in UTF-8. Only the name of a payload's file may be other bytes.".to_owned()
            }
            Self::TakesNoValue { .. } | Self::Repeated(_) | Self::NotOneOf { .. } => return None,
        })
    }

    /// The nearest thing that could be written instead.
    fn suggestion(&self) -> Option<String> {
        match self {
            Self::UnknownCommand { group, name } => {
                let known = commands::names(group.map_or("", |group| group.name));
                nearest(name, known).map(|name| full(*group, name))
            }
            Self::UnknownFlag { name, command } => {
                let flags: Vec<_> = match command {
                    Some(command) => commands::flags_of(command).collect(),
                    None => commands::every_flag().collect(),
                };
                let known = flags
                    .into_iter()
                    .flat_map(FlagSpec::names)
                    .chain(["help", "version"]);
                nearest(name.trim_start_matches('-'), known).map(|name| format!("--{name}"))
            }
            Self::NotOneOf { value, words, .. } => nearest(value, words.iter().copied()).map(str::to_owned),
            _ => None,
        }
    }

    /// The flag it is about, as it was typed.
    fn flag(&self) -> Option<String> {
        match self {
            Self::FlagBeforeCommand { name, .. }
            | Self::MissingValue { name, .. }
            | Self::TakesNoValue { name }
            | Self::NotOneOf { name, .. } => Some(name.clone()),
            Self::Repeated(names) => names.last().cloned(),
            Self::NoCommand(_)
            | Self::UnknownCommand { .. }
            | Self::UnknownFlag { .. }
            | Self::UnexpectedArgument { .. }
            | Self::NotUtf8 => None,
        }
    }
}

impl From<Mistake> for Failure {
    fn from(mistake: Mistake) -> Self {
        let suggestion = mistake.suggestion();
        let question = suggestion.as_ref().map(|meant| format!("Did you mean {meant}?"));
        let hint: Vec<String> = question.into_iter().chain(mistake.hint()).collect();
        let mut failure = Self::new(mistake.code(), mistake.message());
        if !hint.is_empty() {
            failure = failure.hint(hint.join(" "));
        }
        failure.suggestion = suggestion;
        match mistake.flag() {
            Some(flag) => failure.with(|details| details.flag = Some(flag)),
            None => failure,
        }
    }
}

/// A word after the name of its group.
fn full(group: Option<&'static GroupSpec>, word: &str) -> String {
    match group {
        Some(group) => format!("{} {word}", group.name),
        None => word.to_owned(),
    }
}
