//! The phone's settings.

use clawperator_document::words;
use std::collections::BTreeMap;

words! {
    /// The three tables of settings.
    pub Namespace {
        System = "system",
        Secure = "secure",
        Global = "global",
    }
}

const MAX_SETTINGS: usize = 2_000;
const MAX_VALUE: usize = 32 << 10;

use Namespace::{Global, Secure, System};

/// What a new phone is set to.
const DEFAULTS: &[(Namespace, &str, &str)] = &[
    (System, "accelerometer_rotation", "0"),
    (System, "user_rotation", "0"),
    (System, "screen_brightness", "102"),
    (System, "screen_brightness_mode", "1"),
    (System, "screen_off_timeout", "1800000"),
    (System, "font_scale", "1.0"),
    (System, "volume_music", "5"),
    (System, "show_touches", "0"),
    (System, "pointer_location", "0"),
    (System, "status_bar_show_battery_percent", "0"),
    (Secure, "android_id", "8f3b1c2d4e5a6978"),
    (Secure, "accessibility_enabled", "0"),
    (Secure, "default_input_method", LATIN),
    (Secure, "enabled_input_methods", LATIN),
    (Secure, "show_ime_with_hard_keyboard", "1"),
    (Secure, "navigation_mode", "2"),
    (Secure, "user_setup_complete", "1"),
    (Secure, "location_mode", "3"),
    (Secure, "bluetooth_name", "Clawperator sim"),
    (Global, "adb_enabled", "1"),
    (Global, "development_settings_enabled", "1"),
    (Global, "device_name", "Clawperator sim"),
    (Global, "device_provisioned", "1"),
    (Global, "airplane_mode_on", "0"),
    (Global, "wifi_on", "1"),
    (Global, "mobile_data", "1"),
    (Global, "bluetooth_on", "1"),
    (Global, "low_power", "0"),
    (Global, "stay_on_while_plugged_in", "3"),
    (Global, "window_animation_scale", "1.0"),
    (Global, "transition_animation_scale", "1.0"),
    (Global, "animator_duration_scale", "1.0"),
    (Global, "auto_time", "1"),
    (Global, "zen_mode", "0"),
];

/// The keyboard that came with the phone.
pub const LATIN: &str = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME";

/// The settings that differ from a new phone's.
#[derive(Clone, Debug, Default)]
pub struct Settings(BTreeMap<(Namespace, String), Option<String>>);

impl Settings {
    /// A setting; none if it was never set.
    pub fn get(&self, namespace: Namespace, name: &str) -> Option<&str> {
        if let Some(changed) = self.0.get(&(namespace, name.to_owned())) {
            return changed.as_deref();
        }
        let row = DEFAULTS.iter().find(|row| row.0 == namespace && row.1 == name);
        row.map(|row| row.2)
    }

    /// Sets a setting, or deletes it; whether there was room for it.
    pub fn put(&mut self, namespace: Namespace, name: &str, value: Option<&str>) -> bool {
        let fits = self.0.len() < MAX_SETTINGS && value.is_none_or(|value| value.len() <= MAX_VALUE);
        if fits {
            self.0.insert((namespace, name.to_owned()), value.map(str::to_owned));
        }
        fits
    }

    /// Every setting of a table, sorted.
    pub fn list(&self, namespace: Namespace) -> Vec<(String, String)> {
        let defaults = DEFAULTS.iter().filter(|row| row.0 == namespace);
        let mut all: BTreeMap<&str, Option<&str>> = defaults.map(|row| (row.1, Some(row.2))).collect();
        let changed = self.0.iter().filter(|((table, _), _)| *table == namespace);
        all.extend(changed.map(|((_, name), value)| (name.as_str(), value.as_deref())));
        all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect()
    }
}
