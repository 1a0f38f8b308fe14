//! Starts the launcher, reads what the program prints, and ends all of it in time.

#[cfg(target_os = "linux")]
mod watch;

use crate::{Missing, Plan, SandboxError};
use futures_core::future::BoxFuture;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;

/// A way to run programs confined.
#[derive(Clone, Debug)]
pub struct Sandbox {
    launcher: PathBuf,
}

/// How a program is run: for how long, with which input, and until when.
pub struct Job {
    pub limit: Duration,
    /// After how much output it is ended.
    pub output_bytes: u64,
    /// What it reads; without it its input is empty.
    pub input: Option<mpsc::Receiver<InputPiece>>,
    pub stop: BoxFuture<'static, ()>,
}

impl Job {
    /// A job without input that ends by itself or in time.
    pub fn within(limit: Duration) -> Self {
        Self { limit, output_bytes: 64 << 20, input: None, stop: Box::pin(std::future::pending()) }
    }
}

/// A piece of a program's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputPiece {
    Bytes(Vec<u8>),
    End,
}

/// Which output something was printed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    Out,
    Err,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    Stopped,
    Flooded,
}

/// A program that ran. Nothing of it runs any more.
#[derive(Clone, Debug)]
pub struct ProgramResult {
    pub ending: Ending,
    pub took: Duration,
    /// The parts of the confinement that it ran without.
    pub missing: Vec<Missing>,
}

impl Sandbox {
    /// A sandbox whose launcher is this program, called with [`LAUNCH`](crate::LAUNCH).
    pub fn new(launcher: impl Into<PathBuf>) -> Self {
        Self { launcher: launcher.into() }
    }

    /// Runs a program to its end, or ends it. `listen` gets its output as it comes.
    /// No process of it is left when this returns, and none soon after it is dropped.
    ///
    /// # Errors
    /// Why the program was not started.
    pub fn run<'f>(
        &'f self,
        plan: &'f Plan,
        job: Job,
        listen: &'f mut (dyn FnMut(Channel, &[u8]) + Send),
    ) -> BoxFuture<'f, Result<ProgramResult, SandboxError>> {
        Box::pin(async move {
            #[cfg(target_os = "linux")]
            return watch::run(&self.launcher, plan, job, listen).await;
            #[cfg(not(target_os = "linux"))]
            {
                let _ = (&self.launcher, plan, job, listen);
                Err(SandboxError::Unsupported)
            }
        })
    }
}
