//! Waiting for a file lock without polling, and leaving the wait at any time.
//!
//! A thread blocks in the system's call for each file that is waited for: one
//! thread, however many wait. The lock goes to the waiter that came first and
//! is still there; if none is left, it is released at once.

use super::open_lock;
use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The files that this process waits for.
#[derive(Clone, Debug, Default)]
pub struct Waiters(Arc<Mutex<BTreeMap<PathBuf, Queue>>>);

/// Who waits for one file, in order.
type Queue = VecDeque<oneshot::Sender<io::Result<File>>>;

impl Waiters {
    /// Opens and locks a file; nothing if another holder still has it after
    /// `wait`. The lock ends when the file is closed.
    pub async fn lock(&self, path: &Path, wait: Duration) -> io::Result<Option<File>> {
        let file = open_lock(path)?;
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if wait.is_zero() => return Ok(None),
            Err(TryLockError::WouldBlock) => {}
        }
        match timeout(wait, self.join(path)?).await {
            Ok(Ok(locked)) => locked.map(Some),
            Ok(Err(_)) => Err(io::Error::other("the thread that waited for the lock ended")),
            Err(_) => Ok(None),
        }
    }

    /// Joins the queue of a file. To leave it, drop the receiver.
    fn join(&self, path: &Path) -> io::Result<oneshot::Receiver<io::Result<File>>> {
        let (give, take) = oneshot::channel();
        let mut queues = self.queues();
        if let Some(queue) = queues.get_mut(path) {
            queue.retain(|waiter| !waiter.is_closed());
            queue.push_back(give);
            return Ok(take);
        }
        let (waiters, path) = (self.clone(), path.to_owned());
        queues.insert(path.clone(), VecDeque::from([give]));
        let blocked = {
            let path = path.clone();
            move || while waiters.hand_over(&path) {}
        };
        let spawned = thread::Builder::new().name("file-lock".to_owned()).spawn(blocked);
        if let Err(error) = spawned {
            queues.remove(&path);
            return Err(error);
        }
        Ok(take)
    }

    /// Waits for the lock and gives it to the first waiter; tells whether more are waiting.
    fn hand_over(&self, path: &Path) -> bool {
        let mut locked = open_lock(path).and_then(|file| file.lock().map(|()| file));
        let mut queues = self.queues();
        let Some(queue) = queues.get_mut(path) else {
            return false;
        };
        while let Some(waiter) = queue.pop_front() {
            match waiter.send(locked) {
                Ok(()) => break,
                // It has left: the next one gets the lock.
                Err(back) => locked = back,
            }
        }
        let more = !queue.is_empty();
        if !more {
            queues.remove(path);
        }
        more
    }

    fn queues(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Queue>> {
        // A queue is whole between any two of its operations.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
