//! Reads a command line with clap, which is built from our tables, and turns
//! clap's errors into ours.

use super::Colour;
use super::command::{self, CommandSpec, GroupSpec};
use super::flag::{self, FlagSpec, Takes};
use super::given::{ARGUMENT, Given, SECOND, flag_failure};
use super::output::Format;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};
use clawperator_contract::{ErrorCode, Failure, ViewStyle, text};
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
    let named = command_of(&args);
    if let (Named::Group(group), 2) = (named, args.len()) {
        let mut program = program();
        program.build();
        let help = program
            .find_subcommand_mut(group.name)
            .map(Command::render_long_help);
        return Ok(Parsed::Text(StyledText(help.unwrap_or_default())));
    }
    let args = arrange(view_format(args, named.spec()), named.spec());
    match program_with(named).try_get_matches_from(&args) {
        Ok(matches) => {
            let (spec, matches) = chosen(matches)?;
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
        Err(error) => explain(&error, named).map_err(|failure| beside_text(failure, named, args)),
    }
}

/// A text that is there is not missing: beside it, a `--text` without a value
/// is a mistake of another kind.
fn beside_text(failure: Failure, named: Named, args: Vec<OsString>) -> Failure {
    let flag = failure
        .details
        .as_ref()
        .and_then(|details| details.flag.as_deref());
    if failure.code != ErrorCode::MissingArgument || flag != Some("--text") {
        return failure;
    }
    let rest = program_with(named).ignore_errors(true).try_get_matches_from(args);
    let rest = rest.ok().and_then(|matches| chosen(matches).ok());
    if !rest.is_some_and(|(_, matches)| matches.contains_id(ARGUMENT)) {
        return failure;
    }
    Failure {
        code: ErrorCode::ExecutionValidationFailed,
        ..failure
    }
}

/// Where a command has views, `--format` names one of them; elsewhere it is
/// another word for `--output`, and so is what is no view. The view goes behind
/// the command's name, wherever it was written.
fn view_format(args: Vec<OsString>, spec: Option<&'static CommandSpec>) -> Vec<OsString> {
    if !spec.is_some_and(|spec| local_flags(spec).any(|flag| flag.name == "view")) {
        return args;
    }
    let is_view = |value: &&str| ViewStyle::from_any_case(value).is_some();
    let mut front: Vec<OsString> = Vec::with_capacity(args.len());
    let mut views: Vec<OsString> = Vec::new();
    let mut args = args.into_iter().peekable();
    while let Some(token) = args.next_if(|token| token != "--") {
        let word = token.to_str().unwrap_or_default();
        let joined = word.strip_prefix("--format=").filter(is_view);
        let next = args.peek().and_then(|next| next.to_str()).filter(is_view);
        let view = joined.or(next.filter(|_| word == "--format"));
        match view.map(|view| format!("--view={view}")) {
            Some(view) => {
                if joined.is_none() {
                    args.next();
                }
                views.push(view.into());
            }
            None => front.push(token),
        }
    }
    front.into_iter().chain(views).chain(args).collect()
}

/// The command that was chosen, and what was given to it.
fn chosen(mut matches: ArgMatches) -> Result<(&'static CommandSpec, ArgMatches), Failure> {
    let mut group = "";
    while let Some((name, inner)) = matches.remove_subcommand() {
        matches = inner;
        if let Some(found) = command::find(group, &name) {
            return Ok((found, matches));
        }
        match command::find_group(&name) {
            Some(found) => group = found.name,
            // Clap knows no command that is not in the table.
            None => {
                let message = format!("{name} has no row");
                return Err(Failure::new(ErrorCode::InternalError, message));
            }
        }
    }
    Err(Failure::new(ErrorCode::Usage, "no command was given").hint(help_hint(group)))
}

/// Where to see the commands there are.
fn help_hint(group: &str) -> String {
    let program = format!("clawperator {group}");
    format!("Run {} --help to see the commands.", program.trim_end())
}

/// The whole program, for help, completions and manual pages.
pub(crate) fn program() -> Command {
    program_with(Named::Nothing)
}

/// The program with the command that is named, or with all of them if none is:
/// building every command takes longer than anything else that a short run
/// does.
fn program_with(named: Named) -> Command {
    let wanted = move |spec: &&CommandSpec| match named {
        Named::Nothing | Named::Group(_) => true,
        Named::Command(only) => spec.path() == only.path(),
    };
    let inside = move |group: &'static str| {
        let specs = command::every().filter(move |spec| spec.group == group);
        specs.filter(wanted).map(subcommand)
    };
    let groups = command::GROUPS
        .iter()
        .filter(|group| named.spec().is_none() || named.group() == group.name);
    frame()
        .subcommands(inside(""))
        .subcommands(groups.map(|group| group_command(group).subcommands(inside(group.name))))
}

/// The program without its commands.
fn frame() -> Command {
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
}

fn group_command(group: &GroupSpec) -> Command {
    Command::new(group.name)
        .visible_aliases(group.synonyms.iter().copied())
        .about(group.about)
        .long_about(format!("{}\n\n{}", group.about, group.details))
        .after_help(format!(
            "Run clawperator {} COMMAND --help for a command's flags and examples.",
            group.name
        ))
        .disable_help_subcommand(true)
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
    for (id, argument) in [(ARGUMENT, spec.argument), (SECOND, spec.second)] {
        let Some((name, doc)) = argument else { continue };
        let argument = Arg::new(id).help(doc).allow_negative_numbers(true);
        command = command.arg(match name.strip_suffix("...") {
            Some(name) => argument.value_name(name).num_args(1..),
            None => argument.value_name(name),
        });
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
        Takes::Several(value) => arg.value_name(value).action(ArgAction::Append),
        Takes::Two(first, second) => arg
            .value_names([first, second])
            .num_args(2)
            .action(ArgAction::Set)
            .allow_negative_numbers(true),
    }
}

fn every_flag() -> impl Iterator<Item = &'static FlagSpec> {
    flag::GLOBAL.iter().chain(command::every().flat_map(local_flags))
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
            Some(Takes::One(_) | Takes::Several(_)) => match args.next_if(is_value) {
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
fn explain(error: &clap::Error, named: Named) -> Result<Parsed, Failure> {
    let spec = named.spec();
    let context = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(list)) => list.first().cloned(),
        _ => None,
    };
    let invalid = context(ContextKind::InvalidArg).unwrap_or_default();
    let token = invalid.split([' ', '=']).next().unwrap_or_default();
    let flag = flag_of(token, spec);
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

/// What a command line names, whatever else is wrong with it.
#[derive(Clone, Copy, Debug)]
enum Named {
    Nothing,
    Group(&'static GroupSpec),
    Command(&'static CommandSpec),
}

impl Named {
    fn spec(self) -> Option<&'static CommandSpec> {
        match self {
            Self::Command(spec) => Some(spec),
            Self::Nothing | Self::Group(_) => None,
        }
    }

    fn group(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Group(group) => group.name,
            Self::Command(spec) => spec.group,
        }
    }
}

fn command_of(args: &[OsString]) -> Named {
    let mut named = Named::Nothing;
    let mut words = args.iter().skip(1).filter_map(|token| token.to_str());
    while let Some(word) = words.next() {
        match flag_of(word, None) {
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
