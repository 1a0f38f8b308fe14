//! The program as clap sees it, built from our tables.

use super::arrange::has_views;
use super::command::{self, CommandSpec, GroupSpec, Run};
use super::flag::{self, FlagSpec, Takes, ValueKind};
use super::given::{ARGUMENT, SECOND, STRAY};
use super::named::Named;
use clap::builder::{OsStringValueParser, PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, Command};
use std::ffi::OsStr;

/// The whole program, for help, completions and manual pages.
pub(crate) fn program() -> Command {
    program_with(Named::Nothing)
}

/// The program for completions: where a command has views, `--format` offers
/// those.
pub(crate) fn offered() -> Command {
    let with_views = command::every().filter(|spec| spec.group.is_empty() && has_views(spec));
    with_views.fold(program(), |program, spec| {
        program.mut_subcommand(spec.name, |command| {
            let output = flag::GLOBAL.iter().filter(|flag| flag.name == "output");
            // One of its own stands in the way of the global one.
            let output = output.map(|flag| argument_of(&flag.aka(&[])));
            command
                .args(output)
                .mut_arg("view", |view| view.visible_alias("format"))
        })
    })
}

/// The program with the command that is named, or with all of them if none is:
/// building every command takes longer than anything else that a short run
/// does.
pub(super) fn program_with(named: Named) -> Command {
    let wanted = move |spec: &&CommandSpec| match named {
        Named::Nothing | Named::Group(_) => true,
        Named::Command(only) => (spec.group, spec.name) == (only.group, only.name),
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

/// The program with one command that also takes whatever is stray: arguments
/// without a place, flags with values of other commands, and its own flags
/// without their values or more than once.
pub(super) fn lenient(spec: &'static CommandSpec) -> Command {
    let mut command = subcommand(spec);
    let mut taken: Vec<&str> = command::flags_of(Some(spec)).flat_map(FlagSpec::names).collect();
    for flag in command::every_flag() {
        if taken.contains(&flag.name) || flag.takes == Takes::Nothing {
            continue;
        }
        let free: Vec<&str> = flag
            .aliases
            .iter()
            .copied()
            .filter(|name| !taken.contains(name))
            .collect();
        taken.extend(free.iter().chain([&flag.name]));
        let flag = FlagSpec {
            aliases: &[],
            ..*flag
        };
        command = command.arg(argument_of(&flag).visible_aliases(free));
    }
    command = command.mut_args(|arg| match (arg.get_action(), arg.get_num_args()) {
        (ArgAction::Set, None) if !arg.is_positional() => arg
            .num_args(0..=1)
            .default_missing_value("")
            .action(ArgAction::Append),
        _ => arg,
    });
    let many = |argument: Option<(&str, &str)>| argument.is_some_and(|(name, _)| name.ends_with("..."));
    if !many(spec.argument) && !many(spec.second) {
        command = command.arg(Arg::new(STRAY).num_args(0..).allow_negative_numbers(true));
    }
    match command::find_group(spec.group) {
        Some(group) => frame().subcommand(group_command(group).subcommand(command)),
        None => frame().subcommand(command),
    }
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
             failure.\nRun clawperator COMMAND --help for a command's flags and examples. \
             Global options may stand before the command, too, and so may those under Checking.",
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
        .long_about(
            format!("{}\n\n{}", group.about, group.details)
                .trim_end()
                .to_owned(),
        )
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
        let words = (spec.words)();
        let mut argument = Arg::new(id).help(doc).allow_negative_numbers(true);
        if id == ARGUMENT && !words.is_empty() {
            argument = argument.value_parser(Offered(words)).hide_possible_values(true);
        }
        if id == ARGUMENT && matches!(spec.run, Run::Exec) {
            argument = argument.value_parser(OsStringValueParser::new());
        }
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
    let mut arg = Arg::new(flag.name)
        .long(flag.name)
        .visible_aliases(flag.aliases.iter().copied())
        .help(flag.doc);
    if !flag.words.is_empty() {
        arg = arg
            .value_parser(Offered(flag.words.to_vec()))
            .hide_possible_values(true);
    }
    if flag.value == ValueKind::Bytes {
        arg = arg.value_parser(OsStringValueParser::new());
    }
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

/// Words that completions offer. Any other is taken, too: whether it is a good
/// one is said later, in the words of whoever needs it.
#[derive(Clone)]
struct Offered(Vec<&'static str>);

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().copied().map(PossibleValue::new)))
    }
}
