//! `date`, and times as text for all who show one.

use super::options::{Mix, options};
use super::{BasicCommand, row};
use crate::call::Call;
use crate::machine::{ExitResult, Zone};
use jiff::civil::DateTime;
use jiff::fmt::strtime::{BrokenDownTime, Config};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

pub(super) const ROWS: &[BasicCommand] = &[row!("date", "[-u] [-d DATE] [+FORMAT]", date)];

async fn date(call: &mut Call) -> ExitResult {
    let given = options(call, "ud:r:s:", Mix::Anywhere)?;
    let zone = if given.has('u') { utc() } else { call.machine.zone() };
    let mut now = call.machine.now();
    if let Some(text) = given.value('d') {
        now = Duration::from_secs(parse(text).ok_or_else(|| format!("bad date '{text}'"))?);
    }
    if given.has('s') {
        return Err("cannot set date: Operation not permitted".into());
    }
    let wanted = given.operands.iter().find_map(|word| word.strip_prefix('+'));
    let wanted = wanted.unwrap_or("%a %b %e %H:%M:%S %Z %Y");
    call.print(format(wanted, now, &zone) + "\n").await
}

/// Seconds since the epoch of `@SECONDS` or `YYYY-MM-DD[ HH:MM[:SS]]` in UTC.
pub(super) fn parse(text: &str) -> Option<u64> {
    if let Some(seconds) = text.strip_prefix('@') {
        return seconds.split('.').next()?.parse().ok();
    }
    let civil: DateTime = text.trim_end_matches('Z').parse().ok()?;
    let time = Offset::UTC.to_timestamp(civil).ok()?;
    u64::try_from(time.as_second()).ok()
}

/// Seconds since the epoch of `[[CC]YY]MMDDhhmm[.ss]` in UTC; a year must be given.
pub(super) fn parse_digits(text: &str) -> Option<u64> {
    let (minutes, seconds) = text.split_once('.').unwrap_or((text, "00"));
    let full = match minutes.len() {
        // As POSIX has it: below 69 is in this century.
        10 if minutes < "69" => format!("20{minutes}"),
        10 => format!("19{minutes}"),
        _ => minutes.to_owned(),
    };
    if full.len() != 12 || seconds.len() != 2 || !full.is_ascii() {
        return None;
    }
    parse(&format!(
        "{}-{}-{} {}:{}:{seconds}",
        &full[..4],
        &full[4..6],
        &full[6..8],
        &full[8..10],
        &full[10..]
    ))
}

fn utc() -> Zone {
    Zone { minutes_east: 0, name: "UTC".to_owned() }
}

/// A time as `strftime` writes it.
pub(super) fn format(wanted: &str, time: Duration, zone: &Zone) -> String {
    // The zone is the phone's own, so its name is not known to the library.
    let named: Vec<String> = wanted.split("%%").map(|part| part.replace("%Z", &zone.name)).collect();
    let offset = Offset::from_seconds(zone.minutes_east.saturating_mul(60)).unwrap_or(Offset::UTC);
    let time = SignedDuration::try_from(time).and_then(Timestamp::from_duration);
    let time = time.unwrap_or(Timestamp::MAX);
    let zoned = time.to_zoned(TimeZone::fixed(offset));
    // Directives that do not exist stay as they are.
    let lenient = Config::new().lenient(true);
    BrokenDownTime::from(&zoned).to_string_with_config(&lenient, named.join("%%")).unwrap_or_default()
}
