//! Times as they are written down, in Greenwich: they sort as they are written.
//! Pure.

/// How long a stamp is.
pub(super) const STAMP: usize = "20261115T091512.345Z".len();

/// A time as logs and journals have it: `2026-11-15T09:15:12.345Z`.
///
/// It takes milliseconds since 1970, and sorts as long as years have four
/// digits.
#[must_use]
pub fn iso_time(ms: u64) -> String {
    let (year, month, day) = civil(ms / 86_400_000);
    let ms = ms % 86_400_000;
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z",
        ms % 1000
    )
}

/// The same without what does not belong in a name: `20261115T091512.345Z`.
pub(super) fn stamp(now_ms: u64) -> String {
    iso_time(now_ms).replace(['-', ':'], "")
}

/// The same for people: `2026-11-15 09:15:12.345 UTC`.
#[must_use]
pub(crate) fn shown_time(ms: u64) -> String {
    iso_time(ms).replace('T', " ").replace('Z', " UTC")
}

/// When the journal of a name began.
pub(super) fn began_ms(name: &str) -> Option<u64> {
    let stamp = name.get(..STAMP)?;
    let shape = stamp.bytes().enumerate().all(|(place, byte)| match place {
        8 => byte == b'T',
        15 => byte == b'.',
        19 => byte == b'Z',
        _ => byte.is_ascii_digit(),
    });
    let number = |from: usize, to: usize| stamp.get(from..to)?.parse::<u64>().ok();
    let days = days(number(0, 4)?, number(4, 6)?, number(6, 8)?);
    let seconds = number(9, 11)? * 3600 + number(11, 13)? * 60 + number(13, 15)?;
    (shape && name.as_bytes().get(STAMP) == Some(&b'-'))
        .then_some(days * 86_400_000 + seconds * 1000 + number(16, 19)?)
}

/// The date of a day since 1970, in the calendar of today. Years are counted
/// from March, so that a leap day is the last of its year.
fn civil(day: u64) -> (u64, u64, u64) {
    let shifted = day + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// The days since 1970 of a date; the other way round.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year.saturating_sub(1) } else { year };
    let shifted_month = (month + 9) % 12;
    let of_year = (153 * shifted_month + 2) / 5 + day.saturating_sub(1);
    let before = year / 400 * 146_097 + (year % 400) * 365 + (year % 400) / 4 - (year % 400) / 100;
    (before + of_year).saturating_sub(719_468)
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
