//! The program as clap sees it, built from the tables: clap writes the help,
//! the completions and the manual pages.

use super::commands;
use super::flags;
use super::line::{HelpLength, InfoPage, LineSubject};
use super::people::Colour;
use super::spec::{ArgumentSpec, Command, CommandSpec, FlagSpec, GroupSpec, Often, Takes};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction};

pub(super) fn render(page: &InfoPage, colour: Colour) -> String {
    let (named, length) = match page {
        InfoPage::Version => return concat!(env!("CARGO_PKG_VERSION"), "\n").to_owned(),
        InfoPage::ForAgents => return include_str!("help/agents.txt").to_owned(),
        InfoPage::Help(named, HelpLength::Names) => return names(*named),
        InfoPage::Help(named, length) => (named, length),
    };
    let mut page = match named {
        LineSubject::Program => program(),
        LineSubject::Group(group) => inside(&[group.name]),
        LineSubject::Command(spec) => inside(&[spec.group, spec.name]),
    };
    let text = match length {
        HelpLength::Names | HelpLength::Short => page.render_help(),
        HelpLength::Long => page.render_long_help(),
    };
    match colour {
        Colour::Always => text.ansi().to_string(),
        Colour::Never => text.to_string(),
    }
}

/// The commands of the program or of a group, a line each.
fn names(named: LineSubject) -> String {
    let (path, about, group) = match named {
        LineSubject::Group(group) => (format!("clawperator {}", group.name), group.about, group.name),
        LineSubject::Program | LineSubject::Command(_) => ("clawperator".to_owned(), ABOUT, ""),
    };
    let is_listed = |spec: &&CommandSpec| !group.is_empty() || matches!(spec.command, Command::Flat(_));
    let line = |spec: &CommandSpec| format!("  {:<18}{}\n", spec.name, spec.about);
    let listed: String = commands::inside(group).filter(is_listed).map(line).collect();
    let more = match group {
        "" => {
            let others = commands::inside(group).filter(|spec| !is_listed(spec));
            let others: Vec<_> = others.map(|spec| spec.name).collect();
            let groups: Vec<_> = commands::GROUPS.iter().map(|group| group.name).collect();
            format!(
                "Other commands: {}.\nGroups: {}.\n\nAI agents: read clawperator help agent first.\nResults and \
                 errors are JSON on standard output; the exit code is 0 on success and 1 on any failure.\n",
                others.join(", "),
                groups.join(", ")
            )
        }
        _ => String::new(),
    };
    format!(
        "{about}\n\nUsage: {path} COMMAND\n\n{listed}\n{more}{path} COMMAND --help has a command's flags and \
         examples, {path} help --all all of them.\n"
    )
}

const ABOUT: &str = "A deterministic Android actuator for AI agents.";

/// The part of the program at a path of names; an empty name is skipped.
fn inside(path: &[&str]) -> clap::Command {
    let mut page = program();
    page.build();
    for name in path {
        if let Some(found) = page.find_subcommand(name) {
            page = found.clone();
        }
    }
    page
}

pub(super) fn program() -> clap::Command {
    let groups = commands::GROUPS.iter().map(group_command);
    clap::Command::new("clawperator")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .long_about(
            "A deterministic Android actuator for AI agents. It checks an explicit JSON execution \
             completely, runs it on one phone, and returns one structured envelope.",
        )
        .after_help(
            "AI agents: read clawperator help agent first.\n\n\
             Results and errors are JSON on standard output. The exit code is 0 on success and 1 on any \
             failure.\nRun clawperator COMMAND --help for a command's flags and examples. \
             Global options and those under Execution may also stand before the command.",
        )
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(
            global(Arg::new("help").long("help").short('h').action(ArgAction::Help).help("Print help."))
                .global(true),
        )
        .arg(global(
            Arg::new("version")
                .long("version")
                .short('V')
                .action(ArgAction::Version)
                .help("Print the version."),
        ))
        .args(flags::GLOBAL.iter().map(|flag| global(flag_argument(flag)).global(true)))
        .subcommands(commands::inside("").map(command))
        .subcommands(groups)
}

fn global(arg: Arg) -> Arg {
    arg.help_heading("Global options")
}

fn group_command(group: &GroupSpec) -> clap::Command {
    let long = format!("{}\n\n{}", group.about, group.details);
    clap::Command::new(group.name)
        .visible_aliases(group.synonyms.iter().copied())
        .about(group.about)
        .long_about(long.trim_end().to_owned())
        .after_help(format!(
            "Run clawperator {} COMMAND --help for a command's flags and examples.",
            group.name
        ))
        .disable_help_subcommand(true)
        .subcommands(commands::inside(group.name).map(command))
}

fn command(spec: &'static CommandSpec) -> clap::Command {
    let examples: String = spec.examples.iter().map(|line| format!("  {line}\n")).collect();
    let words = spec.arguments.first().map_or(&[][..], |argument| argument.words);
    let choice = match words {
        [] => String::new(),
        _ => format!("{}: {}.", spec.arguments[0].name, words.join(", ")),
    };
    let details = [spec.details, &choice];
    let details: Vec<_> = details.into_iter().filter(|text| !text.is_empty()).collect();
    let mut command = clap::Command::new(spec.name)
        .visible_aliases(commands::synonyms(spec))
        .about(spec.about)
        .after_help(format!("Examples:\n{examples}"));
    if !details.is_empty() {
        command = command.long_about(format!("{}\n\n{}", spec.about, details.join("\n")));
    }
    command = command.args(spec.arguments.iter().map(|argument| positional(argument, spec)));
    for group in spec.flags {
        command =
            command.args(group.flags.iter().map(|flag| flag_argument(flag).help_heading(group.heading)));
    }
    for flag in spec.local_flags().filter(|flag| !flag.aliases_by_value.is_empty()) {
        // Here these names mean this flag, so the global one must not have them.
        let output = global(flag_argument(&flags::OUTPUT.aka(&[])));
        command = command
            .arg(output)
            .mut_arg(flag.name, |arg| arg.visible_aliases(flag.aliases_by_value.iter().copied()));
    }
    command
}

fn positional(argument: &ArgumentSpec, spec: &CommandSpec) -> Arg {
    let arg = Arg::new(argument.name).help(argument.doc);
    let arg = match argument.often {
        Often::Once => arg,
        Often::Many | Often::Rest => arg.num_args(1..),
    };
    match spec.command {
        Command::Man => with_words(arg, &commands::names("")),
        _ => with_words(arg, argument.words),
    }
}

fn flag_argument(flag: &FlagSpec) -> Arg {
    let arg =
        Arg::new(flag.name).long(flag.name).visible_aliases(flag.aliases.iter().copied()).help(flag.doc);
    let arg = with_words(arg, flag.words);
    match flag.takes {
        Takes::Nothing => arg.action(ArgAction::SetTrue),
        Takes::One(_) | Takes::Maybe(_) | Takes::Several(_) | Takes::Two(..) => {
            let count = flag.takes.least()..=flag.takes.count();
            arg.value_names(flag.takes.names()).num_args(count)
        }
    }
}

/// The words that completions offer.
fn with_words(arg: Arg, words: &[&'static str]) -> Arg {
    if words.is_empty() {
        return arg;
    }
    arg.value_parser(PossibleValuesParser::new(words.iter().copied())).hide_possible_values(true)
}
