//! `svc`: radio and power switches.

use super::answer::{Answer, CommandResult, words};
use crate::handset::Handset;
use crate::phone::Namespace;
use clawperator_userland::Call;

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

pub(super) fn run(handset: &Handset, call: &Call) -> Answer {
    let words = words(call);
    let row = |table: &[(&str, &'static str)], name: &str| {
        table.iter().find(|row| row.0 == name).map(|row| row.1).ok_or_else(|| CommandResult::wrong(1, USAGE))
    };
    match words[..] {
        [name, on @ ("enable" | "disable")] => {
            switch(handset, row(SWITCHES, name)?, if on == "enable" { "1" } else { "0" });
        }
        ["power", "stayon", word] => switch(handset, "stay_on_while_plugged_in", row(STAY_ON, word)?),
        ["power", "reboot" | "shutdown", ..] => handset.reboot(),
        ["usb", "getFunctions"] => return Ok("adb\n".to_owned()),
        ["usb", "setFunctions" | "setFunction" | "resetUsbGadget" | "resetUsbPort", ..] => {}
        ["help"] => return Ok(USAGE.to_owned()),
        _ => return Err(CommandResult::wrong(1, USAGE)),
    }
    Ok(String::new())
}
