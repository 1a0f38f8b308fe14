//! `content`: the rows of the phone's providers.

use super::answer::{Answer, CommandResult};
use crate::handset::Handset;
use crate::phone::Namespace;
use clawperator_userland::Call;

/// Providers that are there and have no rows: the user never called, wrote or took a picture.
const EMPTY: &[&str] = &[
    "call_log",
    "com.android.calendar",
    "com.android.contacts",
    "contacts",
    "downloads",
    "media",
    "mms",
    "mms-sms",
    "sms",
];
const NOTHING: &str = "No result found.\n";

pub(super) fn run(handset: &Handset, call: &Call) -> Answer {
    let value = |name: &str| {
        let at = call.args.iter().position(|word| word == name)?;
        call.args.get(at + 1).cloned()
    };
    let verb = call.args.get(1).map_or("", String::as_str);
    let uri = value("--uri").unwrap_or_default();
    let path = uri.strip_prefix("content://settings/").map(|path| path.split('/').collect::<Vec<_>>());
    let Some((namespace, key)) = path.and_then(|path| {
        Some((Namespace::from_word(path.first()?)?, path.get(1).map(|key| (*key).to_owned())))
    }) else {
        let name = uri.strip_prefix("content://").unwrap_or(&uri);
        let name = name.split('/').next().unwrap_or(name);
        if EMPTY.contains(&name) && verb == "query" {
            return Ok(NOTHING.to_owned());
        }
        return Err(CommandResult::wrong(1, format!("[ERROR] Could not find provider: {name}\n")));
    };
    match verb {
        "query" => {
            let wanted = key.or_else(|| value("--where").and_then(|text| quoted_name(&text)));
            let rows = handset.with(|phone| phone.settings.list(namespace));
            let rows = rows.iter().filter(|row| wanted.as_ref().is_none_or(|wanted| *wanted == row.0));
            let text: String = rows
                .enumerate()
                .map(|(number, (name, value))| {
                    format!("Row: {number} _id={}, name={name}, value={value}\n", number + 1)
                })
                .collect();
            Ok(if text.is_empty() { NOTHING.to_owned() } else { text })
        }
        "insert" => {
            let bound = |prefix: &str| {
                let mut binds = call.args.windows(2).filter(|pair| pair[0] == "--bind");
                binds.find_map(|pair| pair[1].strip_prefix(prefix))
            };
            if let (Some(name), Some(value)) = (bound("name:s:"), bound("value:s:")) {
                handset.with(|phone| phone.put_setting(namespace, name, Some(value)));
                return Ok(String::new());
            }
            Err(CommandResult::complaint(call, "insert needs --bind name:s:NAME --bind value:s:VALUE"))
        }
        _ => Err(CommandResult::complaint(call, "the simulated phone supports only query and insert")),
    }
}

/// The name in `name='x'`.
fn quoted_name(text: &str) -> Option<String> {
    let (column, value) = text.split_once('=')?;
    let value = value.trim().trim_matches(['\'', '"']);
    (column.trim() == "name").then(|| value.to_owned())
}
