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
