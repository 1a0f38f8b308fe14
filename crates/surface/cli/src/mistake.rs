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
    /// Tells whether it is reported before the command looks at its arguments.
    pub(super) fn is_fatal(&self) -> bool {
        match self {
            Self::Repeated(_) => false,
            Self::MissingValue { flag, .. } => flag.missing == ErrorCode::Usage,
            Self::NoCommand(_)
            | Self::UnknownCommand { .. }
            | Self::UnknownFlag { .. }
            | Self::FlagBeforeCommand { .. }
            | Self::TakesNoValue { .. }
            | Self::UnexpectedArgument { .. }
            | Self::NotUtf8
            | Self::NotOneOf { .. } => true,
        }
    }
}

impl From<Mistake> for Failure {
    fn from(mistake: Mistake) -> Self {
        let usage = |message: String| Self::new(ErrorCode::Usage, message);
        match mistake {
            Mistake::NoCommand(group) => {
                let what = group.map_or("no command was given".to_owned(), |group| {
                    format!("{} needs a command", group.name)
                });
                usage(what).hint(see(&full(group, "")))
            }
            #[cfg(not(feature = "sim"))]
            Mistake::UnknownCommand { group: None, name } if name == "sim" => sim_not_built(),
            Mistake::UnknownCommand { group, name } => {
                let known = commands::names(group.map_or("", |group| group.name));
                let meant = nearest(&name, known).map(|name| full(group, name));
                let message = format!("unknown command \"{}\"", full(group, &text::excerpt(&name)));
                suggesting(Self::new(ErrorCode::UnknownCommand, message), meant, &see(&full(group, "")))
            }
            Mistake::UnknownFlag { name, command } => unknown_flag(&name, command),
            Mistake::FlagBeforeCommand { name, command } => {
                let path = command.path();
                about(&name, usage(format!("{name} must come after {path}")))
                    .hint(format!("Write clawperator {path} {name} …"))
            }
            Mistake::MissingValue { flag, name } => {
                let (what, how) = match flag.takes {
                    Takes::Two(x, y) => (format!("two values ({x} and {y})"), format!("{name} {x} {y}")),
                    Takes::Nothing | Takes::One(_) | Takes::Maybe(_) | Takes::Several(_) => {
                        ("a value".to_owned(), format!("{name}=VALUE if the value is itself a flag"))
                    }
                };
                about(&name, Self::new(flag.missing, format!("{name} requires {what}")))
                    .hint(format!("Write {how}."))
            }
            Mistake::TakesNoValue { name } => about(&name, usage(format!("{name} takes no value"))),
            Mistake::Repeated(names) => {
                let message = match &names[..] {
                    [name] => format!("{name} must not appear more than once"),
                    _ => format!("{} are one flag: give one of them", names.join(" and ")),
                };
                let failure = Self::new(ErrorCode::ExecutionValidationFailed, message);
                about(names.last().map_or("", String::as_str), failure)
            }
            Mistake::UnexpectedArgument { argument, command } => {
                let see = see(&command.path());
                usage(format!("unexpected argument \"{}\"", text::excerpt(&argument)))
                    .hint(format!("Put a text with spaces in quotes. {see}"))
            }
            Mistake::NotUtf8 => usage("an argument is not valid UTF-8".to_owned())
                .hint("Write it in UTF-8. Only the name of a payload's file may be other bytes."),
            Mistake::NotOneOf { name, value, words } => {
                let (last, others) = words.split_last().unwrap_or((&"", &[]));
                let (others, shown) = (others.join(", "), text::excerpt(&value));
                let message = format!("{name} must be {others} or {last}, not \"{shown}\"");
                let meant = nearest(&value, words.iter().copied()).map(str::to_owned);
                suggesting(about(&name, usage(message)), meant, "")
            }
        }
    }
}

fn unknown_flag(name: &str, command: Option<&'static CommandSpec>) -> Failure {
    let shown = text::excerpt(name);
    let (message, path, flags): (_, _, Vec<_>) = match command {
        Some(command) => {
            let path = command.path();
            (format!("{path} has no flag {shown}"), path, commands::flags_of(command).collect())
        }
        None => (format!("unknown flag {shown}"), String::new(), commands::every_flag().collect()),
    };
    let known = flags.into_iter().flat_map(FlagSpec::names).chain(["help", "version"]);
    let meant = nearest(name.trim_start_matches('-'), known).map(|name| format!("--{name}"));
    suggesting(Failure::new(ErrorCode::Usage, message), meant, &see(&path))
}

/// A failure about a flag, by the name that was typed.
fn about(name: &str, failure: Failure) -> Failure {
    failure.with(|details| details.flag = Some(name.to_owned()))
}

fn suggesting(mut failure: Failure, suggestion: Option<String>, hint: &str) -> Failure {
    let question = suggestion.as_ref().map(|meant| format!("Did you mean {meant}? "));
    let hint = format!("{}{hint}", question.unwrap_or_default());
    failure.suggestion = suggestion;
    match hint.trim_end() {
        "" => failure,
        hint => failure.hint(hint),
    }
}

fn see(path: &str) -> String {
    format!("Run {} --help.", format!("clawperator {path}").trim_end())
}

/// A word after the name of its group.
fn full(group: Option<&'static GroupSpec>, word: &str) -> String {
    let group = group.map_or("", |group| group.name);
    format!("{group} {word}").trim().to_owned()
}

/// The error for anything that needs a simulated phone, in a build without them.
#[cfg(not(feature = "sim"))]
pub(super) fn sim_not_built() -> Failure {
    Failure::of(ErrorCode::SimNotBuilt, "this build of clawperator has no simulated phone")
}
