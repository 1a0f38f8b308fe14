//! Reads a command line: finds what it names, lets clap read the rest, and
//! hands over what was given.

use super::Colour;
use super::arrange::{arrange, view_format};
use super::command::{self, CommandSpec};
use super::complaint::{explain, misplaced, no_command, no_format};
use super::given::Given;
use super::grammar::{program, program_with};
use super::named::{Line, Named};
use super::output::Format;
use clap::{ArgMatches, Command};
use clawperator_contract::{ErrorCode, Failure};
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
pub(crate) struct StyledText(pub(super) clap::builder::StyledStr);

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
    let line = Line::new(args);
    if let Some(text) = text_asked_for(&line) {
        return Ok(Parsed::Text(text));
    }
    if let Some(flag) = line.misplaced() {
        return Err(misplaced(flag, &line));
    }
    let arranged = arranged(&line);
    match program_with(line.named).try_get_matches_from(&arranged) {
        Ok(matches) => given(matches, &line).map(Parsed::Command),
        Err(error) => explain(&error, &line, arranged),
    }
}

/// What a line gives, if there is nothing wrong with it. It explains nothing, so
/// that whoever explains a line can try another.
pub(super) fn understood(args: Vec<OsString>) -> Option<Given> {
    let line = Line::new(args);
    if line.misplaced().is_some() {
        return None;
    }
    let matches = program_with(line.named).try_get_matches_from(arranged(&line));
    given(matches.ok()?, &line).ok()
}

/// A line as clap reads it.
fn arranged(line: &Line) -> Vec<OsString> {
    arrange(view_format(line.command_first(), line.spec()), line.spec())
}

/// What clap read, as what was given.
pub(super) fn given(matches: ArgMatches, line: &Line) -> Result<Given, Failure> {
    let (spec, matches) = chosen(matches)?;
    let format = Format::chosen(&matches).map_err(|word| no_format(&word, line))?;
    let aliased = command::flags_of(Some(spec)).filter_map(|flag| match line.spellings(flag)[..] {
        [only] if only.strip_prefix("--") != Some(flag.name) => Some((flag.name, only.to_owned())),
        _ => None,
    });
    Ok(Given {
        spec,
        aliased: aliased.collect(),
        matches,
        format,
    })
}

/// The text that a line asks for, whatever else is wrong with it: nobody who
/// asks for help wants to hear of mistakes first. The version beats help.
fn text_asked_for(line: &Line) -> Option<StyledText> {
    let mut help: Option<fn(&mut Command) -> clap::builder::StyledStr> = None;
    let mut is_value = false;
    for word in line.before_dashes() {
        match word {
            "--version" => return Some(version()),
            "-V" if !is_value => return Some(version()),
            "--help" => help = help.or(Some(Command::render_long_help)),
            "-h" if !is_value => help = help.or(Some(Command::render_help)),
            _ => {}
        }
        let flag = command::flag_of(word, line.spec()).filter(|_| !word.contains('='));
        is_value = flag.is_some_and(|flag| flag.takes.values() > 0);
    }
    let alone = match line.named {
        Named::Nothing => line.args.len() < 2,
        Named::Group(_) => line.args.len() == 2 || matches!(line.unknown(), Some(("help", _))),
        Named::Command(_) => false,
    };
    if alone {
        help = help.or(Some(Command::render_long_help));
    }
    let render = help?;
    Some(StyledText(render(&mut page_of(line.named))))
}

/// The program, or the part of it that is named.
fn page_of(named: Named) -> Command {
    let (mut page, path) = match named {
        Named::Nothing => (program(), vec![]),
        Named::Group(group) => (program(), vec![group.name]),
        Named::Command(spec) => (program_with(named), vec![spec.group, spec.name]),
    };
    page.build();
    for name in path.into_iter().filter(|name| !name.is_empty()) {
        if let Some(inner) = page.find_subcommand(name).cloned() {
            page = inner;
        }
    }
    page
}

fn version() -> StyledText {
    StyledText(concat!(env!("CARGO_PKG_VERSION"), "\n").into())
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
    Err(no_command(group))
}
