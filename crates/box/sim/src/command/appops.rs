//! `appops`: what apps may do, operation by operation.

use super::answer::{Answer, words_without};
use crate::handset::Handset;
use crate::phone::Phone;
use clawperator_userland::Call;

const USAGE: &str = "AppOps service (appops) commands:
  set [--user USER] [--uid] PACKAGE OP MODE
  get [--user USER] PACKAGE [OP]
  reset [--user USER] [PACKAGE]
  The modes are allow, ignore, deny, default and foreground.
";

/// The package that commands from a host belong to.
const SHELL: &str = "com.android.shell";
const MODES: &[&str] = &["allow", "ignore", "deny", "default", "foreground"];
/// The most operations that are remembered.
const MAX_OPS: usize = 2_000;

pub(super) fn run(handset: &Handset, call: &Call) -> Answer {
    let mut words = words_without(call, "--user");
    words.retain(|word| *word != "--uid");
    Ok(handset.with(|phone| match words[..] {
        ["set", package, op, mode] => set(phone, package, op, mode),
        ["get", package] => get(phone, package, None),
        ["get", package, op] => get(phone, package, Some(op)),
        ["reset"] => {
            phone.app_ops.clear();
            Ok("Reset all modes for user 0.\n".to_owned())
        }
        ["reset", name] => {
            phone.app_ops.retain(|(package, _), _| package != name);
            Ok(format!("Reset all modes for: {name} user 0\n"))
        }
        ["help" | "-h"] => Ok(USAGE.to_owned()),
        [] => Err(USAGE.to_owned()),
        ["set" | "get", ..] => Err("Error: Package name, operation or mode not specified\n".to_owned()),
        [other, ..] => Err(format!("Unknown command: {other}\n")),
    })?)
}

fn short(op: &str) -> String {
    let name = op.strip_prefix("android:").unwrap_or(op);
    name.strip_prefix("OP_").unwrap_or(name).to_ascii_uppercase()
}

fn check(phone: &Phone, package: &str) -> Result<(), String> {
    // The shell's own package is on every phone, but in no list of apps here.
    if package == SHELL || phone.packages.contains_key(package) {
        Ok(())
    } else {
        Err(format!("Error: No UID for {package} in user 0\n"))
    }
}

fn set(phone: &mut Phone, package: &str, op: &str, mode: &str) -> Result<String, String> {
    check(phone, package)?;
    if !MODES.contains(&mode) {
        return Err(format!("Error: Mode {mode} is not valid\n"));
    }
    let key = (package.to_owned(), short(op));
    if mode == "default" {
        phone.app_ops.remove(&key);
    } else if phone.app_ops.len() < MAX_OPS {
        phone.app_ops.insert(key, mode.to_owned());
    }
    Ok(String::new())
}

fn get(phone: &Phone, name: &str, op: Option<&str>) -> Result<String, String> {
    check(phone, name)?;
    let wanted = op.map(short);
    let rows = phone
        .app_ops
        .iter()
        .filter(|((package, op), _)| package == name && wanted.as_ref().is_none_or(|wanted| wanted == op));
    let text: String = rows.map(|((_, op), mode)| format!("{op}: {mode}\n")).collect();
    Ok(match (text.is_empty(), op) {
        (false, _) => text,
        (true, None) => "No operations.\n".to_owned(),
        (true, Some(_)) => "No operations.\nDefault mode: allow\n".to_owned(),
    })
}
