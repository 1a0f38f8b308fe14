//! The `clawperator` program: hands the command line to [`cli`] and the answer
//! to the terminal.

#![cfg_attr(
    not(feature = "sim"),
    allow(dead_code, reason = "some of it is only for simulated phones")
)]

#[cfg(feature = "sim")]
mod agent_eval;
mod background;
mod cli;
mod environment;
mod phones;
mod recorder;
mod signals;
#[cfg(feature = "sim")]
mod sim;
#[cfg(feature = "sim")]
mod skill_test;

use clawperator_contract::{Failure, LookAfter};
use clawperator_skills::repo::{Places, REGISTRY_VARIABLE};
use cli::{Colour, Format, Log, Progress, Terminal, World};
use environment::Environment;
use phones::Phones;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// The variables that say how to print, and when to show what changed.
const OUTPUT: &str = "CLAWPERATOR_OUTPUT";
const VIEW: &str = "CLAWPERATOR_VIEW";

fn main() -> ExitCode {
    // First of all: a launcher has one thread and no open files.
    let mut arguments = std::env::args_os().skip(1);
    if arguments
        .next()
        .is_some_and(|first| first == clawperator_sandbox::LAUNCH)
    {
        return clawperator_sandbox::enter(arguments.collect());
    }
    let environment = Environment(&|name| std::env::var_os(name));
    let order = environment.label(recorder::BACKGROUND);
    background::detach_if_in_background();
    if let Some(order) = order {
        return record(&order, environment);
    }
    match world(environment) {
        Ok(mut world) => {
            let answer = cli::run(std::env::args_os(), &mut world);
            print(&answer.text, answer.exit_code)
        }
        Err(failure) => refuse(&failure),
    }
}

/// What the command line takes from outside.
fn world(environment: Environment<'_>) -> Result<World, Failure> {
    let stdout = io::stdout();
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let terminal = terminal(stdout.is_terminal());
    let now_ms = read_clock();
    let phones = Phones::from_environment(environment)?;
    // Never the current folder.
    let home = environment.path("HOME").or_else(std::env::home_dir);
    // A script, or a process of ours, reads what its commands print.
    let is_read = phones.skill_run.is_some() || background::is_in_background();
    let (output, looks) = match is_read {
        true => Default::default(),
        false => (
            phones::chosen(environment, OUTPUT, (Format::WORDS, Format::from_word))?,
            phones::chosen(environment, VIEW, (LookAfter::WORDS, LookAfter::from_word))?,
        ),
    };
    Ok(World {
        output,
        looks,
        home: home.unwrap_or_else(std::env::temp_dir),
        now_ms,
        clock: read_clock,
        random: random(),
        terminal,
        colour: if stdout.is_terminal() && !plain && terminal != Terminal::Dumb {
            Colour::Always
        } else {
            Colour::Never
        },
        progress: match self::terminal(io::stderr().is_terminal()) {
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
        sim_folder: sim::default_folder(environment.0),
        skills: Places {
            named: environment.path(REGISTRY_VARIABLE),
            current: std::path::PathBuf::new(),
            installed: phones.state.join("skills"),
        },
        log: Log::from_environment(environment, &phones.state, now_ms)?,
        phones,
        program: std::env::current_exe,
    })
}

/// Prints a failure that is known before the command line is read.
fn refuse(failure: &Failure) -> ExitCode {
    // Texts and numbers can always be written.
    let text = serde_json::to_string(failure).unwrap_or_default();
    print(&format!("{text}\n"), failure.code.row().exit_code)
}

fn print(text: &str, exit_code: u8) -> ExitCode {
    match write(io::stdout().lock(), text.as_bytes()) {
        Ok(()) => ExitCode::from(exit_code),
        // A caller that closed the pipe too early does not know the outcome.
        Err(error) => {
            // Standard output is gone, so this is the only place to report it.
            let _ = writeln!(io::stderr(), "clawperator: cannot write the answer: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Records until it is stopped; this process does nothing else.
fn record(order: &str, environment: Environment<'_>) -> ExitCode {
    let phones = match Phones::from_environment(environment) {
        Ok(phones) => phones,
        // The process that started it reads this.
        Err(failure) => return refuse(&failure),
    };
    let recorded = secret().and_then(|secret| {
        let outside = recorder::Outside {
            phones: &phones,
            secret,
        };
        recorder::run(order, outside, &mut |text| write(io::stdout().lock(), text))
    });
    match recorded {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error is the recorder's log.
            let _ = writeln!(io::stderr(), "clawperator: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(mut out: impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(bytes)?;
    out.flush()
}

/// The terminal, as the environment describes it.
fn terminal(is_terminal: bool) -> Terminal {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    match std::env::var_os("TERM") {
        Some(name) if is_terminal && name == "dumb" => Terminal::Dumb,
        _ if !is_terminal => Terminal::Absent,
        _ => Terminal::Wide(columns().unwrap_or(u64::MAX)),
    }
}

fn read_clock() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since_epoch.as_millis() as u64
}

/// A number that cannot be guessed.
fn secret() -> io::Result<u128> {
    let mut bytes = [0; 16];
    getrandom::getrandom(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(u128::from_be_bytes(bytes))
}

/// A random number, from the seed that the standard library's hash maps get
/// from the system.
fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}
