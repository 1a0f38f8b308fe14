//! What a machine gives the user land, and what it may add to it.

use crate::call::Call;
use crate::identity::{usual_id, usual_name};
use crate::kernel::{Kernel, Pid};
use crate::stream::OutputError;
use futures_core::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// How a program ends: with an exit code, or early.
pub type ExitResult = Result<u8, Stop>;

/// Why a program ends early. A text is a complaint with the exit code 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    Output(OutputError),
    /// It says `name: what` on standard error, and this is its exit code.
    Complaint(String, u8),
}

impl From<OutputError> for Stop {
    fn from(broken: OutputError) -> Self {
        Self::Output(broken)
    }
}

impl<T: Into<String>> From<T> for Stop {
    fn from(what: T) -> Self {
        Self::Complaint(what.into(), 1)
    }
}

/// A time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Its distance from UTC, in minutes to the east.
    pub minutes_east: i32,
    pub name: String,
}

/// The machine the user land runs on.
pub trait Machine: Send + Sync + 'static {
    fn kernel(&self) -> &Kernel;

    /// A command this machine adds, or has instead of one of the basic ones.
    fn program(&self, name: &str) -> Option<Arc<dyn Program>>;

    /// The machine's time since the Unix epoch.
    fn now(&self) -> Duration;

    /// Waits in the machine's time.
    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()>;

    fn zone(&self) -> Zone {
        Zone { minutes_east: 0, name: "GMT".to_owned() }
    }

    /// How long the machine has been running.
    fn uptime(&self) -> Duration {
        Duration::ZERO
    }

    /// Brings files up to date that the machine makes up, such as those in `/proc`, because this
    /// process is about to look at this absolute path. The files are not locked.
    fn refresh(&self, path: &str, pid: Pid) {
        let _ = (path, pid);
    }

    /// What `uname` tells.
    fn uname(&self) -> Uname {
        Uname::default()
    }

    /// The name of a user or group.
    fn user_name(&self, id: u32) -> String {
        usual_name(id)
    }

    /// The number of a user or group.
    fn user_id(&self, name: &str) -> Option<u32> {
        usual_id(name)
    }
}

/// What `uname` tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uname {
    /// `-n`, also what `hostname` and the prompt say.
    pub node: String,
    /// `-r`.
    pub release: String,
    /// `-v`.
    pub version: String,
    /// `-m`.
    pub machine: String,
}

impl Default for Uname {
    fn default() -> Self {
        Self {
            node: "localhost".to_owned(),
            release: "6.1.0".to_owned(),
            version: "#1 SMP PREEMPT".to_owned(),
            machine: "aarch64".to_owned(),
        }
    }
}

/// A command.
///
/// Any `fn(&mut Call) -> BoxFuture<'_, ExitResult>` is one.
pub trait Program: Send + Sync {
    fn run<'a>(&'a self, call: &'a mut Call) -> BoxFuture<'a, ExitResult>;
}

impl<F> Program for F
where
    F: for<'a> Fn(&'a mut Call) -> BoxFuture<'a, ExitResult> + Send + Sync,
{
    fn run<'a>(&'a self, call: &'a mut Call) -> BoxFuture<'a, ExitResult> {
        self(call)
    }
}
