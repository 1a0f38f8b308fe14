//! Starts a program in a process group of its own, reads what it prints, and ends
//! the whole group in time.

pub use clawperator_sandbox::Channel as ProcessChannel;

use clawperator_sandbox::Ending;
use futures_core::future::BoxFuture;
use std::ffi::OsString;
use std::future::pending;
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How often a group is asked whether it is still there.
const POLL: Duration = Duration::from_millis(20);
/// How long processes have to end by themselves after they are asked to.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// The same below a skill: its own processes must have ended before the skill
/// that called it is killed.
pub(crate) const NESTED_GRACE: Duration = Duration::from_secs(1);
/// How long the output is read after a program has ended, if another process still holds it open.
const DRAIN: Duration = Duration::from_millis(500);
const CHUNK: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct ProgramLaunch {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) limit: Duration,
    pub(crate) grace: Duration,
}

#[derive(Debug)]
pub(crate) struct ProcessResult {
    pub(crate) ending: Ending,
    pub(crate) took: Duration,
    /// Whether it left processes running that had to be ended.
    pub(crate) left_others: bool,
}

pub(crate) type ProcessListener<'l> = dyn FnMut(ProcessChannel, &[u8]) + Send + 'l;

/// Runs a program to its end, or ends it in time or when `stop` says so. No
/// process of its group is left when this returns, and none if it is dropped.
pub(crate) async fn run(
    launch: ProgramLaunch,
    listen: &mut ProcessListener<'_>,
    stop: impl Future<Output = ()>,
) -> io::Result<ProcessResult> {
    let began = Instant::now();
    let mut command = Command::new(&launch.program);
    command
        .args(&launch.arguments)
        .env_clear()
        .envs(launch.variables)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn()?;
    let mut group = Group::of(&child, launch.grace);
    let mut reading =
        Reading { pipes: Box::pin(read_both(child.stdout.take(), child.stderr.take(), listen)), done: false };
    let (mut stop, limit) = (pin!(stop), began + launch.limit);
    let until_ended = async {
        tokio::select! {
            biased;
            status = child.wait() => status.map(ending_of),
            () = sleep_until(limit) => Ok(Ending::TimedOut),
            () = &mut stop => Ok(Ending::Stopped),
        }
    };
    let ending = reading.during(until_ended).await?;
    let mut left_others = false;
    match ending {
        Ending::TimedOut | Ending::Stopped | Ending::Flooded => group.end(&mut child, &mut reading).await,
        Ending::Exited(_) | Ending::Signalled(_) => {
            // Another process may hold the output open for ever.
            let _ = timeout(DRAIN, reading.finish()).await;
            left_others = group.is_there();
            if left_others {
                group.end(&mut child, &mut reading).await;
            }
        }
    }
    group.is_ended = true;
    Ok(ProcessResult { ending, took: began.elapsed(), left_others })
}

fn ending_of(status: ExitStatus) -> Ending {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ending::Signalled(signal);
    }
    Ending::Exited(status.code().unwrap_or(1))
}

/// The reading of both outputs, which goes on while other things are waited for.
struct Reading<'r> {
    pipes: BoxFuture<'r, ()>,
    done: bool,
}

impl Reading<'_> {
    /// Waits for something, and reads meanwhile. What is waited for is asked
    /// first: a flood of output cannot keep it waiting.
    async fn during<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        loop {
            tokio::select! {
                biased;
                came = &mut other => return came,
                () = &mut self.pipes, if !self.done => self.done = true,
            }
        }
    }

    async fn finish(&mut self) {
        if !self.done {
            (&mut self.pipes).await;
            self.done = true;
        }
    }
}

async fn read_both(
    mut out: Option<impl AsyncRead + Unpin>,
    mut err: Option<impl AsyncRead + Unpin>,
    listen: &mut ProcessListener<'_>,
) {
    let (mut from_out, mut from_err) = (vec![0; CHUNK], vec![0; CHUNK]);
    while out.is_some() || err.is_some() {
        tokio::select! {
            read = next(&mut out, &mut from_out) => listen(ProcessChannel::Out, &from_out[..read]),
            read = next(&mut err, &mut from_err) => listen(ProcessChannel::Err, &from_err[..read]),
        }
    }
}

/// How much of the next piece was read. An output that has ended, or cannot be read, is dropped.
async fn next(pipe: &mut Option<impl AsyncRead + Unpin>, into: &mut [u8]) -> usize {
    let Some(open) = pipe else {
        return pending().await;
    };
    let read = open.read(into).await.unwrap_or(0);
    if read == 0 {
        *pipe = None;
    }
    read
}

/// The process group of a program. It is killed when this is dropped, unless it has ended.
struct Group {
    #[cfg(unix)]
    id: Option<nix::unistd::Pid>,
    grace: Duration,
    is_ended: bool,
}

impl Group {
    /// Asks every process of the group to end, and kills those that do not.
    async fn end(&mut self, child: &mut Child, reading: &mut Reading<'_>) {
        self.ask(child);
        let in_time = reading.during(timeout(self.grace, self.wait_until_gone(child))).await;
        if in_time.is_err() {
            self.kill(child);
            // Nothing survives this; a process that the system cannot end must not hold us.
            let _ = reading.during(timeout(self.grace, self.wait_until_gone(child))).await;
        }
        let _ = timeout(DRAIN, reading.finish()).await;
    }

    /// Waits until no process of the group is left.
    async fn wait_until_gone(&self, child: &mut Child) {
        // A process that ended counts until it is waited for.
        let _ = child.wait().await;
        while self.is_there() {
            sleep(POLL).await;
        }
    }
}

#[cfg(unix)]
mod signals {
    use super::Group;
    use nix::errno::Errno;
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    use std::time::Duration;
    use tokio::process::Child;

    impl Group {
        pub(crate) fn of(child: &Child, grace: Duration) -> Self {
            let id = child.id().and_then(|id| i32::try_from(id).ok());
            Self { id: id.map(Pid::from_raw), grace, is_ended: false }
        }

        pub(crate) fn is_there(&self) -> bool {
            self.id.is_some_and(|id| killpg(id, None) != Err(Errno::ESRCH))
        }

        pub(crate) fn ask(&self, _child: &Child) {
            self.send(Signal::SIGTERM);
        }

        pub(crate) fn kill(&self, _child: &mut Child) {
            self.send(Signal::SIGKILL);
        }

        fn send(&self, signal: Signal) {
            if let Some(id) = self.id {
                // It may have ended meanwhile.
                let _ = killpg(id, signal);
            }
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            if !self.is_ended {
                self.send(Signal::SIGKILL);
            }
        }
    }
}

/// Without process groups only the program itself can be ended.
#[cfg(not(unix))]
mod signals {
    use super::Group;
    use std::time::Duration;
    use tokio::process::Child;

    impl Group {
        pub(crate) fn of(_child: &Child, grace: Duration) -> Self {
            Self { grace, is_ended: false }
        }

        pub(crate) fn is_there(&self) -> bool {
            false
        }

        pub(crate) fn ask(&self, _child: &Child) {}

        pub(crate) fn kill(&self, child: &mut Child) {
            // It may have ended meanwhile.
            let _ = child.start_kill();
        }
    }
}
