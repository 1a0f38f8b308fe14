//! The phone's time. Nothing here reads the host's.

use std::time::Duration;

/// How long the phone runs, and when it was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// When it was booted, since the Unix epoch.
    pub booted: Duration,
    /// How long it runs.
    pub uptime: Duration,
}

/// A point in time as people write it, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names say it")]
pub struct Moment {
    pub year: i64,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    pub millisecond: u32,
}

impl Clock {
    /// Since the Unix epoch.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.booted.saturating_add(self.uptime)
    }

    /// How long the phone runs, in milliseconds.
    #[must_use]
    pub fn uptime_ms(&self) -> u64 {
        u64::try_from(self.uptime.as_millis()).unwrap_or(u64::MAX)
    }
}

impl Moment {
    /// A time since the Unix epoch.
    #[must_use]
    pub fn of(time: Duration) -> Self {
        let seconds = time.as_secs();
        let days = i64::try_from(seconds / 86_400).unwrap_or(0);
        // Days are counted from March on, so that a leap day ends a year.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        Self {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month: u32::try_from(month).unwrap_or(1),
            day: u32::try_from(day).unwrap_or(1),
            hour: (seconds / 3600 % 24) as u32,
            minute: (seconds / 60 % 60) as u32,
            second: (seconds % 60) as u32,
            millisecond: time.subsec_millis(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_calendars_do() {
        for (seconds, expected) in [
            (0, (1970, 1, 1)),
            (951_782_400, (2000, 2, 29)),
            (1_767_225_600, (2026, 1, 1)),
            (4_107_542_399, (2100, 2, 28)),
        ] {
            let moment = Moment::of(Duration::from_secs(seconds));
            assert_eq!((moment.year, moment.month, moment.day), expected);
        }
    }
}
