//! Times as they are written down, in UTC: as text they sort by time. Pure.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

pub(super) const STAMP: usize = "20261115T091512.345Z".len();

/// A time as logs and journals have it: `2026-11-15T09:15:12.345Z`. It takes
/// milliseconds since 1970.
pub fn iso_time(ms: u64) -> String {
    let time = i64::try_from(ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let time = time.unwrap_or(Timestamp::MAX);
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The same without what does not belong in a name: `20261115T091512.345Z`.
pub(super) fn stamp(now_ms: u64) -> String {
    iso_time(now_ms).replace(['-', ':'], "")
}

/// The same for people: `2026-11-15 09:15:12.345 UTC`.
pub(crate) fn shown_time(ms: u64) -> String {
    iso_time(ms).replace('T', " ").replace('Z', " UTC")
}

/// When the journal of a name began.
pub(super) fn began_ms(name: &str) -> Option<u64> {
    let (stamp, rest) = name.split_at_checked(STAMP)?;
    let time = DateTime::strptime("%Y%m%dT%H%M%S%.fZ", stamp).ok()?;
    let time = TimeZone::UTC.to_timestamp(time).ok()?;
    u64::try_from(time.as_millisecond()).ok().filter(|_| rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_so_that_they_sort_and_read_back() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_709_164_799, "2024-02-28T23:59:59.000Z"),
            (1_767_225_599, "2025-12-31T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso_time(seconds * 1_000), text);
        }
        assert!(iso_time(u64::MAX).ends_with('Z'));
        assert_eq!(stamp(0), "19700101T000000.000Z");
        assert_eq!(stamp(1_794_734_112_345), "20261115T091512.345Z");
        assert_eq!(shown_time(1_794_734_112_345), "2026-11-15 09:15:12.345 UTC");
        for ms in (0..4_000_000_000_000).step_by(86_400_000 * 13 + 12_345_678) {
            assert_eq!(began_ms(&format!("{}-c", stamp(ms))), Some(ms));
        }
        for other in ["", "20261115", "2026111xT091512.345Z-c", "20261115T091512.345Zc"] {
            assert_eq!(began_ms(other), None);
        }
    }
}
