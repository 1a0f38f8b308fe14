//! What watches apps from behind: accessibility, doze, and the statistics of use.

use crate::phone::{Namespace, Phone};

/// What it says of the one UiAutomation while there is one; not whose it is.
pub(super) const UI_AUTOMATION: &str = "Ui Automation[eventTypes=TYPES_ALL_MASK, notificationTimeout=0]\n";

pub(super) fn accessibility(phone: &mut Phone, _: &[&str]) -> String {
    let secure = |name: &str| phone.settings.get(Namespace::Secure, name).unwrap_or_default();
    let enabled = secure("enabled_accessibility_services");
    let on = secure("accessibility_enabled") == "1";
    let touch = secure("touch_exploration_enabled") == "1";
    let services: Vec<String> =
        enabled.split(':').filter(|name| !name.is_empty()).map(|name| format!("{{{name}}}")).collect();
    let services = services.join(", ");
    let bound = if on { services.as_str() } else { "" };
    format!(
        "ACCESSIBILITY MANAGER (dumpsys accessibility)\n\nUser state[\n     attributes:{{id=0, touchExplorationEnabled={touch}, installedServiceCount={}}}\n     Bound services:{{{bound}}}\n     Enabled services:{{{services}}}\n     Binding services:{{}}\n     Crashed services:{{}}]\n",
        usize::from(!enabled.is_empty())
    )
}

pub(super) fn batterystats(phone: &mut Phone, words: &[&str]) -> String {
    let uptime = phone.clock.uptime_ms();
    if words.contains(&"--reset") {
        return "Battery stats reset.\n".to_owned();
    }
    if words.iter().any(|word| matches!(*word, "-c" | "--checkin")) {
        let started = phone.clock.booted.as_millis();
        return format!(
            "9,0,i,vers,36,210,CLAW.260101.001,CLAW.260101.001\n9,0,l,bt,0,{uptime},{uptime},{uptime},{uptime},{started},0,0,4500,4500,4500,0\n9,0,l,lv,{level},{level}\n",
            level = phone.battery.level
        );
    }
    format!(
        "Battery History (0% used, 0 used of 4096KB):\n                    0 (9) RESET:TIME: {}\n\nStatistics since last charge:\n  System starts: 0, currently on battery: {}\n  Time on battery: 0ms (0%) realtime, 0ms (0%) uptime\n  Total run time: {uptime}ms realtime, {uptime}ms uptime\n",
        crate::phone::format_time(phone.clock.booted, "%Y-%m-%d-%H-%M-%S"),
        !phone.battery.plugged(),
    )
}

pub(super) fn deviceidle(phone: &mut Phone, words: &[&str]) -> String {
    let state = |phone: &Phone| if phone.saving.dozing { "IDLE" } else { "ACTIVE" };
    match words {
        ["force-idle", depth @ ..] => {
            phone.saving.dozing = true;
            let depth = depth.first().copied().unwrap_or("deep");
            format!("Now forced in to {depth} idle mode\n")
        }
        ["unforce" | "disable" | "force-active", ..] => {
            phone.saving.dozing = false;
            "Light state: ACTIVE, deep state: ACTIVE\n".to_owned()
        }
        ["step", ..] => format!("Stepped to deep: {}\n", state(phone)),
        ["get", "deep" | "light"] => format!("{}\n", state(phone)),
        ["get", "force"] => format!("{}\n", phone.saving.dozing),
        ["get", "screen"] => format!("{}\n", phone.power.awake),
        ["get", "charging"] => format!("{}\n", phone.battery.plugged()),
        ["get", "network"] => format!("{}\n", phone.is_on("wifi_on")),
        ["enabled", ..] => "1\n".to_owned(),
        ["enable", ..] => "Deep idle mode enabled\nLight idle mode enabled\n".to_owned(),
        ["whitelist"] => "system,com.android.systemui,1000\n".to_owned(),
        [] | ["-a"] => format!(
            "  Settings:\n    inactive_to=+30m0s0ms\n  mLightEnabled=true  mDeepEnabled=true\n  mForceIdle={}\n  mScreenOn={}\n  mCharging={}\n  mState={state} mLightState={state}\n",
            phone.saving.dozing,
            phone.power.awake,
            phone.battery.plugged(),
            state = state(phone)
        ),
        _ => "Device idle controller (deviceidle) commands:\n  force-idle [light|deep]\n  unforce\n  get [light|deep|force|screen|charging|network]\n  enabled\n  whitelist\n".to_owned(),
    }
}

pub(super) fn usagestats(phone: &mut Phone, _: &[&str]) -> String {
    let mut text = "user=0\n  In-memory daily stats\n    packages\n".to_owned();
    for package in phone.packages.values().filter(|package| package.pid.is_some()) {
        text.push_str(&format!(
            "      package={} standbyBucket={}\n",
            package.name(),
            package.standby_bucket
        ));
    }
    text
}
