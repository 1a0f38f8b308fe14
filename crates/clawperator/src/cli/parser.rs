//! Reads a command line: finds what it names, lets clap read the rest, and
//! hands over what was given.

use super::Colour;
use super::arrange::{arrange, view_format};
use super::command::{self, CommandSpec};
use super::complaint::{explain, help_hint};
use super::given::{Given, flag_failure};
use super::grammar::{program, program_with};
use super::named::{self, Named};
use super::output::Format;
use clap::{ArgMatches, Command};
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
    if args.len() < 2 {
        return Ok(Parsed::Text(StyledText(program().render_long_help())));
    }
    let named = named::command_of(&args);
    if let (Named::Group(group), 2) = (named, args.len()) {
        let mut program = program();
        program.build();
        let help = program
            .find_subcommand_mut(group.name)
            .map(Command::render_long_help);
        return Ok(Parsed::Text(StyledText(help.unwrap_or_default())));
    }
    let args = arrange(view_format(args, named.spec()), named.spec());
    match program_with(named).try_get_matches_from(args) {
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
        Err(error) => explain(&error, named),
    }
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
