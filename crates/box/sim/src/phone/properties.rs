//! The phone's properties: what `getprop` reads.

use std::collections::BTreeMap;

/// The most properties that are set, and the longest value.
const MAX_PROPERTIES: usize = 2_000;
const MAX_VALUE: usize = 91;

/// What a phone of ours says it is.
const PROPERTIES: &[(&str, &str)] = &[
    ("dalvik.vm.heapsize", "576m"),
    ("dev.bootcomplete", "1"),
    ("gsm.operator.alpha", "Clawperator"),
    ("gsm.sim.state", "LOADED"),
    ("init.svc.adbd", "running"),
    ("init.svc.bootanim", "stopped"),
    ("init.svc.zygote", "running"),
    ("persist.sys.locale", "en-US"),
    ("persist.sys.timezone", "GMT"),
    ("ro.arch", "arm64"),
    ("ro.board.platform", "sim"),
    ("ro.boot.hardware", "sim"),
    ("ro.boot.qemu", "0"),
    ("ro.bootimage.build.date.utc", "1767225600"),
    ("ro.build.characteristics", "nosdcard"),
    ("ro.build.date.utc", "1767225600"),
    ("ro.build.display.id", "CLAW.260101.001"),
    ("ro.build.fingerprint", "clawperator/sim/sim:14/CLAW.260101.001/1:user/release-keys"),
    ("ro.build.id", "CLAW.260101.001"),
    ("ro.build.tags", "release-keys"),
    ("ro.build.type", "user"),
    ("ro.build.version.codename", "REL"),
    ("ro.build.version.incremental", "1"),
    ("ro.build.version.release", "14"),
    ("ro.build.version.sdk", "34"),
    ("ro.build.version.security_patch", "2026-01-05"),
    ("ro.debuggable", "0"),
    ("ro.hardware", "sim"),
    ("ro.kernel.qemu", "0"),
    ("ro.product.board", "sim"),
    ("ro.product.brand", "clawperator"),
    ("ro.product.cpu.abi", "arm64-v8a"),
    ("ro.product.cpu.abilist", "arm64-v8a,armeabi-v7a,armeabi"),
    ("ro.product.device", "sim"),
    ("ro.product.locale", "en-US"),
    ("ro.product.manufacturer", "Clawperator"),
    ("ro.product.model", "Sim Phone"),
    ("ro.product.name", "sim"),
    ("ro.secure", "1"),
    ("ro.sf.lcd_density", "420"),
    ("service.bootanim.exit", "1"),
    ("sys.boot_completed", "1"),
    ("sys.usb.config", "adb"),
    ("vendor.bluetooth.status", "on"),
];

/// The properties that differ from the usual ones.
#[derive(Clone, Debug, Default)]
pub struct Properties(BTreeMap<String, String>);

impl Properties {
    /// A property; empty if there is none.
    pub fn get(&self, name: &str) -> &str {
        if let Some(changed) = self.0.get(name) {
            return changed;
        }
        let place = PROPERTIES.binary_search_by_key(&name, |row| row.0);
        place.map_or("", |place| PROPERTIES[place].1)
    }

    /// Sets a property; whether it may be set and there was room for it.
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        let fits = self.0.len() < MAX_PROPERTIES && value.len() <= MAX_VALUE && !name.is_empty();
        // What begins with `ro.` is set once.
        let allowed = fits && (!name.starts_with("ro.") || self.get(name).is_empty());
        if allowed {
            self.make(name, value);
        }
        allowed
    }

    /// Sets what the phone was made with.
    pub(crate) fn make(&mut self, name: &str, value: &str) {
        self.0.insert(name.to_owned(), value.to_owned());
    }

    /// Every property, sorted.
    pub fn list(&self) -> Vec<(String, String)> {
        let mut all: BTreeMap<&str, &str> = PROPERTIES.iter().copied().collect();
        all.extend(self.0.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        all.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }
}
