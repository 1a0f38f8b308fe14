//! Small commands about the machine itself: power, rights, input devices.

use crate::handset::Handset;
use clawperator_userland::{Call, Ended};

pub(super) async fn reboot(handset: &Handset, _: &mut Call) -> Ended {
    handset.reboot();
    Ok(0)
}

pub(super) async fn getenforce(_: &Handset, call: &mut Call) -> Ended {
    call.out("Enforcing\n").await?;
    Ok(0)
}

pub(super) async fn sendevent(_: &Handset, call: &mut Call) -> Ended {
    let device = call.args.get(1).cloned().unwrap_or_default();
    Ok(call.complain(format!("{device}: Permission denied")).await)
}
