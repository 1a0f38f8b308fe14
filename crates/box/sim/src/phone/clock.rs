//! The phone's time. Nothing here reads the host's.

use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// How long the phone runs, and when it was started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhoneClock {
    /// When it was booted, since the Unix epoch.
    pub booted: Duration,
    pub uptime: Duration,
}

impl PhoneClock {
    /// Since the Unix epoch.
    pub fn now(&self) -> Duration {
        self.booted.saturating_add(self.uptime)
    }

    /// How long the phone runs, in milliseconds.
    pub fn uptime_ms(&self) -> u64 {
        u64::try_from(self.uptime.as_millis()).unwrap_or(u64::MAX)
    }
}

/// A time since the Unix epoch as `strftime` writes it, in UTC.
pub(crate) fn format_time(time: Duration, format: &str) -> String {
    let time = SignedDuration::try_from(time).and_then(Timestamp::from_duration);
    time.unwrap_or(Timestamp::MAX).strftime(format).to_string()
}

pub(crate) fn log_time(time: Duration) -> String {
    format_time(time, "%m-%d %H:%M:%S%.3f")
}
