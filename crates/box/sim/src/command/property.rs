//! `getprop` and `setprop`.

use super::answer::{Answer, CommandResult};
use crate::handset::Handset;
use clawperator_userland::Call;

pub(super) fn getprop(handset: &Handset, call: &Call) -> Answer {
    let Some(name) = call.args.get(1) else {
        let all = handset.with(|phone| phone.properties.list());
        return Ok(all.iter().map(|(name, value)| format!("[{name}]: [{value}]\n")).collect());
    };
    let value = handset.with(|phone| phone.properties.get(name).to_owned());
    let otherwise = call.args.get(2).filter(|_| value.is_empty());
    Ok(format!("{}\n", otherwise.unwrap_or(&value)))
}

pub(super) fn setprop(handset: &Handset, call: &Call) -> Answer {
    let [_, name, value] = &call.args[..] else {
        let usage = "usage: setprop NAME VALUE\n\nSets an Android system property.\n";
        return Err(CommandResult::failure(1, usage));
    };
    if handset.with(|phone| phone.properties.set(name, value)) {
        return Ok(String::new());
    }
    let complaint = format!("Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason.\n");
    Err(CommandResult::wrong(1, complaint))
}
