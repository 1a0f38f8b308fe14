//! Whether a request is sent again, and when. Pure.

use super::limits::{FIRST_PAUSE, LONGEST_PAUSE, MAX_ATTEMPTS};
use std::time::Duration;

/// How often and how long a request is tried.
#[derive(Clone, Copy, Debug)]
pub struct ModelRetry {
    pub attempts: u32,
    /// The pause before the second attempt; it doubles from there.
    pub first_pause: Duration,
    pub longest_pause: Duration,
}

impl Default for ModelRetry {
    fn default() -> Self {
        Self { attempts: MAX_ATTEMPTS, first_pause: FIRST_PAUSE, longest_pause: LONGEST_PAUSE }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptFailure {
    /// The server answered with this status, and may have asked for a pause.
    Status(u16, Option<Duration>),
    /// The server was not reached, the connection broke, or the stream ended before the answer did.
    Network,
}

impl ModelRetry {
    /// The pause before the next attempt; nothing if there is to be none.
    /// `sent` is how often the request was sent.
    pub(super) fn pause(&self, failed: AttemptFailure, sent: u32, left: Duration) -> Option<Duration> {
        let wish = match failed {
            AttemptFailure::Status(408 | 409 | 425 | 429 | 500..=599, wish) => wish,
            AttemptFailure::Status(_, _) => return None,
            AttemptFailure::Network => None,
        };
        if sent >= self.attempts {
            return None;
        }
        let doubled = self.first_pause.saturating_mul(1 << sent.saturating_sub(1).min(16));
        let pause = wish.unwrap_or(doubled.min(self.longest_pause));
        // A server that asks for more than we wait is not asked again too early.
        (pause <= self.longest_pause && pause < left).then_some(pause)
    }
}

/// What `Retry-After` asks for: seconds, or a date.
pub(super) fn retry_after(header: &str, now_s: i64) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let then = jiff::fmt::rfc2822::parse(header).ok()?.timestamp().as_second();
    u64::try_from(then.saturating_sub(now_s)).ok().map(Duration::from_secs).or(Some(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_8_2_429_and_network_errors_are_tried_again_and_others_are_not() {
        let seconds = |number| Some(Duration::from_secs(number));
        let policy = ModelRetry::default();
        for (failed, sent, left, wanted) in [
            (AttemptFailure::Status(429, seconds(7)), 1, 60, seconds(7)),
            (AttemptFailure::Status(429, None), 1, 60, seconds(1)),
            (AttemptFailure::Status(429, None), 3, 60, seconds(4)),
            (AttemptFailure::Status(529, None), 2, 60, seconds(2)),
            (AttemptFailure::Network, 1, 60, seconds(1)),
            (AttemptFailure::Network, 5, 60, None),
            (AttemptFailure::Status(429, seconds(7)), 1, 5, None),
            (AttemptFailure::Status(429, seconds(3600)), 1, 9999, None),
            (AttemptFailure::Status(400, None), 1, 60, None),
            (AttemptFailure::Status(401, seconds(1)), 1, 60, None),
        ] {
            let pause = policy.pause(failed, sent, Duration::from_secs(left));
            assert_eq!(pause, wanted, "{failed:?} after {sent}, {left} s left");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        for (header, wanted) in [
            ("3", Some(3)),
            (" 0 ", Some(0)),
            ("Thu, 01 Jan 1970 00:01:40 GMT", Some(40)),
            ("Thu, 01 Jan 1970 00:00:10 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
        ] {
            assert_eq!(retry_after(header, 60), wanted.map(Duration::from_secs), "{header}");
        }
    }
}
