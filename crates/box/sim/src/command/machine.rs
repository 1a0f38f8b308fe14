//! Small commands about the machine itself: power, rights, input devices.

use super::answer::{Answer, CommandResult};
use crate::handset::Handset;
use clawperator_userland::Call;

pub(super) fn reboot(handset: &Handset, _: &Call) -> Answer {
    handset.reboot();
    Ok(String::new())
}

pub(super) fn getenforce(_: &Handset, _: &Call) -> Answer {
    Ok("Enforcing\n".to_owned())
}

pub(super) fn sendevent(_: &Handset, call: &Call) -> Answer {
    let device = call.args.get(1).map_or("", String::as_str);
    Err(CommandResult::complaint(call, &format!("{device}: Permission denied")))
}

/// Runs something as an app, if the app may be debugged.
pub(super) fn run_as(handset: &Handset, call: &Call) -> Answer {
    let text = match call.args.get(1) {
        None => "run-as: usage: run-as <package-name> [--user <uid>] <command> [<args>]\n".to_owned(),
        // No app of this phone is debuggable, as apps from a store.
        Some(name) if handset.with(|phone| phone.packages.contains_key(name)) => {
            format!("run-as: package not debuggable: {name}\n")
        }
        Some(name) => format!("run-as: unknown package: {name}\n"),
    };
    Err(CommandResult::wrong(1, text))
}
