//! Processes in the background: simulated phones and recorders. Each is this
//! program, started again. Its first line on standard output says whether it is
//! ready, and it outlives the command that started it. It ends when it is asked to
//! through its [`control`] channel.

pub(crate) mod control;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

/// The longest first line that is read: 256 phones and what is said of them.
const MAX_LINE: u64 = 1 << 20;
/// The variable that tells a process that it runs in the background.
const BACKGROUND: &str = "CLAWPERATOR_BACKGROUND";

/// A process to be started.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    /// This program.
    pub(crate) program: &'a Path,
    /// Its arguments.
    pub(crate) arguments: Vec<OsString>,
    /// What its environment has beside ours.
    pub(crate) variables: Vec<(&'static str, OsString)>,
    /// The file for its standard error.
    pub(crate) log: File,
    /// How long it may take to say its first line.
    pub(crate) limit: Duration,
}

/// A process that was started.
#[derive(Debug)]
pub(crate) struct Started {
    child: Child,
    /// What it said first; none if it said nothing in time.
    pub(crate) first_line: Option<String>,
}

impl Launch<'_> {
    /// Starts the process and waits for its first line.
    pub(crate) fn start(self) -> io::Result<Started> {
        // No folder is kept busy for as long as the process runs.
        let root = if cfg!(windows) { "C:\\" } else { "/" };
        let mut child = Command::new(self.program)
            .args(self.arguments)
            .envs(self.variables)
            .env(BACKGROUND, "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(self.log)
            .current_dir(root)
            .spawn()?;
        let line = child.stdout.take().map(first_line);
        let first_line = line.and_then(|line| line.recv_timeout(self.limit).ok());
        Ok(Started { child, first_line })
    }
}

impl Started {
    /// The number of the process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Lets a process run on. It is waited for, so that none of a process that
    /// runs for long stays behind as a zombie.
    pub(crate) fn leave(mut self) -> io::Result<JoinHandle<()>> {
        let waiting = move || {
            // Its exit code is not used.
            let _ = self.child.wait();
        };
        std::thread::Builder::new()
            .name("background".to_owned())
            .spawn(waiting)
    }

    /// Ends a process that did not become ready.
    pub(crate) fn end(mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads in a thread of its own, so that the reader can stop waiting.
fn first_line(out: ChildStdout) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || -> io::Result<()> {
        let mut line = String::new();
        BufReader::new(out.take(MAX_LINE)).read_line(&mut line)?;
        // The reader may have stopped waiting.
        let _ = sender.send(line);
        Ok(())
    });
    receiver
}

/// Whether this process was started to run in the background.
pub(crate) fn is_in_background() -> bool {
    std::env::var_os(BACKGROUND).is_some()
}

/// Leaves the terminal and the files of the process that started this one, if
/// this one was started to run in the background. To be called before this
/// process opens anything of its own.
pub(crate) fn detach_if_in_background() {
    if is_in_background() {
        detach();
    }
}

/// Leaves the terminal and closes the files that the parent left open: a lock
/// would stay locked, and a pipe open, for as long as this process runs.
#[cfg(unix)]
fn detach() {
    // Fails only if there is nothing to leave.
    let _ = nix::unistd::setsid();
    let Ok(listed) = std::fs::read_dir("/dev/fd") else {
        return;
    };
    let open: Vec<i32> = listed
        .filter_map(|file| file.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for descriptor in open.into_iter().filter(|number| *number > 2) {
        // The list itself is among them, and closed by now.
        let _ = nix::unistd::close(descriptor);
    }
}

/// Nothing is inherited here unless it was meant to be.
#[cfg(not(unix))]
fn detach() {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_left_alone_leaves_no_zombie() {
        let place = std::env::temp_dir().join(format!("clawperator-left-{}", std::process::id()));
        let log = File::create(&place).unwrap();
        let process = Launch {
            program: Path::new("/bin/sh"),
            arguments: ["-c", "echo ready; read line"].map(Into::into).into(),
            variables: Vec::new(),
            log,
            limit: Duration::from_secs(60),
        };
        let process = process.start().unwrap();
        std::fs::remove_file(&place).unwrap();
        assert_eq!(process.first_line.as_deref(), Some("ready\n"));
        let pid = nix::unistd::Pid::from_raw(i32::try_from(process.pid()).unwrap());
        process.leave().unwrap().join().unwrap();
        // A zombie would still take a signal.
        assert_eq!(nix::sys::signal::kill(pid, None), Err(nix::errno::Errno::ESRCH));
    }
}
