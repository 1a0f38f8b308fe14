//! Notifications, the bar they are in, the sound and the look.

use super::hash;
use crate::phone::{Namespace, Phone, SystemWindow};

pub(super) fn dump(phone: &mut Phone, _: &[&str]) -> String {
    let mut text = "Current Notification Manager state:\n  Notification List:\n".to_owned();
    for (number, notification) in phone.notifications().iter().enumerate() {
        let package = &notification.package;
        text.push_str(&format!(
            "    NotificationRecord(0x{}: pkg={package} user=UserHandle{{0}} id={number} tag=null importance=3 key=0|{package}|{number}|null|{}: Notification(channel=default shortcut=null contentView=null vibrate=null sound=null defaults=0x0 flags=0x10 color=0x00000000 vis=PRIVATE))\n      uid={} userId=0\n      opPkg={package}\n      extras={{\n        android.title=String ({})\n        android.text=String ({})\n      }}\n",
            hash(&format!("{package}{number}")),
            phone.packages.get(package).map_or(1_000, |package| package.uid),
            phone.packages.get(package).map_or(1_000, |package| package.uid),
            notification.title,
            notification.text,
        ));
    }
    let zen = phone.settings.get(Namespace::Global, "zen_mode").unwrap_or("0");
    text.push_str(&format!("  mZenMode={zen}\n"));
    text
}

pub(super) fn statusbar(phone: &mut Phone, _: &[&str]) -> String {
    let shade = phone.windows.iter().any(|window| matches!(window, SystemWindow::Shade));
    format!(
        "  mDisabled1=0x0\n  mDisabled2=0x0\n  mExpandedVisible={shade}\n  mPanelExpanded={shade}\n  mStatusBarWindowState=0\n"
    )
}

pub(super) fn audio(phone: &mut Phone, _: &[&str]) -> String {
    let volume = phone.settings.get(Namespace::System, "volume_music").unwrap_or("5");
    format!(
        "MediaFocusControl dump time\n\nStream volumes (device: index)\n- STREAM_MUSIC:\n   Muted: false\n   Min: 0\n   Max: 15\n   streamVolume:{volume}\n\nRinger mode:\n- mode (internal) = NORMAL\n- mode (external) = NORMAL\n"
    )
}

pub(super) fn uimode(phone: &mut Phone, _: &[&str]) -> String {
    let night = phone.settings.get(Namespace::Secure, "ui_night_mode").unwrap_or("1");
    format!(
        "Current UI Mode Service state:\n  mDockState=0 mLastBroadcastState=0\n  mNightMode={night} ({})\n  mCurUiMode=0x11\n",
        if night == "2" { "yes" } else { "no" }
    )
}
