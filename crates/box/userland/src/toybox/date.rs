//! `date`, and times as text for all who show one.

use super::options::options;
use super::{BasicCommand, row};
use crate::call::Call;
use crate::machine::{ExitResult, Zone};
use jiff::civil::DateTime;
use jiff::fmt::strtime::{BrokenDownTime, Config};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

pub(super) const ROWS: &[BasicCommand] =
    &[row!("date", "[-u] [-r FILE] [-d DATE] [+DISPLAY_FORMAT] [-D SET_FORMAT] [SET]", date)];

async fn date(call: &mut Call) -> ExitResult {
    let given = options(call, "d:D:r:s:u(utc)[!dr]")?;
    let zone = match call.env.get("TZ") {
        _ if given.has('u') => zone_of("UTC"),
        Some(name) => zone_of(name),
        None => call.machine.zone(),
    };
    let mut now = call.machine.now();
    let bad = |text: &str| format!("bad date {text}");
    if let Some(text) = given.value('d') {
        now = parse(text, now).ok_or_else(|| bad(text))?;
    }
    if let Some(file) = given.value('r') {
        let path = call.path(file);
        let stat = call.files(|files, actor| files.stat(actor, &path));
        now = stat.map_err(|error| format!("Can't stat {file}: {error}"))?.mtime;
    }
    let (formats, words): (Vec<&String>, Vec<&String>) =
        given.operands.iter().partition(|word| word.starts_with('+'));
    let mut code = 0;
    if let Some(text) = given.value('s').or(words.first().map(|word| word.as_str())) {
        let digits = text.len() >= 8 && given.value('s').is_none();
        now = if digits { parse_set(text, now) } else { parse(text, now).filter(|_| given.has('s')) }
            .ok_or_else(|| bad(text))?;
        code = call.complain("cannot set date: Operation not permitted").await;
    }
    let wanted = formats.last().map_or("%a %b %e %H:%M:%S %Z %Y", |word| &word[1..]);
    call.out(format(wanted, now, &zone) + "\n").await?;
    Ok(code)
}

/// A zone as `TZ` names it: letters, and hours to the west.
fn zone_of(text: &str) -> Zone {
    let letters = text.find(|next: char| !next.is_ascii_alphabetic()).unwrap_or(text.len());
    let (sign, hours) = match text[letters..].strip_prefix('-') {
        Some(rest) => (1, rest),
        None => (-1, text[letters..].trim_start_matches('+')),
    };
    let (hours, minutes) = hours.split_once(':').unwrap_or((hours, "0"));
    let number = |text: &str| text.parse::<i32>().unwrap_or(0).min(24 * 60);
    Zone { minutes_east: sign * (number(hours) * 60 + number(minutes)), name: text[..letters].to_owned() }
}

/// The time of `@SECONDS`, `YYYY-MM-DD[ HH:MM[:SS]]` or `HH:MM` of this day, in UTC.
pub(super) fn parse(text: &str, now: Duration) -> Option<Duration> {
    if let Some(seconds) = text.strip_prefix('@') {
        return Duration::try_from_secs_f64(seconds.parse().ok()?).ok();
    }
    let trimmed = text.trim_end_matches('Z');
    let dated = match trimmed.find(['-', ':']) {
        Some(4) => trimmed.to_owned(),
        Some(2) => format(&format!("%F {trimmed}"), now, &zone_of("UTC")),
        _ => return None,
    };
    let civil: DateTime = dated.parse().ok()?;
    Duration::try_from(Offset::UTC.to_timestamp(civil).ok()?.as_duration()).ok()
}

/// The time of `[[CC]YY]MMDDhhmm[.ss]` in UTC.
pub(super) fn parse_digits(text: &str, now: Duration) -> Option<Duration> {
    let (minutes, seconds) = text.split_once('.').unwrap_or((text, "00"));
    if !minutes.bytes().all(|digit| digit.is_ascii_digit()) || seconds.len() != 2 {
        return None;
    }
    let full = match minutes.len() {
        8 => format(&format!("%Y{minutes}"), now, &zone_of("UTC")),
        // As POSIX has it: below 69 is in this century.
        10 if minutes < "69" => format!("20{minutes}"),
        10 => format!("19{minutes}"),
        12 => minutes.to_owned(),
        _ => return None,
    };
    let part = |from: usize| &full[from..from + 2];
    parse(&format!("{}-{}-{} {}:{}:{seconds}", &full[..4], part(4), part(6), part(8), part(10)), now)
}

/// The time of `MMDDhhmm[[CC]YY][.ss]`, as it is set.
fn parse_set(text: &str, now: Duration) -> Option<Duration> {
    let (digits, seconds) = text.split_once('.').unwrap_or((text, "00"));
    let (day, year) = digits.split_at_checked(8)?;
    parse_digits(&format!("{year}{day}.{seconds}"), now)
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
