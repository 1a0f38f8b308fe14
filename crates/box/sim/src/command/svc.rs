//! `svc`: radio and power switches.

use crate::handset::Handset;
use crate::phone::Namespace;
use clawperator_userland::{Call, ExitResult};

const USAGE: &str = "Available commands:
    help
    power stayon [true|false|usb|ac|wireless|dock], power reboot, power shutdown
    data [enable|disable]
    wifi [enable|disable]
    usb [setFunctions [FUNCTION]|getFunctions]
    nfc [enable|disable]
    bluetooth [enable|disable]
";

/// What can be switched, and the setting that remembers it.
const SWITCHES: &[(&str, &str)] =
    &[("bluetooth", "bluetooth_on"), ("data", "mobile_data"), ("nfc", "nfc_on"), ("wifi", "wifi_on")];

/// What keeps the screen on, as the setting counts it.
const STAY_ON: &[(&str, &str)] =
    &[("true", "15"), ("false", "0"), ("ac", "1"), ("usb", "2"), ("wireless", "4"), ("dock", "8")];

/// Switches something in the global table.
pub(super) fn switch(handset: &Handset, name: &str, on: &str) {
    handset.with(|phone| phone.put_setting(Namespace::Global, name, Some(on)));
}

pub(super) async fn run(handset: &Handset, call: &mut Call) -> ExitResult {
    let words: Vec<String> = call.args.iter().skip(1).cloned().collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [name, on @ ("enable" | "disable")] => {
            if let Some((_, setting)) = SWITCHES.iter().find(|row| row.0 == name) {
                switch(handset, setting, if on == "enable" { "1" } else { "0" });
                return Ok(0);
            }
        }
        ["power", "stayon", word] => {
            if let Some((_, value)) = STAY_ON.iter().find(|row| row.0 == word) {
                switch(handset, "stay_on_while_plugged_in", value);
                return Ok(0);
            }
        }
        ["power", "reboot" | "shutdown", ..] => {
            handset.reboot();
            return Ok(0);
        }
        ["usb", "getFunctions"] => {
            call.out("adb\n").await?;
            return Ok(0);
        }
        ["usb", "setFunctions" | "setFunction" | "resetUsbGadget" | "resetUsbPort", ..] => return Ok(0),
        ["help"] => {
            call.out(USAGE).await?;
            return Ok(0);
        }
        _ => {}
    }
    call.err(USAGE).await;
    Ok(1)
}
