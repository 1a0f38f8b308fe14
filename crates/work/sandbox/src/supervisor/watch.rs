//! Watches one program: its output, its input, its time and its end.

use super::{Channel, Ending, InputPiece, Job, ProgramResult};
use crate::runnable::Runnable;
use crate::wire::{LaunchOrder, LauncherMessage, MAX_FRAME, checked, frame};
use crate::{LAUNCH, Missing, Plan, SandboxError};
use futures_core::future::BoxFuture;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

/// How long the launcher has to end by itself when its socket is closed.
const GRACE: Duration = Duration::from_secs(1);
/// How much is read at once.
const CHUNK: usize = 64 << 10;
/// How much input is in one frame.
const INPUT: usize = 32 << 10;

type OutputListener<'l> = dyn FnMut(Channel, &[u8]) + Send + 'l;

pub(super) async fn run(
    launcher: &Path,
    plan: &Plan,
    job: Job,
    listen: &mut OutputListener<'_>,
) -> Result<ProgramResult, SandboxError> {
    let began = Instant::now();
    let frames = plan_frames(plan)?;
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let mut child = Command::new(launcher)
        .arg(LAUNCH)
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // It ends by itself when its socket is closed, and cleans up before.
        .kill_on_drop(false)
        .spawn()?;
    let (read, write) = UnixStream::from_std(ours)?.into_split();
    let output = ProgramOutput::of(&mut child, job.output_bytes);
    let mut watch = ProgramWatch { child, said: Frames::new(read), output, missing: Vec::new() };
    let until = Until { deadline: began + job.limit, stop: job.stop };
    let ending = watch.talk(LauncherInput::new(write, job.input, frames), until, listen).await;
    let (ending, missing) = watch.end(ending, listen).await?;
    Ok(ProgramResult { ending, took: began.elapsed(), missing })
}

/// The plan for both processes of the launcher, with paths without links in them.
fn plan_frames(plan: &Plan) -> Result<Vec<u8>, SandboxError> {
    let mut plan = plan.clone();
    for path in plan.read.iter_mut().chain(&mut plan.write) {
        *path = real(path)?;
    }
    let order = LaunchOrder { runnable: Runnable::of(&plan), plan };
    let bytes = serde_json::to_vec(&order).map_err(io::Error::from)?;
    if bytes.len() > MAX_FRAME {
        Err(SandboxError::TooLong(bytes.len()))
    } else {
        Ok(frame(&bytes).repeat(2))
    }
}

fn real(path: &Path) -> Result<PathBuf, SandboxError> {
    let not_text = || io::Error::new(io::ErrorKind::InvalidInput, "the path is not UTF-8");
    let real = path.canonicalize().and_then(|real| match real.to_str() {
        Some(_) => Ok(real),
        None => Err(not_text()),
    });
    real.map_err(|error| SandboxError::Path { path: path.to_owned(), error })
}

/// What ends a program.
struct Until {
    deadline: Instant,
    stop: BoxFuture<'static, ()>,
}

/// What is sent to the launcher.
struct LauncherInput {
    write: OwnedWriteHalf,
    input: Option<mpsc::Receiver<InputPiece>>,
    /// Frames that wait until the one before them is taken.
    waiting: VecDeque<Vec<u8>>,
    is_ready: bool,
}

impl LauncherInput {
    fn new(write: OwnedWriteHalf, input: Option<mpsc::Receiver<InputPiece>>, plan: Vec<u8>) -> Self {
        let mut waiting = VecDeque::from([plan]);
        if input.is_none() {
            waiting.push_back(frame(b""));
        }
        Self { write, input, waiting, is_ready: true }
    }

    /// Sends what can be sent, or waits for input.
    async fn send(&mut self) -> io::Result<()> {
        if !self.is_ready {
            return pending().await;
        }
        let Some(next) = self.waiting.front_mut() else {
            let Some(input) = &mut self.input else {
                return pending().await;
            };
            match input.recv().await {
                Some(InputPiece::Bytes(bytes)) => self.waiting.extend(bytes.chunks(INPUT).map(frame)),
                Some(InputPiece::End) | None => {
                    self.waiting.push_back(frame(b""));
                    self.input = None;
                }
            }
            return Ok(());
        };
        // Dropped in the middle, it goes on where it was.
        let sent = self.write.write(next).await?;
        next.drain(..sent);
        if next.is_empty() {
            self.waiting.pop_front();
            self.is_ready = false;
        }
        Ok(())
    }
}

struct ProgramWatch {
    child: Child,
    said: Frames,
    output: ProgramOutput,
    missing: Vec<Missing>,
}

impl ProgramWatch {
    /// Talks with the launcher until the program has ended or must. The socket is
    /// closed after that.
    async fn talk(
        &mut self,
        mut side: LauncherInput,
        mut until: Until,
        listen: &mut OutputListener<'_>,
    ) -> Result<Ending, SandboxError> {
        let gone = || io::Error::new(io::ErrorKind::UnexpectedEof, "it ended before the program did");
        loop {
            tokio::select! {
                biased;
                said = self.said.next() => match said?.ok_or_else(gone)? {
                    LauncherMessage::Refused(missing) => return Err(SandboxError::Refused(missing)),
                    LauncherMessage::NotStarted(why) => return Err(SandboxError::NotStarted(why)),
                    LauncherMessage::Started(missing) => {
                        self.missing = missing;
                        side.is_ready = true;
                    }
                    LauncherMessage::Taken => side.is_ready = true,
                    LauncherMessage::Exited(code) => return Ok(Ending::Exited(code)),
                    LauncherMessage::Signalled(signal) => return Ok(Ending::Signalled(signal)),
                },
                () = sleep_until(until.deadline) => return Ok(Ending::TimedOut),
                () = &mut until.stop => return Ok(Ending::Stopped),
                read = self.output.next() => {
                    if !self.output.take(&read, listen) {
                        return Ok(Ending::Flooded);
                    }
                }
                // If it fails, the launcher has something to say about it.
                done = side.send() => side.is_ready &= done.is_ok(),
            }
        }
    }

    /// Waits until nothing of the program is left, with the rest of its output.
    async fn end(
        mut self,
        ending: Result<Ending, SandboxError>,
        listen: &mut OutputListener<'_>,
    ) -> Result<(Ending, Vec<Missing>), SandboxError> {
        drop(self.said);
        let (child, output) = (&mut self.child, &mut self.output);
        let rest = async {
            let mut ended = false;
            while !ended || output.is_open() {
                tokio::select! {
                    read = output.next() => { output.take(&read, listen); }
                    _ = child.wait(), if !ended => ended = true,
                }
            }
        };
        if timeout(GRACE, rest).await.is_err() {
            kill(&mut self.child);
            let _ = timeout(GRACE, self.child.wait()).await;
        }
        Ok((ending?, self.missing))
    }
}

/// Kills the launcher, with which the namespaces end.
fn kill(child: &mut Child) {
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    // They may have ended meanwhile.
    let _ = child.start_kill();
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// What the launcher says, frame by frame.
struct Frames {
    from: OwnedReadHalf,
    bytes: Vec<u8>,
}

impl Frames {
    fn new(from: OwnedReadHalf) -> Self {
        Self { from, bytes: Vec::new() }
    }

    /// The next frame. It can be dropped and asked again.
    async fn next(&mut self) -> io::Result<Option<LauncherMessage>> {
        loop {
            if let Some((length, rest)) = self.bytes.split_first_chunk() {
                let length = checked(*length)?;
                if let Some(whole) = rest.get(..length) {
                    let said = serde_json::from_slice(whole)?;
                    self.bytes.drain(..4 + length);
                    return Ok(Some(said));
                }
            }
            if self.from.read_buf(&mut self.bytes).await? == 0 {
                return Ok(None);
            }
        }
    }
}

/// Both outputs of a program.
struct ProgramOutput {
    out: Option<ChildStdout>,
    err: Option<ChildStderr>,
    from_out: Vec<u8>,
    from_err: Vec<u8>,
    left: u64,
}

/// What was read: where, and how much.
struct Read {
    channel: Channel,
    bytes: usize,
}

impl ProgramOutput {
    fn of(child: &mut Child, most: u64) -> Self {
        Self {
            out: child.stdout.take(),
            err: child.stderr.take(),
            from_out: vec![0; CHUNK],
            from_err: vec![0; CHUNK],
            left: most,
        }
    }

    fn is_open(&self) -> bool {
        self.out.is_some() || self.err.is_some()
    }

    /// The next piece; it can be dropped and asked again.
    async fn next(&mut self) -> Read {
        tokio::select! {
            bytes = next(&mut self.out, &mut self.from_out) => Read { channel: Channel::Out, bytes },
            bytes = next(&mut self.err, &mut self.from_err) => Read { channel: Channel::Err, bytes },
        }
    }

    /// Passes a piece on; false if it was too much.
    fn take(&mut self, read: &Read, listen: &mut OutputListener<'_>) -> bool {
        let Read { channel, bytes } = *read;
        let room = usize::try_from(self.left).unwrap_or(usize::MAX);
        let piece = match channel {
            Channel::Out => &self.from_out[..bytes.min(room)],
            Channel::Err => &self.from_err[..bytes.min(room)],
        };
        if !piece.is_empty() {
            listen(channel, piece);
        }
        self.left -= piece.len() as u64;
        bytes <= room
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
