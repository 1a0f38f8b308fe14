//! Processes that are started here, killed, stopped, and let go on.

use rustix::process::{Pid, Signal, kill_process};
use std::process::{Child, Command};

/// A process that ends with this.
#[derive(Debug)]
pub(crate) struct Process(pub(crate) Child);

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.spawn().unwrap())
    }

    /// Stops it without ending it.
    pub(crate) fn stop(&self) {
        kill_process(Pid::from_child(&self.0), Signal::STOP).unwrap();
    }

    /// Lets it go on.
    pub(crate) fn go_on(&self) {
        kill_process(Pid::from_child(&self.0), Signal::CONT).unwrap();
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// How much memory it has, in megabytes.
    pub(crate) fn resident_mb(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        let kb: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kb / 1024.0)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // As with `kill -9`; one that is stopped ends, too.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
