//! The outer process of the launcher: it enters the namespaces, starts the inner
//! process, and ends what is left of it.

use super::{INNER, namespace};
use crate::Missing;
use crate::wire::{self, LaunchOrder};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, set_child_subreaper, setsid, wait};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long the processes that are left are killed for, without a pid namespace.
const SWEEP: Duration = Duration::from_secs(2);

/// What the outer process tells the inner one.
#[derive(Serialize, Deserialize)]
pub(super) struct OuterFacts {
    pub(super) outer: u32,
    pub(super) missing: Vec<Missing>,
}

pub(super) fn run(socket: &UnixStream) -> io::Result<()> {
    let order: LaunchOrder = serde_json::from_slice(&wire::read(socket)?)?;
    // A session of its own: no terminal. It may be the leader of a group already.
    let _ = setsid();
    set_child_subreaper(Some(rustix::process::getpid()))?;
    let known = OuterFacts { missing: namespace::enter(&order.plan), outer: std::process::id() };
    let mut inner = Command::new("/proc/self/exe")
        .args(std::env::args_os().skip(1))
        .arg(INNER)
        .arg(serde_json::to_string(&known)?)
        .env_clear()
        .stdin(Stdio::inherit())
        .spawn()?;
    inner.wait()?;
    sweep();
    match fs::remove_dir_all(scratch(known.outer)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The folder for passing files of a program that gets no `/tmp` of its own.
pub(super) fn scratch(outer: u32) -> PathBuf {
    std::env::temp_dir().join(format!("clawperator-{outer}"))
}

/// Kills what the inner process left. In a pid namespace there is nothing; without
/// one, orphans have become children of this process.
fn sweep() {
    let until = Instant::now() + SWEEP;
    while Instant::now() < until {
        for child in children() {
            // It may have ended meanwhile.
            let _ = kill_process(child, Signal::KILL);
        }
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            // Killed, but not gone yet.
            Ok(None) => std::thread::yield_now(),
            // No child is left.
            Err(_) => return,
        }
    }
}

fn children() -> Vec<Pid> {
    let own = std::process::id();
    let numbers = fs::read_dir("/proc").into_iter().flatten();
    numbers
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|number| parent(*number) == Some(own))
        .filter_map(Pid::from_raw)
        .collect()
}

/// The parent of a process: the second number behind its name, which is in
/// brackets and may contain anything.
fn parent(process: i32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok()
}
