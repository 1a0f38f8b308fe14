//! Radio: Wi-Fi, the network, the calls.

use crate::phone::{Phone, SystemWindow};

pub(super) fn wifi(phone: &mut Phone, _: &[&str]) -> String {
    let (state, info) = if phone.is_on("wifi_on") {
        (
            "enabled",
            "SSID: \"Clawperator Lab\", BSSID: 02:00:00:00:00:01, MAC: 02:00:00:00:00:00, IP: /10.0.2.15, Supplicant state: COMPLETED, RSSI: -50, Link speed: 433Mbps, Frequency: 5180MHz, Net ID: 0",
        )
    } else {
        ("disabled", "SSID: <unknown ssid>, BSSID: <none>, Supplicant state: DISCONNECTED")
    };
    format!(
        "Wi-Fi is {state}\nVerbose logging is off\nStay-awake conditions: 3\nmInIdleMode false\nmWifiInfo {info}\n"
    )
}

pub(super) fn connectivity(phone: &mut Phone, _: &[&str]) -> String {
    let wifi = phone.is_on("wifi_on");
    let network = if wifi { "100" } else { "none" };
    let mut text = format!(
        "NetworkProviders for: Ethernet WIFI\n\nActive default network: {network}\n\nCurrent Networks:\n"
    );
    if wifi {
        text.push_str("  NetworkAgentInfo{network{100} ni{WIFI CONNECTED extra: } lp{{InterfaceName: wlan0 LinkAddresses: [ 10.0.2.15/24 ]}}}\n");
    }
    text
}

pub(super) fn netpolicy(phone: &mut Phone, _: &[&str]) -> String {
    format!(
        "System ready: true\nRestrict background: {}\nRestrict power: false\nDevice idle: {}\nRestricted networking mode: false\nMetered ifaces: {{}}\n\nNetwork policies:\n\nPower save whitelist (except idle) app ids:\n  UID=1000: true\n",
        phone.saving.data_saver, phone.saving.dozing
    )
}

pub(super) fn telephony(phone: &mut Phone, _: &[&str]) -> String {
    let mut call = None;
    for window in phone.calls.iter().chain(&phone.windows) {
        if let SystemWindow::Call { number, answered, .. } = window {
            call = Some((number, *answered));
        }
    }
    let (state, number) = match call {
        Some((number, false)) => (1, number.as_str()),
        Some((number, true)) => (2, number.as_str()),
        None => (0, ""),
    };
    let data = if phone.is_on("mobile_data") { 2 } else { 0 };
    format!(
        "last known state:\n  Phone Id=0\n    mCallState={state}\n    mRingingCallState={state}\n    mCallIncomingNumber={number}\n    mServiceState={{mVoiceRegState=0(IN_SERVICE), mDataRegState=0(IN_SERVICE), operator=Clawperator}}\n    mDataConnectionState={data}\n"
    )
}
