//! `getprop` and `setprop`.

use crate::handset::Handset;
use clawperator_userland::{Call, ExitResult};

pub(super) async fn getprop(handset: &Handset, call: &mut Call) -> ExitResult {
    let text = match call.args.get(1) {
        None => {
            let all = handset.with(|phone| phone.properties.list());
            all.iter().map(|(name, value)| format!("[{name}]: [{value}]\n")).collect()
        }
        Some(name) => {
            let value = handset.with(|phone| phone.properties.get(name).to_owned());
            let otherwise = call.args.get(2).filter(|_| value.is_empty());
            format!("{}\n", otherwise.unwrap_or(&value))
        }
    };
    call.out(text).await?;
    Ok(0)
}

pub(super) async fn setprop(handset: &Handset, call: &mut Call) -> ExitResult {
    let [_, name, value] = &call.args[..] else {
        return Ok(call.complain("needs a name and a value").await);
    };
    if handset.with(|phone| phone.properties.set(name, value)) {
        return Ok(0);
    }
    let complaint = format!("Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason.\n");
    call.err(complaint).await;
    Ok(1)
}
