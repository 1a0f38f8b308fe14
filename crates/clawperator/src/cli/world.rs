//! What the command line takes from outside, so that a test can fix it, and
//! what it hands back.

use super::args::Args;
use super::log::{Event, Log};
use super::output::{self, Colour, Format, Terminal};
use super::progress::Progress;
use crate::phones::Phones;
use clawperator_contract::{ErrorCode, FAILURE_EXIT_CODE, Failure, LookAfter};
use clawperator_skills::repo::Places;
use serde::Serialize;
use std::io::{self, Read};
use std::path::PathBuf;

/// What the command line takes from outside.
pub(crate) struct World {
    pub(crate) now_ms: u64,
    /// Reads the time, for what runs for long.
    pub(crate) clock: fn() -> u64,
    pub(crate) random: u64,
    pub(crate) colour: Colour,
    /// How to print if the line does not say.
    pub(crate) output: Format,
    /// When a command that acts shows what changed, if the line does not say.
    pub(crate) looks: LookAfter,
    /// Where `-` reads from.
    pub(crate) stdin: Box<dyn Read>,
    /// Makes a random number that cannot be guessed.
    pub(crate) secret: fn() -> io::Result<u128>,
    /// Prints on standard output before the command has ended.
    pub(crate) print: Print,
    pub(crate) terminal: Terminal,
    /// Whether standard error shows how far a run has come.
    pub(crate) progress: Progress,
    /// Prints a message on standard error.
    pub(crate) note: Box<dyn FnMut(&str)>,
    /// The folder that lists the simulated phones.
    #[cfg(feature = "sim")]
    pub(crate) sim_folder: PathBuf,
    /// The user's home folder, where other programs keep their settings.
    pub(crate) home: PathBuf,
    pub(crate) phones: Phones,
    /// Where the registry of skills may be.
    pub(crate) skills: Places,
    pub(crate) log: Log,
    pub(crate) program: fn() -> io::Result<PathBuf>,
}

/// Prints a text, or a picture.
type Print = Box<dyn FnMut(&[u8]) -> io::Result<()>>;

impl World {
    pub(super) fn log(&mut self, event: Event) {
        self.log.add(event, &mut self.note);
    }

    pub(super) fn this_program(&self) -> Result<PathBuf, Failure> {
        (self.program)().map_err(|error| {
            let message = format!("cannot tell where this program is: {error}");
            Failure::new(ErrorCode::InternalError, message)
        })
    }

    /// Asks the user; only a clear yes is one.
    pub(super) fn agrees(&mut self, question: &str) -> bool {
        (self.note)(&format!("{question} [y/N] "));
        let (mut answer, mut letter) = (Vec::new(), [0]);
        // One letter at a time: what follows the line is not for us.
        while answer.len() < 16 && matches!(self.stdin.read(&mut letter), Ok(1)) && letter != *b"\n" {
            answer.extend(letter);
        }
        let answer = String::from_utf8_lossy(&answer).trim().to_lowercase();
        answer == "y" || answer == "yes"
    }
}

/// What to print on standard output, and the exit code.
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) exit_code: u8,
}

impl Answer {
    /// A success that prints a text.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            exit_code: 0,
        }
    }

    /// A success that prints a value as the command line asks for it.
    pub(super) fn value(value: &impl Serialize, args: &Args, world: &World) -> Self {
        Self::text(output::render(value, args.format(), world.colour))
    }

    /// A success that prints a document, which is JSON for people too.
    pub(super) fn json(value: &impl Serialize, args: &Args) -> Self {
        Self::text(output::json(value, args.format()))
    }

    /// The same answer, with the exit code of a failure if it is one.
    pub(super) fn succeeded(self, ok: bool) -> Self {
        self.exit(if ok { 0 } else { FAILURE_EXIT_CODE })
    }

    /// The same answer with another exit code.
    pub(super) fn exit(self, exit_code: u8) -> Self {
        Self { exit_code, ..self }
    }
}
