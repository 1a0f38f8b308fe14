//! Where a phone's time comes from.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How a phone's time passes.
#[derive(Debug)]
pub enum Time {
    Real {
        /// When the phone was made.
        since: Instant,
    },
    /// Only when it is advanced.
    Virtual {
        /// How long the phone runs by now.
        now: Mutex<Duration>,
        moved: Notify,
    },
}

impl Time {
    /// Time that passes by itself, from now on.
    pub fn real() -> Self {
        Self::Real { since: Instant::now() }
    }

    /// Time that stops until it is advanced.
    pub fn virtual_from(now: Duration) -> Self {
        Self::Virtual { now: Mutex::new(now), moved: Notify::new() }
    }

    /// How long the phone runs.
    pub fn uptime(&self) -> Duration {
        match self {
            Self::Real { since } => since.elapsed(),
            Self::Virtual { now, .. } => *now.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Moves time on; real time cannot be moved.
    pub fn advance(&self, by: Duration) -> bool {
        match self {
            Self::Real { .. } => false,
            Self::Virtual { now, moved } => {
                let mut now = now.lock().unwrap_or_else(PoisonError::into_inner);
                *now = now.saturating_add(by);
                drop(now);
                moved.notify_waiters();
                true
            }
        }
    }

    /// Waits until so much time has passed.
    pub async fn sleep(&self, time: Duration) {
        match self {
            Self::Real { .. } => tokio::time::sleep(time).await,
            Self::Virtual { moved, .. } => {
                let end = self.uptime().saturating_add(time);
                loop {
                    let waiting = moved.notified();
                    tokio::pin!(waiting);
                    // From here on no move is missed.
                    waiting.as_mut().enable();
                    if self.uptime() >= end {
                        return;
                    }
                    waiting.await;
                }
            }
        }
    }
}
