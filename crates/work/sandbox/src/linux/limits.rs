//! How much the program gets of everything that the kernel counts.

use crate::{Limits, Missing, Part};
use rustix::process::{Resource, Rlimit, getuid, setrlimit};
use std::fs;
use std::io;

/// The least number of processes that a pid namespace can be limited to.
const LEAST: u32 = 301;

/// Sets all limits of processes; the number of processes is [`count`].
pub(super) fn set(limits: &Limits) -> io::Result<()> {
    let table = [
        (Resource::Cpu, limits.cpu_seconds),
        // Not the address space: many programs reserve much and use little.
        (Resource::Data, limits.memory_bytes),
        (Resource::Nofile, limits.open_files),
        (Resource::Fsize, limits.file_bytes),
        (Resource::Core, 0),
        (Resource::Msgqueue, 0),
    ];
    for (resource, most) in table {
        most_of(resource, most)?;
    }
    Ok(())
}

/// Which bounds on processes can be used: those of namespaces.
pub(super) struct NamespaceBounds {
    pub(super) user: bool,
    pub(super) processes: bool,
}

/// Bounds the number of processes. The limit of a user does not bind root, so it
/// is the range of process ids of the namespace there.
pub(super) fn count(limits: &Limits, inside: &NamespaceBounds) -> Result<(), Missing> {
    let mut bounded = false;
    if inside.user && !getuid().is_root() {
        bounded = most_of(Resource::Nproc, limits.processes.into()).is_ok();
    }
    // Without a pid namespace this would be the limit of the whole computer.
    let range = if inside.processes {
        fs::write("/proc/sys/kernel/pid_max", limits.processes.saturating_add(1).max(LEAST).to_string())
    } else {
        Err(io::Error::other("there is no pid namespace"))
    };
    match range {
        Err(error) if !bounded => Err(Missing::new(Part::ProcessCount, error)),
        _ => Ok(()),
    }
}

fn most_of(resource: Resource, most: u64) -> io::Result<()> {
    // A limit that is lower already stays.
    let most = rustix::process::getrlimit(resource).maximum.map_or(most, |now| now.min(most));
    let limit = Rlimit { current: Some(most), maximum: Some(most) };
    Ok(setrlimit(resource, limit)?)
}
