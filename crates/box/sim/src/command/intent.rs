//! Intents as words: what `am start`, `am broadcast` and `pm query-activities` have in common.

use super::answer::{CommandResult, CommandWords, illegal, is_in, no_number};
use crate::phone::{Intent, LAUNCHER, MAIN, full_name};

/// What an option puts into an intent.
#[derive(Clone, Copy, Debug)]
enum IntentPart {
    Action,
    Data,
    Mime,
    Category,
    Component,
    Package,
    Flags,
    /// Some words of which nothing is kept.
    Ignored(u8),
    Flag(u32),
    /// An extra with a value of any kind.
    Extra,
    Null,
    Boolean,
    Integer,
    Decimal,
}

/// The options, and what they put into an intent.
const OPTIONS: &[(&str, IntentPart)] = &[
    ("-a", IntentPart::Action),
    ("-d", IntentPart::Data),
    ("-t", IntentPart::Mime),
    ("-i", IntentPart::Ignored(1)),
    ("-c", IntentPart::Category),
    ("-n", IntentPart::Component),
    ("-p", IntentPart::Package),
    ("-f", IntentPart::Flags),
    (
        "-e --es --eu --ecn --eia --eial --ela --elal --efa --efal --eda --edal --esa --esal",
        IntentPart::Extra,
    ),
    ("--esn", IntentPart::Null),
    ("--ez", IntentPart::Boolean),
    ("--ei --el", IntentPart::Integer),
    ("--ef --ed", IntentPart::Decimal),
    ("--selector", IntentPart::Ignored(0)),
    ("--grant-read-uri-permission", IntentPart::Flag(0x1)),
    ("--grant-write-uri-permission", IntentPart::Flag(0x2)),
    ("--grant-persistable-uri-permission", IntentPart::Flag(0x40)),
    ("--grant-prefix-uri-permission", IntentPart::Flag(0x80)),
    ("--debug-log-resolution", IntentPart::Flag(0x8)),
    ("--exclude-stopped-packages", IntentPart::Flag(0x10)),
    ("--include-stopped-packages", IntentPart::Flag(0x20)),
    ("--activity-brought-to-front", IntentPart::Flag(0x0040_0000)),
    ("--activity-clear-top", IntentPart::Flag(0x0400_0000)),
    ("--activity-clear-task", IntentPart::Flag(0x0000_8000)),
    ("--activity-clear-when-task-reset", IntentPart::Flag(0x0008_0000)),
    ("--activity-exclude-from-recents", IntentPart::Flag(0x0080_0000)),
    ("--activity-launched-from-history", IntentPart::Flag(0x0010_0000)),
    ("--activity-match-external", IntentPart::Flag(0x0000_0800)),
    ("--activity-multiple-task", IntentPart::Flag(0x0800_0000)),
    ("--activity-no-animation", IntentPart::Flag(0x0001_0000)),
    ("--activity-no-history", IntentPart::Flag(0x4000_0000)),
    ("--activity-no-user-action", IntentPart::Flag(0x0004_0000)),
    ("--activity-previous-is-top", IntentPart::Flag(0x0100_0000)),
    ("--activity-reorder-to-front", IntentPart::Flag(0x0002_0000)),
    ("--activity-reset-task-if-needed", IntentPart::Flag(0x0020_0000)),
    ("--activity-single-top", IntentPart::Flag(0x2000_0000)),
    ("--activity-task-on-home", IntentPart::Flag(0x0000_4000)),
    ("--receiver-registered-only", IntentPart::Flag(0x4000_0000)),
    ("--receiver-replace-pending", IntentPart::Flag(0x2000_0000)),
    ("--receiver-foreground", IntentPart::Flag(0x1000_0000)),
    ("--receiver-no-abort", IntentPart::Flag(0x0800_0000)),
    ("--receiver-include-background", IntentPart::Flag(0x0100_0000)),
];

/// Reads an intent. The options of the command itself are its caller's: it is
/// asked first, and says whether the option is one of them.
pub(super) fn parse(
    words: &mut CommandWords<'_>,
    verb: &str,
    own: &mut dyn FnMut(&str, &mut CommandWords<'_>) -> Result<bool, String>,
) -> Result<Intent, CommandResult> {
    read(words, own).map_err(|what| CommandResult::exception(verb, &what))
}

fn read(
    words: &mut CommandWords<'_>,
    own: &mut dyn FnMut(&str, &mut CommandWords<'_>) -> Result<bool, String>,
) -> Result<Intent, String> {
    let mut intent = Intent::default();
    let mut flags = 0;
    while let Some(option) = words.option() {
        if own(option, words)? {
            continue;
        }
        let row = OPTIONS.iter().find(|row| is_in(row.0, option));
        let (_, part) = row.ok_or_else(|| illegal(&format!("Unknown option: {option}")))?;
        let value = || words.value(option).map(str::to_owned);
        read_part(&mut intent, &mut flags, *part, value)?;
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

pub(super) fn set_flags(intent: &mut Intent, more: u32) {
    let all = flags(intent) | more;
    intent.flags = (all != 0).then(|| format!("0x{all:x}"));
}

fn read_part(
    intent: &mut Intent,
    flags: &mut u32,
    part: IntentPart,
    mut value: impl FnMut() -> Result<String, String>,
) -> Result<(), String> {
    match part {
        IntentPart::Action => intent.action = Some(value()?),
        IntentPart::Data => intent.data = Some(value()?),
        IntentPart::Mime => intent.mime = Some(value()?),
        IntentPart::Category => intent.categories.push(value()?),
        IntentPart::Package => intent.package = Some(value()?),
        IntentPart::Component => intent.component = Some(component(&value()?)?),
        IntentPart::Flags => {
            let text = value()?;
            *flags |= number(&text).ok_or_else(|| no_number(&text))?;
        }
        IntentPart::Flag(flag) => *flags |= flag,
        IntentPart::Ignored(words) => {
            for _ in 0..words {
                value()?;
            }
        }
        IntentPart::Null => {
            value()?;
        }
        IntentPart::Extra | IntentPart::Boolean | IntentPart::Integer | IntentPart::Decimal => {
            let (name, text) = (value()?, value()?);
            let text = typed(part, text)?;
            intent.extras.insert(name, text);
        }
    }
    Ok(())
}

/// The value of an extra, if it is one of its kind.
fn typed(part: IntentPart, text: String) -> Result<String, String> {
    match part {
        IntentPart::Boolean => match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" => Ok("true".to_owned()),
            "false" | "f" | "0" => Ok("false".to_owned()),
            _ => Err(illegal(&format!("Invalid boolean value: {text}"))),
        },
        IntentPart::Integer if text.parse::<i64>().is_err() && number(&text).is_none() => {
            Err(no_number(&text))
        }
        IntentPart::Decimal if text.parse::<f64>().is_err() => Err(no_number(&text)),
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
    let parts = text.split_once('/').filter(|(package, class)| !package.is_empty() && !class.is_empty());
    let (package, class) = parts.ok_or_else(|| illegal(&format!("Bad component name: {text}")))?;
    let class = if class.starts_with('.') { full_name(package, class) } else { class.to_owned() };
    Ok((package.to_owned(), class))
}

fn number(text: &str) -> Option<u32> {
    let hex = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    hex.map_or_else(|| text.parse().ok(), |digits| u32::from_str_radix(digits, 16).ok())
}
