//! Simulated phones on this computer: starts them, finds them, talks to them.
//! It knows nothing of command lines; what it prints is decided in `cli`.

pub(crate) mod app_file;
mod control;
mod error;
pub(crate) mod fixture;
mod host;
mod launch;
mod limits;
mod message;
mod named;
pub(crate) mod outline;
mod registry;
mod start;

pub(crate) use control::ask;
pub(crate) use error::SimError;
pub(crate) use host::{Outside, run};
pub(crate) use launch::launch;
pub(crate) use message::{Advanced, FaultsNow, Request, Screen, Status, Want};
pub(crate) use named::SimulatedPhones;
pub(crate) use registry::{Entry, Lock, PhoneEntry, Registry, default_folder};
pub(crate) use start::{StartOptions, TIMES, default_seed};

use control::greet;
pub(crate) use limits::{MAX_ADVANCE_MS, MAX_PHONES};
use limits::{MAX_GREETED, STOP_TIME};

/// A phone that runs, and the process it runs in.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    /// The process.
    pub(crate) entry: Entry,
    /// The phone.
    pub(crate) phone: PhoneEntry,
    /// Whether it answers.
    pub(crate) state: State,
}

/// Whether a process answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It does.
    Running,
    /// It is there, stopped or stuck, and does not.
    Silent,
}

impl State {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Silent => "silent",
        }
    }
}

/// Every process that has phones, and whether it answers. What is left of
/// those that ended is removed.
pub(crate) fn processes(registry: &Registry) -> Result<Vec<(Entry, State)>, SimError> {
    let entries = registry.entries()?;
    let mut found = Vec::new();
    for some in entries.chunks(MAX_GREETED) {
        // All at once: one that does not answer costs its time only once.
        let greeted: Vec<_> = std::thread::scope(|scope| {
            let asking: Vec<_> = some.iter().map(|entry| scope.spawn(|| greet(entry))).collect();
            asking
                .into_iter()
                .map(std::thread::ScopedJoinHandle::join)
                .collect()
        });
        for (entry, answer) in some.iter().zip(greeted) {
            match answer {
                Ok(Ok(())) => found.push((entry.clone(), State::Running)),
                Ok(Err(SimError::Gone)) if entry.is_gone() => registry.remove(entry),
                // Something else has its port: neither ours to remove nor a
                // process that anybody should end for our sake.
                Ok(Err(SimError::NotAPhone | SimError::Cannot(_))) => {}
                Ok(Err(_)) | Err(_) => found.push((entry.clone(), State::Silent)),
            }
        }
    }
    Ok(found)
}

/// Every phone that runs.
pub(crate) fn phones(registry: &Registry) -> Result<Vec<Running>, SimError> {
    let processes = processes(registry)?;
    let mut phones: Vec<_> = processes
        .into_iter()
        .flat_map(|(entry, state)| {
            let of = |phone: &PhoneEntry| Running {
                entry: entry.clone(),
                phone: phone.clone(),
                state,
            };
            entry.phones.iter().map(of).collect::<Vec<_>>()
        })
        .collect();
    phones.sort_by_key(|running| running.phone.number);
    Ok(phones)
}

/// The phone of that name, serial or port; the only one if none is named.
pub(crate) fn find(registry: &Registry, name: Option<&str>) -> Result<Running, SimError> {
    let phones = phones(registry)?;
    let names = || phones.iter().map(|running| running.phone.name.clone()).collect();
    let found = match (name, phones.as_slice()) {
        (Some(name), all) => match all.iter().find(|running| running.phone.is_called(name)) {
            Some(found) => found,
            None => {
                return Err(SimError::NoneCalled {
                    name: name.to_owned(),
                    running: names(),
                });
            }
        },
        (None, []) => return Err(SimError::NoneRunning),
        (None, [only]) => only,
        (None, _) => return Err(SimError::Several(names())),
    };
    match found.state {
        State::Running => Ok(found.clone()),
        State::Silent => Err(SimError::Silent {
            phones: vec![found.phone.name.clone()],
            pid: found.entry.pid,
        }),
    }
}

/// As [`find`]; of several phones the one that was used last, or else started last.
pub(crate) fn find_last(registry: &Registry, name: Option<&str>) -> Result<Running, SimError> {
    let found = match find(registry, name) {
        Err(SimError::Several(_)) => {
            let last = registry.last_used();
            let phones = phones(registry)?;
            let latest = phones
                .into_iter()
                .filter(|running| running.state == State::Running)
                .max_by_key(|running| {
                    (
                        last.as_ref() == Some(&running.phone.serial),
                        running.entry.started_ms,
                    )
                });
            latest.ok_or(SimError::NoneRunning)?
        }
        found => found?,
    };
    registry.remember(&found.phone);
    Ok(found)
}

/// Ends phones of a process, and the process if none is left; waits until they
/// are gone.
pub(crate) fn stop(entry: &Entry, phones: &[PhoneEntry]) -> Result<(), SimError> {
    let names: Vec<_> = phones.iter().map(|phone| phone.name.clone()).collect();
    let request = Request::Stop {
        phones: names.clone(),
    };
    match ask::<serde_json::Value>(entry, &request) {
        // Another command can have stopped them in the meantime.
        Ok(_) | Err(SimError::Gone) => {}
        Err(error) => return Err(error),
    }
    // The others have ended when it answers; the last one ends with its process.
    let last = phones.len() == entry.phones.len();
    if last && !entry.ends_within(STOP_TIME) {
        return Err(SimError::DoesNotEnd(names.join(", ")));
    }
    Ok(())
}
