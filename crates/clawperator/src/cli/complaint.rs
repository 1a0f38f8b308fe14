//! Turns clap's errors into ours.

use super::arrange::has_views;
use super::command::{self, CommandSpec};
use super::flag::Takes;
use super::meant;
use super::named::Line;
use super::output::Format;
use super::parser::{Parsed, StyledText};
use super::stray;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clawperator_contract::{ErrorCode, Failure, ViewStyle, text};
use std::ffi::OsString;

/// Says what clap complains of in our words and under our codes. The line is
/// what was typed; what clap was given is arranged.
pub(super) fn explain(error: &clap::Error, line: &Line, arranged: Vec<OsString>) -> Result<Parsed, Failure> {
    let context = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(list)) => list.first().cloned(),
        _ => None,
    };
    let invalid = context(ContextKind::InvalidArg).unwrap_or_default();
    let token = invalid.split([' ', '=']).next().unwrap_or_default();
    let failure = match (error.kind(), line.unknown()) {
        (ErrorKind::DisplayHelp | ErrorKind::DisplayVersion, _) => {
            return Ok(Parsed::Text(StyledText(error.render())));
        }
        (ErrorKind::InvalidUtf8, _) => Failure::new(ErrorCode::Usage, "an argument is not valid UTF-8")
            .hint("Write it in UTF-8. Only the name of a payload's file may be anything else."),
        (_, Some((name, _))) if text::is_blank(name) => no_command(line.named.group()),
        // What follows a misspelt flag may well be its value.
        (ErrorKind::UnknownArgument, Some(_)) if is_misspelt(token, line) => without_command(token, line),
        // A command that is not there is the first thing to say, whatever
        // flags stand around it.
        (_, Some((name, next))) if name != "help" => unknown_command((name, next), line.named.group()),
        (ErrorKind::InvalidSubcommand, _) => {
            let name = context(ContextKind::InvalidSubcommand).unwrap_or_default();
            unknown_command((&name, None), line.named.group())
        }
        (ErrorKind::UnknownArgument, _) => match line.spec() {
            Some(spec) => stray::judge(&invalid, (spec, line), arranged),
            None => without_command(token, line),
        },
        (kind, _) => match about_flag(kind, (token, line)) {
            Some(complaint) => in_order(complaint, line, arranged),
            None => Failure::of(ErrorCode::Usage, first_line(&error.render().to_string())),
        },
    };
    Err(failure)
}

/// What is wrong with a flag that the command has, by the name it was given.
fn about_flag(kind: ErrorKind, (token, line): (&str, &Line)) -> Option<Failure> {
    let flag = command::flag_of(token, line.spec());
    let spellings = flag.map(|flag| line.spellings(flag)).unwrap_or_default();
    let typed = spellings.last().copied().unwrap_or(token);
    let failure = |code: ErrorCode, message: String| {
        Failure::new(code, message).with(|details| details.flag = Some(typed.to_owned()))
    };
    Some(match kind {
        // A value is missing, or one of two is.
        ErrorKind::InvalidValue | ErrorKind::WrongNumberOfValues | ErrorKind::TooFewValues => {
            let code = flag.map_or(ErrorCode::Usage, |flag| flag.missing);
            match flag.map(|flag| flag.takes) {
                Some(Takes::Two(first, second)) => failure(
                    code,
                    format!("{typed} requires two values ({first} and {second})"),
                ),
                _ => failure(code, format!("{typed} requires a value"))
                    .hint(format!("Write {typed}=VALUE if the value is itself a flag.")),
            }
        }
        ErrorKind::ArgumentConflict => {
            let message = match spellings[..] {
                [] | [_] => format!("{typed} must not appear more than once"),
                _ => format!("{} are one flag: give one of them", spellings.join(" and ")),
            };
            failure(ErrorCode::ExecutionValidationFailed, message)
        }
        ErrorKind::TooManyValues => failure(ErrorCode::Usage, format!("{typed} takes no value")),
        _ => return None,
    })
}

/// What is said of a line on which a flag lacks its value or is there twice:
/// what the builder looks at before that flag comes first.
fn in_order(complaint: Failure, line: &Line, arranged: Vec<OsString>) -> Failure {
    let flag = |failure: &Failure| failure.details.as_ref()?.flag.clone();
    // A line that cannot be read is never asked about.
    let spec = line.spec().filter(|_| complaint.code != ErrorCode::Usage);
    let said = spec.and_then(|spec| stray::ask(spec, line, arranged).failure);
    said.filter(|said| said.code != complaint.code && flag(said) != flag(&complaint))
        .unwrap_or(complaint)
}

/// A way to print that there is not.
pub(super) fn no_format(word: &str, line: &Line) -> Failure {
    let row = command::flag_of("--output", line.spec());
    let spellings = row.map(|row| line.spellings(row)).unwrap_or_default();
    let typed = spellings.last().copied().unwrap_or("--output");
    let views = line.spec().filter(|spec| typed == "--format" && has_views(spec));
    let views = views.map_or(&[][..], |_| ViewStyle::WORDS);
    let formats = Format::WORDS.iter().filter(|word| !views.contains(word));
    let known: Vec<&str> = views.iter().chain(formats).copied().collect();
    let (last, others) = known.split_last().unwrap_or((&"", &[]));
    let shown = text::excerpt(word);
    let message = format!("{typed} must be {} or {last}, not \"{shown}\"", others.join(", "));
    let mut failure = Failure::new(ErrorCode::Usage, message);
    failure.suggestion = text::closest(word, known).map(str::to_owned);
    failure.with(|details| details.flag = Some(typed.to_owned()))
}

/// A flag that belongs behind the command it stands before.
pub(super) fn misplaced(flag: &str, line: &Line) -> Failure {
    let name = line.spec().map(CommandSpec::path).unwrap_or_default();
    Failure::new(ErrorCode::Usage, format!("{flag} stands before the command"))
        .hint(format!("Write it behind: clawperator {name} {flag} …"))
        .with(|details| details.flag = Some(flag.to_owned()))
}

/// Whether it is a flag of no command, which the word behind it may belong to.
fn is_misspelt(token: &str, line: &Line) -> bool {
    let is_before = || line.before_unknown() == Some(token);
    token.starts_with("--")
        && command::flag_of(token, None).is_none()
        && (is_before() || meant::flag(token, line).is_some())
}

/// A flag on a line without a command.
fn without_command(token: &str, line: &Line) -> Failure {
    if command::flag_of(token, None).is_some() {
        let message = format!("there is no command for {}", text::excerpt(token));
        return Failure::new(ErrorCode::Usage, message).hint(help_hint(""));
    }
    if !token.starts_with('-') {
        let group = line.named.group();
        return stray::advised(no_command(group), "Nothing is a command behind --.", None);
    }
    stray::no_flag(token, line)
}

/// A line without a command.
pub(super) fn no_command(group: &str) -> Failure {
    Failure::new(ErrorCode::Usage, "no command was given").hint(help_hint(group))
}

fn unknown_command((name, next): (&str, Option<&str>), group: &str) -> Failure {
    let full = |name: &str| format!("{group} {name}").trim_start().to_owned();
    if let Some((removed, replacement)) = meant::removed(name, next).filter(|_| group.is_empty()) {
        return removed_command(removed, (name, next), replacement);
    }
    let suggestion = meant::command(name, group).map(full);
    let hint = match &suggestion {
        Some(meant) => format!("Did you mean \"{meant}\"? {}", help_hint(group)),
        None => help_hint(group),
    };
    let message = format!("there is no command \"{}\"", full(&text::excerpt(name)));
    let mut failure = Failure::new(ErrorCode::UnknownCommand, message).hint(hint);
    failure.suggestion = suggestion;
    failure
}

/// A command that there was once.
fn removed_command(
    removed: &meant::Removed,
    (name, next): (&str, Option<&str>),
    replacement: Option<&'static str>,
) -> Failure {
    let code = ErrorCode::UnknownCommand;
    let Some((next, replacement)) = next.zip(replacement) else {
        let known: Vec<_> = removed
            .commands
            .iter()
            .map(|(old, new)| format!("\"{name} {old}\" is \"{new}\" now"))
            .collect();
        let message = format!("the commands of \"{name}\" have moved");
        return Failure::new(code, message).hint(format!("{}.", known.join(", ")));
    };
    let message = format!("\"{name} {next}\" has moved: it is \"{replacement}\" now");
    let hint = format!("Run clawperator {replacement} --help to see its flags.");
    let mut failure = Failure::new(code, message).hint(hint);
    failure.suggestion = Some(replacement.to_owned());
    failure
}

fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

/// Where to see the commands there are.
fn help_hint(group: &str) -> String {
    let program = format!("clawperator {group}");
    format!("Run {} --help to see the commands.", program.trim_end())
}
