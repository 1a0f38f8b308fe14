//! First come, first served: a queue for each name.
//!
//! A turn is asked for in one call that does not wait, so the order of those
//! calls is the order of the queue. To leave the queue, drop the [`Turn`].

use clawperator_contract::{ErrorCode, Failure};
use futures_core::future::BoxFuture;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio::sync::{Mutex as FairMutex, OwnedMutexGuard};

/// The most requests that wait for one phone.
pub const MAX_WAITING: usize = 10_000;
/// How many queues there are before those without waiters are removed.
const MAX_IDLE: usize = 256;

/// The queues of all names. Who has the turn has the value, too. Tokio's mutex
/// is fair: waiters get it in order.
#[derive(Debug)]
pub(crate) struct Queues<V>(Mutex<BTreeMap<String, Arc<FairMutex<V>>>>);

/// A turn that is ours until it is dropped.
pub(crate) type TurnGuard<V> = OwnedMutexGuard<V>;

pub(crate) enum Turn<V> {
    Had(TurnGuard<V>),
    Waiting(BoxFuture<'static, TurnGuard<V>>),
}

impl<V: Default + Send + 'static> Queues<V> {
    pub(crate) fn new() -> Self {
        Self(Mutex::default())
    }

    /// Joins the queue of a name, now.
    ///
    /// # Errors
    /// `EXECUTION_CONFLICT_IN_FLIGHT` if the queue is full.
    pub(crate) fn join(&self, name: &str) -> Result<Turn<V>, Failure> {
        let queue = self.queues().entry(name.to_owned()).or_default().clone();
        // Each turn, and the map, and we have one.
        if Arc::strong_count(&queue) > MAX_WAITING + 2 {
            let message = format!("{MAX_WAITING} requests are already waiting for the phone");
            return Err(Failure::of(ErrorCode::ExecutionConflict, message));
        }
        let mut waiting: BoxFuture<'static, _> = Box::pin(queue.lock_owned());
        // The first poll joins the mutex's own queue.
        match waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(had) => Ok(Turn::Had(had)),
            Poll::Pending => Ok(Turn::Waiting(waiting)),
        }
    }

    /// Removes the queues that are empty and whose values are not needed.
    pub(crate) fn tidy(&self, is_needed: impl Fn(&V) -> bool) {
        let mut queues = self.queues();
        if queues.len() > MAX_IDLE {
            queues.retain(|_, queue| {
                let in_use = Arc::strong_count(queue) > 1;
                in_use || queue.try_lock().is_ok_and(|value| is_needed(&value))
            });
        }
    }

    fn queues(&self) -> MutexGuard<'_, BTreeMap<String, Arc<FairMutex<V>>>> {
        // A map is whole between any two of its operations.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V> Turn<V> {
    pub(crate) async fn wait(self) -> TurnGuard<V> {
        match self {
            Self::Had(had) => had,
            Self::Waiting(waiting) => waiting.await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turns_come_in_the_order_of_joining_and_who_leaves_is_passed_over() {
        let queues = Arc::new(Queues::<Vec<usize>>::new());
        let first = queues.join("a").unwrap().wait().await;
        let mut turns: Vec<_> = (0..6).map(|_| Some(queues.join("a").unwrap())).collect();
        // Another phone is free.
        queues.join("b").unwrap().wait().await;
        for left in [0, 3] {
            turns[left] = None;
        }
        let mut waiting = Vec::new();
        // Asked in reverse: it is the order of joining that counts.
        for (number, turn) in turns.into_iter().enumerate().rev() {
            let Some(turn) = turn else { continue };
            waiting.push(tokio::spawn(async move { turn.wait().await.push(number) }));
            tokio::task::yield_now().await;
        }
        drop(first);
        for one in waiting {
            one.await.unwrap();
        }
        let last = queues.join("a").unwrap().wait().await;
        assert_eq!(*last, [1, 2, 4, 5]);
    }

    #[tokio::test]
    async fn queues_without_waiters_are_removed_and_a_full_one_takes_no_more() {
        let queues = Queues::<bool>::new();
        let had = queues.join("had").unwrap();
        *queues.join("needed").unwrap().wait().await = true;
        for number in 0..MAX_IDLE {
            queues.join(&number.to_string()).unwrap();
        }
        queues.tidy(|needed| *needed);
        let left: Vec<_> = queues.queues().keys().cloned().collect();
        assert_eq!(left, ["had", "needed"]);
        let waiting: Vec<_> = (0..MAX_WAITING).map(|_| queues.join("had").unwrap()).collect();
        let failure = queues.join("had").err().unwrap();
        assert_eq!(failure.code, ErrorCode::ExecutionConflict);
        drop((had, waiting));
        queues.join("had").unwrap().wait().await;
    }
}
