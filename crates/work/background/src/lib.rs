//! Processes in the background: the server, simulated phones, recorders. Each is this program,
//! started again. Its first line on standard output says whether it is ready, and it outlives the
//! command that started it. Its [`ProcessFiles`] say that it lives and where its [`control`]
//! channel is, through which it is asked to end.

pub mod control;
mod files;
mod signals;

pub use files::{Life, ProcessFiles, ProcessState, read};
pub use signals::asked_to_end;

use serde_json::Value;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
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
pub struct ProcessLaunch<'a> {
    pub program: &'a Path,
    pub arguments: Vec<OsString>,
    /// What its environment has beside ours.
    pub variables: Vec<(&'static str, OsString)>,
    /// Whose log takes its standard error.
    pub files: &'a ProcessFiles,
    /// How long it may take to say its first line.
    pub limit: Duration,
}

/// Why a process is not ready.
#[derive(Debug)]
pub enum LaunchError {
    /// Its log cannot be written.
    Log(PathBuf, io::Error),
    /// The system does not start it.
    Spawn(io::Error),
    /// It said why it cannot run: a failure.
    Refused(Value),
    /// It ended, or said nothing in time; the last words of its log.
    NotReady(Option<String>),
}

impl ProcessLaunch<'_> {
    /// Starts the process and waits until it is ready; returns what it said then.
    /// One that is not ready is ended.
    pub fn start(self) -> Result<Value, LaunchError> {
        // No folder is kept busy for as long as the process runs.
        let root = if cfg!(windows) { "C:\\" } else { "/" };
        let log = self.files.fresh_log();
        let log = log.map_err(|error| LaunchError::Log(self.files.log_file(), error))?;
        let spawned = Command::new(self.program)
            .args(self.arguments)
            .envs(self.variables)
            .env(BACKGROUND, "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .current_dir(root)
            .spawn();
        let mut child = spawned.map_err(LaunchError::Spawn)?;
        let line = child.stdout.take().map(first_line);
        let line = line.and_then(|line| line.recv_timeout(self.limit).ok());
        let said = line.and_then(|line| serde_json::from_str::<Value>(&line).ok());
        match said {
            Some(said) if said.get("code").is_none() => {
                // Without a thread the system waits for it when this process ends.
                drop(leave(child));
                Ok(said)
            }
            refused => {
                // It may have ended by itself.
                let _ = child.kill();
                let _ = child.wait();
                let not_ready = || LaunchError::NotReady(self.files.last_words());
                Err(refused.map_or_else(not_ready, LaunchError::Refused))
            }
        }
    }
}

/// Waits for a process in a thread, so that none of a process that runs for long
/// stays behind as a zombie.
fn leave(mut child: Child) -> io::Result<JoinHandle<()>> {
    let waiting = move || {
        // Its exit code is not used.
        let _ = child.wait();
    };
    std::thread::Builder::new().name("background".to_owned()).spawn(waiting)
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
pub fn is_in_background() -> bool {
    std::env::var_os(BACKGROUND).is_some()
}

/// Leaves the terminal and the files of the process that started this one, if this one was started
/// to run in the background. To be called before this process opens anything of its own.
pub fn detach_if_in_background() {
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
    let open: Vec<i32> = listed.filter_map(|file| file.ok()?.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|number| *number > 2) {
        // The list itself is among them, and closed by now.
        let _ = nix::unistd::close(descriptor);
    }
}

/// Nothing is inherited here unless it was meant to be.
#[cfg(not(unix))]
fn detach() {}

/// A folder for what all processes of this user must agree on: the locks of
/// phones, and the list of simulated ones. No variable of the environment has a
/// part in it, because two processes can have different ones.
#[cfg(unix)]
pub fn folder_of_user(name: &str) -> PathBuf {
    format!("/tmp/clawperator-{name}-{}", nix::unistd::getuid()).into()
}

/// A folder for what all processes of this user must agree on. The system's
/// folder for temporary files is the user's own.
#[cfg(not(unix))]
pub fn folder_of_user(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("clawperator-{name}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_left_alone_leaves_no_zombie() {
        let child = Command::new("/bin/true").spawn().unwrap();
        let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
        leave(child).unwrap().join().unwrap();
        // A zombie would still take a signal.
        assert_eq!(nix::sys::signal::kill(pid, None), Err(nix::errno::Errno::ESRCH));
    }
}
