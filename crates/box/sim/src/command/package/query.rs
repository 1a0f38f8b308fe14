//! `pm path`, `dump`, `query-activities` and `resolve-activity`.

use super::super::answer::{Answer, Words};
use super::super::dumpsys::about_package;
use super::super::intent;
use super::options;
use crate::handset::Handset;
use crate::phone::{Intent, Phone, Resolved, short_component};
use std::fmt::Write as _;

pub(super) fn path(handset: &Handset, words: &mut Words<'_>) -> Answer {
    if let Err(answer) = options(words, |_| false) {
        return answer;
    }
    let Some(name) = words.next() else {
        return Answer::wrong(1, "Error: no package specified\n");
    };
    let path = handset.with(|phone| phone.packages.get(name).map(|package| package.path.clone()));
    path.map_or(Answer::failed(1, ""), |path| {
        Answer::ok(format!("package:{path}\n"))
    })
}

pub(super) fn dump(handset: &Handset, words: &mut Words<'_>) -> Answer {
    let Some(name) = words.next() else {
        return Answer::wrong(1, "Error: no package specified\n");
    };
    let text = handset.with(|phone| {
        phone
            .packages
            .contains_key(name)
            .then(|| about_package(phone, name))
    });
    text.map_or_else(
        || Answer::ok(format!("Unable to find package: {name}\n")),
        Answer::ok,
    )
}

/// How much is printed about an activity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Full,
    Brief,
    Components,
}

pub(super) fn activities(handset: &Handset, words: &mut Words<'_>) -> Answer {
    let (intent, detail) = match asked(words) {
        Ok(asked) => asked,
        Err(what) => return Answer::exception("query-activities", &what),
    };
    handset.with(|phone| {
        let found = phone.resolve_all(&intent);
        if found.is_empty() {
            return Answer::ok("No activities found\n");
        }
        let mut text = String::new();
        if detail != Detail::Components {
            let _ = writeln!(text, "{} activities found:", found.len());
        }
        for (number, one) in found.iter().enumerate() {
            if detail != Detail::Components {
                let _ = writeln!(text, "  Activity #{number}:");
            }
            text.push_str(&described(phone, one, detail, "    "));
        }
        Answer::ok(text)
    })
}

pub(super) fn resolve(handset: &Handset, words: &mut Words<'_>) -> Answer {
    let (intent, detail) = match asked(words) {
        Ok(asked) => asked,
        Err(what) => return Answer::exception("resolve-activity", &what),
    };
    handset.with(|phone| match phone.resolve(&intent) {
        None => Answer::ok("No activity found\n"),
        Some(one) => Answer::ok(described(phone, &one, detail, "")),
    })
}

fn asked(words: &mut Words<'_>) -> Result<(Intent, Detail), String> {
    let mut detail = Detail::Full;
    let mut own = |option: &str, words: &mut Words<'_>| {
        match option {
            "--brief" => detail = Detail::Brief,
            "--components" => detail = Detail::Components,
            "--user" | "--query-flags" => {
                words.value(option)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    };
    let intent = intent::parse(words, &mut own)?;
    Ok((intent, detail))
}

fn described(phone: &Phone, one: &Resolved, detail: Detail, indent: &str) -> String {
    let component = short_component(&one.package, &one.activity);
    let first = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true";
    match detail {
        Detail::Components => return format!("{component}\n"),
        Detail::Brief => return format!("{indent}{first}\n{indent}{component}\n"),
        Detail::Full => {}
    }
    let Some(package) = phone.packages.get(&one.package) else {
        return String::new();
    };
    let lines = [
        first.to_owned(),
        "ActivityInfo:".to_owned(),
        format!("  name={}", one.activity),
        format!("  packageName={}", one.package),
        format!(
            "  labelRes=0x0 nonLocalizedLabel={} icon=0x0 banner=0x0",
            package.app.label
        ),
        "  enabled=true exported=true directBootAware=false".to_owned(),
        format!(
            "  taskAffinity={} targetActivity=null persistableMode=PERSIST_ROOT_ONLY",
            one.package
        ),
        "  ApplicationInfo:".to_owned(),
        format!("    packageName={}", one.package),
        format!("    processName={}", one.package),
        format!("    uid={} flags=0x0 privateFlags=0x0 theme=0x0", package.uid),
        format!("    sourceDir={}", package.path),
        format!("    dataDir=/data/user/0/{}", one.package),
        format!(
            "    enabled={} minSdkVersion=24 targetSdkVersion=34",
            package.enabled
        ),
    ];
    lines.iter().map(|line| format!("{indent}{line}\n")).collect()
}
