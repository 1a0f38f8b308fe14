//! `pm path`, `dump`, `query-activities` and `resolve-activity`.

use super::super::answer::{Answer, CommandResult, CommandWords};
use super::super::dumpsys::about_package;
use super::super::intent;
use super::options;
use super::state::no_package;
use crate::handset::Handset;
use crate::phone::{Intent, IntentTarget, Phone, short_component};
use std::fmt::Write as _;

pub(super) fn path(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    options(words, |_| false)?;
    let name = words.next().ok_or_else(no_package)?;
    let path = handset.with(|phone| phone.packages.get(name).map(|package| package.path.clone()));
    path.map(|path| format!("package:{path}\n")).ok_or_else(|| CommandResult::failure(1, ""))
}

pub(super) fn dump(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let name = words.next().ok_or_else(no_package)?;
    let text = handset.with(|phone| phone.packages.contains_key(name).then(|| about_package(phone, name)));
    Ok(text.unwrap_or_else(|| format!("Unable to find package: {name}\n")))
}

/// How much is printed about an activity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ActivityDetail {
    Full,
    Brief,
    Components,
}

pub(super) fn activities(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let (intent, detail) = parse_query(words, "query-activities")?;
    handset.with(|phone| {
        let found = phone.resolve_all(&intent);
        if found.is_empty() {
            return Ok("No activities found\n".to_owned());
        }
        let mut text = String::new();
        if detail != ActivityDetail::Components {
            let _ = writeln!(text, "{} activities found:", found.len());
        }
        for (number, one) in found.iter().enumerate() {
            if detail != ActivityDetail::Components {
                let _ = writeln!(text, "  Activity #{number}:");
            }
            text.push_str(&described(phone, one, detail, "    "));
        }
        Ok(text)
    })
}

pub(super) fn resolve(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let (intent, detail) = parse_query(words, "resolve-activity")?;
    handset.with(|phone| match phone.resolve(&intent) {
        None => Ok("No activity found\n".to_owned()),
        Some(one) => Ok(described(phone, &one, detail, "")),
    })
}

fn parse_query(words: &mut CommandWords<'_>, verb: &str) -> Result<(Intent, ActivityDetail), CommandResult> {
    let mut detail = ActivityDetail::Full;
    let mut own = |option: &str, words: &mut CommandWords<'_>| {
        match option {
            "--brief" => detail = ActivityDetail::Brief,
            "--components" => detail = ActivityDetail::Components,
            "--user" | "--query-flags" => {
                words.value(option)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    };
    let intent = intent::parse(words, verb, &mut own)?;
    Ok((intent, detail))
}

fn described(phone: &Phone, one: &IntentTarget, detail: ActivityDetail, indent: &str) -> String {
    let component = short_component(&one.package, &one.activity);
    let first = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true";
    match detail {
        ActivityDetail::Components => return format!("{component}\n"),
        ActivityDetail::Brief => return format!("{indent}{first}\n{indent}{component}\n"),
        ActivityDetail::Full => {}
    }
    let Some(package) = phone.packages.get(&one.package) else {
        return String::new();
    };
    let lines = [
        first.to_owned(),
        "ActivityInfo:".to_owned(),
        format!("  name={}", one.activity),
        format!("  packageName={}", one.package),
        format!("  labelRes=0x0 nonLocalizedLabel={} icon=0x0 banner=0x0", package.app.label),
        "  enabled=true exported=true directBootAware=false".to_owned(),
        format!("  taskAffinity={} targetActivity=null persistableMode=PERSIST_ROOT_ONLY", one.package),
        "  ApplicationInfo:".to_owned(),
        format!("    packageName={}", one.package),
        format!("    processName={}", one.package),
        format!("    uid={} flags=0x0 privateFlags=0x0 theme=0x0", package.uid),
        format!("    sourceDir={}", package.path),
        format!("    dataDir=/data/user/0/{}", one.package),
        format!("    enabled={} minSdkVersion=24 targetSdkVersion=34", package.enabled),
    ];
    lines.iter().map(|line| format!("{indent}{line}\n")).collect()
}
