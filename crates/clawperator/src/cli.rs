//! The command line: reads it, builds or reads an execution, checks it, and
//! renders the answer. It decides nothing about executions; the contract does.

mod arrange;
mod build;
mod command;
mod complaint;
mod docs;
mod doctor;
mod draft;
mod flag;
mod flat;
mod given;
mod grammar;
mod journal;
mod listing;
mod live;
mod log;
mod logs;
mod manual;
mod meant;
mod named;
mod number;
mod operator;
mod output;
mod parser;
mod payload;
mod reach;
mod record;
mod report;
mod selector;
mod sim;
mod stray;
#[cfg(test)]
mod tests;
mod upkeep;
mod version;

pub(crate) use log::Log;

use crate::phones::Phones;
use clawperator_contract::{Checked, DryRun, ErrorCode, FAILURE_EXIT_CODE, Failure, Scope, Validated};
use command::Run;
use given::{Given, Goal};
use log::{Event, Level};
use output::Format;
use parser::Parsed;
use serde::Serialize;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::PathBuf;

/// What the command line takes from outside, so that a test can fix it.
pub(crate) struct World {
    /// Milliseconds since 1970.
    pub(crate) now_ms: u64,
    /// A random number.
    pub(crate) random: u64,
    /// Whether to colour what people read.
    pub(crate) colour: Colour,
    /// Where `-` reads from.
    pub(crate) stdin: Box<dyn Read>,
    /// Makes a random number that nobody else learns.
    pub(crate) secret: fn() -> io::Result<u128>,
    /// Prints on standard output before the command has ended.
    pub(crate) say: Print,
    /// What standard output is.
    pub(crate) terminal: Terminal,
    /// Tells people something on standard error.
    pub(crate) note: Box<dyn FnMut(&str)>,
    /// The folder that lists the simulated phones.
    pub(crate) sim_folder: PathBuf,
    /// How phones are reached.
    pub(crate) phones: Phones,
    /// Where what happens is written down.
    pub(crate) log: Log,
    /// Where this program is.
    pub(crate) program: fn() -> io::Result<PathBuf>,
}

/// Prints a text, or a picture.
type Print = Box<dyn FnMut(&[u8]) -> io::Result<()>>;

/// What standard output is, for who draws there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Terminal {
    /// None: a file, a pipe, another program.
    Absent,
    /// A terminal that can show nothing but text.
    Dumb,
    /// Any other terminal, and how many characters fit in a line as far as is known.
    Wide(u64),
}

/// Whether to colour what people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Always,
    Never,
}

/// What to print on standard output, and the exit code.
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) exit_code: u8,
}

impl Answer {
    /// A success that prints a value as the command line asks for it.
    fn json(value: &impl Serialize, given: &Given, world: &World) -> Self {
        Self {
            text: output::render(value, given.format(), world.colour),
            exit_code: 0,
        }
    }

    /// The same answer with another exit code.
    fn exit(self, exit_code: u8) -> Self {
        Self { exit_code, ..self }
    }
}

/// Runs one command line.
pub(crate) fn run(args: impl IntoIterator<Item = OsString>, world: &mut World) -> Answer {
    let args: Vec<OsString> = args.into_iter().collect();
    let format = Format::guess(&args);
    match parser::parse(args) {
        Ok(Parsed::Text(text)) => Answer {
            text: text.render(world.colour),
            exit_code: 0,
        },
        Ok(Parsed::Command(given)) => {
            let fine = given.check().and_then(|()| report::check(&given, world));
            let done = fine
                .and_then(|()| world.set_log_level(&given))
                .and_then(|()| dispatch(&given, world));
            done.unwrap_or_else(|failure| {
                let failure = stray::argument_meant(&given, given.in_its_words(failure));
                fail(&failure, given.format(), world)
            })
        }
        Err(failure) => fail(&failure, format, world),
    }
}

fn dispatch(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let bytes = match given.spec().run {
        Run::Flat(build) => {
            let draft = build(given)?;
            draft.payload(world)
        }
        Run::Exec => payload::read(given, &mut world.stdin)?,
        Run::Print(print) => {
            return Ok(Answer {
                text: print(given)?,
                exit_code: 0,
            });
        }
        Run::Act(act) => return act(given, world),
    };
    // A builder has put the timeout where it belongs.
    let timeout_ms = match given.spec().run {
        Run::Exec => given.timeout()?,
        Run::Flat(_) | Run::Print(_) | Run::Act(_) => None,
    };
    let checked = clawperator_contract::accept_within(&bytes, timeout_ms)?;
    answer(given, &checked, world)
}

fn answer(given: &Given, checked: &Checked, world: &mut World) -> Result<Answer, Failure> {
    match given.goal() {
        Goal::DryRun => Ok(Answer::json(&DryRun::from(checked), given, world)),
        Goal::Validate => Ok(Answer::json(&Validated::from(checked), given, world)),
        Goal::Run => live::run(given, checked, world),
    }
}

fn fail(failure: &Failure, format: Format, world: &mut World) -> Answer {
    let row = failure.code.row();
    debug_assert_eq!(row.exit_code, FAILURE_EXIT_CODE);
    debug_assert_eq!(row.scope, Scope::Host, "{} stands in no error object", row.name);
    let mut event = if [ErrorCode::AdbNotFound, ErrorCode::AdbServerFailed].contains(&row.code) {
        Event::new(Level::Error, "adb.unreachable", &*failure.message)
    } else {
        // The message may repeat what was typed; the code says enough.
        Event::new(Level::Error, "cli.failed", row.meaning)
    };
    event.status = Some(row.name.to_owned());
    event.exit_code = Some(row.exit_code);
    world.log(event);
    Answer {
        text: output::render(failure, format, world.colour),
        exit_code: failure.code.row().exit_code,
    }
}
