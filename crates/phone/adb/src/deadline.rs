//! A point in time by which something must be done. Every call that waits takes one.

use crate::error::AdbError;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Later than anything here runs.
const FAR_AWAY: Duration = Duration::from_secs(60 * 60 * 24 * 365);

/// A point in time, and how long it was away when it was set.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    at: Instant,
    after: Duration,
}

impl Deadline {
    /// A deadline this long from now.
    pub fn after(after: Duration) -> Self {
        let now = Instant::now();
        // What no clock can say is as good as never, but must not break one.
        let at = now.checked_add(after).unwrap_or_else(|| now + FAR_AWAY);
        Self { at, after }
    }

    /// How long it is still away.
    pub fn left(self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
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
            Err(_) => Err(AdbError::TimedOut { what, after: self.after }),
        }
    }
}
