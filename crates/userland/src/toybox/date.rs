//! `date`, and calendar arithmetic for all who show a time.

use super::options::{Mix, options};
use super::text::read_options;
use super::{Row, row};
use crate::call::Call;
use crate::machine::Ended;

pub(super) const ROWS: &[Row] = &[row!("date", "[-u] [-d DATE] [+FORMAT]", date)];

const DAYS: &[&str] = &[
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

async fn date(call: &mut Call) -> Ended {
    let given = read_options!(call, "ud:r:s:", Mix::Anywhere);
    let zone = if given.has('u') {
        (0, "UTC".to_owned())
    } else {
        call.machine.zone()
    };
    let mut now = call.machine.now();
    if let Some(text) = given.value('d') {
        match parse(text) {
            Some(seconds) => now = std::time::Duration::from_secs(seconds),
            None => return Ok(call.complain(format!("bad date '{text}'")).await),
        }
    }
    if given.has('s') {
        return Ok(call.complain("cannot set date: Operation not permitted").await);
    }
    let wanted = given.operands.iter().find_map(|word| word.strip_prefix('+'));
    let wanted = wanted
        .unwrap_or("%a %b %e %H:%M:%S %Z %Y")
        .replace("%N", &format!("{:09}", now.subsec_nanos()));
    call.out(format(&wanted, now.as_secs(), &zone) + "\n").await?;
    Ok(0)
}

/// Year, month and day of a day counted from 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    // Years that begin in March have their leap day at the end.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day = shifted.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let rest = day - (365 * year + year / 4 - year / 100);
    let month = (5 * rest + 2) / 153;
    let (month_of_year, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (
        year + era * 400 + carry,
        month_of_year,
        rest - (153 * month + 2) / 5 + 1,
    )
}

/// The day of a date, counted from 1970-01-01.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Seconds since the epoch of `@SECONDS` or `YYYY-MM-DD[ HH:MM[:SS]]` in UTC.
pub(super) fn parse(text: &str) -> Option<u64> {
    if let Some(seconds) = text.strip_prefix('@') {
        return seconds.split('.').next()?.parse().ok();
    }
    let (day, time) = text.split_once([' ', 'T']).unwrap_or((text, "0:0:0"));
    let mut parts = day.split('-').map(str::parse::<i64>);
    let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    let mut parts = time.trim_end_matches('Z').split(':').map(str::parse::<i64>);
    let (hour, minute) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let second = parts.next().unwrap_or(Ok(0)).ok()?;
    let fits = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !fits || !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0..=60).contains(&second) {
        return None;
    }
    u64::try_from(days_of(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second).ok()
}

/// A time as `strftime` writes it, in a zone of minutes east and a name.
pub(super) fn format(wanted: &str, seconds: u64, zone: &(i32, String)) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(0).min(253_402_300_799);
    let local = seconds + i64::from(zone.0) * 60;
    let (days, of_day) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let weekday = (days + 4).rem_euclid(7);
    let name = |table: &[&'static str], at: i64| {
        usize::try_from(at)
            .ok()
            .and_then(|at| table.get(at).copied())
            .unwrap_or("")
    };
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    let sign = if zone.0 < 0 { '-' } else { '+' };
    let (east, zone_name) = (zone.0.unsigned_abs(), &zone.1);
    let mut text = String::new();
    let mut rest = wanted.chars();
    while let Some(next) = rest.next() {
        if next != '%' {
            text.push(next);
            continue;
        }
        text.push_str(&match rest.next() {
            Some('Y') => format!("{year:04}"),
            Some('y') => format!("{:02}", year % 100),
            Some('m') => format!("{month:02}"),
            Some('d') => format!("{day:02}"),
            Some('e') => format!("{day:>2}"),
            Some('H') => format!("{hour:02}"),
            Some('I') => format!("{twelve:02}"),
            Some('M') => format!("{minute:02}"),
            Some('S') => format!("{second:02}"),
            Some('p') => if hour < 12 { "AM" } else { "PM" }.to_owned(),
            Some('s') => seconds.to_string(),
            Some('N') => "000000000".to_owned(),
            Some('j') => format!("{:03}", days - days_of(year, 1, 1) + 1),
            Some('u') => if weekday == 0 { 7 } else { weekday }.to_string(),
            Some('w') => weekday.to_string(),
            Some('a') => name(DAYS, weekday).chars().take(3).collect(),
            Some('A') => name(DAYS, weekday).to_owned(),
            Some('b' | 'h') => name(MONTHS, month - 1).chars().take(3).collect(),
            Some('B') => name(MONTHS, month - 1).to_owned(),
            Some('F') => format!("{year:04}-{month:02}-{day:02}"),
            Some('T') => format!("{hour:02}:{minute:02}:{second:02}"),
            Some('R') => format!("{hour:02}:{minute:02}"),
            Some('D') => format!("{month:02}/{day:02}/{:02}", year % 100),
            Some('Z') => zone_name.clone(),
            Some('z') => format!("{sign}{:02}{:02}", east / 60, east % 60),
            Some('n') => "\n".to_owned(),
            Some('t') => "\t".to_owned(),
            Some('%') | None => "%".to_owned(),
            Some(other) => format!("%{other}"),
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{format, parse};

    #[test]
    fn times_read_back_as_they_were_written() {
        let zone = (0, "UTC".to_owned());
        for seconds in [
            0,
            951_782_400,
            951_868_799,
            1_794_722_400,
            4_102_444_799,
            253_402_300_799,
        ] {
            let text = format("%Y-%m-%d %H:%M:%S", seconds, &zone);
            assert_eq!(parse(&text), Some(seconds), "{text}");
        }
        assert_eq!(
            format("%F %T %a %j %z", 1_794_722_400, &(-330, "X".to_owned())),
            "2026-11-15 00:30:00 Sun 319 -0530"
        );
    }
}
