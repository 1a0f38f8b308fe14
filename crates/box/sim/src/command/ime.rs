//! `ime`: which keyboards there are, and which is used.

use super::answer::{Answer, CommandResult, words_without};
use crate::handset::Handset;
use crate::phone::{LATIN, Namespace, Phone, full_name, short_component};
use clawperator_userland::Call;

const USAGE: &str = "ime <command>:
  list [-a] [-s]
    Prints the enabled keyboards, or all; -s prints only their ids.
  enable [--user USER] ID
  disable [--user USER] ID
  set [--user USER] ID
  reset [--user USER]
";

pub(super) fn keyboards(phone: &Phone) -> Vec<String> {
    let packages = phone.packages.values();
    let found = packages.filter_map(|package| {
        let service = &package.app.keyboard.as_ref()?.service;
        Some(short_component(package.name(), &full_name(package.name(), service)))
    });
    found.collect()
}

/// The ids of those that may be used.
fn enabled(phone: &Phone) -> Vec<String> {
    let setting = phone.settings.get(Namespace::Secure, "enabled_input_methods");
    let ids = setting.unwrap_or_default().split(':');
    let ids = ids.map(|id| id.split(';').next().unwrap_or(id));
    ids.filter(|id| !id.is_empty()).map(str::to_owned).collect()
}

/// Tells whether two ids mean the same keyboard, however they are written.
fn same(one: &str, other: &str) -> bool {
    let full = |id: &str| {
        id.split_once('/').map(|(package, class)| format!("{package}/{}", full_name(package, class)))
    };
    one == other || (full(one).is_some() && full(one) == full(other))
}

fn enable(phone: &mut Phone, ids: &[String]) {
    phone.put_setting(Namespace::Secure, "enabled_input_methods", Some(&ids.join(":")));
}

pub(super) fn run(handset: &Handset, call: &Call) -> Answer {
    let words = words_without(call, "--user");
    Ok(match words[..] {
        ["list", ref options @ ..] => Ok(handset.with(|phone| list(phone, options))),
        ["set", id] => handset.with(|phone| set(phone, id)),
        ["enable", id] => handset.with(|phone| switch(phone, id, true)),
        ["disable", id] => handset.with(|phone| switch(phone, id, false)),
        ["reset"] => handset.with(|phone| {
            enable(phone, &[LATIN.to_owned()]);
            phone.put_setting(Namespace::Secure, "default_input_method", Some(LATIN));
            Ok(format!("Reset current and enabled IMEs for user #0\n  Selected: {LATIN}\n"))
        }),
        [] => return Err(CommandResult::failure(255, USAGE)),
        ["help" | "-h"] => Ok(USAGE.to_owned()),
        ["set" | "enable" | "disable"] => Err("Error: no input method ID specified\n".to_owned()),
        [other, ..] => Err(format!("Unknown command: {other}\n")),
    }?)
}

fn list(phone: &Phone, options: &[&str]) -> String {
    let all = options.contains(&"-a");
    let enabled = enabled(phone);
    let ids = keyboards(phone).into_iter().filter(|id| all || enabled.iter().any(|other| same(id, other)));
    if options.contains(&"-s") {
        return ids.map(|id| format!("{id}\n")).collect();
    }
    let described = ids.map(|id| {
        let (package, class) = id.split_once('/').unwrap_or((&id, ""));
        format!(
            "{id}:\n  mId={id} mSettingsActivityName=null mIsVrOnly=false mSupportsSwitchingToNextInputMethod=true\n  mIsDefaultResId=0x0\n  Service:\n    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n    ServiceInfo:\n      name={}\n      packageName={package}\n      enabled=true exported=true directBootAware=true\n",
            full_name(package, class)
        )
    });
    described.collect()
}

fn set(phone: &mut Phone, id: &str) -> Result<String, String> {
    let known = enabled(phone).into_iter().find(|other| same(id, other));
    let installed = keyboards(phone).iter().any(|other| same(id, other));
    match known.filter(|_| installed) {
        Some(_) => {
            phone.put_setting(Namespace::Secure, "default_input_method", Some(id));
            Ok(format!("Input method {id} selected for user #0\n"))
        }
        None => Err(format!("Unknown input method {id} cannot be selected for user #0\n")),
    }
}

fn switch(phone: &mut Phone, id: &str, on: bool) -> Result<String, String> {
    if !keyboards(phone).iter().any(|other| same(id, other)) {
        let word = if on { "enabled" } else { "disabled" };
        return Err(format!("Unknown input method {id} cannot be {word} for user #0\n"));
    }
    let mut ids = enabled(phone);
    let was = ids.iter().any(|other| same(id, other));
    ids.retain(|other| !same(id, other));
    if on {
        ids.push(id.to_owned());
    }
    enable(phone, &ids);
    let word = if on { "enabled" } else { "disabled" };
    let already = if was == on { "already" } else { "now" };
    Ok(format!("Input method {id}: {already} {word} for user #0\n"))
}
