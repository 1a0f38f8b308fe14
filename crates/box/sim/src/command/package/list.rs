//! `pm list …` and `pm has-feature`.

use super::super::answer::{Answer, CommandResult, CommandWords, is_in};
use super::options;
use crate::handset::Handset;
use crate::phone::{Package, Phone};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const FEATURES: &[&str] = &[
    "android.hardware.bluetooth",
    "android.hardware.camera",
    "android.hardware.camera.any",
    "android.hardware.faketouch",
    "android.hardware.location",
    "android.hardware.microphone",
    "android.hardware.screen.landscape",
    "android.hardware.screen.portrait",
    "android.hardware.telephony",
    "android.hardware.touchscreen",
    "android.hardware.touchscreen.multitouch",
    "android.hardware.touchscreen.multitouch.distinct",
    "android.hardware.touchscreen.multitouch.jazzhand",
    "android.hardware.wifi",
    "android.software.app_widgets",
    "android.software.home_screen",
    "android.software.input_methods",
    "android.software.webview",
];

const LIBRARIES: &[&str] = &[
    "android.ext.shared",
    "android.test.base",
    "android.test.mock",
    "android.test.runner",
    "javax.obex",
    "org.apache.http.legacy",
];

/// Permissions that are there whether an app asks for them or not.
const PERMISSIONS: &[&str] = &[
    "android.permission.ACCESS_FINE_LOCATION",
    "android.permission.CALL_PHONE",
    "android.permission.CAMERA",
    "android.permission.INTERNET",
    "android.permission.POST_NOTIFICATIONS",
    "android.permission.READ_CONTACTS",
    "android.permission.READ_EXTERNAL_STORAGE",
    "android.permission.RECORD_AUDIO",
    "android.permission.SEND_SMS",
    "android.permission.WRITE_EXTERNAL_STORAGE",
];

const LIST_OPTIONS: &str = "-3 -s -f -d -e -u -U -i -l -a --show-versioncode --apex-only --factory-only \
    --match-libraries";

pub(super) fn list(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let rows =
        |prefix: &str, names: &[&str]| Ok(names.iter().map(|name| format!("{prefix}:{name}\n")).collect());
    match words.next() {
        Some("package" | "packages") => packages(handset, words),
        Some("features") => rows("feature", FEATURES),
        Some("libraries") => rows("library", LIBRARIES),
        Some("instrumentation" | "staged-sessions") => Ok(String::new()),
        Some("permissions") => {
            let all = handset.with(|phone| permissions(phone));
            let lines: String = all.iter().map(|name| format!("permission:{name}\n")).collect();
            Ok(format!("All Permissions:\n\n{lines}"))
        }
        Some("permission-groups") => rows("permission group", &["android.permission-group.UNDEFINED"]),
        Some("users") => Ok("Users:\n\tUserInfo{0:Owner:4c13} running\n".to_owned()),
        Some(other) => Err(CommandResult::failure(255, format!("Error: unknown list type '{other}'\n"))),
        None => Err(CommandResult::failure(255, "Error: didn't specify type of data to list\n")),
    }
}

pub(super) fn permissions(phone: &Phone) -> BTreeSet<String> {
    let asked = phone.packages.values().flat_map(|package| package.app.permissions.clone());
    asked.chain(PERMISSIONS.iter().map(|name| (*name).to_owned())).collect()
}

pub(super) fn has_feature(_: &Handset, words: &mut CommandWords<'_>) -> Answer {
    match words.next() {
        None => Err(CommandResult::wrong(1, "Error: expected FEATURE name\n")),
        Some(name) if FEATURES.contains(&name) => Ok("true\n".to_owned()),
        Some(_) => Err(CommandResult::failure(1, "false\n")),
    }
}

fn packages(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let mut chosen = Vec::new();
    let is_for_one = words.has("--user");
    options(words, |option| {
        chosen.push(option);
        is_in(LIST_OPTIONS, option)
    })?;
    let filter = words.next().unwrap_or_default();
    let has = |option: &str| chosen.contains(&option);
    if !is_for_one && handset.with(|phone| phone.is_like("samsung")) {
        let why = "java.lang.SecurityException: Shell does not have permission to access user 150";
        return Err(CommandResult::exception("list", why));
    }
    let fits = |package: &Package| {
        package.name().contains(filter)
            && !(has("-3") && package.app.system)
            && (!has("-s") || package.app.system)
            && !(has("-d") && package.enabled)
            && (!has("-e") || package.enabled)
            && !has("--apex-only")
    };
    let mut text = String::new();
    handset.with(|phone| {
        for package in phone.packages.values().filter(|package| fits(package)) {
            text.push_str("package:");
            if has("-f") {
                let _ = write!(text, "{}=", package.path);
            }
            text.push_str(package.name());
            if has("--show-versioncode") {
                let _ = write!(text, " versionCode:{}", package.app.version.code);
            }
            if has("-i") {
                text.push_str("  installer=null");
            }
            if has("-U") {
                let _ = write!(text, " uid:{}", package.uid);
            }
            text.push('\n');
        }
        if phone.is_like("cut") {
            text.truncate(text.len().saturating_sub(3));
        }
    });
    Ok(text)
}
