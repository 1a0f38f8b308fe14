//! `settings`: the three tables of settings.

use super::answer::words_without;
use super::exception::throw;
use crate::handset::Handset;
use crate::phone::Namespace;
use clawperator_userland::{Call, ExitResult};

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

pub(super) async fn run(handset: &Handset, call: &mut Call) -> ExitResult {
    let words = words_without(call, "--user");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((verb, rest)) = words.split_first() else {
        call.out(USAGE).await?;
        return Ok(MISSING);
    };
    match *verb {
        "help" | "-h" => {
            call.out(USAGE).await?;
            return Ok(0);
        }
        "get" | "put" | "delete" | "reset" | "list" => {}
        other => {
            call.err(format!("Unknown command: {other}\n")).await;
            return Ok(MISSING);
        }
    }
    let Some((table, rest)) = rest.split_first() else {
        return missing(call, "No namespace specified").await;
    };
    let Some(namespace) = Namespace::from_word(&table.to_ascii_lowercase()) else {
        call.err(format!("Invalid namespace '{table}'\n")).await;
        return Ok(MISSING);
    };
    match (*verb, rest) {
        ("list", []) => {
            let rows = handset.with(|phone| phone.settings.list(namespace));
            let rows: String = rows.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
            call.out(rows).await?;
            Ok(0)
        }
        ("get", [key]) => {
            let value = handset.with(|phone| phone.settings.get(namespace, key).map(str::to_owned));
            call.out(format!("{}\n", value.as_deref().unwrap_or("null"))).await?;
            Ok(0)
        }
        ("delete", [key]) => {
            let deleted = handset.with(|phone| {
                let was = phone.settings.get(namespace, key).is_some();
                was && phone.put_setting(namespace, key, None)
            });
            call.out(format!("Deleted {} rows\n", u8::from(deleted))).await?;
            Ok(0)
        }
        ("put", [key, value, ..]) => {
            if handset.with(|phone| phone.put_setting(namespace, key, Some(value))) {
                return Ok(0);
            }
            let text = "java.lang.IllegalStateException: You are adding too many settings";
            Ok(throw(call, "put", text).await)
        }
        ("reset", [_, ..]) => Ok(0),
        ("get" | "delete" | "put" | "reset", []) | ("put", [_]) => missing(call, "Bad arguments").await,
        _ => missing(call, "Too many arguments").await,
    }
}

async fn missing(call: &mut Call, what: &str) -> ExitResult {
    call.err(format!("Invalid command: {what}\n{USAGE}")).await;
    Ok(MISSING)
}
