//! `pm clear`, `enable`, `grant` and their opposites.

use super::super::answer::{Answer, CommandResult, CommandWords, illegal};
use super::{list, options};
use crate::handset::Handset;
use crate::phone::Phone;

/// The package a verb is about, after its options.
fn package_word<'a>(words: &mut CommandWords<'a>) -> Result<&'a str, CommandResult> {
    options(words, |option| option == "--cache-only")?;
    words.next().ok_or_else(no_package)
}

pub(super) fn no_package() -> CommandResult {
    CommandResult::wrong(1, "Error: no package specified\n")
}

pub(super) fn clear(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let package = package_word(words)?;
    let cleared = handset.with(|phone| phone.clear_data(package));
    if cleared { Ok("Success\n".to_owned()) } else { Err(CommandResult::failure(1, "Failed\n")) }
}

pub(super) fn enable(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    switch(handset, words, "enable", "enabled")
}

pub(super) fn disable_user(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    switch(handset, words, "disable-user", "disabled-user")
}

/// Only root may, on a real phone too.
pub(super) fn disable(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let package = package_word(words)?;
    if !handset.with(|phone| phone.packages.contains_key(package)) {
        return Err(unknown("disable", package));
    }
    let what =
        format!("java.lang.SecurityException: Shell cannot change component state for {package}/null to 2");
    Err(CommandResult::exception("disable", &what))
}

fn switch(handset: &Handset, words: &mut CommandWords<'_>, verb: &str, state: &str) -> Answer {
    let word = package_word(words)?;
    // A part of a package is switched with it: there is one state for each.
    let package = word.split('/').next().unwrap_or(word);
    let kind = if package == word { "Package" } else { "Component" };
    if handset.with(|phone| phone.set_enabled(package, state == "enabled")) {
        Ok(format!("{kind} {word} new state: {state}\n"))
    } else {
        Err(unknown(verb, package))
    }
}

pub(super) fn grant(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    permission(handset, words, "grant")
}

pub(super) fn revoke(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    permission(handset, words, "revoke")
}

fn permission(handset: &Handset, words: &mut CommandWords<'_>, verb: &str) -> Answer {
    let package = package_word(words)?;
    let Some(permission) = words.next() else {
        return Err(CommandResult::wrong(1, "Error: no permission specified\n"));
    };
    let changed = handset.with(|phone| change_permission(phone, package, permission, verb == "grant"));
    changed.map(|()| String::new()).map_err(|what| CommandResult::exception(verb, &what))
}

fn change_permission(phone: &mut Phone, package: &str, name: &str, grant: bool) -> Result<(), String> {
    let known = list::permissions(phone).contains(name);
    let found = phone.packages.get_mut(package);
    let found = found.ok_or_else(|| illegal(&format!("Unknown package: {package}")))?;
    if !known {
        return Err(illegal(&format!("Unknown permission: {name}")));
    }
    if !found.app.permissions.iter().any(|asked| asked == name) {
        return Err(format!(
            "java.lang.SecurityException: Package {package} has not requested permission {name}"
        ));
    }
    if grant {
        found.granted.insert(name.to_owned());
    } else if found.granted.remove(name) {
        // What it was allowed to do it may be doing.
        phone.force_stop(package);
    }
    Ok(())
}

pub(super) fn unknown(verb: &str, package: &str) -> CommandResult {
    CommandResult::exception(verb, &illegal(&format!("Unknown package: {package}")))
}
