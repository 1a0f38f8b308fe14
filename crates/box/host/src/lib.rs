//! Simulated phones on this computer: starts them, finds them, talks to them.
//! It knows nothing of command lines; what it prints is decided in `cli`.

pub mod app_file;
mod error;
mod limits;
mod message;
pub mod outline;
mod process;
mod registry;
mod start;

pub use error::SimError;
pub use message::{HostRequest, PhoneScreen, Want};
pub use process::{Outside, run};
pub use registry::{PhoneEntry, ProcessEntry, Registry, START, default_folder};
pub use start::{StartOptions, TIMES, default_seed, time_called};

use clawperator_background::control::{CONTROL_TIME, ControlError};
use clawperator_background::{LaunchError, ProcessLaunch};
use clawperator_contract::words;
use limits::{HELLO_TIME, MAX_GREETED, POLL, START_TIME, STOP_TIME};
pub use limits::{MAX_ADVANCE_MS, MAX_PHONES};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
use std::thread::ScopedJoinHandle;
use std::time::Instant;

/// A phone that runs, and the process it runs in.
#[derive(Clone, Debug)]
pub struct RunningPhone {
    pub entry: ProcessEntry,
    pub phone: PhoneEntry,
    pub state: State,
}

words! {
    /// Whether a process answers.
    pub State {
        Running = "running",
        /// It is there, stopped or stuck, and does not.
        Silent = "silent",
    }
}

/// Every process that has phones, and whether it answers. What is left of
/// those that ended is removed.
pub fn processes(registry: &Registry) -> Result<Vec<(ProcessEntry, State)>, SimError> {
    let entries = registry.entries()?;
    let mut found = Vec::new();
    for some in entries.chunks(MAX_GREETED) {
        // All at once: one that does not answer costs its time only once.
        let greeted: Vec<_> = std::thread::scope(|scope| {
            let asking: Vec<_> = some.iter().map(|entry| scope.spawn(|| greet(entry))).collect();
            asking.into_iter().map(ScopedJoinHandle::join).collect()
        });
        for (entry, answer) in some.iter().zip(greeted) {
            match answer {
                Ok(Ok(_)) => found.push((entry.clone(), State::Running)),
                Ok(Err(ControlError::Gone)) if entry.files.is_gone() => entry.remove(),
                // Something else has its port: neither ours to remove nor a
                // process that anybody should end for our sake.
                Ok(Err(ControlError::Stranger | ControlError::Refused(_))) => {}
                Ok(Err(_)) | Err(_) => found.push((entry.clone(), State::Silent)),
            }
        }
    }
    Ok(found)
}

/// Every phone of every process, in the order of their numbers.
pub fn phones(registry: &Registry) -> Result<Vec<RunningPhone>, SimError> {
    let mut phones = Vec::new();
    for (entry, state) in processes(registry)? {
        let of = |phone: &PhoneEntry| RunningPhone { entry: entry.clone(), phone: phone.clone(), state };
        phones.extend(entry.phones.iter().map(of));
    }
    phones.sort_by_key(|running| running.phone.number);
    Ok(phones)
}

/// The phone of that name, serial or port; the only one if none is named.
pub fn find(registry: &Registry, name: Option<&str>) -> Result<RunningPhone, SimError> {
    let phones = phones(registry)?;
    let names = || phones.iter().map(|running| running.phone.name.clone()).collect();
    let found = match (name, phones.as_slice()) {
        (Some(name), all) => {
            let found = all.iter().find(|running| running.phone.is_called(name));
            found.ok_or_else(|| SimError::NoneCalled { name: name.to_owned(), running: names() })?
        }
        (None, []) => return Err(SimError::NoneRunning),
        (None, [only]) => only,
        (None, _) => return Err(SimError::Several(names())),
    };
    match found.state {
        State::Running => Ok(found.clone()),
        State::Silent => Err(SimError::Silent {
            phones: vec![found.phone.name.clone()],
            pid: found.entry.address.pid.get(),
        }),
    }
}

/// As [`find`]; of several phones the one that was used last, or else started last.
pub fn find_last(registry: &Registry, name: Option<&str>) -> Result<RunningPhone, SimError> {
    let found = match find(registry, name) {
        Err(SimError::Several(_)) => {
            let last = registry.last_used();
            let phones = phones(registry)?;
            let latest =
                phones.into_iter().filter(|running| running.state == State::Running).max_by_key(|running| {
                    (last.as_ref() == Some(&running.phone.serial), running.entry.started_ms)
                });
            latest.ok_or(SimError::NoneRunning)?
        }
        found => found?,
    };
    registry.remember(&found.phone);
    Ok(found)
}

/// Ends phones of a process, and the process if none is left; waits until they are gone.
pub fn stop(entry: &ProcessEntry, phones: &[PhoneEntry]) -> Result<(), SimError> {
    let names: Vec<_> = phones.iter().map(|phone| phone.name.clone()).collect();
    match ask::<Value>(entry, &HostRequest::Stop { phones: names.clone() }) {
        // Another command can have stopped them in the meantime.
        Ok(_) | Err(SimError::Unanswered(ControlError::Gone)) => {}
        Err(error) => return Err(error),
    }
    // The others have ended when it answers; the last one ends with its process.
    let last = phones.len() == entry.phones.len();
    if last && !entry.ends_within(STOP_TIME) {
        return Err(SimError::DoesNotEnd(names.join(", ")));
    }
    Ok(())
}

/// Asks a phone's process one thing and reads the answer.
pub fn ask<T: DeserializeOwned>(entry: &ProcessEntry, request: &HostRequest) -> Result<T, SimError> {
    if entry.files.is_gone() {
        return Err(ControlError::Gone.into());
    }
    Ok(match entry.address.ask(request, CONTROL_TIME) {
        // A process that ends leaves questions unanswered that came too late.
        Err(ControlError::BrokeOff | ControlError::Gone) if entry.ends_within(HELLO_TIME) => {
            Err(ControlError::Gone)
        }
        answer => answer,
    }?)
}

/// Asks a process whether it is there.
fn greet(entry: &ProcessEntry) -> Result<Value, ControlError> {
    let since = Instant::now();
    loop {
        let left = HELLO_TIME.saturating_sub(since.elapsed());
        match entry.address.ask(&HostRequest::Hello, left) {
            // It ends, or we were too slow; a greeting can be repeated.
            Err(ControlError::BrokeOff | ControlError::Gone) if since.elapsed() < HELLO_TIME => {
                if entry.ends_within(POLL) {
                    return Err(ControlError::Gone);
                }
            }
            answer => return answer,
        }
    }
}

/// Starts the program again with these phones, in a process that outlives this
/// one. What it returns is the process's first line.
pub fn launch(
    program: &Path,
    options: &StartOptions,
    registry: &Registry,
) -> Result<(Value, ProcessEntry), SimError> {
    let process = ProcessLaunch {
        program,
        arguments: options.arguments(),
        variables: vec![("CLAWPERATOR_SIM_DIR", registry.folder().into())],
        files: &registry.log(),
        limit: START_TIME,
    };
    let said = process.start()?;
    let mut entries = registry.entries()?.into_iter();
    // The number is its own only among those that live.
    let entry = entries.find(|entry| said["pid"] == entry.address.pid.get() && !entry.files.is_gone());
    let entry = entry.ok_or(LaunchError::NotReady(None))?;
    Ok((said, entry))
}

/// Starts one phone with the usual options.
pub fn launch_one(program: &Path, seed: u64, registry: &Registry) -> Result<RunningPhone, SimError> {
    let (_, entry) = launch(program, &StartOptions::plain(default_seed(seed)), registry)?;
    let phone = entry.phones.first().cloned().ok_or(LaunchError::NotReady(None))?;
    registry.remember(&phone);
    Ok(RunningPhone { entry, phone, state: State::Running })
}
