//! What is drawn.

use super::hash;
use crate::command::screencap::{COVER_ID, DISPLAY_ID};
use crate::phone::Phone;

pub(super) fn flinger(phone: &mut Phone, words: &[&str]) -> String {
    let front = phone.focus().map_or_else(String::new, |focus| focus.title);
    match words.first().copied() {
        Some("--display-id") => {
            let cover = if phone.is_like("samsung") {
                format!("Display {COVER_ID} (HWC display 1): port=1 pnpId=CLW displayName=\"Cover\"\n")
            } else {
                String::new()
            };
            format!("{cover}Display {DISPLAY_ID} (HWC display 0): port=0 pnpId=CLW displayName=\"Sim\"\n")
        }
        Some("--list") => format!("StatusBar#70\nNavigationBar0#72\n{front}#81\n"),
        Some("--latency" | "--latency-clear") => "16666667\n".to_owned(),
        _ => {
            let (width, height) = phone.display.size();
            format!(
                "Build configuration: [sf PRESENT_TIME_OFFSET=0]\n\nDisplay {DISPLAY_ID} (active)\n    {width}x{height}, 60 Hz, orientation {}\n\nVisible layers (count = 3)\n  StatusBar#70\n  NavigationBar0#72\n  {front}#81\n",
                phone.display.rotation
            )
        }
    }
}

pub(super) fn gfxinfo(phone: &mut Phone, words: &[&str]) -> String {
    let uptime = phone.clock.uptime_ms();
    let mut text =
        format!("Applications Graphics Acceleration Info:\nUptime: {uptime} Realtime: {uptime}\n\n");
    let name = words.iter().find(|word| !word.starts_with('-'));
    let running = phone.packages.values().filter(|package| package.pid.is_some());
    let mut found = running.filter(|package| name.is_none_or(|name| *name == package.name())).peekable();
    if found.peek().is_none() {
        return format!("No process found for: {}\n", name.unwrap_or(&""));
    }
    for package in found {
        text.push_str(&format!(
            "** Graphics info for pid {} [{}] **\n\nStats since: {}ns\nTotal frames rendered: 0\nJanky frames: 0 (0.00%)\n50th percentile: 5ms\n90th percentile: 8ms\n95th percentile: 9ms\n99th percentile: 12ms\nNumber Missed Vsync: 0\nNumber Slow UI thread: 0\nView hierarchy: {}\n\n",
            package.pid.unwrap_or(0),
            package.name(),
            uptime.saturating_mul(1_000_000),
            hash(package.name()),
        ));
    }
    text
}
