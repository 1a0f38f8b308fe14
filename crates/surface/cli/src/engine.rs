//! The engine of one command: what it needs from the environment.

use super::log::{Level as LogLevel, Log, LogEvent};
use super::sim::named_phones;
use super::world::World;
use crate::recorder::{Keeper, RecordingFolder};
use clawperator_contract::Status;
use clawperator_engine::{
    AdbPhones, Engine, EngineLog, EngineLogEntry, EngineSettings, IDLE_LIMIT, Ids, Outcome, OutcomeKind,
};
use clawperator_events::Clock;
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// An engine for one command: it keeps no connection open.
pub(crate) fn engine(world: &World) -> Engine {
    let (now_ms, since, random) = (world.now_ms, Instant::now(), world.random);
    let passed = move || u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
    let clock = Clock::new(move || now_ms.saturating_add(passed()));
    Engine::new(settings(world, clock, Ids::new(move || random)))
}

/// An engine for many requests: connections stay open for a while.
pub(crate) fn serving(world: &World) -> Engine {
    let (clock, secret, random) = (world.clock, world.secret, world.random);
    // Without the system's random numbers ids are still unlike each other: the engine counts.
    let ids = Ids::new(move || secret().map_or(random, |number| number as u64));
    Engine::new(EngineSettings { idle: Some(IDLE_LIMIT), ..settings(world, Clock::new(clock), ids) })
}

fn settings(world: &World, clock: Clock, ids: Ids) -> EngineSettings {
    let phones = &world.phones;
    let clock = Arc::new(clock);
    EngineSettings {
        discovery: Arc::new(AdbPhones {
            environment: phones.environment.clone(),
            key_file: phones.key_file.clone(),
            name: phones.name.clone(),
            named: named_phones(world),
        }),
        locks: phones.locks.clone(),
        state: phones.state.clone(),
        pictures: phones.folder.clone(),
        idle: None,
        recordings: Some(Arc::new(Keeper {
            recordings: RecordingFolder::new(&phones.state),
            program: (world.program)().ok(),
            clock: clock.clone(),
            ids: ids.clone(),
        })),
        lane: phones.lane,
        clock,
        ids,
        log: log(world.log.clone()),
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// Writes what the engine reports to the program's log: codes, not what was read or typed.
fn log(log: Log) -> EngineLog {
    let log = Mutex::new(log);
    EngineLog::new(move |entry| {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        log.add(event(entry), &mut |text| {
            // Without standard error there is nowhere to print.
            let _ = std::io::stderr().write_all(text.as_bytes());
        });
    })
}

fn event(entry: EngineLogEntry<'_>) -> LogEvent {
    let (EngineLogEntry::Started(request) | EngineLogEntry::Ended(request, ..)) = entry;
    let work = &request.work;
    let event = match entry {
        EngineLogEntry::Started(_) => {
            let message = match work.execution() {
                Some(execution) => format!("actions: {}", execution.actions().len()),
                None => "actions: one by one".to_owned(),
            };
            let device_id = request.device.clone();
            LogEvent { device_id, ..LogEvent::new(LogLevel::Info, "execution.started", message) }
        }
        EngineLogEntry::Ended(_, outcome, took) => {
            let (level, message) = ending(outcome);
            let status = if outcome.kind() == OutcomeKind::Success { "success" } else { "failed" };
            LogEvent {
                status: Some(status.to_owned()),
                device_id: match outcome {
                    Outcome::Ran(result) => Some(result.device_id.clone()),
                    Outcome::Error(_) | Outcome::Stored(_) => None,
                },
                duration_ms: u64::try_from(took.as_millis()).ok(),
                ..LogEvent::new(level, "execution.ended", message)
            }
        }
    };
    let (command_id, task_id) = (work.command_id().to_owned(), work.task_id().to_owned());
    LogEvent { command_id: Some(command_id), task_id: Some(task_id), ..event }
}

fn ending(outcome: &Outcome) -> (LogLevel, String) {
    match outcome {
        Outcome::Ran(result) => match result.envelope.status {
            Status::Success => (LogLevel::Info, "every step succeeded".to_owned()),
            Status::Failed => {
                let code = result.envelope.error_code.clone().unwrap_or_default();
                (LogLevel::Warn, format!("a step failed: {code}"))
            }
        },
        Outcome::Error(failure) => (LogLevel::Error, failure.code.name().to_owned()),
        Outcome::Stored(_) => (LogLevel::Info, "the outcome was stored before; nothing was sent".to_owned()),
    }
}
