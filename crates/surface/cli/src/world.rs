//! What the command line takes from outside, so that a test can fix it, and what it hands back.

use super::args::Args;
use super::log::{Log, LogEvent};
use super::output::{self, Format, Terminal};
use super::people::Colour;
use super::progress::Progress;
use crate::environment::Environment;
use crate::phones::{Phones, word_choice};
use clawperator_background::is_in_background;
use clawperator_contract::{ErrorCode, FAILURE_EXIT_CODE, Failure, LookAfter};
use clawperator_skills::repo::{Places, REGISTRY_VARIABLE};
use serde::Serialize;
use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// The variables that say how to print, and when to show what changed.
const OUTPUT: &str = "CLAWPERATOR_OUTPUT";
const VIEW: &str = "CLAWPERATOR_VIEW";

/// What the command line takes from outside.
pub struct World {
    pub now_ms: u64,
    /// Reads the time, for what runs for long.
    pub clock: fn() -> u64,
    pub random: u64,
    pub colour: Colour,
    /// How to print if the line does not say.
    pub output: Format,
    /// When a command that acts shows what changed, if the line does not say.
    pub looks: LookAfter,
    /// Where `-` reads from.
    pub stdin: Box<dyn Read>,
    /// Makes a random number that cannot be guessed.
    pub secret: fn() -> io::Result<u128>,
    /// Prints on standard output before the command has ended.
    pub print: Print,
    pub terminal: Terminal,
    /// Whether standard error shows how far a run has come.
    pub progress: Progress,
    /// Prints a message on standard error.
    pub note: Box<dyn FnMut(&str)>,
    /// The folder that lists the simulated phones.
    #[cfg(feature = "sim")]
    pub sim_folder: PathBuf,
    /// The user's home folder, where other programs keep their settings.
    pub home: PathBuf,
    pub(crate) phones: Phones,
    /// Where the registry of skills may be.
    pub skills: Places,
    pub(crate) log: Log,
    pub program: fn() -> io::Result<PathBuf>,
}

/// Prints a text, or a picture.
type Print = Box<dyn FnMut(&[u8]) -> io::Result<()>>;

impl World {
    /// What this process has: its variables, its terminal and its pipes.
    ///
    /// # Errors
    /// `USAGE` if a variable has a value that it must not have.
    pub fn from_environment(environment: Environment<'_>) -> Result<Self, Failure> {
        let is_terminal = io::stdout().is_terminal();
        let plain = environment.path("NO_COLOR").is_some();
        let terminal = terminal(is_terminal, environment);
        let now_ms = read_clock();
        let phones = Phones::from_environment(environment)?;
        // Never the current folder.
        let home = environment.path("HOME").or_else(std::env::home_dir);
        // A script, or a process of ours, reads what its commands print.
        let (output, looks) = if phones.skill_run.is_some() || is_in_background() {
            Default::default()
        } else {
            (
                word_choice(environment, OUTPUT, Format::WORDS, Format::from_word)?,
                word_choice(environment, VIEW, LookAfter::WORDS, LookAfter::from_word)?,
            )
        };
        Ok(Self {
            output,
            looks,
            home: home.unwrap_or_else(std::env::temp_dir),
            now_ms,
            clock: read_clock,
            random: random(),
            terminal,
            colour: if is_terminal && !plain && terminal != Terminal::Dumb {
                Colour::Always
            } else {
                Colour::Never
            },
            progress: match self::terminal(io::stderr().is_terminal(), environment) {
                Terminal::Wide(_) => Progress::Shown,
                Terminal::Absent | Terminal::Dumb => Progress::Hidden,
            },
            stdin: Box::new(io::stdin()),
            secret,
            print: Box::new(|text| write(io::stdout().lock(), text)),
            note: Box::new(|text| {
                // Without standard error the message is lost.
                let _ = write(io::stderr().lock(), text.as_bytes());
            }),
            #[cfg(feature = "sim")]
            sim_folder: clawperator_host::default_folder(environment.0),
            skills: Places {
                named: environment.path(REGISTRY_VARIABLE),
                current: PathBuf::new(),
                installed: phones.state.join("skills"),
            },
            log: Log::from_environment(environment, &phones.state, now_ms)?,
            phones,
            program: std::env::current_exe,
        })
    }

    pub(super) fn log(&mut self, event: LogEvent) {
        self.log.add(event, &mut self.note);
    }

    pub(super) fn this_program(&self) -> Result<PathBuf, Failure> {
        (self.program)().map_err(|error| {
            Failure::new(ErrorCode::InternalError, format!("cannot tell where this program is: {error}"))
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

pub(crate) fn write(mut out: impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(bytes)?;
    out.flush()
}

/// The terminal, as the environment describes it.
fn terminal(is_terminal: bool, environment: Environment<'_>) -> Terminal {
    let columns = || environment.label("COLUMNS")?.parse().ok();
    if !is_terminal {
        Terminal::Absent
    } else if environment.label("TERM").is_some_and(|name| name == "dumb") {
        Terminal::Dumb
    } else {
        Terminal::Wide(columns().unwrap_or(u64::MAX))
    }
}

fn read_clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

/// A number that cannot be guessed.
pub(crate) fn secret() -> io::Result<u128> {
    let mut bytes = [0; 16];
    getrandom::getrandom(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(u128::from_be_bytes(bytes))
}

/// A random number, from the seed that the standard library's hash maps get from the system.
fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}

/// What to print on standard output, and the exit code.
pub struct Answer {
    pub text: String,
    pub exit_code: u8,
}

impl Answer {
    /// A failure that is known before the command line is read.
    pub fn refusal(failure: &Failure) -> Self {
        Self::text(output::json(failure, Format::Compact)).exit(failure.code.row().exit_code)
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), exit_code: 0 }
    }

    /// A success that prints a value as the command line asks for it.
    pub(super) fn value(value: &impl Serialize, args: &Args, world: &World) -> Self {
        Self::text(output::render(value, args.format, world.colour))
    }

    /// A success that prints a document, which is JSON for people too.
    pub(super) fn json(value: &impl Serialize, args: &Args) -> Self {
        Self::text(output::json(value, args.format))
    }

    /// A success that prints a document for programs, and a text for others.
    pub(super) fn json_or(value: &impl Serialize, args: &Args, text: impl FnOnce() -> String) -> Self {
        match args.format {
            Format::Compact => Self::json(value, args),
            Format::Pretty | Format::Agent => Self::text(text()),
        }
    }

    /// The same answer, with the exit code of a failure if it is one.
    pub(super) fn succeeded(self, ok: bool) -> Self {
        self.exit(if ok { 0 } else { FAILURE_EXIT_CODE })
    }

    pub(super) fn exit(self, exit_code: u8) -> Self {
        Self { exit_code, ..self }
    }
}
