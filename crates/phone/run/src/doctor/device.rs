//! Judges what was seen of a phone. Pure.

use super::facts::{DeviceFacts, PhoneReach, Smoke, ViewState};
use super::verdict::{ANDROID, CheckRow, CheckVerdict, HOST, word};
use super::{Finding, Remedy, lane, operator, trial, verdict};
use clawperator_contract::ErrorCode;
use clawperator_phone::Vitals;

/// Below this much room a phone is as good as full.
pub const MIN_FREE: u64 = 8 << 20;
/// Below this much room something should be deleted.
const LOW_FREE: u64 = 200 << 20;
/// The oldest Android that we promise to work with: 7, whose adb has shell protocol v2.
const MIN_SDK: u32 = 24;

const ROWS: &[CheckRow<DeviceFacts>] = &[
    CheckRow::critical("device.connection", connection),
    CheckRow::critical("device.shell", shell),
    CheckRow::critical("device.boot", boot),
    CheckRow::critical("device.capability", capability),
    CheckRow::critical("device.screen", screen),
    CheckRow::critical("device.keyguard", keyguard),
    CheckRow::advice("device.front", front),
    CheckRow::advice("device.storage", storage),
    CheckRow::advice("device.developer_options", developer_options),
    CheckRow::advice("device.usb_debugging", usb_debugging),
    CheckRow::critical("device.uiautomator", uiautomator),
    CheckRow::advice("device.screencap", screencap),
    CheckRow::critical("device.smoke", smoke),
    CheckRow::critical("runtime.host", host_runtime),
    CheckRow::advice("trial.guard", trial::guard),
    CheckRow::advice("trial.look.dump", trial::dump),
    CheckRow::advice("trial.look.resident", trial::resident),
    CheckRow::advice("trial.file", trial::file),
    CheckRow::advice("trial.tools", trial::tools),
    CheckRow::advice("trial.letters", trial::letters),
    CheckRow::advice("trial.round_trip", trial::round_trip),
    CheckRow::advice("runtime.lane", lane::presence),
    CheckRow::advice("runtime.operator", operator::presence),
    CheckRow::advice("runtime.operator.version", operator::version),
    CheckRow::advice("runtime.operator.service", operator::service),
];

pub(super) fn judge(facts: &DeviceFacts) -> Vec<Finding> {
    verdict::judge(ROWS, facts, Some(&facts.serial))
}

/// A command of ours on this phone.
pub(super) fn ours(facts: &DeviceFacts, command: &str) -> String {
    format!("clawperator {command} --device {}", word(&facts.serial))
}

pub(super) fn vitals(facts: &DeviceFacts) -> Option<&Vitals> {
    facts.vitals.as_ref()?.as_ref().ok()
}

fn connection(facts: &DeviceFacts) -> Option<CheckVerdict> {
    let again = ours(facts, "doctor");
    let reconnect = format!("adb -s {} reconnect", word(&facts.serial));
    let offline = |verdict: CheckVerdict| {
        let verdict = verdict.fix("Reconnect the phone", HOST);
        match (facts.on_server, &facts.sim) {
            (true, _) if facts.serial.contains(':') => verdict
                .manual(format!("Check that the phone is on and listens at {}.", facts.serial))
                .shell(format!("adb connect {}", word(&facts.serial))),
            (true, _) => verdict
                .manual("Pull the cable out and put it in again, with the phone unlocked.")
                .shell(reconnect.clone()),
            (false, Some(name)) => verdict.shell(format!("clawperator sim status {}", word(name))),
            (false, None) => verdict.manual(format!("Check that a phone listens at {}.", facts.serial)),
        }
        .shell(again.clone())
    };
    Some(match &facts.reached {
        PhoneReach::Ready => CheckVerdict::pass(match &facts.sim {
            Some(name) => format!("connected; it is the simulated phone {name}"),
            None => "connected".to_owned(),
        }),
        PhoneReach::Unauthorized => CheckVerdict::fail(
            ErrorCode::DeviceUnauthorized,
            "the phone has not accepted this computer's key",
        )
        .fix("Accept the key on the phone", ANDROID)
        .manual("Unlock the phone and accept the debugging prompt; if there is none, connect it anew.")
        .shell(again),
        PhoneReach::Offline => {
            offline(CheckVerdict::fail(ErrorCode::DeviceOffline, "the phone does not answer"))
        }
        PhoneReach::Broken(trouble) => offline(
            CheckVerdict::fail(ErrorCode::DeviceOffline, "the phone cannot be connected to").detail(trouble),
        ),
        PhoneReach::NoPermission(words) => {
            CheckVerdict::fail(ErrorCode::DeviceNotFound, "this computer's user may not use the phone")
                .detail(words)
                .fix("Allow the user to use it", HOST)
                .manual(
                    "Add a udev rule for the phone, or the user to the group plugdev, and connect it anew.",
                )
                .shell(again)
        }
        PhoneReach::Other(state) => CheckVerdict::fail(
            ErrorCode::DeviceNotFound,
            format!("the phone is in state {state}, in which nothing can be done"),
        )
        .fix("Start the phone's system", ANDROID)
        .manual("Restart the phone as usual, and wait until it shows its home screen.")
        .shell(again),
    })
}

fn shell(facts: &DeviceFacts) -> Option<CheckVerdict> {
    Some(match facts.vitals.as_ref()? {
        Ok(_) => CheckVerdict::pass("its shell answers"),
        Err(trouble) if facts.answers => {
            let summary = "its shell answers, but does not say in time how the phone is";
            CheckVerdict::fail(ErrorCode::DeviceShellUnavailable, summary)
                .detail(trouble)
                .fix("Look again when the phone is less busy", ANDROID)
                .shell(ours(facts, "doctor"))
        }
        Err(trouble) => CheckVerdict::fail(ErrorCode::DeviceShellUnavailable, "its shell does not answer")
            .detail(trouble)
            .fix("Start the phone anew", ANDROID)
            .manual("Restart the phone if it stays so.")
            .shell(ours(facts, "doctor")),
    })
}

fn boot(facts: &DeviceFacts) -> Option<CheckVerdict> {
    Some(if vitals(facts)?.booted? {
        CheckVerdict::pass("it has started")
    } else {
        CheckVerdict::fail(ErrorCode::DeviceNotBooted, "it is still starting")
            .fix("Wait for it", ANDROID)
            .manual("Wait until it shows its home screen.")
            .shell(ours(facts, "doctor"))
    })
}

fn capability(facts: &DeviceFacts) -> Option<CheckVerdict> {
    let vitals = vitals(facts)?;
    let code = ErrorCode::DeviceShellUnavailable;
    let verdict = match (vitals.sdk, vitals.size) {
        (Some(sdk), Some((width, height))) => {
            let release = vitals.release.as_deref().unwrap_or("?");
            let name = vitals.model.as_deref().unwrap_or("a phone");
            let dpi = vitals.density.map_or_else(String::new, |density| format!(", {density} dpi"));
            let summary = format!("{name}, Android {release} (API {sdk}), {width} x {height}{dpi}");
            if sdk < MIN_SDK {
                CheckVerdict::warn(code, summary).detail(format!(
                    "Android 7 (API {MIN_SDK}) or newer is needed; an older one is not tested."
                ))
            } else {
                CheckVerdict::pass(summary)
            }
        }
        _ => CheckVerdict::fail(code, "it does not say which Android it has, or how large its screen is")
            .fix("Look again when it has started", ANDROID)
            .shell(ours(facts, "doctor")),
    };
    let size = vitals.size.map(|(width, height)| vec![width, height]);
    Some(verdict.evidence("sdk", vitals.sdk).evidence("size", size).evidence("density", vitals.density))
}

fn screen(facts: &DeviceFacts) -> Option<CheckVerdict> {
    Some(if vitals(facts)?.awake? {
        CheckVerdict::pass("its screen is on")
    } else {
        CheckVerdict::fail(ErrorCode::DeviceScreenOff, "its screen is off")
            .fix("Switch it on", ANDROID)
            .shell(ours(facts, "doctor --fix"))
            .remedy(Remedy::Wake)
    })
}

fn keyguard(facts: &DeviceFacts) -> Option<CheckVerdict> {
    let vitals = vitals(facts)?;
    if !vitals.keyguard? {
        return Some(if vitals.is_covered {
            CheckVerdict::warn(ErrorCode::DeviceLocked, "it is locked; an app is in front of the lock")
                .fix("Unlock it", ANDROID)
                .manual("Unlock it by hand when that app is done, such as a call.")
        } else {
            CheckVerdict::pass("it is unlocked")
        });
    }
    let verdict = CheckVerdict::fail(ErrorCode::DeviceLocked, "its lock screen shows");
    Some(match vitals.secure {
        Some(true) => verdict
            .detail("Its lock asks for a PIN, a pattern or a password, which only its owner knows.")
            .fix("Unlock it", ANDROID)
            .manual("Unlock it by hand; a phone for agents is best left without a PIN.")
            .shell(ours(facts, "doctor")),
        Some(false) | None => verdict
            .fix("Unlock it", ANDROID)
            .shell(ours(facts, "doctor --fix"))
            .remedy(Remedy::DismissKeyguard),
    })
}

/// Names what is in front: it may not be the app that the user expects.
fn front(facts: &DeviceFacts) -> Option<CheckVerdict> {
    let vitals = vitals(facts)?;
    let window = vitals.window.as_deref()?;
    let app = vitals.package.as_deref();
    let summary = match app {
        // An app's own window is named after it.
        Some(app) if !window.starts_with(app) => format!("{window} is in front of {app}"),
        _ => format!("{window} is in front"),
    };
    let verdict = CheckVerdict::pass(summary).evidence("window", window);
    Some(match app {
        Some(app) => verdict.evidence("package", app),
        None => verdict,
    })
}

fn storage(facts: &DeviceFacts) -> Option<CheckVerdict> {
    let free = vitals(facts)?.free?;
    let code = ErrorCode::DeviceStorageLow;
    let summary = format!("{} MiB are free", free >> 20);
    let room = |verdict: CheckVerdict| {
        verdict
            .fix("Make room", ANDROID)
            .manual("Delete apps, pictures or downloads on the phone.")
            .shell(ours(facts, "packages list --third-party"))
    };
    let verdict = match free {
        ..MIN_FREE => room(CheckVerdict::fail(code, format!("it is full: {summary}"))),
        MIN_FREE..LOW_FREE => room(CheckVerdict::warn(code, format!("it is nearly full: {summary}"))),
        LOW_FREE.. => CheckVerdict::pass(summary),
    };
    Some(verdict.evidence("freeBytes", free))
}

fn developer_options(facts: &DeviceFacts) -> Option<CheckVerdict> {
    Some(if vitals(facts)?.developer_options? {
        CheckVerdict::pass("developer options are on")
    } else {
        CheckVerdict::warn(ErrorCode::DeviceDevOptionsDisabled, "developer options are off")
            .fix("Switch them on", ANDROID)
            .manual("In the phone's settings, open About phone and tap Build number seven times.")
    })
}

fn usb_debugging(facts: &DeviceFacts) -> Option<CheckVerdict> {
    let vitals = vitals(facts)?;
    Some(if vitals.usb_debugging? {
        CheckVerdict::pass("USB debugging is on")
    } else if vitals.wireless_debugging == Some(true) {
        CheckVerdict::pass("wireless debugging is on")
    } else {
        CheckVerdict::warn(ErrorCode::DeviceUsbDebuggingDisabled, "USB debugging is off")
            .fix("Switch it on", ANDROID)
            .manual("In the phone's settings, open Developer options and switch USB debugging on.")
    })
}

fn uiautomator(facts: &DeviceFacts) -> Option<CheckVerdict> {
    let code = ErrorCode::SnapshotExtractionFailed;
    let free_or = |other: &str| lane::free_slot(facts).unwrap_or_else(|| other.to_owned());
    Some(match facts.view.as_ref()? {
        ViewState::Tree(nodes) => {
            CheckVerdict::pass(format!("its screen can be read: {nodes} nodes")).evidence("nodes", *nodes)
        }
        ViewState::Restless => {
            CheckVerdict::warn(code, "its screen never comes to rest, so it cannot be read now")
                .fix("Leave that screen", ANDROID)
                .shell(ours(facts, "press home"))
        }
        ViewState::Watched => {
            CheckVerdict::fail(code, "something else watches its screen; only one program may")
                .fix("End the other program", ANDROID)
                .manual(free_or("End what else drives the phone: uiautomator2, Appium, a test."))
                .shell(ours(facts, "doctor"))
        }
        ViewState::InUse(who) => CheckVerdict::warn(
            ErrorCode::ExecutionConflict,
            "an execution is running on it, so its screen was left alone",
        )
        .detail(who)
        .fix("Wait for it to end", HOST)
        .shell(ours(facts, "doctor")),
        ViewState::None(trouble) => CheckVerdict::fail(code, "its screen cannot be read")
            .detail(trouble)
            .fix("Bring up a screen that can be read", ANDROID)
            .shell(ours(facts, "doctor --fix"))
            .manual(free_or("Bring another app to the front if it stays so.")),
        ViewState::TooOld(trouble) => CheckVerdict::fail(ErrorCode::DeviceShellUnavailable, trouble.clone())
            .fix("Use a phone with Android 7 or newer", ANDROID)
            .shell("clawperator devices"),
    })
}

fn screencap(facts: &DeviceFacts) -> Option<CheckVerdict> {
    Some(match facts.picture.as_ref()? {
        Ok(bytes) => CheckVerdict::pass("pictures of its screen can be taken").evidence("bytes", *bytes),
        Err(trouble) => {
            CheckVerdict::fail(ErrorCode::ScreenshotFailed, "no picture of its screen can be taken")
                .detail(trouble)
                .fix("Leave a screen that forbids pictures", ANDROID)
                .shell(ours(facts, "press home"))
        }
    })
}

fn smoke(facts: &DeviceFacts) -> Option<CheckVerdict> {
    Some(match facts.smoke.as_ref()? {
        Smoke::Opened => CheckVerdict::pass("the Settings app opens and can be read"),
        Smoke::Failed(trouble) => {
            CheckVerdict::fail(ErrorCode::SmokeOpenSettingsFailed, "the Settings app does not open")
                .detail(trouble)
                .fix("Look at what the phone shows instead", ANDROID)
                .shell(ours(facts, "screenshot"))
        }
    })
}

fn host_runtime(facts: &DeviceFacts) -> Option<CheckVerdict> {
    Some(match facts.view.as_ref()? {
        ViewState::Tree(_) | ViewState::Restless | ViewState::InUse(_) => CheckVerdict::pass(
            "executions can run from this computer; nothing need be installed on the phone",
        ),
        ViewState::Watched | ViewState::TooOld(_) | ViewState::None(_) => CheckVerdict::fail(
            ErrorCode::SnapshotExtractionFailed,
            "executions cannot run: the screen cannot be read",
        )
        .fix("See device.uiautomator", HOST)
        .shell(ours(facts, "doctor --fix")),
    })
}
