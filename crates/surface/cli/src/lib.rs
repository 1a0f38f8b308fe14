//! The command line: reads it, builds or reads an execution, checks it, and
//! renders the answer. It decides nothing about executions; the contract does.
//!
//! The files import one way: tables (`spec`, `flags`, `commands`) → `parser` → `args` → commands →
//! `output`. This file is the top: it says which function runs which command.

#![cfg_attr(not(feature = "sim"), allow(dead_code, reason = "some of it is only for simulated phones"))]

// The tests of the tables share a file with those in `tests/it`.
#[cfg(test)]
extern crate self as clawperator_cli;

mod agent;
mod approvals;
mod args;
mod brief;
mod commands;
mod device;
mod devices;
mod docs;
mod doctor;
mod engine;
mod environment;
mod exec_input;
mod flags;
mod flat;
mod help;
mod journal;
mod junit;
mod lane;
mod line;
mod live;
mod log;
mod logs;
mod manual;
mod mcp;
mod mcp_client;
mod mistake;
#[cfg(not(feature = "sim"))]
mod no_sim;
mod number;
mod observe;
mod operator;
mod output;
mod parser;
mod people;
mod phones;
mod pool;
mod progress;
mod record;
mod recorder;
mod report;
mod secrets;
mod serve;
mod server_entry;
#[cfg(feature = "sim")]
mod sim;
mod skills;
mod spec;
mod suggest;
#[cfg(test)]
mod tests;
mod version;
mod warm;
mod watch;
mod world;

pub use environment::Environment;
pub use output::{Format, Terminal};
pub use people::Colour;
pub use progress::Progress;
pub use world::{Answer, World};

use phones::Phones;

use args::{Args, Goal};
use clawperator_contract::{
    CheckedExecution, CodeScope, DryRun, ErrorCode, FAILURE_EXIT_CODE, Failure, Number, ValidationReport,
    text,
};
use log::{Echo, Level, LogEvent};
#[cfg(not(feature = "sim"))]
use no_sim as sim;
use parser::LineRequest;
use spec::{Command, JournalCommand, RecordCommand};
use std::ffi::OsString;
use std::io::Write as _;

/// Runs one command line, the program's name included.
pub fn run(args: impl IntoIterator<Item = OsString>, world: &mut World) -> Answer {
    let words: Vec<OsString> = args.into_iter().skip(1).collect();
    let answer = match parser::parse(&words) {
        Ok(LineRequest::Page(page)) => Answer::text(help::render(&page, world.colour)),
        Ok(LineRequest::Command(mut args)) => {
            args.print_as(world.output);
            args.looks = world.looks;
            respond(&args, world).unwrap_or_else(|failure| fail(&failure, args.format, world))
        }
        Err(failure) => fail(&failure, Format::guess(&words).unwrap_or(world.output), world),
    };
    Answer { text: text::escape_invisible(answer.text), ..answer }
}

/// Records, if this process was started for that; it does nothing else then.
pub fn record(environment: Environment<'_>) -> Option<Answer> {
    let order = environment.label(recorder::BACKGROUND)?;
    let phones = match Phones::from_environment(environment) {
        Ok(phones) => phones,
        // The process that started it reads this.
        Err(failure) => return Some(Answer::refusal(&failure)),
    };
    let recorded = world::secret().and_then(|secret| {
        recorder::run(&order, &phones, secret, &mut |text| world::write(std::io::stdout().lock(), text))
    });
    Some(match recorded {
        Ok(()) => Answer::text(""),
        Err(error) => {
            // Standard error is the recorder's log.
            let _ = writeln!(std::io::stderr(), "clawperator: {error}");
            Answer::text("").exit(1)
        }
    })
}

fn respond(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    check_shared_flags(args, world)?;
    if let Some(lane) = lane::flagged(args)? {
        world.phones.lane = lane;
    }
    report::check(args, world)?;
    set_log_level(args, world)?;
    match args.spec.command {
        Command::Exec => {
            let payload = exec_input::read(args, &mut world.stdin)?;
            execute(args, &payload, args.timeout()?.map(Number::get), world)
        }
        Command::Flat(command) => {
            let payload = flat::build(command, args)?.into_json(world.now_ms, world.random);
            // The builder has put the time limit where it belongs.
            execute(args, payload.as_bytes(), None, world)
        }
        Command::Devices => devices::devices(args, world),
        Command::Packages => devices::packages(args, world),
        Command::Observe => observe::observe(args, world),
        Command::Report => report::report(args, world),
        Command::Schema => docs::schema(args).map(Answer::text),
        Command::Completions => docs::completions(args).map(Answer::text),
        Command::Man => docs::man(args).map(Answer::text),
        Command::Doctor => doctor::doctor(args, world),
        Command::GrantPermissions => operator::grant(args, world),
        Command::Version => version::version(args, world),
        Command::Logs => logs::logs(args, world),
        Command::SetupGuide => Ok(operator::guide(args, world)),
        Command::OperatorSetup => operator::setup(args, world),
        Command::Journal(command) => match command {
            JournalCommand::List => journal::list(args, world),
            JournalCommand::Show => journal::show(args, world),
            JournalCommand::Verify => journal::verify(args, world),
        },
        Command::Record(command) => match command {
            RecordCommand::Pull => record::pull(args, world),
            RecordCommand::Delete => record::delete(args, world),
            RecordCommand::Parse => record::parse(args, world),
            RecordCommand::Compile => record::compile(args, world),
            RecordCommand::Replay => record::replay(args, world),
        },
        Command::Serve => serve::serve(args, world),
        Command::Watch => watch::watch(args, world),
        Command::Approvals(command) => approvals::run(command, args, world),
        Command::Secrets(command) => secrets::run(command, args, world),
        Command::Lane(command) => lane::run(command, args, world),
        Command::Mcp => mcp::mcp(args, world),
        Command::Skills(command) => skills::run(command, args, world),
        Command::Agent(command) => agent::run(command, args, world),
        Command::Worker => pool::worker(args, world),
        Command::Pool(command) => pool::run(command, args, world),
        #[cfg(feature = "sim")]
        Command::Sim(command) => sim::run(command, args, world),
    }
}

/// Checks the flags that mean the same for every command, before anything
/// happens: what cannot run is refused in a dry run, too.
fn check_shared_flags(args: &Args, world: &World) -> Result<(), Failure> {
    for flag in [&flags::DEVICE, &flags::OPERATOR_PACKAGE] {
        if args.value(flag)?.is_some_and(text::is_blank) {
            return Err(args.fault(ErrorCode::Usage, flag, "requires a value"));
        }
    }
    pool::check_flags(args, world)?;
    operator::route(args, world)?;
    device::waiting(args)?;
    Ok(())
}

fn set_log_level(args: &Args, world: &mut World) -> Result<(), Failure> {
    if args.has(&flags::VERBOSE) {
        world.log.echo = Echo::On;
    }
    let Some(word) = args.value(&flags::LOG_LEVEL)? else {
        return Ok(());
    };
    world.log.level = Level::from_any_case(word).ok_or_else(|| {
        let (known, shown) = (Level::WORDS.join(", "), text::excerpt(word));
        args.fault(ErrorCode::Usage, &flags::LOG_LEVEL, format!("must be one of: {known}; not \"{shown}\""))
    })?;
    Ok(())
}

/// Checks a payload and does with it what the command line asks for.
fn execute(
    args: &Args,
    payload: &[u8],
    timeout_ms: Option<f64>,
    world: &mut World,
) -> Result<Answer, Failure> {
    let checked: CheckedExecution = clawperator_contract::accept_within(payload, timeout_ms)?;
    match args.goal() {
        Goal::DryRun => Ok(Answer::json(&DryRun::from(&checked), args)),
        Goal::Validate => Ok(Answer::json(&ValidationReport::from(&checked), args)),
        Goal::Run => live::run(args, &checked, world),
    }
}

fn fail(failure: &Failure, format: Format, world: &mut World) -> Answer {
    let row = failure.code.row();
    debug_assert_eq!(row.exit_code, FAILURE_EXIT_CODE);
    debug_assert_eq!(row.scope, CodeScope::Host, "{} stands in no error object", row.name);
    let mut event = if [ErrorCode::AdbNotFound, ErrorCode::AdbServerFailed].contains(&row.code) {
        LogEvent::new(Level::Error, "adb.unreachable", &*failure.message)
    } else {
        // The message may repeat what was typed; the code says enough.
        LogEvent::new(Level::Error, "cli.failed", row.meaning)
    };
    event.status = Some(row.name.to_owned());
    event.exit_code = Some(row.exit_code);
    world.log(event);
    // A program that reads a pipe needs the code, whatever the format.
    let text = match (format, world.terminal) {
        (Format::Agent, _) => output::within(people::failure(&serde_json::json!(failure), Colour::Never)),
        (Format::Pretty, Terminal::Dumb | Terminal::Wide(_)) => {
            people::failure(&serde_json::json!(failure), world.colour)
        }
        (Format::Compact, _) | (_, Terminal::Absent) => output::json(failure, format),
    };
    Answer::text(text).exit(row.exit_code)
}
