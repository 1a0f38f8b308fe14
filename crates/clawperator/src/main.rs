//! The `clawperator` program: hands the command line to [`cli`] and the answer
//! to the terminal.

mod cli;
mod phones;
mod recorder;
mod signals;
mod sim;

use cli::{Colour, Log, Terminal, World};
use phones::Phones;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

fn main() -> ExitCode {
    let order = std::env::var(recorder::BACKGROUND).ok();
    if order.is_some() || std::env::var_os(sim::BACKGROUND).is_some() {
        sim::let_go();
    }
    if let Some(order) = order {
        return record(&order);
    }
    let stdout = io::stdout();
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let terminal = terminal(stdout.is_terminal());
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ms = since_epoch.as_millis() as u64;
    let phones = Phones::from_environment(variable);
    let mut world = World {
        now_ms,
        random: random(),
        terminal,
        colour: if stdout.is_terminal() && !plain && terminal != Terminal::Dumb {
            Colour::Always
        } else {
            Colour::Never
        },
        stdin: Box::new(io::stdin()),
        secret,
        say: Box::new(|text| write(io::stdout().lock(), text)),
        note: Box::new(|text| {
            // Without standard error there is nobody to tell.
            let _ = write(io::stderr().lock(), text.as_bytes());
        }),
        sim_folder: sim::default_folder(|name| std::env::var_os(name)),
        log: Log::from_environment(variable, &phones.state, now_ms),
        phones,
        program: std::env::current_exe,
    };
    let answer = cli::run(std::env::args_os(), &mut world);
    match write(stdout.lock(), answer.text.as_bytes()) {
        Ok(()) => ExitCode::from(answer.exit_code),
        // Whoever read us had enough; that is no failure of ours.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(answer.exit_code),
        Err(error) => {
            // Stdout is gone, so this is the only place left to say so.
            let _ = writeln!(io::stderr(), "clawperator: cannot write the answer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Records until it is told to end: this process does nothing else.
fn record(order: &str) -> ExitCode {
    let phones = Phones::from_environment(variable);
    let recorded = recorder::run(order, &phones, &mut |text| write(io::stdout().lock(), text));
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

/// What the environment says of the terminal, if there is one.
fn terminal(is_terminal: bool) -> Terminal {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    match std::env::var_os("TERM") {
        Some(name) if is_terminal && name == "dumb" => Terminal::Dumb,
        _ if !is_terminal => Terminal::Absent,
        _ => Terminal::Wide(columns().unwrap_or(u64::MAX)),
    }
}

/// A number that nobody else can know.
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
