//! What apps can ask of the phone by name: `battery.level`, `global.wifi_on`.

use super::Phone;
use super::clock::format_time;
use super::settings::Namespace;
use crate::app::value::Value;
use std::collections::BTreeMap;

/// The apps that are always at hand on the home screen.
const DOCK: [&str; 4] = [
    "com.google.android.dialer",
    "com.clawperator.messenger",
    "com.clawperator.browser",
    "com.android.settings",
];

impl Phone {
    /// What a name of the phone's means.
    pub(crate) fn name(&self, first: &str, rest: &str) -> Option<Value> {
        if let Some(namespace) = Namespace::from_word(first) {
            let value = self.settings.get(namespace, rest)?;
            return Some(value.parse().map_or_else(|_| Value::from(value), Value::Number));
        }
        match first {
            "phone" => self.phone_name(rest),
            "battery" => match rest {
                "level" => Some(Value::Number(self.battery.level.into())),
                "charging" => Some(Value::Flag(self.battery.plugged())),
                "temperature" => Some(Value::Number(self.battery.temperature.into())),
                _ => None,
            },
            "clock" => {
                let now = |format| Some(Value::Text(format_time(self.clock.now(), format)));
                match rest {
                    "time" => now("%H:%M"),
                    "date" => now("%Y-%m-%d"),
                    "day" => now("%a, %b %-d"),
                    "uptime" => {
                        let seconds = self.clock.uptime.as_secs();
                        Some(Value::Text(format!(
                            "{}:{:02}:{:02}",
                            seconds / 3600,
                            seconds / 60 % 60,
                            seconds % 60
                        )))
                    }
                    _ => None,
                }
            }
            "clipboard" => Some(Value::Text(self.clipboard.clone())),
            "prop" => Some(Value::from(self.properties.get(rest))),
            "permission" => {
                let package = self.front_package()?;
                Some(Value::Flag(self.packages.get(package)?.granted.contains(rest)))
            }
            _ => None,
        }
    }

    fn phone_name(&self, rest: &str) -> Option<Value> {
        let property = match rest {
            "model" => "ro.product.model",
            "manufacturer" => "ro.product.manufacturer",
            "release" => "ro.build.version.release",
            "sdk" => "ro.build.version.sdk",
            "build" => "ro.build.display.id",
            "serial" => "ro.serialno",
            "ip" => return Some(Value::from("10.0.2.15")),
            "apps" => return Some(Value::List(self.launcher_apps(|_| true))),
            "dock" => return Some(Value::List(self.launcher_apps(|name| DOCK.contains(&name)))),
            "workspace" => return Some(Value::List(self.launcher_apps(|name| !DOCK.contains(&name)))),
            _ => return None,
        };
        Some(Value::from(self.properties.get(property)))
    }

    /// The apps with an icon, by their labels.
    fn launcher_apps(&self, wanted: impl Fn(&str) -> bool) -> Vec<Value> {
        let packages = self
            .packages
            .values()
            .filter(|package| package.enabled && package.launcher().is_some())
            .filter(|package| wanted(package.name()));
        let mut apps: Vec<_> = packages.map(|package| &package.app).collect();
        apps.sort_by(|a, b| (&a.label, &a.package).cmp(&(&b.label, &b.package)));
        let record = |app: &std::sync::Arc<crate::app::App>| {
            let field = |name: &str, value: &str| (name.to_owned(), Value::from(value));
            Value::Record(BTreeMap::from([
                field("package", &app.package),
                field("label", &app.label),
                field("symbol", if app.icon.symbol.is_empty() { &app.label } else { &app.icon.symbol }),
                field("color", &app.icon.color),
            ]))
        };
        apps.into_iter().map(record).collect()
    }
}
