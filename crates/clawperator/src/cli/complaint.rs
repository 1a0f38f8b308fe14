//! Turns clap's errors into ours.

use super::command::{self, CommandSpec};
use super::flag::{FlagSpec, Takes};
use super::named::Named;
use super::parser::{Parsed, StyledText};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clawperator_contract::{ErrorCode, Failure, text};

/// Says what clap complains of in our words and under our codes.
pub(super) fn explain(error: &clap::Error, named: Named) -> Result<Parsed, Failure> {
    let spec = named.spec();
    let context = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(list)) => list.first().cloned(),
        _ => None,
    };
    let invalid = context(ContextKind::InvalidArg).unwrap_or_default();
    let token = invalid.split([' ', '=']).next().unwrap_or_default();
    let flag = command::flag_of(token, spec);
    let blamed = |failure: Failure| failure.with(|details| details.flag = Some(token.to_owned()));
    Err(match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            return Ok(Parsed::Text(StyledText(error.render())));
        }
        ErrorKind::InvalidSubcommand => {
            let name = context(ContextKind::InvalidSubcommand).unwrap_or_default();
            unknown_command(&name, named.group())
        }
        ErrorKind::UnknownArgument => unknown_argument(token, spec),
        // A value is missing, or one of two is.
        ErrorKind::InvalidValue | ErrorKind::WrongNumberOfValues | ErrorKind::TooFewValues => {
            let code = flag.map_or(ErrorCode::Usage, |flag| flag.missing);
            let failure = |wanted: &str| blamed(Failure::new(code, format!("{token} requires {wanted}")));
            match flag.map(|flag| flag.takes) {
                Some(Takes::Two(first, second)) => failure(&format!("two values ({first} and {second})")),
                _ => failure("a value").hint(format!("Write {token}=VALUE if the value is itself a flag.")),
            }
        }
        ErrorKind::ArgumentConflict => {
            let message = format!("{token} must not appear more than once");
            blamed(Failure::new(ErrorCode::ExecutionValidationFailed, message))
        }
        ErrorKind::TooManyValues => {
            let message = format!("{token} takes no value");
            blamed(Failure::new(ErrorCode::Usage, message))
        }
        ErrorKind::InvalidUtf8 => {
            let message = "an argument is not valid UTF-8";
            Failure::new(ErrorCode::Usage, message).hint("Pass the payload as a file or on standard input.")
        }
        _ => Failure::new(ErrorCode::Usage, first_line(&error.render().to_string())),
    })
}

fn unknown_command(name: &str, group: &str) -> Failure {
    let full = |name: &str| format!("{group} {name}").trim_start().to_owned();
    let groups = command::GROUPS.iter().map(|group| group.name);
    let known = command::every()
        .filter(|spec| spec.group == group)
        .flat_map(|spec| spec.synonyms.iter().chain([&spec.name]).copied())
        .chain(groups.filter(|_| group.is_empty()));
    let suggestion = text::closest(name, known).map(full);
    let row = ErrorCode::UnknownCommand.row();
    let hint = match &suggestion {
        Some(meant) => format!("Did you mean \"{meant}\"? {}", help_hint(group)),
        None => help_hint(group),
    };
    let message = format!("there is no command \"{}\"", full(&text::excerpt(name)));
    let mut failure = Failure::new(row.code, message).hint(hint);
    failure.suggestion = suggestion;
    failure
}

fn unknown_argument(token: &str, spec: Option<&'static CommandSpec>) -> Failure {
    let shown = text::excerpt(token);
    let name = token.strip_prefix("--");
    let message = match name {
        Some(_) => format!("there is no flag {shown} here"),
        None => format!("there is no place for the argument \"{shown}\" here"),
    };
    let meant = name.and_then(|name| text::closest(name, command::flags_of(spec).flat_map(FlagSpec::names)));
    let suggestion = meant.map(|name| format!("--{name}"));
    let row = ErrorCode::Usage.row();
    let hint = match (&suggestion, spec.and_then(|spec| spec.argument)) {
        (Some(meant), _) => format!("Did you mean {meant}? {}", row.hint),
        (None, Some(_)) if name.is_some() => {
            format!("Put -- before an argument that starts with dashes. {}", row.hint)
        }
        (None, _) => row.hint.to_owned(),
    };
    let mut failure = Failure::new(row.code, message).hint(hint);
    failure.suggestion = suggestion;
    failure
}

fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

/// Where to see the commands there are.
pub(super) fn help_hint(group: &str) -> String {
    let program = format!("clawperator {group}");
    format!("Run {} --help to see the commands.", program.trim_end())
}
