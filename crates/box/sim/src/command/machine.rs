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
