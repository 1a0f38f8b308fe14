//! `settings`: the three tables of settings.

use super::answer::{Answer, CommandResult, words_without};
use crate::handset::Handset;
use crate::phone::Namespace;
use clawperator_userland::Call;

const USAGE: &str = "Settings provider (settings) commands:
  help
      Prints this.
  get [--user USER | current] NAMESPACE KEY
      Prints a setting; null if it was never set.
  put [--user USER | current] NAMESPACE KEY VALUE [TAG] [default]
      Sets a setting.
  delete [--user USER | current] NAMESPACE KEY
      Deletes a setting.
  reset [--user USER | current] NAMESPACE {PACKAGE_NAME | RESET_MODE}
      Resets a table to its defaults.
  list [--user USER | current] NAMESPACE
      Prints a table.
  The namespaces are system, secure and global.
";

const MISSING: u8 = 255;

pub(super) fn run(handset: &Handset, call: &Call) -> Answer {
    let words = words_without(call, "--user");
    let Some((verb, rest)) = words.split_first() else {
        return Err(CommandResult::failure(MISSING, USAGE));
    };
    match *verb {
        "help" | "-h" => return Ok(USAGE.to_owned()),
        "get" | "put" | "delete" | "reset" | "list" => {}
        other => return Err(CommandResult::wrong(MISSING, format!("Unknown command: {other}\n"))),
    }
    let Some((table, rest)) = rest.split_first() else {
        return missing("No namespace specified");
    };
    let Some(namespace) = Namespace::from_word(&table.to_ascii_lowercase()) else {
        return Err(CommandResult::wrong(MISSING, format!("Invalid namespace '{table}'\n")));
    };
    handset.with(|phone| match (*verb, rest) {
        ("list", []) => {
            let rows = phone.settings.list(namespace);
            Ok(rows.iter().map(|(name, value)| format!("{name}={value}\n")).collect())
        }
        ("get", [key]) => Ok(format!("{}\n", phone.settings.get(namespace, key).unwrap_or("null"))),
        ("delete", [key]) => {
            let was = phone.settings.get(namespace, key).is_some();
            let deleted = was && phone.put_setting(namespace, key, None);
            Ok(format!("Deleted {} rows\n", u8::from(deleted)))
        }
        ("put", [key, value, ..]) if phone.put_setting(namespace, key, Some(value)) => Ok(String::new()),
        ("put", [_, _, ..]) => {
            let text = "java.lang.IllegalStateException: You are adding too many settings";
            Err(CommandResult::thrown("put", text))
        }
        ("reset", [_, ..]) => Ok(String::new()),
        ("get" | "delete" | "put" | "reset", []) | ("put", [_]) => missing("Bad arguments"),
        _ => missing("Too many arguments"),
    })
}

fn missing(what: &str) -> Answer {
    Err(CommandResult::wrong(MISSING, format!("Invalid command: {what}\n{USAGE}")))
}
