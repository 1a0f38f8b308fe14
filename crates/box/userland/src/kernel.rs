//! What every machine has: files, a list of processes, and background jobs.

use crate::files::Files;
use crate::{Errno, FileSystem, limits};
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Files, processes and jobs of one machine.
#[derive(Debug)]
pub struct Kernel {
    pub files: Files,
    pub processes: Processes,
    pub jobs: Jobs,
}

impl Kernel {
    /// A kernel with these files and nothing running.
    pub fn new(files: FileSystem) -> Self {
        Self { files: Files::new(files), processes: Processes::default(), jobs: Jobs::default() }
    }
}

/// The number of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pid(pub u32);

impl fmt::Display for Pid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// What a list of processes shows of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub pid: Pid,
    pub parent: Pid,
    pub uid: u32,
    /// Its name, without a directory.
    pub name: String,
    pub command: String,
}

/// The list of processes.
#[derive(Debug, Default)]
pub struct Processes(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    last: u32,
    rows: BTreeMap<Pid, (Process, Arc<ProcessSignal>)>,
}

/// First number a process gets; what is below belongs to the machine's own.
const FIRST_PID: u32 = 4000;
const LAST_PID: u32 = 32_767;

impl Processes {
    /// Lists a process until the returned hold on it is dropped.
    /// The number is chosen here; the one given does not count.
    pub fn start(&self, process: Process) -> Result<ProcessGuard, Errno> {
        let mut table = self.table();
        if table.rows.len() >= limits::MAX_PROCESSES {
            return Err(Errno::TryAgain);
        }
        let mut number = table.last.max(FIRST_PID);
        loop {
            number = if number >= LAST_PID { FIRST_PID } else { number + 1 };
            if !table.rows.contains_key(&Pid(number)) {
                break;
            }
        }
        table.last = number;
        let (pid, signal) = (Pid(number), Arc::new(ProcessSignal::default()));
        table.rows.insert(pid, (Process { pid, ..process }, signal.clone()));
        Ok(ProcessGuard { pid, signal, table: self.0.clone() })
    }

    /// Gives a process another name and command line, as `exec` does.
    pub(crate) fn rename(&self, now: Process) {
        if let Some((process, _)) = self.table().rows.get_mut(&now.pid) {
            process.name = now.name;
            process.command = now.command;
        }
    }

    /// Every process, by number.
    pub fn list(&self) -> Vec<Process> {
        self.table().rows.values().map(|(process, _)| process.clone()).collect()
    }

    /// Sends a signal; it ends the process unless it is 0 (and a few that mean nothing here).
    pub fn signal(&self, uid: u32, pid: Pid, signal: u8) -> Result<(), Errno> {
        let table = self.table();
        let (process, flag) = table.rows.get(&pid).ok_or(Errno::NoProcess)?;
        if uid != 0 && uid != process.uid {
            return Err(Errno::Permission);
        }
        let bit = 1u64.checked_shl(u32::from(signal)).unwrap_or(0);
        if signal != KILL && flag.caught.load(Ordering::Acquire) & bit != 0 {
            flag.pending.fetch_or(bit, Ordering::AcqRel);
            flag.come.notify_one();
        } else if !HARMLESS.contains(&signal) {
            flag.number.store(signal, Ordering::Release);
            flag.notify.notify_one();
        }
        Ok(())
    }

    /// Makes signals of a process wait for it, instead of ending it.
    pub(crate) fn catch(&self, pid: Pid, signals: impl Iterator<Item = u8>) {
        if let Some((_, flag)) = self.table().rows.get(&pid) {
            let bits =
                signals.fold(0, |bits, signal| bits | 1u64.checked_shl(u32::from(signal)).unwrap_or(0));
            flag.caught.store(bits, Ordering::Release);
        }
    }

    /// The signals that wait for a process; they wait no longer.
    pub(crate) fn take_caught(&self, pid: Pid) -> Vec<u8> {
        let table = self.table();
        let bits = table.rows.get(&pid).map_or(0, |(_, flag)| flag.pending.swap(0, Ordering::AcqRel));
        (0..64).filter(|signal| bits >> signal & 1 == 1).collect()
    }

    /// Waits until a signal waits for a process, and gives its number.
    pub(crate) async fn caught(&self, pid: Pid) -> u8 {
        let flag = self.table().rows.get(&pid).map(|(_, flag)| flag.clone());
        let Some(flag) = flag else {
            return std::future::pending().await;
        };
        loop {
            let bits = flag.pending.load(Ordering::Acquire);
            if bits != 0 {
                return bits.trailing_zeros() as u8;
            }
            flag.come.notified().await;
        }
    }

    fn table(&self) -> std::sync::MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Signals that end nothing: 0, CHLD, CONT, STOP, TSTP, URG, WINCH.
const HARMLESS: &[u8] = &[0, 17, 18, 19, 20, 23, 28];

#[derive(Debug, Default)]
struct ProcessSignal {
    number: AtomicU8,
    notify: Notify,
    /// Signals that do not end the process, one bit each.
    caught: AtomicU64,
    /// Those of them that have come.
    pending: AtomicU64,
    come: Notify,
}

/// What no process can catch.
const KILL: u8 = 9;

/// A process for as long as it runs; dropping this takes it off the list.
#[derive(Debug)]
pub struct ProcessGuard {
    pub pid: Pid,
    signal: Arc<ProcessSignal>,
    table: Arc<Mutex<Table>>,
}

impl ProcessGuard {
    /// Waits until the process is ended, and gives the signal's number.
    pub async fn killed(&self) -> u8 {
        loop {
            let number = self.signal.number.load(Ordering::Acquire);
            if number != 0 {
                return number;
            }
            self.signal.notify.notified().await;
        }
    }

    /// The exit code of a process that a signal ended, or the signal: a shell ends by itself if it can.
    pub(crate) fn end_by(&self, number: u8) -> Result<u8, u8> {
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let is_shell = table.rows.get(&self.pid).is_some_and(|(process, _)| process.name == "sh");
        if is_shell && crate::signal::SHELL_ENDS.contains(&number) { Ok(128 + number) } else { Err(number) }
    }
}

impl Drop for ProcessGuard {
    fn drop(&mut self) {
        self.table.lock().unwrap_or_else(PoisonError::into_inner).rows.remove(&self.pid);
    }
}

/// What runs on after the shell that began it.
///
/// A job holds the machine, so the machine's owner ends jobs with
/// [`Jobs::abort_all`]; they do not end by themselves with the last handle.
#[derive(Debug, Default)]
pub struct Jobs(Mutex<JoinSet<()>>);

impl Jobs {
    /// Runs a job on the current runtime.
    pub fn start(&self, job: impl Future<Output = ()> + Send + 'static) -> Result<(), Errno> {
        let mut jobs = self.set();
        while jobs.try_join_next().is_some() {}
        if jobs.len() >= limits::MAX_JOBS {
            return Err(Errno::TryAgain);
        }
        jobs.spawn(job);
        Ok(())
    }

    /// Ends every job.
    pub fn abort_all(&self) {
        self.set().abort_all();
    }

    /// How many jobs run.
    pub fn running(&self) -> usize {
        let mut jobs = self.set();
        while jobs.try_join_next().is_some() {}
        jobs.len()
    }

    fn set(&self) -> std::sync::MutexGuard<'_, JoinSet<()>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
