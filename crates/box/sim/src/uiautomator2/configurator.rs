//! How long the server waits for what: the settings of its library, as the
//! server sets them when it starts.

use crate::handset::Handset;
use crate::latency::Latency;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// How long nothing may happen before the screen counts as idle.
const QUIET: Duration = Duration::from_millis(500);

/// The settings, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Configurator {
    action_acknowledgment_timeout: u64,
    key_injection_delay: u64,
    scroll_acknowledgment_timeout: u64,
    ui_automation_flags: i32,
    wait_for_idle_timeout: u64,
    wait_for_selector_timeout: u64,
}

impl Default for Configurator {
    fn default() -> Self {
        Self {
            action_acknowledgment_timeout: 500,
            key_injection_delay: 0,
            scroll_acknowledgment_timeout: 200,
            ui_automation_flags: 0,
            wait_for_idle_timeout: 0,
            wait_for_selector_timeout: 0,
        }
    }
}

impl Configurator {
    /// With what a caller sets; what it does not name stays.
    pub(super) fn with(self, changes: &Value) -> Self {
        let mut settings = json!(self);
        for (name, value) in changes.as_object().into_iter().flatten() {
            settings[name.as_str()] = value.clone();
        }
        serde_json::from_value(settings).unwrap_or(self)
    }

    /// How long a screen is waited for to be idle.
    pub(super) fn wait_for_idle(self) -> Duration {
        Duration::from_millis(self.wait_for_idle_timeout)
    }
}

/// Waits until the screen is idle, or until the time is up; the server goes on after both.
pub(super) async fn wait_for_idle(handset: &Handset, longest: Duration) {
    if handset.latency() == Latency::None {
        return;
    }
    let until = handset.time().uptime() + longest;
    loop {
        let left = until.saturating_sub(handset.time().uptime());
        let quiet = handset.with(|phone| {
            let quiet = phone.clock.uptime_ms().saturating_sub(phone.last_activity_ms);
            (!phone.is_busy()).then(|| Duration::from_millis(quiet))
        });
        let more = QUIET.saturating_sub(quiet.unwrap_or_default()).min(left);
        if more.is_zero() {
            return;
        }
        handset.time().sleep(more).await;
    }
}
