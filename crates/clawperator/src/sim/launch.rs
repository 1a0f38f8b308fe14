//! Starts phones in a process of their own, which outlives this one.

use super::limits::START_TIME;
use super::{BACKGROUND, Entry, Registry, SimError, StartOptions, greet};
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc;

/// The longest first line that is read: 256 phones and what is said of them.
const MAX_LINE: u64 = 1 << 20;

/// Starts the program again with these phones, and waits until they answer.
/// What it returns is the process's first line.
pub(crate) fn launch(
    program: &Path,
    options: &StartOptions,
    registry: &Registry,
) -> Result<(Value, Entry), SimError> {
    let mut command = Command::new(program);
    command
        .args(options.arguments())
        .env("CLAWPERATOR_SIM_DIR", registry.folder())
        .env(BACKGROUND, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(registry.fresh_log()?)
        // No folder is kept busy for as long as the phone runs.
        .current_dir(root());
    let mut child = command.spawn().map_err(SimError::Spawn)?;
    let first = child.stdout.take().map(first_line);
    let said = first.and_then(|line| line.recv_timeout(START_TIME).ok());
    let not_ready = || SimError::NotReady(registry.last_words());
    let ready = said.ok_or_else(not_ready).and_then(|line| {
        let said: Value = serde_json::from_str(&line).map_err(|_| not_ready())?;
        if said.get("code").is_some() {
            return Err(SimError::Refused(said));
        }
        let entry = registry
            .entries()?
            .into_iter()
            .find(|entry| entry.pid == child.id());
        let entry = entry.ok_or_else(not_ready)?;
        greet(&entry)?;
        Ok((said, entry))
    });
    if ready.is_err() {
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
    ready
}

/// A folder that is always there.
pub(crate) fn root() -> &'static Path {
    Path::new(if cfg!(windows) { "C:\\" } else { "/" })
}

/// Reads in a thread of its own, which can be left behind.
pub(crate) fn first_line(out: ChildStdout) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || -> io::Result<()> {
        let mut line = String::new();
        BufReader::new(out.take(MAX_LINE)).read_line(&mut line)?;
        // Whoever waited may have left.
        let _ = sender.send(line);
        Ok(())
    });
    receiver
}
