//! Intents as words: what `am start`, `am broadcast` and `pm query-activities`
//! have in common.

use super::answer::Words;
use crate::phone::{Intent, LAUNCHER, MAIN, full_name};

/// What an option puts into an intent.
#[derive(Clone, Copy, Debug)]
enum Part {
    Action,
    Data,
    Mime,
    Category,
    Component,
    Package,
    Flags,
    /// Some words of which nothing is kept.
    Ignored(u8),
    /// A flag.
    Flag(u32),
    /// An extra with a value of any kind.
    Extra,
    Null,
    Boolean,
    Integer,
    Decimal,
}

const OPTIONS: &[(&str, Part)] = &[
    ("-a", Part::Action),
    ("-d", Part::Data),
    ("-t", Part::Mime),
    ("-i", Part::Ignored(1)),
    ("-c", Part::Category),
    ("-n", Part::Component),
    ("-p", Part::Package),
    ("-f", Part::Flags),
    ("-e", Part::Extra),
    ("--es", Part::Extra),
    ("--esn", Part::Null),
    ("--ez", Part::Boolean),
    ("--ei", Part::Integer),
    ("--el", Part::Integer),
    ("--ef", Part::Decimal),
    ("--ed", Part::Decimal),
    ("--eu", Part::Extra),
    ("--ecn", Part::Extra),
    ("--eia", Part::Extra),
    ("--eial", Part::Extra),
    ("--ela", Part::Extra),
    ("--elal", Part::Extra),
    ("--efa", Part::Extra),
    ("--efal", Part::Extra),
    ("--eda", Part::Extra),
    ("--edal", Part::Extra),
    ("--esa", Part::Extra),
    ("--esal", Part::Extra),
    ("--selector", Part::Ignored(0)),
    ("--grant-read-uri-permission", Part::Flag(0x1)),
    ("--grant-write-uri-permission", Part::Flag(0x2)),
    ("--grant-persistable-uri-permission", Part::Flag(0x40)),
    ("--grant-prefix-uri-permission", Part::Flag(0x80)),
    ("--debug-log-resolution", Part::Flag(0x8)),
    ("--exclude-stopped-packages", Part::Flag(0x10)),
    ("--include-stopped-packages", Part::Flag(0x20)),
    ("--activity-brought-to-front", Part::Flag(0x0040_0000)),
    ("--activity-clear-top", Part::Flag(0x0400_0000)),
    ("--activity-clear-task", Part::Flag(0x0000_8000)),
    ("--activity-clear-when-task-reset", Part::Flag(0x0008_0000)),
    ("--activity-exclude-from-recents", Part::Flag(0x0080_0000)),
    ("--activity-launched-from-history", Part::Flag(0x0010_0000)),
    ("--activity-match-external", Part::Flag(0x0000_0800)),
    ("--activity-multiple-task", Part::Flag(0x0800_0000)),
    ("--activity-no-animation", Part::Flag(0x0001_0000)),
    ("--activity-no-history", Part::Flag(0x4000_0000)),
    ("--activity-no-user-action", Part::Flag(0x0004_0000)),
    ("--activity-previous-is-top", Part::Flag(0x0100_0000)),
    ("--activity-reorder-to-front", Part::Flag(0x0002_0000)),
    ("--activity-reset-task-if-needed", Part::Flag(0x0020_0000)),
    ("--activity-single-top", Part::Flag(0x2000_0000)),
    ("--activity-task-on-home", Part::Flag(0x0000_4000)),
    ("--receiver-registered-only", Part::Flag(0x4000_0000)),
    ("--receiver-replace-pending", Part::Flag(0x2000_0000)),
    ("--receiver-foreground", Part::Flag(0x1000_0000)),
    ("--receiver-no-abort", Part::Flag(0x0800_0000)),
    ("--receiver-include-background", Part::Flag(0x0100_0000)),
];

/// Reads an intent. The options of the command itself are its caller's: it is
/// asked first, and says whether the option is one of them.
pub(super) fn parse(
    words: &mut Words<'_>,
    own: &mut dyn FnMut(&str, &mut Words<'_>) -> Result<bool, String>,
) -> Result<Intent, String> {
    let mut intent = Intent::default();
    let mut flags = 0;
    while let Some(option) = words.option() {
        if own(option, words)? {
            continue;
        }
        let row = OPTIONS.iter().find(|row| row.0 == option);
        let (_, part) = row.ok_or_else(|| illegal(&format!("Unknown option: {option}")))?;
        read_part(&mut intent, &mut flags, (option, *part), words)?;
    }
    if let Some(word) = words.next() {
        positional(&mut intent, word)?;
    }
    if intent == Intent::default() {
        return Err(illegal("No intent supplied"));
    }
    set_flags(&mut intent, flags);
    Ok(intent)
}

/// What an intent's flags are, as a number.
pub(super) fn flags(intent: &Intent) -> u32 {
    intent.flags.as_deref().and_then(number).unwrap_or(0)
}

/// Gives an intent more flags.
pub(super) fn set_flags(intent: &mut Intent, more: u32) {
    let all = flags(intent) | more;
    intent.flags = (all != 0).then(|| format!("0x{all:x}"));
}

fn read_part(
    intent: &mut Intent,
    flags: &mut u32,
    (option, part): (&str, Part),
    words: &mut Words<'_>,
) -> Result<(), String> {
    let mut value = || words.value(option).map(str::to_owned);
    match part {
        Part::Action => intent.action = Some(value()?),
        Part::Data => intent.data = Some(value()?),
        Part::Mime => intent.mime = Some(value()?),
        Part::Category => intent.categories.push(value()?),
        Part::Package => intent.package = Some(value()?),
        Part::Component => intent.component = Some(component(&value()?)?),
        Part::Flags => {
            let text = value()?;
            *flags |= number(&text).ok_or_else(|| no_number(&text))?;
        }
        Part::Flag(flag) => *flags |= flag,
        Part::Ignored(words) => {
            for _ in 0..words {
                value()?;
            }
        }
        Part::Null => {
            value()?;
        }
        Part::Extra | Part::Boolean | Part::Integer | Part::Decimal => {
            let (name, text) = (value()?, value()?);
            let text = typed(part, text)?;
            intent.extras.insert(name, text);
        }
    }
    Ok(())
}

/// The value of an extra, if it is one of its kind.
fn typed(part: Part, text: String) -> Result<String, String> {
    match part {
        Part::Boolean => match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" => Ok("true".to_owned()),
            "false" | "f" | "0" => Ok("false".to_owned()),
            _ => Err(illegal(&format!("Invalid boolean value: {text}"))),
        },
        Part::Integer if text.parse::<i64>().is_err() && number(&text).is_none() => Err(no_number(&text)),
        Part::Decimal if text.parse::<f64>().is_err() => Err(no_number(&text)),
        _ => Ok(text),
    }
}

/// The last word: a link, a component or a package.
fn positional(intent: &mut Intent, word: &str) -> Result<(), String> {
    if word.contains(':') {
        intent.data = Some(word.to_owned());
        let view = || "android.intent.action.VIEW".to_owned();
        intent.action.get_or_insert_with(view);
        return Ok(());
    }
    intent.action.get_or_insert_with(|| MAIN.to_owned());
    if word.contains('/') {
        intent.component = Some(component(word)?);
    } else {
        intent.package = Some(word.to_owned());
    }
    if intent.categories.is_empty() {
        intent.categories.push(LAUNCHER.to_owned());
    }
    Ok(())
}

/// Reads `a.b/.Main`.
pub(super) fn component(text: &str) -> Result<(String, String), String> {
    let parts = text
        .split_once('/')
        .filter(|(package, class)| !package.is_empty() && !class.is_empty());
    let (package, class) = parts.ok_or_else(|| illegal(&format!("Bad component name: {text}")))?;
    let class = if class.starts_with('.') {
        full_name(package, class)
    } else {
        class.to_owned()
    };
    Ok((package.to_owned(), class))
}

fn number(text: &str) -> Option<u32> {
    let hex = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    hex.map_or_else(
        || text.parse().ok(),
        |digits| u32::from_str_radix(digits, 16).ok(),
    )
}

fn illegal(what: &str) -> String {
    format!("java.lang.IllegalArgumentException: {what}")
}

fn no_number(text: &str) -> String {
    format!("java.lang.NumberFormatException: For input string: \"{text}\"")
}
