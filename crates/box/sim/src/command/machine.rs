//! Small commands about the machine itself: power, rights, input devices.

use crate::handset::Handset;
use clawperator_userland::{Call, ExitResult};

pub(super) async fn reboot(handset: &Handset, _: &mut Call) -> ExitResult {
    handset.reboot();
    Ok(0)
}

pub(super) async fn getenforce(_: &Handset, call: &mut Call) -> ExitResult {
    call.out("Enforcing\n").await?;
    Ok(0)
}

pub(super) async fn sendevent(_: &Handset, call: &mut Call) -> ExitResult {
    let device = call.args.get(1).cloned().unwrap_or_default();
    Ok(call.complain(format!("{device}: Permission denied")).await)
}
