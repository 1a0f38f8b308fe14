//! A point in time by which something must be done. Every call that waits takes
//! one.

use crate::error::AdbError;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// A point in time, and how long it was away when it was set.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    at: Instant,
    after: Duration,
}

impl Deadline {
    /// So long from now.
    #[must_use]
    pub fn after(after: Duration) -> Self {
        Self {
            at: Instant::now() + after,
            after,
        }
    }

    /// Waits for something, but not past the deadline.
    ///
    /// # Errors
    /// [`AdbError::TimedOut`], or the error of what was waited for. Either way
    /// it is no longer running.
    pub async fn run<T>(
        self,
        what: &'static str,
        work: impl Future<Output = Result<T, AdbError>>,
    ) -> Result<T, AdbError> {
        match timeout_at(self.at, work).await {
            Ok(result) => result,
            Err(_) => Err(AdbError::TimedOut {
                what,
                after: self.after,
            }),
        }
    }
}
