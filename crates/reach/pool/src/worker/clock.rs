//! The broker's clock, as far as a host knows it. Only durations of this computer's own
//! steady clock are used, so that setting its time changes nothing.

use std::sync::{Mutex, PoisonError};
use tokio::time::Instant;

/// What the broker's clock said last, and when.
#[derive(Debug, Default)]
pub(crate) struct BrokerClock(Mutex<Option<(u64, Instant)>>);

impl BrokerClock {
    /// Notes that the broker stored something at this time, which was sent then.
    pub(crate) fn set(&self, stored_ms: u64, sent: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((stored_ms, sent));
    }

    /// The broker's time now, if it is known.
    pub(crate) fn now_ms(&self) -> Option<u64> {
        let (stored_ms, sent) = (*self.0.lock().unwrap_or_else(PoisonError::into_inner))?;
        Some(stored_ms + u64::try_from(sent.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}
