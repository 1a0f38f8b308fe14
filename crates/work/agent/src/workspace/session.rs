//! Programs that run, or ran, for `exec`: their output and their end.

use clawperator_document::words;
use clawperator_sandbox::{
    Channel, Ending, InputPiece, Job, Missing, Plan, ProgramResult, Programs, Sandbox, SandboxError,
};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

/// How many sessions are kept, and how many of them may run.
const MAX_KEPT: usize = 60;
pub(super) const MAX_RUNNING: usize = 16;
/// How many pieces of input wait for a program.
const MAX_INPUT: usize = 16;

words! {
    pub(super) Status {
        Running = "running",
        Completed = "completed",
        Failed = "failed",
        Killed = "killed",
        Timeout = "timeout",
    }
}

#[derive(Debug)]
pub(super) struct ProgramState {
    pub(super) status: Status,
    pub(super) exit_code: Option<i32>,
    pub(super) ending: Option<Ending>,
    pub(super) took: Option<Duration>,
    pub(super) output: Tail,
    pub(super) missing: Vec<Missing>,
    pub(super) not_started: Option<SandboxError>,
    /// How much of the output was shown by `poll`.
    pub(super) shown: u64,
}

/// The end of an output.
#[derive(Debug)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    most: usize,
    /// How many bytes are not kept any more, and how many lines ended in them.
    pub(super) dropped: u64,
    pub(super) dropped_lines: usize,
}

impl Tail {
    fn new(most: usize) -> Self {
        Self { bytes: VecDeque::new(), most, dropped: 0, dropped_lines: 0 }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let too_many = self.bytes.len().saturating_sub(self.most);
        let gone = self.bytes.drain(..too_many);
        self.dropped_lines += gone.filter(|byte| *byte == b'\n').count();
        self.dropped += too_many as u64;
    }

    pub(super) fn total(&self) -> u64 {
        self.dropped + self.bytes.len() as u64
    }

    /// What came after a point, as far as it is kept.
    pub(super) fn since(&self, point: u64) -> String {
        let skip = usize::try_from(point.saturating_sub(self.dropped)).unwrap_or(usize::MAX);
        let rest: Vec<u8> = self.bytes.iter().skip(skip).copied().collect();
        String::from_utf8_lossy(&rest).into_owned()
    }

    /// What came after a point, at most so many bytes, and the point behind it. A
    /// letter of which only a part has come is left for the next time.
    pub(super) fn next(&self, point: u64, most: usize) -> (String, u64) {
        let from = point.max(self.dropped);
        let skip = usize::try_from(from - self.dropped).unwrap_or(usize::MAX);
        let mut bytes: Vec<u8> = self.bytes.iter().skip(skip).take(most).copied().collect();
        if let Some(torn) = bytes.utf8_chunks().last().map(|chunk| chunk.invalid().len())
            && torn > 0
            && std::str::from_utf8(&bytes[bytes.len() - torn..])
                .is_err_and(|error| error.error_len().is_none())
        {
            bytes.truncate(bytes.len() - torn);
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (text, from + bytes.len() as u64)
    }
}

#[derive(Debug)]
pub(super) struct ProgramSession {
    pub(super) id: String,
    pub(super) command: String,
    pub(super) folder: String,
    pub(super) programs: Programs,
    pub(super) began: Instant,
    state: Mutex<ProgramState>,
    input: Mutex<Option<mpsc::Sender<InputPiece>>>,
    stop: Mutex<Option<oneshot::Sender<()>>>,
    /// Changes with every piece of output, and at the end.
    news: watch::Sender<u64>,
}

impl ProgramSession {
    pub(super) fn state(&self) -> MutexGuard<'_, ProgramState> {
        lock_mutex(&self.state)
    }

    pub(super) fn took(&self, state: &ProgramState) -> Duration {
        state.took.unwrap_or_else(|| self.began.elapsed())
    }

    pub(super) fn is_running(&self) -> bool {
        self.state().status == Status::Running
    }

    pub(super) async fn wait_for_end(&self, limit: Option<Duration>) {
        let mut news = self.news.subscribe();
        let wait = async {
            while self.is_running() {
                if news.changed().await.is_err() {
                    return;
                }
            }
        };
        match limit {
            Some(limit) => drop(tokio::time::timeout(limit, wait).await),
            None => wait.await,
        }
    }

    /// Waits until there is output that was not shown, or for a while.
    pub(super) async fn news(&self, limit: Duration) {
        let mut news = self.news.subscribe();
        let wait = async {
            loop {
                {
                    let state = self.state();
                    if state.status != Status::Running || state.output.total() > state.shown {
                        return;
                    }
                }
                if news.changed().await.is_err() {
                    return;
                }
            }
        };
        drop(tokio::time::timeout(limit, wait).await);
    }

    /// Gives it input; false if it takes none.
    pub(super) fn feed(&self, input: InputPiece) -> bool {
        let mut to = lock_mutex(&self.input);
        let is_end = input == InputPiece::End;
        let taken = to.as_ref().is_some_and(|to| to.try_send(input).is_ok());
        if is_end {
            *to = None;
        }
        taken
    }

    /// Ends it, with all that it started.
    pub(super) fn stop(&self) {
        // Dropping the sender says the same.
        drop(lock_mutex(&self.stop).take());
    }

    fn push_output(&self, bytes: &[u8]) {
        self.state().output.push(bytes);
        self.news.send_modify(|count| *count += 1);
    }

    fn end(&self, ran: Result<ProgramResult, SandboxError>) {
        {
            let mut state = self.state();
            state.took = Some(self.began.elapsed());
            match ran {
                Ok(ran) => {
                    (state.status, state.exit_code) = match ran.ending {
                        Ending::Exited(0) => (Status::Completed, Some(0)),
                        Ending::Exited(code) => (Status::Failed, Some(code)),
                        Ending::Signalled(_) | Ending::Flooded => (Status::Failed, None),
                        Ending::TimedOut => (Status::Timeout, None),
                        Ending::Stopped => (Status::Killed, None),
                    };
                    state.ending = Some(ran.ending);
                    state.missing = ran.missing;
                }
                Err(error) => {
                    state.status = Status::Failed;
                    state.not_started = Some(error);
                }
            }
        }
        *lock_mutex(&self.input) = None;
        self.news.send_modify(|count| *count += 1);
    }
}

pub(super) struct ProgramStart {
    pub(super) sandbox: Sandbox,
    pub(super) plan: Plan,
    pub(super) command: String,
    pub(super) folder: String,
    pub(super) limit: Duration,
    pub(super) kept: usize,
}

/// All sessions, oldest first. What runs ends when this is dropped.
#[derive(Debug, Default)]
pub(super) struct ProgramSessions(Mutex<(u64, Vec<Arc<ProgramSession>>)>);

impl ProgramSessions {
    /// Starts a program; nothing if too many run.
    pub(super) fn start(&self, start: ProgramStart) -> Option<Arc<ProgramSession>> {
        let mut sessions = lock_mutex(&self.0);
        let (number, all) = &mut *sessions;
        if all.iter().filter(|session| session.is_running()).count() >= MAX_RUNNING {
            return None;
        }
        while all.len() >= MAX_KEPT {
            let oldest = all.iter().position(|session| !session.is_running())?;
            all.remove(oldest);
        }
        *number += 1;
        let (to, input) = mpsc::channel(MAX_INPUT);
        let (stop, stopped) = oneshot::channel();
        let session = Arc::new(ProgramSession {
            id: format!("exec-{number}"),
            command: start.command,
            folder: start.folder,
            programs: start.plan.programs.clone(),
            began: Instant::now(),
            state: Mutex::new(ProgramState {
                status: Status::Running,
                exit_code: None,
                ending: None,
                took: None,
                output: Tail::new(start.kept),
                missing: Vec::new(),
                not_started: None,
                shown: 0,
            }),
            input: Mutex::new(Some(to)),
            stop: Mutex::new(Some(stop)),
            news: watch::Sender::new(0),
        });
        all.push(Arc::clone(&session));
        let mut job = Job::within(start.limit);
        job.input = Some(input);
        job.stop = Box::pin(async move { drop(stopped.await) });
        let running = Arc::clone(&session);
        tokio::spawn(async move {
            let mut listen = |_: Channel, bytes: &[u8]| running.push_output(bytes);
            let ran = start.sandbox.run(&start.plan, job, &mut listen).await;
            running.end(ran);
        });
        Some(session)
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<ProgramSession>> {
        let sessions = lock_mutex(&self.0);
        sessions.1.iter().find(|session| session.id == id).cloned()
    }

    pub(super) fn all(&self) -> Vec<Arc<ProgramSession>> {
        lock_mutex(&self.0).1.iter().rev().cloned().collect()
    }

    pub(super) async fn end_all(&self) {
        let all = self.all();
        all.iter().for_each(|session| session.stop());
        for session in all {
            session.wait_for_end(None).await;
        }
    }
}

impl Drop for ProgramSessions {
    fn drop(&mut self) {
        self.all().iter().for_each(|session| session.stop());
    }
}

/// A lock. Nothing under one of these panics.
fn lock_mutex<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_told_in_pieces_and_no_letter_is_torn() {
        let mut tail = Tail::new(100);
        tail.push("aé".as_bytes());
        tail.push(&"€".as_bytes()[..2]);
        assert_eq!(tail.next(0, 50), ("aé".to_owned(), 3));
        assert_eq!(tail.next(3, 50), (String::new(), 3));
        tail.push(&"€".as_bytes()[2..]);
        assert_eq!(tail.next(3, 50), ("€".to_owned(), 6));
        // In pieces: the second letter does not fit into two bytes.
        assert_eq!(tail.next(0, 2), ("a".to_owned(), 1));
        assert_eq!(tail.next(1, 2), ("é".to_owned(), 3));
        // What is no text at all is not waited for.
        tail.push(&[0xff, b'z']);
        assert_eq!(tail.next(6, 50), ("\u{fffd}z".to_owned(), 8));
        let mut short = Tail::new(4);
        short.push(b"123456");
        assert_eq!(short.next(0, 50), ("3456".to_owned(), 6));
    }
}
