//! The Operator app on a phone: whether it is there, which version, whether it
//! may work; and making it so.

use super::app::listed;
use super::script::{GRANT, INSTALL, Script};
use super::vitals::switch;
use super::{CommandKind, Phone, PhoneError, in_parts};
use crate::quote::{Nul, quote};
use clawperator_adb::{AdbError, Deadline, FileTarget, Transfer};
use clawperator_contract::text::excerpt;

/// The service of the app that acts for it.
const ACCESSIBILITY: &str = "clawperator.operator.accessibilityservice.OperatorAccessibilityService";
/// The service of the app that hears of notifications.
const LISTENER: &str = "action.notification.NotificationListenerService";
const NOTIFICATIONS: &str = "android.permission.POST_NOTIFICATIONS";

/// The setting with the accessibility services that are on.
const SERVICES: &str = "enabled_accessibility_services";
/// The setting that switches all of them.
const SERVICES_ON: &str = "accessibility_enabled";
/// The setting with what hears of notifications.
const LISTENERS: &str = "enabled_notification_listeners";

/// Where a file waits to be installed.
const APK: &str = "/data/local/tmp/clawperator-install.apk";

/// What the phone says of a permission that cannot be given, and need not be.
const NEEDLESS: &[&str] =
    &["Unknown permission", "not a changeable permission type", "has not requested permission"];

/// What our own line says where the phone lists no packages.
const NOT_LISTED: &str = "clawperator: not listed";

/// How the name of the app's variant ends.
const DEV: &str = ".dev";

/// The other variant of a package: with the suffix, or without.
pub fn other_variant(package: &str) -> String {
    match package.strip_suffix(DEV) {
        Some(release) => release.to_owned(),
        None => format!("{package}{DEV}"),
    }
}

/// What a phone has of the Operator app.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operator {
    /// Whether it is installed, where the phone says so.
    pub installed: Option<bool>,
    /// Whether the other variant of it is.
    pub other_installed: Option<bool>,
    pub version: Option<String>,
    pub version_code: Option<u64>,
    pub service: Option<bool>,
}

/// What came of one thing that the app needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantResult {
    Already,
    Now,
    /// This phone has no such thing, or the app does not ask for it.
    Needless,
}

/// What came of all that the app needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grants {
    pub accessibility: GrantResult,
    pub notifications: GrantResult,
    pub listener: GrantResult,
}

impl Operator {
    pub(super) const PARTS: usize = 4;

    /// What is asked about a package.
    pub(super) fn parts(package: &str) -> Result<[String; Self::PARTS], Nul> {
        // The phone lists every name that has this one in it: both variants.
        let family = quote(package.strip_suffix(DEV).unwrap_or(package))?;
        let package = quote(package)?;
        Ok([
            format!("cl_list {family} 2>/dev/null || echo '{NOT_LISTED}'"),
            format!("dumpsys package {package} 2>/dev/null | grep -E 'version(Name|Code)='"),
            format!("settings get secure {SERVICES_ON} 2>/dev/null"),
            format!("settings get secure {SERVICES} 2>/dev/null"),
        ])
    }

    /// Reads the answers to these parts.
    pub(super) fn parse(package: &str, values: &[&str]) -> Self {
        let part = |number: usize| values.get(number).map_or("", |text| text.trim());
        let list = values.first().copied().unwrap_or_default();
        let is_there = |name: &str| listed(list).any(|listed| listed == name);
        let after = |key: &str| {
            let word = part(1).split_whitespace().find_map(|word| word.strip_prefix(key));
            word.filter(|value| !value.is_empty() && *value != "null")
        };
        let installed = is_there(package);
        // Without a service behind `pm` nothing is listed, not even others.
        let answers = after("versionName=").is_some() || switch(part(2)).is_some();
        let mut lines = list.split_inclusive('\n');
        let is_whole = lines.all(|line| line.starts_with("package:") && line.ends_with('\n'));
        let known = |there: bool| (there || (answers && is_whole)).then_some(there);
        let on = switch(part(2)) == Some(true);
        let wanted = component(package, ACCESSIBILITY);
        Self {
            installed: known(installed),
            other_installed: known(is_there(&other_variant(package))),
            version: after("versionName=").filter(|_| installed).map(str::to_owned),
            version_code: after("versionCode=").and_then(|code| code.parse().ok()),
            service: installed.then(|| on && names(part(3)).any(|name| same(name, &wanted))),
        }
    }
}

impl Phone {
    /// Asks what the phone has of the Operator app.
    ///
    /// # Errors
    /// [`PhoneError::Unreadable`] if the answer does not fit the question, or
    /// what broke.
    pub async fn operator(&self, package: &str, deadline: Deadline) -> Result<Operator, PhoneError> {
        let values = self.ask_operator(&Operator::parts(package)?, deadline).await?;
        let values: Vec<_> = values.iter().map(String::as_str).collect();
        Ok(Operator::parse(package, &values))
    }

    /// Asks whether the Operator app could run something. This leaves out the
    /// version, which takes a phone longest.
    pub async fn operator_readiness(
        &self,
        package: &str,
        deadline: Deadline,
    ) -> Result<Operator, PhoneError> {
        let [listed, _, on, services] = Operator::parts(package)?;
        let values = self.ask_operator(&[listed, on, services], deadline).await?;
        let part = |number: usize| values.get(number).map_or("", String::as_str);
        Ok(Operator::parse(package, &[part(0), "", part(1), part(2)]))
    }

    /// Runs these parts in one round trip and returns what each printed.
    async fn ask_operator(&self, parts: &[String], deadline: Deadline) -> Result<Vec<String>, PhoneError> {
        let line = in_parts("/", parts)?.line(CommandKind::Operator).without_secrets();
        let answer = self.shell(&line, deadline).await?;
        let values: Vec<_> = answer.out.split('\0').map(str::to_owned).collect();
        if values.len() != parts.len() + 1 {
            return Err(answer.unreadable());
        }
        Ok(values)
    }

    /// Installs an app, over an older one of the same package if there is one.
    /// Two round trips, and what it takes to carry the file.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn install(&self, apk: &[u8], deadline: Deadline) -> Result<(), PhoneError> {
        let target = FileTarget { path: APK, permissions: 0o644, modified: 0 };
        let transfer = Transfer { deadline, progress: |_| () };
        self.device.push(apk, target, transfer).await.map_err(|error| match error {
            AdbError::Refusal(excerpt) => {
                PhoneError::Refused { command: CommandKind::Install, exit_code: None, excerpt }
            }
            other => other.into(),
        })?;
        let line = Script::of(&[INSTALL]).value("file", APK)?.line(CommandKind::Install);
        let answer = self.shell(&line.without_secrets(), deadline).await?;
        let done = answer.lines().any(|line| line == "Success");
        if done { Ok(()) } else { Err(answer.refusal()) }
    }

    /// Gives the Operator app what it needs to work. Doing it again changes
    /// nothing, and an app without the service gets nothing. Two round trips.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn grant_operator(&self, package: &str, deadline: Deadline) -> Result<Grants, PhoneError> {
        let command = CommandKind::Grant;
        let [on, services, listeners] =
            [SERVICES_ON, SERVICES, LISTENERS].map(|name| format!("settings get secure {name}"));
        let about =
            format!("dumpsys package {} | grep -F -e {NOTIFICATIONS}: -e {ACCESSIBILITY}", quote(package)?);
        let line = in_parts("/", [on, services, listeners, about])?.line(command).without_secrets();
        let answer = self.shell(&line, deadline).await?.check_exit()?;
        let values: Vec<_> = answer.out.split('\0').collect();
        let [on, services, listeners, about, _] = values[..] else {
            return Err(answer.unreadable());
        };
        let service = component(package, ACCESSIBILITY);
        if !about.split_whitespace().any(|word| same(word, &service)) {
            // A setting takes any name, and the phone would say it is on.
            return Err(PhoneError::Refused {
                command,
                exit_code: None,
                excerpt: format!("{} has no service {ACCESSIBILITY}", excerpt(package)),
            });
        }
        let services = with(services, &service);
        let listeners = with(listeners, &component(package, LISTENER));
        let on = on.trim() == "1";
        let had_notifications = about.contains(&format!("{NOTIFICATIONS}: granted=true"));
        let mut words = Vec::new();
        words.extend(services.iter().flat_map(|services| [SERVICES, services]));
        // After the list: this makes the phone start what is in it.
        words.extend((services.is_some() || !on).then_some([SERVICES_ON, "1"]).into_iter().flatten());
        words.extend(listeners.iter().flat_map(|listeners| [LISTENERS, listeners]));
        let permission = if had_notifications { "" } else { NOTIFICATIONS };
        let script = Script::of(&[GRANT]).value("package", package)?.value("permission", permission)?;
        let line = script.words(words)?.line(command).without_secrets();
        let nothing_to_do = services.is_none() && on && listeners.is_none() && had_notifications;
        let mut notifications = GrantResult::Already;
        if !nothing_to_do {
            let answer = self.shell(&line, deadline).await?;
            if !had_notifications {
                notifications = GrantResult::Now;
            }
            if NEEDLESS.iter().any(|words| answer.says(words)) {
                notifications = GrantResult::Needless;
            } else {
                answer.check_act()?;
            }
        }
        let change = |new: &Option<String>| match new {
            Some(_) => GrantResult::Now,
            None => GrantResult::Already,
        };
        Ok(Grants {
            accessibility: if on { change(&services) } else { GrantResult::Now },
            notifications,
            listener: change(&listeners),
        })
    }
}

fn component(package: &str, class: &str) -> String {
    format!("{package}/{class}")
}

/// The components of a setting; one that was never set is `null`.
fn names(setting: &str) -> impl Iterator<Item = &str> {
    let names = setting.trim().split(':').map(str::trim);
    names.filter(|name| !name.is_empty() && *name != "null")
}

/// A list with a component added; `None` if it is there already.
fn with(setting: &str, wanted: &str) -> Option<String> {
    if names(setting).any(|name| same(name, wanted)) {
        return None;
    }
    let all: Vec<_> = names(setting).chain([wanted]).collect();
    Some(all.join(":"))
}

/// Tells whether two texts name one component: `a/.B` is `a/a.B`.
fn same(one: &str, other: &str) -> bool {
    let full = |name: &str| {
        let (package, class) = name.split_once('/')?;
        Some(match class.strip_prefix('.') {
            Some(short) => (package.to_owned(), format!("{package}.{short}")),
            None => (package.to_owned(), class.to_owned()),
        })
    };
    full(one).is_some_and(|one| full(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGE: &str = "com.clawperator.operator";

    #[test]
    fn a_component_is_added_once_and_others_stay() {
        let wanted = "a.b/a.b.S";
        for (setting, now) in [
            ("null\n", Some("a.b/a.b.S")),
            ("\n", Some("a.b/a.b.S")),
            ("x/.Y\n", Some("x/.Y:a.b/a.b.S")),
            ("x/.Y:a.b/.S\n", None),
            ("a.b/a.b.S", None),
            // What only looks like it is another.
            ("a.b/a.b.Service", Some("a.b/a.b.Service:a.b/a.b.S")),
            ("com.a.b/a.b.S", Some("com.a.b/a.b.S:a.b/a.b.S")),
        ] {
            assert_eq!(with(setting, wanted).as_deref(), now, "{setting}");
        }
    }

    #[test]
    fn the_app_is_told_from_its_other_variant() {
        let dev = format!("package:{PACKAGE}.dev\n");
        let found = Operator::parse(PACKAGE, &[&dev, "", "0\n", "null\n", ""]);
        assert_eq!((found.installed, found.other_installed), (Some(false), Some(true)));
        assert_eq!(found.service, None);
        let both = format!("package:{PACKAGE}\npackage:{PACKAGE}.dev\n");
        let on = format!("{PACKAGE}/{ACCESSIBILITY}\n");
        let version = "    versionCode=503 minSdk=24\n    versionName=0.5.3\n";
        let found = Operator::parse(PACKAGE, &[&both, version, "1\n", &on, ""]);
        let wanted = Operator {
            installed: Some(true),
            other_installed: Some(true),
            version: Some("0.5.3".to_owned()),
            version_code: Some(503),
            service: Some(true),
        };
        assert_eq!(found, wanted);
        let found = Operator::parse(PACKAGE, &[&both, version, "0\n", &on, ""]);
        assert_eq!(found.service, Some(false));
        // A phone that is still starting says nothing at all.
        assert_eq!(Operator::parse(PACKAGE, &["", "", "", "", ""]), Operator::default());
    }

    #[test]
    fn each_variant_names_the_other() {
        assert_eq!(other_variant("a.b"), "a.b.dev");
        assert_eq!(other_variant("a.b.dev"), "a.b");
    }
}
