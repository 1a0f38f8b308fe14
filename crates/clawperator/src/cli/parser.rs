//! Reads a command line with clap, which is built from our tables, and turns
//! clap's errors into ours.

use super::Colour;
use super::command::{self, COMMANDS, CommandSpec};
use super::flag::{self, FlagSpec, Takes};
use super::given::{ARGUMENT, Given, flag_failure};
use super::output::Format;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};
use clawperator_contract::{ErrorCode, Failure, text};
use std::ffi::OsString;

/// What a command line asks for.
#[derive(Debug)]
pub(crate) enum Parsed {
    /// A text to print: help or the version.
    Text(StyledText),
    /// A command to run.
    Command(Given),
}

/// A text that can be coloured.
#[derive(Debug)]
pub(crate) struct StyledText(clap::builder::StyledStr);

impl StyledText {
    pub(crate) fn render(&self, colour: Colour) -> String {
        match colour {
            Colour::Always => self.0.ansi().to_string(),
            Colour::Never => self.0.to_string(),
        }
    }
}

/// Reads a command line, the program's name included.
pub(crate) fn parse(args: Vec<OsString>) -> Result<Parsed, Failure> {
    if args.len() < 2 {
        return Ok(Parsed::Text(StyledText(program().render_long_help())));
    }
    let spec = command_of(&args);
    let args = arrange(args, spec);
    match program().try_get_matches_from(args) {
        Ok(mut matches) => {
            let Some((name, matches)) = matches.remove_subcommand() else {
                let message = "no command was given";
                return Err(
                    Failure::new(ErrorCode::Usage, message).hint(ErrorCode::UnknownCommand.row().hint)
                );
            };
            // Clap knows no command that is not in the table.
            let Some(spec) = command::find(&name) else {
                return Err(Failure::new(
                    ErrorCode::InternalError,
                    format!("{name} has no row"),
                ));
            };
            let format = Format::chosen(&matches)?;
            if matches
                .get_one::<String>("device")
                .is_some_and(|serial| text::is_blank(serial))
            {
                return Err(flag_failure(
                    ErrorCode::Usage,
                    "device",
                    "--device requires a value",
                ));
            }
            Ok(Parsed::Command(Given {
                spec,
                matches,
                format,
            }))
        }
        Err(error) => explain(&error, spec),
    }
}

/// The whole program, for parsing, help, completions and manual pages.
pub(crate) fn program() -> Command {
    Command::new("clawperator")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A deterministic Android actuator for AI agents.")
        .long_about(
            "A deterministic Android actuator for AI agents. It checks an explicit JSON execution \
             completely, runs it on one phone, and returns one structured envelope.",
        )
        .after_help(
            "Results and errors are JSON on standard output. The exit code is 0 on success and 1 on any \
             failure.\nRun clawperator COMMAND --help for a command's flags and examples.",
        )
        .disable_help_flag(true)
        .arg(
            Arg::new("help")
                .long("help")
                .short('h')
                .action(ArgAction::Help)
                .global(true)
                .help_heading("Global options")
                .help("Print help."),
        )
        .disable_version_flag(true)
        .arg(
            Arg::new("version")
                .long("version")
                .short('V')
                .action(ArgAction::Version)
                .help_heading("Global options")
                .help("Print the version."),
        )
        .args(flag::GLOBAL.iter().map(|flag| {
            argument_of(flag)
                .global(true)
                .overrides_with(flag.name)
                .help_heading("Global options")
        }))
        .subcommands(COMMANDS.iter().map(subcommand))
}

fn subcommand(spec: &CommandSpec) -> Command {
    let examples = spec
        .examples
        .iter()
        .map(|line| format!("  {line}\n"))
        .collect::<String>();
    let mut command = Command::new(spec.name)
        .visible_aliases(spec.synonyms.iter().copied())
        .about(spec.about)
        .after_help(format!("Examples:\n{examples}"));
    if !spec.details.is_empty() {
        command = command.long_about(format!("{}\n\n{}", spec.about, spec.details));
    }
    if let Some((name, doc)) = spec.argument {
        let argument = Arg::new(ARGUMENT)
            .value_name(name)
            .help(doc)
            .allow_negative_numbers(true);
        command = command.arg(argument);
    }
    for (heading, flags) in spec.flags {
        command = command.args(flags.iter().map(|flag| argument_of(flag).help_heading(*heading)));
    }
    command
}

fn argument_of(flag: &FlagSpec) -> Arg {
    let arg = Arg::new(flag.name)
        .long(flag.name)
        .visible_aliases(flag.aliases.iter().copied())
        .help(flag.doc);
    match flag.takes {
        // Saying it twice means it no less.
        Takes::Nothing => arg.action(ArgAction::SetTrue).overrides_with(flag.name),
        Takes::One(value) => arg.value_name(value).action(ArgAction::Set),
        Takes::Two(first, second) => arg
            .value_names([first, second])
            .num_args(2)
            .action(ArgAction::Set)
            .allow_negative_numbers(true),
    }
}

fn every_flag() -> impl Iterator<Item = &'static FlagSpec> {
    flag::GLOBAL.iter().chain(COMMANDS.iter().flat_map(local_flags))
}

fn local_flags(spec: &'static CommandSpec) -> impl Iterator<Item = &'static FlagSpec> {
    spec.flags.iter().flat_map(|(_, flags)| *flags)
}

/// The flags that a command takes; without a command, every flag there is.
fn flags_of(spec: Option<&'static CommandSpec>) -> Box<dyn Iterator<Item = &'static FlagSpec>> {
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
fn flag_of(token: &str, spec: Option<&'static CommandSpec>) -> Option<&'static FlagSpec> {
    let name = token.strip_prefix("--")?;
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    flags_of(spec).find(|flag| flag.names().any(|known| known == name))
}

/// Arranges a line so that clap reads what starts with a dash as we mean it.
///
/// A flag and a value with a dash are joined, so that `--text -18` means what
/// it says; a token that is itself a flag is no value: `--text --json` lacks
/// one, and `--text=--json` is how to say it all the same. A token with a single
/// dash is no flag of ours (but for `-h` and `-V`), so it is an argument, and
/// arguments with dashes stand at the end, behind `--`.
fn arrange(args: Vec<OsString>, spec: Option<&'static CommandSpec>) -> Vec<OsString> {
    let mut front: Vec<OsString> = Vec::with_capacity(args.len() + 1);
    let mut behind: Option<Vec<OsString>> = None;
    let mut args = args.into_iter().peekable();
    while let Some(token) = args.next() {
        if token == "--" {
            behind.get_or_insert_default().extend(args);
            break;
        }
        let word = token.to_str().unwrap_or_default();
        let takes = flag_of(word, spec)
            .filter(|_| !word.contains('='))
            .map(|flag| flag.takes);
        let is_value = |next: &OsString| next.to_str().is_some_and(|next| is_dashed_value(next, spec));
        match takes {
            Some(Takes::One(_)) => match args.next_if(is_value) {
                Some(value) => front.push([token, value].join(&OsString::from("="))),
                None => front.push(token),
            },
            Some(Takes::Two(..)) => {
                front.push(token);
                front.extend(args.next_if(is_value));
                front.extend(args.next_if(is_value));
            }
            None if is_argument(word) => behind.get_or_insert_default().push(token),
            Some(Takes::Nothing) | None => front.push(token),
        }
    }
    if let Some(behind) = behind {
        front.push("--".into());
        front.extend(behind);
    }
    front
}

/// Tells whether a token that starts with a dash can only be a flag's value.
fn is_dashed_value(token: &str, spec: Option<&'static CommandSpec>) -> bool {
    let dashed = token.len() > 1 && token.starts_with('-') && token != "--";
    dashed && flag_of(token, spec).is_none() && !["--help", "--version"].contains(&token)
}

/// Tells whether a token that starts with a dash can only be an argument.
fn is_argument(token: &str) -> bool {
    let single = token.starts_with('-') && !token.starts_with("--");
    single && !["-", "-h", "-V"].contains(&token)
}

/// Says what clap complains of in our words and under our codes.
fn explain(error: &clap::Error, spec: Option<&'static CommandSpec>) -> Result<Parsed, Failure> {
    let context = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(list)) => list.first().cloned(),
        _ => None,
    };
    let invalid = context(ContextKind::InvalidArg).unwrap_or_default();
    let token = invalid.split([' ', '=']).next().unwrap_or_default();
    let flag = flag_of(token, spec);
    let named = |failure: Failure| failure.with(|details| details.flag = Some(token.to_owned()));
    Err(match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            return Ok(Parsed::Text(StyledText(error.render())));
        }
        ErrorKind::InvalidSubcommand => {
            unknown_command(&context(ContextKind::InvalidSubcommand).unwrap_or_default())
        }
        ErrorKind::UnknownArgument => unknown_argument(token, spec),
        // A value is missing, or one of two is.
        ErrorKind::InvalidValue | ErrorKind::WrongNumberOfValues | ErrorKind::TooFewValues => {
            let code = flag.map_or(ErrorCode::Usage, |flag| flag.missing);
            let failure = |wanted: &str| named(Failure::new(code, format!("{token} requires {wanted}")));
            match flag.map(|flag| flag.takes) {
                Some(Takes::Two(first, second)) => failure(&format!("two values ({first} and {second})")),
                _ => failure("a value").hint(format!("Write {token}=VALUE if the value is itself a flag.")),
            }
        }
        ErrorKind::ArgumentConflict => {
            let message = format!("{token} must not appear more than once");
            named(Failure::new(ErrorCode::ExecutionValidationFailed, message))
        }
        ErrorKind::TooManyValues => {
            let message = format!("{token} takes no value");
            named(Failure::new(ErrorCode::Usage, message))
        }
        ErrorKind::InvalidUtf8 => {
            let message = "an argument is not valid UTF-8";
            Failure::new(ErrorCode::Usage, message).hint("Pass the payload as a file or on standard input.")
        }
        _ => Failure::new(ErrorCode::Usage, first_line(&error.render().to_string())),
    })
}

/// The command that a command line names, whatever else is wrong with it.
fn command_of(args: &[OsString]) -> Option<&'static CommandSpec> {
    let mut words = args.iter().skip(1).filter_map(|token| token.to_str());
    while let Some(word) = words.next() {
        match flag_of(word, None) {
            Some(flag) if matches!(flag.takes, Takes::One(_)) && !word.contains('=') => {
                words.next();
            }
            None if !word.starts_with('-') => return command::find(word),
            Some(_) | None => {}
        }
    }
    None
}

fn unknown_command(name: &str) -> Failure {
    let known = COMMANDS
        .iter()
        .flat_map(|spec| spec.synonyms.iter().chain([&spec.name]).copied());
    let suggestion = text::closest(name, known).map(str::to_owned);
    let row = ErrorCode::UnknownCommand.row();
    let hint = match &suggestion {
        Some(meant) => format!("Did you mean \"{meant}\"? {}", row.hint),
        None => row.hint.to_owned(),
    };
    let message = format!("there is no command \"{}\"", text::excerpt(name));
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
    let meant = name.and_then(|name| text::closest(name, flags_of(spec).flat_map(FlagSpec::names)));
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
